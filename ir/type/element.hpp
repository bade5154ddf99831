// Element types of arrays, their facts, and single values of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dvm {

enum class ElementType : std::uint8_t { Bool, I8, I16, I32, I64, U8, U16, U32, U64, F32, F64 };
inline constexpr int element_type_count = 11;

struct ElementFacts {
  std::string_view name;     // in IR text: f64
  std::string_view surface;  // in programs and messages: Double
  std::string_view numpy;    // dtype without byte order: f8
  int bytes;
  bool is_float, is_signed, is_integer;
};
const ElementFacts& facts(ElementType type);
inline int byte_size(ElementType type) { return facts(type).bytes; }
inline bool is_float(ElementType type) { return facts(type).is_float; }
inline bool is_integer(ElementType type) { return facts(type).is_integer; }
inline bool is_signed(ElementType type) { return facts(type).is_signed; }
std::optional<ElementType> element_from_name(std::string_view name);

// One value; `bits` holds it in the low bytes, integers sign- or zero-extended to 64 bits,
// Bool as 0 or 1, F32 as the 32-bit pattern. Every NaN is stored as the canonical quiet NaN.
struct Scalar {
  ElementType type = ElementType::F64;
  std::uint64_t bits = 0;

  static Scalar of_bool(bool value);
  static Scalar of_integer(ElementType type, std::int64_t value);  // wraps to the type
  static Scalar of_float(ElementType type, double value);          // F32: rounded once
  static Scalar of_i64(std::int64_t value) { return of_integer(ElementType::I64, value); }
  static Scalar load(ElementType type, const void* from);
  void store(void* to) const;

  bool as_bool() const { return bits != 0; }
  std::int64_t as_i64() const { return static_cast<std::int64_t>(bits); }
  std::uint64_t as_u64() const { return bits; }
  double as_double() const;                        // F32 and F64 only
  float as_float() const;                          // F32 only
  bool operator==(const Scalar&) const = default;  // bit for bit, NaNs equal
};

// Text that reads back to the same bits: shortest round trip for floats (always with `.` or
// exponent), `nan inf -inf`, `true false`.
std::string to_text(Scalar value);
std::optional<Scalar> scalar_from_text(ElementType type, std::string_view text);

}  // namespace dvm
