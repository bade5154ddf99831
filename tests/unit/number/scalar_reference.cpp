// See scalar_reference.hpp.
#include "tests/unit/number/scalar_reference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace dvm::number_test {
namespace {

using graph::ScalarFn;
using Exact = __int128;

int width_of(ElementType type) { return 8 * byte_size(type); }

Exact exact(Scalar value) {
  return is_signed(value.type) ? Exact{value.as_i64()} : Exact{value.as_u64()};
}
Scalar wrapped(ElementType type, Exact value) {
  return Scalar::of_integer(type, static_cast<std::int64_t>(static_cast<std::uint64_t>(value)));
}
Exact least(ElementType type) {
  return is_signed(type) ? -(Exact{1} << (width_of(type) - 1)) : Exact{0};
}
Exact greatest(ElementType type) {
  return (Exact{1} << (width_of(type) - (is_signed(type) ? 1 : 0))) - 1;
}
// The bits as a number that is not negative.
Exact pattern(Scalar value) { return exact(value) & ((Exact{1} << width_of(value.type)) - 1); }

Exact floor_quotient(Exact x, Exact y) {
  const Exact quotient = x / y;
  return quotient * y != x && (x < 0) != (y < 0) ? quotient - 1 : quotient;
}

std::optional<Scalar> integer_division(ScalarFn fn, Exact x, Exact y, ElementType type) {
  if (y == 0) return std::nullopt;
  switch (fn) {
    case ScalarFn::IntDiv:
      return wrapped(type, floor_quotient(x, y));
    case ScalarFn::IntMod:
      return wrapped(type, x - floor_quotient(x, y) * y);
    case ScalarFn::IntQuot:
      return wrapped(type, x / y);
    default:
      return wrapped(type, x % y);
  }
}

std::optional<Scalar> shift(ScalarFn fn, Scalar x, std::int64_t count) {
  const int width = width_of(x.type);
  if (fn == ScalarFn::Shl || fn == ScalarFn::Shr) {
    if (count < 0) return std::nullopt;
    if (count >= width)
      return wrapped(x.type, fn == ScalarFn::Shr && exact(x) < 0 ? Exact{-1} : Exact{0});
    if (fn == ScalarFn::Shl) return wrapped(x.type, pattern(x) << count);
    return wrapped(x.type, floor_quotient(exact(x), Exact{1} << count));
  }
  std::int64_t left = count % width;
  if (fn == ScalarFn::RotateR) left = -left;
  if (left < 0) left += width;
  return wrapped(x.type, pattern(x) << left | pattern(x) >> (width - left));
}

Exact bit_count(ScalarFn fn, Scalar x) {
  const auto bits = static_cast<std::uint64_t>(pattern(x));
  if (fn == ScalarFn::PopCount) return std::popcount(bits);
  if (bits == 0) return width_of(x.type);
  if (fn == ScalarFn::CountTrailingZeros) return std::countr_zero(bits);
  return std::countl_zero(bits) - (64 - width_of(x.type));
}

Exact integer_value(ScalarFn fn, Exact x, Exact y) {
  switch (fn) {
    case ScalarFn::Neg:
      return -x;
    case ScalarFn::Add:
      return x + y;
    case ScalarFn::Sub:
      return x - y;
    case ScalarFn::Mul:
      return static_cast<Exact>(static_cast<unsigned __int128>(x) *
                                static_cast<unsigned __int128>(y));
    case ScalarFn::Min:
      return std::min(x, y);
    case ScalarFn::Max:
      return std::max(x, y);
    case ScalarFn::Abs:
      return x < 0 ? -x : x;
    case ScalarFn::Signum:
      return x < 0 ? -1 : x > 0 ? 1 : 0;
    case ScalarFn::And:
      return x & y;
    case ScalarFn::Or:
      return x | y;
    case ScalarFn::Xor:
      return x ^ y;
    default:
      return ~x;
  }
}

template <class Number>
bool compared(ScalarFn fn, Number x, Number y) {
  switch (fn) {
    case ScalarFn::Eq:
      return x == y;
    case ScalarFn::Ne:
      return x != y;
    case ScalarFn::Lt:
      return x < y;
    case ScalarFn::Le:
      return x <= y;
    case ScalarFn::Gt:
      return x > y;
    default:
      return x >= y;
  }
}
bool is_comparison(ScalarFn fn) { return fn >= ScalarFn::Eq && fn <= ScalarFn::Ge; }

// IEEE 754-2019 `minimum`: NaN if one is, and -0 is less than +0.
template <class Float>
Float minimum(Float x, Float y) {
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<Float>::quiet_NaN();
  if (x == y) return std::signbit(x) ? x : y;
  return x < y ? x : y;
}

template <class Float>
Float float_value(ScalarFn fn, Float x, Float y, Float z) {
  switch (fn) {
    case ScalarFn::Neg:
      return -x;
    case ScalarFn::Add:
      return x + y;
    case ScalarFn::Sub:
      return x - y;
    case ScalarFn::Mul:
      return x * y;
    case ScalarFn::Div:
      return x / y;
    case ScalarFn::Min:
      return minimum(x, y);
    case ScalarFn::Max:
      return -minimum(-x, -y);
    case ScalarFn::Abs:
      return std::fabs(x);
    case ScalarFn::Signum:
      return std::isnan(x) || x == 0 ? x : std::copysign(Float{1}, x);
    case ScalarFn::Fma:
      return std::fma(x, y, z);
    default:
      return std::sqrt(x);
  }
}

// Saturates; NaN gives 0. Every integer type's ends are exact in a long double.
Scalar to_integer(ScalarFn fn, long double x, ElementType type) {
  if (std::isnan(x)) return wrapped(type, 0);
  const long double whole = fn == ScalarFn::Floor     ? std::floor(x)
                            : fn == ScalarFn::Ceiling ? std::ceil(x)
                            : fn == ScalarFn::Round   ? std::nearbyint(x)  // ties to even
                                                      : std::trunc(x);
  if (whole <= static_cast<long double>(least(type))) return wrapped(type, least(type));
  if (whole >= static_cast<long double>(greatest(type))) return wrapped(type, greatest(type));
  return wrapped(type, static_cast<Exact>(whole));
}

template <class Float>
Scalar of_float(Float x, const std::vector<Scalar>& args, ScalarFn fn, ElementType result) {
  const auto value = [&](std::size_t i) {
    return i < args.size() ? static_cast<Float>(args[i].as_double()) : Float{0};
  };
  if (is_comparison(fn)) return Scalar::of_bool(compared(fn, x, value(1)));
  if (fn == ScalarFn::IsNan) return Scalar::of_bool(x != x);
  if (fn == ScalarFn::IsInfinite)
    return Scalar::of_bool(std::fabs(x) == std::numeric_limits<Float>::infinity());
  if (is_integer(result)) return to_integer(fn, x, result);
  if (fn == ScalarFn::Convert) return Scalar::of_float(result, x);
  return Scalar::of_float(result, float_value(fn, x, value(1), value(2)));
}

Scalar converted(Scalar x, ElementType result) {
  if (is_integer(result)) return wrapped(result, exact(x));
  const bool single = result == ElementType::F32;
  if (is_signed(x.type))
    return Scalar::of_float(
        result, single ? static_cast<float>(x.as_i64()) : static_cast<double>(x.as_i64()));
  return Scalar::of_float(
      result, single ? static_cast<float>(x.as_u64()) : static_cast<double>(x.as_u64()));
}

}  // namespace

std::optional<Scalar> reference(ScalarFn fn, const std::vector<Scalar>& args, ElementType result) {
  const Scalar x = args[0];
  if (x.type == ElementType::F64) return of_float(x.as_double(), args, fn, result);
  if (x.type == ElementType::F32) return of_float(x.as_float(), args, fn, result);
  const Scalar y = args.size() > 1 ? args[1] : Scalar::of_i64(0);
  if (is_comparison(fn)) return Scalar::of_bool(compared(fn, exact(x), exact(y)));
  if (fn == ScalarFn::Convert) return converted(x, result);
  if (fn >= ScalarFn::IntDiv && fn <= ScalarFn::IntRem)
    return integer_division(fn, exact(x), exact(y), x.type);
  if (fn >= ScalarFn::Shl && fn <= ScalarFn::RotateR) return shift(fn, x, y.as_i64());
  if (fn >= ScalarFn::PopCount && fn <= ScalarFn::CountTrailingZeros)
    return wrapped(result, bit_count(fn, x));
  const Exact value = integer_value(fn, exact(x), exact(y));
  if (x.type == ElementType::Bool) return Scalar::of_bool((value & 1) != 0);
  return wrapped(result, value);
}

std::vector<Scalar> corner_values(ElementType type) {
  std::vector<Scalar> values;
  if (type == ElementType::Bool) return {Scalar::of_bool(false), Scalar::of_bool(true)};
  if (is_integer(type)) {
    const Exact low = least(type), high = greatest(type);
    for (const Exact value : {Exact{0}, Exact{1}, Exact{-1}, Exact{2}, Exact{3}, Exact{-7},
                              Exact{100}, low, low + 1, high, high - 1, high / 2, high / 2 + 1})
      values.push_back(wrapped(type, value));
    return values;
  }
  const bool single = type == ElementType::F32;
  const double huge =
      single ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  const double normal =
      single ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  const double tiny =
      single ? std::numeric_limits<float>::denorm_min() : std::numeric_limits<double>::denorm_min();
  for (const double value : {0.0, 1.0, 0.5, 1.5, 2.5, 0.49999997, 3.0, 127.5, 255.5, 2147483648.0,
                             9223372036854775808.0, 18446744073709551616.0, 8388608.5, 1e-3, normal,
                             tiny, huge, std::numeric_limits<double>::infinity()}) {
    values.push_back(Scalar::of_float(type, value));
    values.push_back(Scalar::of_float(type, -value));
  }
  values.push_back(Scalar::of_float(type, std::numeric_limits<double>::quiet_NaN()));
  return values;
}

std::vector<Scalar> corner_counts(ElementType type) {
  std::vector<Scalar> counts;
  const std::int64_t width = width_of(type);
  for (const std::int64_t count :
       {std::int64_t{0}, std::int64_t{1}, width - 1, width, width + 1, 2 * width, std::int64_t{63},
        std::int64_t{64}, std::int64_t{65}, std::int64_t{1} << 32, INT64_MAX, std::int64_t{-1},
        -width, INT64_MIN})
    counts.push_back(Scalar::of_i64(count));
  return counts;
}

}  // namespace dvm::number_test
