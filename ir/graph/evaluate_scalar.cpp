// Scalar functions on concrete values. Meaning: ir/README.md, section "Scalar functions".
#include "ir/graph/evaluate_scalar.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace dvm::graph {
namespace {

int width(ElementType type) { return 8 * byte_size(type); }

// The low bits of an integer, zero-extended.
std::uint64_t raw(Scalar value) {
  const int unused = 64 - width(value.type);
  return value.bits << unused >> unused;
}

Scalar wrapped(ElementType type, std::uint64_t bits) {
  return Scalar::of_integer(type, static_cast<std::int64_t>(bits));
}

// minimum and maximum of IEEE 754-2019.
template <class Float>
Float minimum(Float a, Float b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<Float>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class Float>
Float maximum(Float a, Float b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<Float>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

template <class Float>
Float float_function(ScalarFn fn, Float a, Float b, Float c, VectorIsa isa) {
  switch (fn) {
    case ScalarFn::Neg:
      return -a;
    case ScalarFn::Add:
      return a + b;
    case ScalarFn::Sub:
      return a - b;
    case ScalarFn::Mul:
      return a * b;
    case ScalarFn::Div:
      return a / b;
    case ScalarFn::Min:
      return minimum(a, b);
    case ScalarFn::Max:
      return maximum(a, b);
    case ScalarFn::Abs:
      return std::fabs(a);
    case ScalarFn::Signum:
      return a > 0 ? Float(1) : a < 0 ? Float(-1) : a;
    case ScalarFn::Fma:
      return std::fma(a, b, c);
    case ScalarFn::Sqrt:
      return std::sqrt(a);
    default: {
      const auto elementary = facts(fn).elementary;
      return elementary ? evaluate(*elementary, a, b, isa)
                        : std::numeric_limits<Float>::quiet_NaN();
    }
  }
}

template <class Number>
bool compare(ScalarFn fn, Number a, Number b) {
  switch (fn) {
    case ScalarFn::Eq:
      return a == b;
    case ScalarFn::Ne:
      return a != b;
    case ScalarFn::Lt:
      return a < b;
    case ScalarFn::Le:
      return a <= b;
    case ScalarFn::Gt:
      return a > b;
    default:
      return a >= b;
  }
}

bool compare_scalars(ScalarFn fn, Scalar a, Scalar b) {
  if (is_float(a.type)) return compare(fn, a.as_double(), b.as_double());
  return is_signed(a.type) ? compare(fn, a.as_i64(), b.as_i64())
                           : compare(fn, a.as_u64(), b.as_u64());
}

std::optional<Scalar> signed_division(ScalarFn fn, Scalar a, Scalar b) {
  const std::int64_t x = a.as_i64(), y = b.as_i64();
  if (y == 0) return std::nullopt;
  if (y == -1) {  // the least integer over -1 would trap
    const bool quotient = fn == ScalarFn::IntDiv || fn == ScalarFn::IntQuot;
    return wrapped(a.type, quotient ? 0 - a.bits : 0);
  }
  const std::int64_t quotient = x / y, remainder = x % y;
  const bool down = remainder != 0 && (remainder < 0) != (y < 0);
  switch (fn) {
    case ScalarFn::IntDiv:
      return Scalar::of_integer(a.type, down ? quotient - 1 : quotient);
    case ScalarFn::IntMod:
      return Scalar::of_integer(a.type, down ? remainder + y : remainder);
    case ScalarFn::IntQuot:
      return Scalar::of_integer(a.type, quotient);
    default:
      return Scalar::of_integer(a.type, remainder);
  }
}

std::optional<Scalar> division(ScalarFn fn, Scalar a, Scalar b) {
  if (is_signed(a.type)) return signed_division(fn, a, b);
  if (b.bits == 0) return std::nullopt;
  const bool quotient = fn == ScalarFn::IntDiv || fn == ScalarFn::IntQuot;
  return wrapped(a.type, quotient ? a.bits / b.bits : a.bits % b.bits);
}

std::optional<Scalar> shift(ScalarFn fn, Scalar value, std::int64_t count) {
  if (count < 0) return std::nullopt;
  const bool out = count >= width(value.type);
  if (fn == ScalarFn::Shl) return wrapped(value.type, out ? 0 : value.bits << count);
  if (is_signed(value.type))
    return Scalar::of_integer(value.type, value.as_i64() >> (out ? 63 : count));
  return wrapped(value.type, out ? 0 : value.bits >> count);
}

Scalar rotate_left(Scalar value, std::int64_t count) {
  const int bits = width(value.type);
  const int left = static_cast<int>(((count % bits) + bits) % bits);
  const std::uint64_t low = raw(value);
  return wrapped(value.type, left == 0 ? low : low << left | low >> (bits - left));
}

std::int64_t count_bits(ScalarFn fn, Scalar value) {
  const std::uint64_t low = raw(value);
  const int bits = width(value.type);
  switch (fn) {
    case ScalarFn::PopCount:
      return std::popcount(low);
    case ScalarFn::CountLeadingZeros:
      return std::countl_zero(low) - (64 - bits);
    default:
      return low == 0 ? bits : std::countr_zero(low);
  }
}

Scalar integer_function(ScalarFn fn, Scalar a, Scalar b) {
  const bool less = is_signed(a.type) ? a.as_i64() < b.as_i64() : a.bits < b.bits;
  const bool negative = is_signed(a.type) && a.as_i64() < 0;
  switch (fn) {
    case ScalarFn::Neg:
      return wrapped(a.type, 0 - a.bits);
    case ScalarFn::Add:
      return wrapped(a.type, a.bits + b.bits);
    case ScalarFn::Sub:
      return wrapped(a.type, a.bits - b.bits);
    case ScalarFn::Mul:
      return wrapped(a.type, a.bits * b.bits);
    case ScalarFn::Min:
      return less ? a : b;
    case ScalarFn::Max:
      return less ? b : a;
    case ScalarFn::Abs:
      return negative ? wrapped(a.type, 0 - a.bits) : a;
    case ScalarFn::Signum:
      return Scalar::of_integer(a.type, negative ? -1 : a.bits != 0 ? 1 : 0);
    case ScalarFn::And:
      return wrapped(a.type, a.bits & b.bits);
    case ScalarFn::Or:
      return wrapped(a.type, a.bits | b.bits);
    case ScalarFn::Xor:
      return wrapped(a.type, a.bits ^ b.bits);
    default:
      return wrapped(a.type, ~a.bits);  // Not
  }
}

Scalar convert(Scalar value, ElementType to) {
  if (value.type == to) return value;
  if (is_float(value.type)) return Scalar::of_float(to, value.as_double());
  if (!is_float(to)) return wrapped(to, value.bits);
  // To F32 in one rounding: not through double.
  if (to == ElementType::F32) {
    return Scalar::of_float(to, is_signed(value.type) ? static_cast<float>(value.as_i64())
                                                      : static_cast<float>(value.bits));
  }
  return Scalar::of_float(to, is_signed(value.type) ? static_cast<double>(value.as_i64())
                                                    : static_cast<double>(value.bits));
}

Scalar to_integer(ScalarFn fn, double value, ElementType to) {
  if (std::isnan(value)) return Scalar::of_integer(to, 0);
  switch (fn) {
    case ScalarFn::Floor:
      value = std::floor(value);
      break;
    case ScalarFn::Ceiling:
      value = std::ceil(value);
      break;
    case ScalarFn::Round:
      value = std::nearbyint(value);
      break;
    default:
      value = std::trunc(value);
      break;
  }
  const int bits = width(to) - (is_signed(to) ? 1 : 0);
  const double above = std::ldexp(1.0, bits);  // the greatest integer of the type plus 1
  const double least = is_signed(to) ? -above : 0.0;
  if (value >= above)
    return Scalar{to, bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1};
  if (value < least) value = least;
  if (is_signed(to)) return Scalar::of_integer(to, static_cast<std::int64_t>(value));
  return wrapped(to, static_cast<std::uint64_t>(value));
}

}  // namespace

std::optional<Scalar> evaluate_scalar(ScalarFn fn, std::span<const Scalar> args, ElementType result,
                                      VectorIsa isa) {
  const Scalar a = args[0];
  const Scalar b = args.size() > 1 ? args[1] : a;
  switch (fn) {
    case ScalarFn::Eq:
    case ScalarFn::Ne:
    case ScalarFn::Lt:
    case ScalarFn::Le:
    case ScalarFn::Gt:
    case ScalarFn::Ge:
      return Scalar::of_bool(compare_scalars(fn, a, b));
    case ScalarFn::Select:
      return a.as_bool() ? b : args[2];
    case ScalarFn::IntDiv:
    case ScalarFn::IntMod:
    case ScalarFn::IntQuot:
    case ScalarFn::IntRem:
      return division(fn, a, b);
    case ScalarFn::Shl:
    case ScalarFn::Shr:
      return shift(fn, a, b.as_i64());
    case ScalarFn::RotateL:
      return rotate_left(a, b.as_i64());
    case ScalarFn::RotateR:  // counts reduced first: -minBound would wrap
      return rotate_left(a, -(b.as_i64() % width(a.type)));
    case ScalarFn::PopCount:
    case ScalarFn::CountLeadingZeros:
    case ScalarFn::CountTrailingZeros:
      return Scalar::of_i64(count_bits(fn, a));
    case ScalarFn::Convert:
      return convert(a, result);
    case ScalarFn::Truncate:
    case ScalarFn::Floor:
    case ScalarFn::Ceiling:
    case ScalarFn::Round:
      return to_integer(fn, a.as_double(), result);
    case ScalarFn::IsNan:
      return Scalar::of_bool(std::isnan(a.as_double()));
    case ScalarFn::IsInfinite:
      return Scalar::of_bool(std::isinf(a.as_double()));
    default:
      break;
  }
  if (a.type == ElementType::F64) {
    const double c = args.size() > 2 ? args[2].as_double() : 0.0;
    return Scalar::of_float(a.type, float_function(fn, a.as_double(), b.as_double(), c, isa));
  }
  if (a.type == ElementType::F32) {
    const float c = args.size() > 2 ? args[2].as_float() : 0.0f;
    return Scalar::of_float(a.type, float_function(fn, a.as_float(), b.as_float(), c, isa));
  }
  return integer_function(fn, a, b);
}

}  // namespace dvm::graph
