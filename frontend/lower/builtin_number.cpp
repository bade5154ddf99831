// Built-in functions on numbers.
#include <numbers>

#include "frontend/lower/scalar_builtin.hpp"

namespace dvm::lower {

namespace {

namespace builtin = typed::builtin_class;
using Call = const BuiltinCall&;

template <ScalarFn fn>
ValueRef divide(Call call) {
  const ValueId x = call.scalar(0);
  const ValueId y = call.scalar(1);
  const CheckId check = call.lower.new_check(call.span, "division by zero");
  return call.lower.scalar_value(call.emit().scalar(fn, {x, y}, check));
}

// To an integral type: built-in ones directly, others through their `fromInteger`.
template <ScalarFn fn>
ValueRef to_integral(Call call) {
  const ValueId x = call.scalar(0);
  if (call.lower.builtin_scalar(builtin::num, call.types.at(1)))
    return call.lower.scalar_value(call.emit().scalar(fn, {x}, {}, call.type(1)));
  return call.lower.from_integer(call.types[1], call.emit().scalar(fn, {x}, {}, ElementType::I64),
                                 call.span);
}

ValueRef from_integral(Call call) {
  if (call.lower.builtin_scalar(builtin::integral, call.types.at(0)))
    return to_integral<ScalarFn::Convert>(call);
  const ValueId whole = call.lower.to_integer(call.types[0], call.value(0), call.span);
  return call.lower.from_integer(call.types.at(1), whole, call.span);
}

ValueRef real_to_frac(Call call) {
  if (!call.lower.builtin_scalar(builtin::fractional, call.types.at(0)))
    call.lower.not_supported(call.span, "`realToFrac` from a type of one's own");
  const ValueId x = call.scalar(0);
  if (call.lower.builtin_scalar(builtin::fractional, call.types.at(1)))
    return call.lower.scalar_value(call.emit().convert(x, call.type(1)));
  return call.lower.from_rational(call.types[1], call.emit().convert(x, ElementType::F64),
                                  call.span);
}

// The methods fromInteger, toInteger, fromRational at built-in types.
ValueRef from_number(Call call) {
  return call.lower.scalar_value(call.emit().convert(call.scalar(0), call.type(0)));
}

ValueRef to_integer(Call call) {
  return call.lower.scalar_value(call.emit().convert(call.scalar(0), ElementType::I64));
}

template <ScalarFn quotient, ScalarFn rest>
ValueRef divide_both(Call call) {
  return make_value(TupleValue{{divide<quotient>(call), divide<rest>(call)}});
}

// The product of two values of the call's first type.
ValueRef times(Lowerer& lower, const TypeRef& type, const ValueRef& a, const ValueRef& b,
               Span span) {
  if (lower.builtin_scalar(builtin::num, type))
    return lower.scalar_value(
        lower.emit().scalar(ScalarFn::Mul, {lower.as_scalar(a, span), lower.as_scalar(b, span)}));
  return lower.call(lower.method_named(builtin::num, "*", {type}, span), {a, b}, span);
}

ValueRef one(Call call) {
  return call.lower.from_integer(call.types.at(0), call.emit().constant_i64(1), call.span);
}

// x ^ n for an n that is not known: square and multiply, lowest bit first.
ValueRef power_loop(Call call, const ValueRef& x, ValueId n) {
  Emitter& emit = call.emit();
  const ValueId ok = emit.scalar(ScalarFn::Ge, {n, emit.constant_i64(0)});
  n = emit.check(n, ok, {n},
                 call.lower.new_check(call.span, "the exponent {0} of `^` is negative"));
  Lowerer& lower = call.lower;
  const ValueRef initial = make_value(TupleValue{{x, lower.scalar_value(n), one(call)}});
  auto part = [](Lowerer& inside, Lazy* lazy, std::size_t i) {
    return get_if<TupleValue>(inside.demand(lazy))->parts.at(i);
  };
  const ValueRef done = lower.native(
      1, [part, span = call.span](Lowerer& inside, const std::vector<Lazy*>& args, Span) {
        const ValueId rest = inside.as_scalar(part(inside, args[0], 1), span);
        return inside.scalar_value(
            inside.emit().scalar(ScalarFn::Le, {rest, inside.emit().constant_i64(0)}));
      });
  const ValueRef step = lower.native(1, [part, span = call.span, type = call.types.at(0)](
                                            Lowerer& inside, const std::vector<Lazy*>& args, Span) {
    Emitter& e = inside.emit();
    const ValueRef square = part(inside, args[0], 0);
    const ValueId rest = inside.as_scalar(part(inside, args[0], 1), span);
    const ValueRef product = part(inside, args[0], 2);
    const ValueId odd = e.scalar(
        ScalarFn::Ne, {e.scalar(ScalarFn::And, {rest, e.constant_i64(1)}), e.constant_i64(0)});
    ValueRef next;
    if (inside.builtin_scalar(builtin::num, type)) {
      const ValueId more = inside.as_scalar(times(inside, type, product, square, span), span);
      next = inside.scalar_value(
          e.scalar(ScalarFn::Select, {odd, more, inside.as_scalar(product, span)}));
    } else {
      next = inside.branch(
          odd, [&] { return times(inside, type, product, square, span); }, [&] { return product; },
          span);
    }
    const ValueId half = e.scalar(ScalarFn::Shr, {rest, e.constant_i64(1)},
                                  inside.new_check(span, "negative shift"));
    return make_value(
        TupleValue{{times(inside, type, square, square, span), inside.scalar_value(half), next}});
  });
  const ValueRef result = lower.until(done, step, initial, call.span);
  return get_if<TupleValue>(result)->parts.at(2);
}

ValueRef power(Call call) {
  Lowerer& lower = call.lower;
  const TypeRef& type = call.types.at(0);
  const ValueRef x = call.value(0);
  const bool plain = lower.builtin_scalar(builtin::integral, call.types.at(1)).has_value();
  const ValueId n =
      plain ? call.scalar(1) : lower.to_integer(call.types[1], call.value(1), call.span);
  const auto known = call.emit().known(n);
  if (!known) return power_loop(call, x, call.emit().convert(n, ElementType::I64));
  if (is_signed(known->type) && known->as_i64() < 0)
    lower.fail(call.span, "negative-exponent", "the exponent of `^` is negative",
               "use `^^` or `**`");
  std::uint64_t rest = known->as_u64();
  ValueRef square = x;
  ValueRef product;
  while (rest != 0) {
    if ((rest & 1) != 0)
      product = product ? times(lower, type, product, square, call.span) : square;
    rest >>= 1;
    if (rest != 0) square = times(lower, type, square, square, call.span);
  }
  return product ? product : one(call);
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
      {"fromIntegral", {1, from_integral}},
      {"realToFrac", {1, real_to_frac}},
      {"fromInteger", {1, from_number}},
      {"fromRational", {1, from_number}},
      {"toInteger", {1, to_integer}},
      {"divMod", {2, divide_both<ScalarFn::IntDiv, ScalarFn::IntMod>}},
      {"quotRem", {2, divide_both<ScalarFn::IntQuot, ScalarFn::IntRem>}},
      {"truncate", {1, to_integral<ScalarFn::Truncate>}},
      {"floor", {1, to_integral<ScalarFn::Floor>}},
      {"ceiling", {1, to_integral<ScalarFn::Ceiling>}},
      {"round", {1, to_integral<ScalarFn::Round>}},
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
