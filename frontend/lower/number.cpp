// Numbers at any type: literals, and the conversions that Num, Integral and Fractional say.
#include <cstdint>

#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace builtin = typed::builtin_class;

ValueRef Lowerer::from_integer(const TypeRef& type, ValueId value, Span span) {
  if (const auto element = builtin_scalar(builtin::num, type))
    return scalar_value(emit().convert(value, *element));
  return call(method_named(builtin::num, "fromInteger", {type}, span), {scalar_value(value)}, span);
}

ValueId Lowerer::to_integer(const TypeRef& type, const ValueRef& value, Span span) {
  if (builtin_scalar(builtin::integral, type))
    return emit().convert(as_scalar(value, span), ElementType::I64);
  return as_scalar(call(method_named(builtin::integral, "toInteger", {type}, span), {value}, span),
                   span);
}

ValueRef Lowerer::from_rational(const TypeRef& type, ValueId value, Span span) {
  if (const auto element = builtin_scalar(builtin::fractional, type))
    return scalar_value(emit().convert(value, *element));
  return call(method_named(builtin::fractional, "fromRational", {type}, span),
              {scalar_value(value)}, span);
}

ValueRef Lowerer::literal(const TypeRef& type, const ast::IntegerLiteral& literal, bool negative,
                          Span span) {
  const auto element = builtin_scalar(builtin::num, type);
  if (!element) {
    const ValueId whole = emit().constant_i64(static_cast<std::int64_t>(literal.value));
    const ValueRef value = from_integer(type, whole, span);
    return negative ? call(method_named(builtin::num, "negate", {type}, span), {value}, span)
                    : value;
  }
  if (is_float(*element)) {
    const auto real = static_cast<double>(literal.value);
    return scalar_value(emit().constant(Scalar::of_float(*element, negative ? -real : real)));
  }
  const std::uint64_t bits = negative ? 0 - literal.value : literal.value;
  return scalar_value(
      emit().constant(Scalar::of_integer(*element, static_cast<std::int64_t>(bits))));
}

ValueRef Lowerer::literal(const TypeRef& type, const ast::FloatLiteral& literal, bool negative,
                          Span span) {
  if (const auto element = builtin_scalar(builtin::fractional, type))
    return scalar_value(
        emit().constant(Scalar::of_float(*element, negative ? -literal.value : literal.value)));
  const ValueRef value =
      from_rational(type, emit().constant(Scalar::of_float(ElementType::F64, literal.value)), span);
  return negative ? call(method_named(builtin::num, "negate", {type}, span), {value}, span) : value;
}

}  // namespace dvm::lower
