// Built-in functions on bits.
#include "frontend/lower/scalar_builtin.hpp"

namespace dvm::lower {

namespace {

using Call = const BuiltinCall&;

ValueId shifted(Call call, ScalarFn fn, ValueId x, ValueId count) {
  return call.emit().scalar(fn, {x, count},
                            call.lower.new_check(call.span, "the shift {0} is negative"));
}

template <ScalarFn fn>
ValueRef shift(Call call) {
  const ValueId x = call.scalar(0);
  const ValueId count = call.scalar(1);
  return call.lower.scalar_value(shifted(call, fn, x, count));
}

ValueId single_bit(Call call, ElementType type, ValueId position) {
  return shifted(call, ScalarFn::Shl, call.emit().constant(Scalar::of_integer(type, 1)), position);
}

ValueRef test_bit(Call call) {
  const ValueId x = call.scalar(0);
  const ValueId position = call.scalar(1);
  Emitter& emit = call.emit();
  const ElementType type = emit.element(x);
  const ValueId bit = emit.scalar(ScalarFn::And, {x, single_bit(call, type, position)});
  return call.lower.boolean(
      emit.scalar(ScalarFn::Ne, {bit, emit.constant(Scalar::of_integer(type, 0))}));
}

ValueRef bit(Call call) {
  return call.lower.scalar_value(single_bit(call, call.type(0), call.scalar(0)));
}

template <bool on>
ValueRef change_bit(Call call) {
  const ValueId x = call.scalar(0);
  const ValueId position = call.scalar(1);
  Emitter& emit = call.emit();
  const ValueId bit = single_bit(call, emit.element(x), position);
  if (on) return call.lower.scalar_value(emit.scalar(ScalarFn::Or, {x, bit}));
  return call.lower.scalar_value(
      emit.scalar(ScalarFn::And, {x, emit.scalar(ScalarFn::Not, {bit})}));
}

}  // namespace

const BuiltinTable& bit_builtins() {
  static const BuiltinTable table = {
      {".&.", {2, binary<ScalarFn::And>}},
      {".|.", {2, binary<ScalarFn::Or>}},
      {"xor", {2, binary<ScalarFn::Xor>}},
      {"complement", {1, unary<ScalarFn::Not>}},
      {"shiftL", {2, shift<ScalarFn::Shl>}},
      {"shiftR", {2, shift<ScalarFn::Shr>}},
      {"rotateL", {2, binary<ScalarFn::RotateL>}},
      {"rotateR", {2, binary<ScalarFn::RotateR>}},
      {"bit", {1, bit}},
      {"testBit", {2, test_bit}},
      {"setBit", {2, change_bit<true>}},
      {"clearBit", {2, change_bit<false>}},
      {"popCount", {1, unary<ScalarFn::PopCount>}},
      {"countLeadingZeros", {1, unary<ScalarFn::CountLeadingZeros>}},
      {"countTrailingZeros", {1, unary<ScalarFn::CountTrailingZeros>}},
  };
  return table;
}

}  // namespace dvm::lower
