// Words, numbers, strings, lists and sizes of .dvt text.
#include "ir/task/text_scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace dvm::task {

namespace {

constexpr int deepest_size = 200;         // parentheses in a size
constexpr std::size_t longest_size = 64;  // terms: bounds the work that products can make

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '\'';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void TextScanner::skip_space() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
    ++at_;
}

void TextScanner::skip_past_shape() {
  word();
  if (!accept("[")) return;
  const std::size_t end = text_.find(']', at_);
  if (end == text_.npos) fail("expected `]`");
  at_ = end + 1;
}

bool TextScanner::at_end() {
  skip_space();
  return at_ == text_.size();
}

bool TextScanner::peek(std::string_view token) {
  skip_space();
  if (text_.substr(at_, token.size()) != token) return false;
  const std::size_t end = at_ + token.size();
  return !is_word_char(token.back()) || end == text_.size() || !is_word_char(text_[end]);
}

bool TextScanner::accept(std::string_view token) {
  if (!peek(token)) return false;
  at_ += token.size();
  return true;
}

void TextScanner::expect(std::string_view token) {
  if (!accept(token)) fail(fmt::format("expected `{}`", token));
}

void TextScanner::fail(std::string message) {
  const auto line =
      1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
  throw ScanError{static_cast<std::size_t>(line), std::move(message)};
}

std::string TextScanner::word() {
  skip_space();
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_word_char(text_[at_])) ++at_;
  if (begin == at_) fail("expected a word");
  return std::string(text_.substr(begin, at_ - begin));
}

std::string TextScanner::raw_word() {
  skip_space();
  const std::size_t begin = at_;
  while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != '\n') ++at_;
  return std::string(text_.substr(begin, at_ - begin));
}

std::string TextScanner::name(char mark) {
  skip_space();
  if (at_ == text_.size() || text_[at_] != mark)
    fail(fmt::format("expected a name after `{}`", mark));
  ++at_;
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_word_char(text_[at_])) ++at_;
  if (begin == at_) fail(fmt::format("expected a name after `{}`", mark));
  return std::string(text_.substr(begin, at_ - begin));
}

std::string TextScanner::string() {
  expect("\"");
  std::string result;
  for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
    if (text_[at_] != '\\') {
      result += text_[at_];
    } else {
      if (++at_ == text_.size()) break;
      result += text_[at_] == 'n' ? '\n' : text_[at_];
    }
  }
  if (at_ == text_.size()) fail("a string does not end");
  ++at_;
  return result;
}

std::int64_t TextScanner::integer() {
  skip_space();
  std::int64_t value = 0;
  const auto [end, problem] =
      std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (problem != std::errc{}) fail("expected an integer");
  at_ = static_cast<std::size_t>(end - text_.data());
  return value;
}

std::uint32_t TextScanner::count() {
  const std::int64_t value = integer();
  if (value < 0 || value > 0x7fffffff) fail("expected a number from 0 to 2147483647");
  return static_cast<std::uint32_t>(value);
}

double TextScanner::number() {
  skip_space();
  double value = 0;
  const auto [end, problem] =
      std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (problem != std::errc{}) fail("expected a number");
  at_ = static_cast<std::size_t>(end - text_.data());
  return value;
}

void TextScanner::list(const std::function<void()>& item) {
  expect("[");
  while (!accept("]")) {
    item();
    if (!peek("]")) expect(",");
  }
}

Size TextScanner::size(const std::function<Size::Symbol(const std::string&)>& symbol) {
  symbol_ = &symbol;
  const Size result = size_sum(0);
  symbol_ = nullptr;
  if (result.overflowed()) fail("a size is out of range");
  return result;
}

Size TextScanner::size_sum(int depth) {
  Size sum = accept("-") ? -size_product(depth) : size_product(depth);
  while (true) {
    if (accept("+")) {
      sum = sum + size_product(depth);
    } else if (accept("-")) {
      sum = sum - size_product(depth);
    } else {
      return sum;
    }
    if (sum.terms().size() > longest_size) fail("a size is too long");
  }
}

Size TextScanner::size_product(int depth) {
  Size product = size_atom(depth);
  while (true) {
    if (accept("*")) {
      product = product * size_atom(depth);
    } else if (accept("/")) {
      const std::int64_t divisor = integer();
      if (divisor < 1) fail("sizes are divided by positive numbers only");
      product = Size::quotient(product, divisor);
    } else {
      return product;
    }
    if (product.terms().size() > longest_size) fail("a size is too long");
  }
}

Size TextScanner::size_atom(int depth) {
  if (depth > deepest_size) fail("a size is nested too deeply");
  if (accept("(")) {
    const Size inner = size_sum(depth + 1);
    expect(")");
    return inner;
  }
  if (at_ < text_.size() && is_digit(text_[at_])) return Size(integer());
  if (at_ < text_.size() && text_[at_] == '$') {
    ++at_;
    return Size::symbol((*symbol_)("$" + word()));
  }
  return Size::symbol((*symbol_)(word()));
}

}  // namespace dvm::task
