// Built-in functions that go in order: folds and iteration.
#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace {

using Call = const BuiltinCall&;

// Elements of a fold at top level are computed before it, in parallel.
ArrayValue elements(Call call, std::size_t i) {
  const ArrayValue array = call.array(i);
  return call.emit().in_parallel() ? array : call.lower.stored_or_view(array, call.span);
}

// The type of the state: that of a type variable of the signature.
TypeRef state_type(Call call, std::size_t variable) {
  return variable < call.types.size() ? call.types[variable] : nullptr;
}

template <bool from_left>
ValueRef fold(Call call) {
  const ValueRef f = call.value(0);
  const ValueRef start = call.value(1);
  const ArrayValue array = elements(call, 2);
  const ValueId count = call.lower.fulfil(call.emit().size_value(array.extent), array.requirements);
  return call.lower.loop(
      count, start,
      [&](ValueId step, const ValueRef& state) {
        Emitter& emit = call.emit();
        if (from_left)
          return call.lower.call(f, {state, array.element(call.lower, step)}, call.span);
        const ValueId last = emit.size_value(array.extent - Size(1));
        const ValueId index = emit.scalar(ScalarFn::Sub, {last, step});
        return call.lower.call(f, {array.element(call.lower, index), state}, call.span);
      },
      call.span, state_type(call, from_left ? 0 : 1));
}

ValueRef scan_left(Call call) {
  const ValueRef f = call.value(0);
  const ValueRef start = call.value(1);
  return call.lower.scan_states(elements(call, 2), f, start, call.span, state_type(call, 0));
}

ValueRef iterate(Call call) {
  Emitter& emit = call.emit();
  ValueId count = call.scalar(0);
  const ValueRef f = call.value(1);
  const ValueRef start = call.value(2);
  if (!emit.proves_nonnegative(emit.as_size(count))) {
    const ValueId ok = emit.scalar(ScalarFn::Ge, {count, emit.constant_i64(0)});
    count = emit.check(count, ok, {count},
                       call.lower.new_check(call.span, "the number of steps {0} is negative"));
  }
  return call.lower.loop(
      count, start,
      [&](ValueId, const ValueRef& state) { return call.lower.call(f, {state}, call.span); },
      call.span, state_type(call, 0));
}

ValueRef until(Call call) {
  const ValueRef done = call.value(0);
  const ValueRef step = call.value(1);
  return call.lower.until(done, step, call.value(2), call.span, state_type(call, 0));
}

}  // namespace

const BuiltinTable& loop_builtins() {
  static const BuiltinTable table = {
      {"foldl", {3, fold<true>}}, {"foldr", {3, fold<false>}}, {"scanl", {3, scan_left}},
      {"iterateN", {3, iterate}}, {"until", {3, until}},
  };
  return table;
}

}  // namespace dvm::lower
