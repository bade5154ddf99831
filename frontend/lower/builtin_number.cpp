// Built-in functions on numbers.
#include <numbers>

#include "frontend/lower/scalar_builtin.hpp"

namespace dvm::lower {

namespace {

using Call = const BuiltinCall&;

template <ScalarFn fn>
ValueRef divide(Call call) {
  const ValueId x = call.scalar(0);
  const ValueId y = call.scalar(1);
  const CheckId check = call.lower.new_check(call.span, "division by zero");
  return call.lower.scalar_value(call.emit().scalar(fn, {x, y}, check));
}

template <ScalarFn fn>
ValueRef to_type(Call call) {
  const ValueId x = call.scalar(0);
  return call.lower.scalar_value(call.emit().scalar(fn, {x}, {}, call.type(1)));
}

Scalar one(ElementType type) {
  return is_float(type) ? Scalar::of_float(type, 1) : Scalar::of_integer(type, 1);
}

// x ^ n for an n that is not known: square and multiply, lowest bit first.
ValueId power_loop(Call call, ValueId x, ValueId n) {
  Emitter& emit = call.emit();
  const ValueId ok = emit.scalar(ScalarFn::Ge, {n, emit.constant_i64(0)});
  n = emit.check(n, ok, {n},
                 call.lower.new_check(call.span, "the exponent {0} of `^` is negative"));
  Lowerer& lower = call.lower;
  const ValueRef initial =
      make_value(TupleValue{{lower.scalar_value(x), lower.scalar_value(n),
                             lower.scalar_value(emit.constant(one(emit.element(x))))}});
  auto part = [span = call.span](Lowerer& inside, Lazy* lazy, std::size_t i) {
    return inside.as_scalar(get_if<TupleValue>(inside.demand(lazy))->parts.at(i), span);
  };
  const ValueRef done =
      lower.native(1, [part](Lowerer& inside, const std::vector<Lazy*>& args, Span) {
        const ValueId rest = part(inside, args[0], 1);
        return inside.scalar_value(
            inside.emit().scalar(ScalarFn::Le, {rest, inside.emit().constant_i64(0)}));
      });
  const ValueRef step = lower.native(1, [part, span = call.span](
                                            Lowerer& inside, const std::vector<Lazy*>& args, Span) {
    Emitter& e = inside.emit();
    const ValueId square = part(inside, args[0], 0);
    const ValueId rest = part(inside, args[0], 1);
    const ValueId product = part(inside, args[0], 2);
    const ValueId odd = e.scalar(
        ScalarFn::Ne, {e.scalar(ScalarFn::And, {rest, e.constant_i64(1)}), e.constant_i64(0)});
    const ValueId next =
        e.scalar(ScalarFn::Select, {odd, e.scalar(ScalarFn::Mul, {product, square}), product});
    const ValueId half = e.scalar(ScalarFn::Shr, {rest, e.constant_i64(1)},
                                  inside.new_check(span, "negative shift"));
    return make_value(TupleValue{{inside.scalar_value(e.scalar(ScalarFn::Mul, {square, square})),
                                  inside.scalar_value(half), inside.scalar_value(next)}});
  });
  const ValueRef result = lower.until(done, step, initial, call.span);
  return lower.as_scalar(get_if<TupleValue>(result)->parts.at(2), call.span);
}

ValueRef power(Call call) {
  Emitter& emit = call.emit();
  const ValueId x = call.scalar(0);
  const ValueId n = call.scalar(1);
  const auto known = emit.known(n);
  if (!known)
    return call.lower.scalar_value(power_loop(call, x, emit.convert(n, ElementType::I64)));
  if (is_signed(known->type) && known->as_i64() < 0)
    call.lower.fail(call.span, "negative-exponent", "the exponent of `^` is negative",
                    "use `^^` or `**`");
  std::uint64_t rest = known->as_u64();
  ValueId square = x;
  ValueId product;
  while (rest != 0) {
    if ((rest & 1) != 0)
      product = product.valid() ? emit.scalar(ScalarFn::Mul, {product, square}) : square;
    rest >>= 1;
    if (rest != 0) square = emit.scalar(ScalarFn::Mul, {square, square});
  }
  return call.lower.scalar_value(product.valid() ? product : emit.constant(one(emit.element(x))));
}

ValueRef pi(Call call) {
  return call.lower.scalar_value(
      call.emit().constant(Scalar::of_float(call.type(0), std::numbers::pi)));
}

ValueRef fma(Call call) {
  const ValueId x = call.scalar(0);
  const ValueId y = call.scalar(1);
  const ValueId z = call.scalar(2);
  return call.lower.scalar_value(call.emit().scalar(ScalarFn::Fma, {x, y, z}));
}

}  // namespace

const BuiltinTable& number_builtins() {
  static const BuiltinTable table = {
      {"+", {2, binary<ScalarFn::Add>}},
      {"-", {2, binary<ScalarFn::Sub>}},
      {"*", {2, binary<ScalarFn::Mul>}},
      {"/", {2, binary<ScalarFn::Div>}},
      {"negate", {1, unary<ScalarFn::Neg>}},
      {"abs", {1, unary<ScalarFn::Abs>}},
      {"signum", {1, unary<ScalarFn::Signum>}},
      {"div", {2, divide<ScalarFn::IntDiv>}},
      {"mod", {2, divide<ScalarFn::IntMod>}},
      {"quot", {2, divide<ScalarFn::IntQuot>}},
      {"rem", {2, divide<ScalarFn::IntRem>}},
      {"^", {2, power}},
      {"fromIntegral", {1, to_type<ScalarFn::Convert>}},
      {"realToFrac", {1, to_type<ScalarFn::Convert>}},
      {"truncate", {1, to_type<ScalarFn::Truncate>}},
      {"floor", {1, to_type<ScalarFn::Floor>}},
      {"ceiling", {1, to_type<ScalarFn::Ceiling>}},
      {"round", {1, to_type<ScalarFn::Round>}},
      {"pi", {0, pi}},
      {"exp", {1, unary<ScalarFn::Exp>}},
      {"expm1", {1, unary<ScalarFn::Expm1>}},
      {"log", {1, unary<ScalarFn::Log>}},
      {"log1p", {1, unary<ScalarFn::Log1p>}},
      {"sqrt", {1, unary<ScalarFn::Sqrt>}},
      {"cbrt", {1, unary<ScalarFn::Cbrt>}},
      {"sin", {1, unary<ScalarFn::Sin>}},
      {"cos", {1, unary<ScalarFn::Cos>}},
      {"tan", {1, unary<ScalarFn::Tan>}},
      {"asin", {1, unary<ScalarFn::Asin>}},
      {"acos", {1, unary<ScalarFn::Acos>}},
      {"atan", {1, unary<ScalarFn::Atan>}},
      {"sinh", {1, unary<ScalarFn::Sinh>}},
      {"cosh", {1, unary<ScalarFn::Cosh>}},
      {"tanh", {1, unary<ScalarFn::Tanh>}},
      {"asinh", {1, unary<ScalarFn::Asinh>}},
      {"acosh", {1, unary<ScalarFn::Acosh>}},
      {"atanh", {1, unary<ScalarFn::Atanh>}},
      {"erf", {1, unary<ScalarFn::Erf>}},
      {"erfc", {1, unary<ScalarFn::Erfc>}},
      {"**", {2, binary<ScalarFn::Pow>}},
      {"atan2", {2, binary<ScalarFn::Atan2>}},
      {"hypot", {2, binary<ScalarFn::Hypot>}},
      {"fma", {3, fma}},
      {"isNaN", {1, unary<ScalarFn::IsNan>}},
      {"isInfinite", {1, unary<ScalarFn::IsInfinite>}},
  };
  return table;
}

}  // namespace dvm::lower
