// Element types and single values: facts, bit patterns, text.
#include "ir/type/element.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace dvm {
namespace {

constexpr std::array<ElementFacts, element_type_count> all_facts = {{
    {"bool", "Bool", "b1", 1, false, false, false},
    {"i8", "Int8", "i1", 1, false, true, true},
    {"i16", "Int16", "i2", 2, false, true, true},
    {"i32", "Int32", "i4", 4, false, true, true},
    {"i64", "Int", "i8", 8, false, true, true},
    {"u8", "Word8", "u1", 1, false, false, true},
    {"u16", "Word16", "u2", 2, false, false, true},
    {"u32", "Word32", "u4", 4, false, false, true},
    {"u64", "Word", "u8", 8, false, false, true},
    {"f32", "Float", "f4", 4, true, true, false},
    {"f64", "Double", "f8", 8, true, true, false},
}};

constexpr std::uint64_t canonical_nan_f64 = 0x7FF8000000000000u;
constexpr std::uint64_t canonical_nan_f32 = 0x7FC00000u;

// Sign- or zero-extends the low bytes of an integer type to 64 bits.
std::uint64_t extend(ElementType type, std::uint64_t bits) {
  const int unused = 64 - 8 * byte_size(type);
  if (is_signed(type)) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
  }
  return bits << unused >> unused;
}

template <class Float>
std::string float_text(Float value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<Scalar> float_from_text(ElementType type, std::string_view text) {
  if (text == "nan") return Scalar::of_float(type, std::nan(""));
  if (text == "inf") return Scalar::of_float(type, HUGE_VAL);
  if (text == "-inf") return Scalar::of_float(type, -HUGE_VAL);
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || digits[0] < '0' || digits[0] > '9') return std::nullopt;
  if (type == ElementType::F32) {
    const auto value = parse_number<float>(text);  // rounded once, not through double
    if (!value) return std::nullopt;
    return Scalar{type, std::bit_cast<std::uint32_t>(*value)};
  }
  const auto value = parse_number<double>(text);
  if (!value) return std::nullopt;
  return Scalar::of_float(type, *value);
}

}  // namespace

const ElementFacts& facts(ElementType type) { return all_facts.at(static_cast<std::size_t>(type)); }

std::optional<ElementType> element_from_name(std::string_view name) {
  for (std::size_t i = 0; i < all_facts.size(); ++i) {
    if (all_facts[i].name == name) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

Scalar Scalar::of_bool(bool value) { return {ElementType::Bool, value ? 1u : 0u}; }

Scalar Scalar::of_integer(ElementType type, std::int64_t value) {
  if (type == ElementType::Bool) return of_bool((value & 1) != 0);
  return {type, extend(type, static_cast<std::uint64_t>(value))};
}

Scalar Scalar::of_float(ElementType type, double value) {
  if (type == ElementType::F32) {
    if (std::isnan(value)) return {type, canonical_nan_f32};
    return {type, std::bit_cast<std::uint32_t>(static_cast<float>(value))};
  }
  return {type, std::isnan(value) ? canonical_nan_f64 : std::bit_cast<std::uint64_t>(value)};
}

Scalar Scalar::load(ElementType type, const void* from) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, static_cast<std::size_t>(byte_size(type)));
  switch (type) {
    case ElementType::Bool:
      return of_bool(bits != 0);
    case ElementType::F32:
      return {type, std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                        ? canonical_nan_f32
                        : bits};
    case ElementType::F64:
      return {type, std::isnan(std::bit_cast<double>(bits)) ? canonical_nan_f64 : bits};
    default:
      return {type, extend(type, bits)};
  }
}

void Scalar::store(void* to) const {
  std::memcpy(to, &bits, static_cast<std::size_t>(byte_size(type)));
}

double Scalar::as_double() const {
  return type == ElementType::F32 ? static_cast<double>(as_float()) : std::bit_cast<double>(bits);
}

float Scalar::as_float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

std::string to_text(Scalar value) {
  switch (value.type) {
    case ElementType::Bool:
      return value.as_bool() ? "true" : "false";
    case ElementType::F32:
      return float_text(value.as_float());
    case ElementType::F64:
      return float_text(value.as_double());
    default:
      return is_signed(value.type) ? std::to_string(value.as_i64())
                                   : std::to_string(value.as_u64());
  }
}

std::optional<Scalar> scalar_from_text(ElementType type, std::string_view text) {
  if (type == ElementType::Bool) {
    if (text == "true") return Scalar::of_bool(true);
    if (text == "false") return Scalar::of_bool(false);
    return std::nullopt;
  }
  if (is_float(type)) return float_from_text(type, text);
  Scalar result{type, 0};
  if (is_signed(type)) {
    const auto value = parse_number<std::int64_t>(text);
    if (!value) return std::nullopt;
    result = Scalar::of_integer(type, *value);
    if (result.as_i64() != *value) return std::nullopt;
  } else {
    const auto value = parse_number<std::uint64_t>(text);
    if (!value) return std::nullopt;
    result.bits = extend(type, *value);
    if (result.bits != *value) return std::nullopt;
  }
  return result;
}

}  // namespace dvm
