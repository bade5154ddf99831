// A parser of nested lists whose depth is bounded by the rank that is wanted.
#include "backend/driver/literals.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <vector>

namespace dvm::driver {

namespace {

constexpr std::int64_t unknown = -1;

struct IntegerRange {
  std::int64_t least;
  std::uint64_t most;
};
IntegerRange range_of(ElementType element) {
  const int bits = byte_size(element) * 8;
  if (!is_signed(element))
    return {0, bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1};
  const std::uint64_t half = std::uint64_t{1} << (bits - 1);
  return {static_cast<std::int64_t>(~half + 1), half - 1};
}

std::optional<std::uint64_t> parse_digits(std::string_view digits, bool& too_large) {
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0') {
    const char letter = digits[1];
    if (letter == 'x' || letter == 'X') base = 16;
    if (letter == 'o' || letter == 'O') base = 8;
    if (letter == 'b' || letter == 'B') base = 2;
    if (base != 10) digits.remove_prefix(2);
  }
  std::string plain;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (digits[i] != '_')
      plain += digits[i];
    else if (i == 0 || i + 1 == digits.size())
      return std::nullopt;
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value, base);
  if (plain.empty() || end != plain.data() + plain.size()) return std::nullopt;
  too_large = error == std::errc::result_out_of_range;
  if (error != std::errc{} && !too_large) return std::nullopt;
  return value;
}

Result<Scalar, std::string> parse_integer(ElementType element, std::string_view text) {
  const std::string_view surface = facts(element).surface;
  const bool negative = text.starts_with('-');
  bool too_large = false;
  const auto digits = parse_digits(negative ? text.substr(1) : text, too_large);
  if (!digits) return Failure{fmt::format("`{}` is not a value of type {}", text, surface)};
  const auto [least, most] = range_of(element);
  const std::uint64_t limit = negative ? ~static_cast<std::uint64_t>(least) + 1 : most;
  if (too_large || *digits > limit) {
    return Failure{
        fmt::format("`{}` is out of range for {} ({} to {})", text, surface, least, most)};
  }
  return Scalar::of_integer(element, static_cast<std::int64_t>(negative ? ~*digits + 1 : *digits));
}

// Decimal text to the nearest value; a value too small to be represented becomes (signed) zero.
template <class Float>
std::optional<Float> parse_decimal(const std::string& text) {
  Float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    if constexpr (sizeof(Float) == 8) return std::strtod(text.c_str(), nullptr);
    if constexpr (sizeof(Float) == 4) return std::strtof(text.c_str(), nullptr);
  }
  if (error != std::errc{}) return std::nullopt;
  return value;
}

Result<Scalar, std::string> parse_float(ElementType element, std::string_view text) {
  if (text == "nan") return Scalar::of_float(element, std::numeric_limits<double>::quiet_NaN());
  if (text == "inf") return Scalar::of_float(element, std::numeric_limits<double>::infinity());
  if (text == "-inf") return Scalar::of_float(element, -std::numeric_limits<double>::infinity());
  std::optional<double> value;
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (!digits.empty() && (digits[0] == '.' || (digits[0] >= '0' && digits[0] <= '9'))) {
    if (element == ElementType::F64) value = parse_decimal<double>(std::string(text));
    if (element == ElementType::F32) value = parse_decimal<float>(std::string(text));
  }
  const std::string_view surface = facts(element).surface;
  if (!value) return Failure{fmt::format("`{}` is not a value of type {}", text, surface)};
  if (std::isinf(*value)) return Failure{fmt::format("`{}` is out of range for {}", text, surface)};
  return Scalar::of_float(element, *value);
}

// Reads lists into one flat sequence of values; the first list of each depth fixes the extent
// there.
class ListParser {
 public:
  ListParser(std::string_view text, ElementType element, std::size_t rank)
      : text_(text), element_(element), shape_(rank, unknown) {}

  Result<Tensor, std::string> parse() {
    if (auto error = shape_.empty() ? parse_element() : parse_list(0)) return Failure{*error};
    skip_blanks();
    if (position_ < text_.size())
      return Failure{
          fmt::format("unexpected `{}` at character {}", text_[position_], position_ + 1)};
    for (std::int64_t& extent : shape_) extent = std::max<std::int64_t>(extent, 0);
    auto tensor = Tensor::make(element_, shape_);
    if (!tensor) return Failure{std::string("does not fit into memory")};
    for (std::size_t i = 0; i < values_.size(); ++i)
      tensor->set(static_cast<std::int64_t>(i), values_[i]);
    return *std::move(tensor);
  }

 private:
  using Error = std::optional<std::string>;

  Error parse_list(std::size_t depth) {
    skip_blanks();
    if (!at('[')) return expected_list(depth);
    const std::size_t begin = position_++;
    std::int64_t count = 0;
    skip_blanks();
    while (!at(']')) {
      if (count > 0) {
        if (!at(',')) return unexpected("`,` or `]`");
        ++position_;
      }
      if (auto error = depth + 1 < shape_.size() ? parse_list(depth + 1) : parse_element())
        return error;
      ++count;
      skip_blanks();
    }
    ++position_;
    std::int64_t& extent = shape_[depth];
    if (extent == unknown) extent = count;
    if (extent == count) return std::nullopt;
    return fmt::format(
        "ragged: the list at character {} has length {}, the ones before it have length {}",
        begin + 1, count, extent);
  }

  Error parse_element() {
    skip_blanks();
    if (at('[')) {
      return shape_.empty()
                 ? fmt::format("a list where a single {} is expected", facts(element_).surface)
                 : fmt::format("lists nested deeper than {} at character {}", shape_.size(),
                               position_ + 1);
    }
    const std::size_t end = std::min(text_.find_first_of("[], \t\r\n", position_), text_.size());
    if (end == position_) return unexpected("a value");
    auto value = parse_scalar_literal(element_, text_.substr(position_, end - position_));
    if (!value) return value.error();
    values_.push_back(*value);
    position_ = end;
    return std::nullopt;
  }

  Error expected_list(std::size_t depth) const {
    if (depth == 0) return unexpected(fmt::format("a list (`[…]`) of {}", facts(element_).surface));
    return unexpected(fmt::format("a list, because lists are to be nested {} deep", shape_.size()));
  }
  std::string unexpected(std::string_view expected) const {
    if (position_ >= text_.size()) return fmt::format("it ends where {} is expected", expected);
    return fmt::format("`{}` at character {} where {} is expected", text_[position_], position_ + 1,
                       expected);
  }
  bool at(char wanted) const { return position_ < text_.size() && text_[position_] == wanted; }
  void skip_blanks() {
    position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size());
  }

  std::string_view text_;
  ElementType element_;
  std::vector<std::int64_t> shape_;
  std::size_t position_ = 0;
  std::vector<Scalar> values_;
};

}  // namespace

Result<Scalar, std::string> parse_scalar_literal(ElementType element, std::string_view text) {
  if (is_float(element)) return parse_float(element, text);
  if (is_integer(element)) return parse_integer(element, text);
  if (text == "True") return Scalar::of_bool(true);
  if (text == "False") return Scalar::of_bool(false);
  return Failure{fmt::format("`{}` is not a value of type Bool: write `True` or `False`", text)};
}

Result<Tensor, std::string> parse_literal(std::string_view text, ElementType element,
                                          std::size_t rank) {
  return ListParser(text, element, rank).parse();
}

}  // namespace dvm::driver
