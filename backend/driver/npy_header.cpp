// A reader of the few Python literals that occur in .npy headers, and the writer of ours.
#include "backend/driver/npy_header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace dvm::driver {

namespace {

constexpr std::size_t largest_rank = 64;  // NumPy's own limit is 32 (64 since 2.0)

std::string not_valid(std::string_view what) {
  return fmt::format("is not a valid .npy file: {}", what);
}

// Moves over the dictionary; every `take_…` skips blanks first and gives nullopt without moving on.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool take(char wanted) {
    skip_blanks();
    if (rest().empty() || rest().front() != wanted) return false;
    ++position_;
    return true;
  }
  bool at(char wanted) {
    skip_blanks();
    return !rest().empty() && rest().front() == wanted;
  }
  std::optional<std::string> take_string() {
    skip_blanks();
    if (rest().empty() || (rest().front() != '\'' && rest().front() != '"')) return std::nullopt;
    const auto end = rest().find(rest().front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string value(rest().substr(1, end - 1));
    position_ += end + 1;
    return value;
  }
  std::optional<bool> take_bool() {
    skip_blanks();
    for (const auto& [word, value] : {std::pair{"True", true}, std::pair{"False", false}}) {
      if (rest().starts_with(word)) {
        position_ += std::string_view(word).size();
        return value;
      }
    }
    return std::nullopt;
  }
  std::optional<std::int64_t> take_integer() {
    skip_blanks();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest().data(), rest().data() + rest().size(), value);
    if (error != std::errc{}) return std::nullopt;
    position_ += static_cast<std::size_t>(end - rest().data());
    if (!rest().empty() && rest().front() == 'L') ++position_;  // written by Python 2
    return value;
  }
  bool at_end() {
    skip_blanks();
    return rest().empty();
  }

 private:
  std::string_view rest() const { return text_.substr(position_); }
  void skip_blanks() {
    position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size());
  }
  std::string_view text_;
  std::size_t position_ = 0;
};

std::optional<std::vector<std::int64_t>> take_shape(Cursor& cursor) {
  std::vector<std::int64_t> shape;
  if (!cursor.take('(')) return std::nullopt;
  while (!cursor.take(')')) {
    const auto extent = cursor.take_integer();
    if (!extent || *extent < 0 || shape.size() == largest_rank) return std::nullopt;
    shape.push_back(*extent);
    if (!cursor.take(',') && !cursor.at(')')) return std::nullopt;
  }
  return shape;
}

// What a type we do not take is called, and what to do about it.
std::string refuse_dtype(char kind, std::string_view digits, std::string_view descr) {
  int bytes = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
  const auto numbered = [&](std::string_view name, std::string_view instead) {
    return fmt::format("holds {}{}, which is not supported (convert it with `.astype('{}')`)", name,
                       bytes * 8, instead);
  };
  switch (kind) {
    case 'f':
      return numbered("float", bytes < 4 ? "float32" : "float64");
    case 'c':
      return fmt::format(
          "holds complex{}, which is not supported (store real and imaginary parts apart)",
          bytes * 8);
    case 'O':
      return "holds Python objects, which are not supported";
    case 'S':
    case 'a':
    case 'U':
      return "holds strings, which are not supported";
    case 'M':
    case 'm':
      return fmt::format(
          "holds dates or times ({}), which are not supported (convert them with "
          "`.astype('int64')`)",
          descr);
    case 'V':
      return "holds raw records, which are not supported (store one array per field)";
    default:
      return not_valid(fmt::format("unknown element type `{}`", descr));
  }
}

Result<NpyHeader, std::string> parse_dtype(std::string_view descr) {
  NpyHeader header;
  std::string_view rest = descr;
  if (!rest.empty() && std::string_view("<>=|").find(rest.front()) != std::string_view::npos) {
    header.big_endian = rest.front() == '>';
    rest.remove_prefix(1);
  }
  if (rest == "?") rest = "b1";
  for (int i = 0; i < element_type_count; ++i) {
    const auto element = static_cast<ElementType>(i);
    if (facts(element).numpy == rest) {
      header.element = element;
      return header;
    }
  }
  if (rest.empty()) return Failure{not_valid("its element type is empty")};
  return Failure{refuse_dtype(rest.front(), rest.substr(1), descr)};
}

}  // namespace

Result<NpyHeader, std::string> parse_npy_header(std::string_view dictionary) {
  Cursor cursor(dictionary);
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::int64_t>> shape;
  if (!cursor.take('{')) return Failure{not_valid("its header is not a dictionary")};
  while (!cursor.take('}')) {
    const auto key = cursor.take_string();
    if (!key || !cursor.take(':')) return Failure{not_valid("its header is damaged")};
    if (*key == "descr" && cursor.at('[')) {
      return Failure{
          std::string("holds records, which are not supported (store one array per field)")};
    }
    bool understood = false;
    if (*key == "descr") understood = (descr = cursor.take_string()).has_value();
    if (*key == "fortran_order") understood = (fortran_order = cursor.take_bool()).has_value();
    if (*key == "shape") understood = (shape = take_shape(cursor)).has_value();
    if (!understood) return Failure{not_valid(fmt::format("its header is damaged at `{}`", *key))};
    if (!cursor.take(',') && !cursor.at('}')) return Failure{not_valid("its header is damaged")};
  }
  if (!descr || !fortran_order || !shape || !cursor.at_end()) {
    return Failure{not_valid("its header is incomplete")};
  }
  auto header = parse_dtype(*descr);
  if (!header) return header;
  header->fortran_order = *fortran_order;
  header->shape = std::move(*shape);
  return header;
}

std::string print_npy_header(const NpyHeader& header) {
  const char order = byte_size(header.element) == 1 ? '|' : '<';
  const std::string comma = header.shape.size() == 1 ? "," : "";
  std::string text =
      fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}", order,
                  facts(header.element).numpy, fmt::join(header.shape, ", "), comma);
  const std::size_t prefix = 10;
  while ((prefix + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string whole = "\x93NUMPY";
  whole += '\x01';
  whole += '\x00';
  whole += static_cast<char>(text.size() & 0xff);
  whole += static_cast<char>(text.size() >> 8);
  return whole + text;
}

std::string_view numpy_name(ElementType element) {
  static constexpr std::string_view names[element_type_count] = {
      "bool",   "int8",   "int16",  "int32",   "int64",  "uint8",
      "uint16", "uint32", "uint64", "float32", "float64"};
  return names[static_cast<int>(element)];
}

std::string describe(ElementType element, const std::vector<std::int64_t>& shape) {
  if (shape.empty()) return fmt::format("{} scalar", numpy_name(element));
  return fmt::format("{} [{}]", numpy_name(element), fmt::join(shape, ", "));
}

}  // namespace dvm::driver
