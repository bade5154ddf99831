// Types and sizes of graph text.
#include <limits>

#include "ir/graph/parse_function.hpp"

namespace dvm::graph {
namespace {

constexpr int max_parentheses = 64;
constexpr std::uint64_t least_magnitude = std::uint64_t{1} << 63;  // of the least i64

}  // namespace

Type FunctionParser::type() {
  scanner_.skip_space();
  const std::uint32_t begin = scanner_.offset();
  const std::string word(scanner_.word());
  const auto element = element_from_name(word);
  if (!element)
    scanner_.fail_at(scanner_.span_from(begin), "there is no element type `" + word + "`");
  Type result{*element, {}};
  if (scanner_.peek("[")) result.shape = sizes();
  return result;
}

std::vector<Size> FunctionParser::sizes() {
  std::vector<Size> list;
  scanner_.expect("[");
  if (scanner_.accept("]")) return list;
  do {
    list.push_back(one_size());
  } while (scanner_.accept(","));
  scanner_.expect("]");
  return list;
}

Size FunctionParser::one_size() { return size_sum(0); }

Size FunctionParser::size_sum(int depth) {
  if (depth > max_parentheses) scanner_.fail("a size has too many parentheses inside each other");
  Size sum = size_product(scanner_.accept("-"), depth);
  while (true) {
    if (scanner_.accept("+")) {
      sum = sum + size_product(false, depth);
    } else if (scanner_.accept("-")) {
      sum = sum + size_product(true, depth);
    } else {
      return sum;
    }
  }
}

Size FunctionParser::size_product(bool negative, int depth) {
  Size product = size_atom(negative, depth);
  while (true) {
    if (scanner_.accept("*")) {
      bool plain = false;
      product = product * size_atom(plain, depth);
    } else if (scanner_.accept("/")) {
      scanner_.skip_space();
      const std::uint32_t begin = scanner_.offset();
      const std::uint64_t divisor = scanner_.number();
      if (divisor == 0 || divisor >= least_magnitude) {
        scanner_.fail_at(scanner_.span_from(begin), "a size is divided by positive numbers only");
      }
      product = Size::quotient(product, static_cast<std::int64_t>(divisor));
    } else {
      return negative ? -product : product;
    }
  }
}

// A literal takes the sign before it (and clears the flag), so that the least i64 can be written.
Size FunctionParser::size_atom(bool& negative, int depth) {
  if (scanner_.accept("(")) {
    Size inner = size_sum(depth + 1);
    scanner_.expect(")");
    return inner;
  }
  scanner_.skip_space();
  const std::uint32_t begin = scanner_.offset();
  if (scanner_.peek_digit()) {
    const std::uint64_t magnitude = scanner_.number();
    if (magnitude > least_magnitude || (magnitude == least_magnitude && !negative)) {
      scanner_.fail_at(scanner_.span_from(begin), "a size needs more than 64 bits");
    }
    const std::uint64_t bits = negative ? 0 - magnitude : magnitude;
    negative = false;
    return Size(static_cast<std::int64_t>(bits));
  }
  if (scanner_.peek_name('%')) return function_.size_of(value());
  const std::string name(scanner_.word());
  if (name + "!" == Size::overflow_text && scanner_.accept("!")) return Size::overflow();
  const auto found = names_.find(name);
  if (found == names_.end()) {
    scanner_.fail_at(scanner_.span_from(begin), "`" + name + "` is not defined before this place");
  }
  return function_.size_of(found->second);
}

}  // namespace dvm::graph
