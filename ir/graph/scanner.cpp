// The scanner of graph text.
#include "ir/graph/scanner.hpp"

#include <charconv>

#include "ir/base/code_point.hpp"
#include "ir/graph/names.hpp"

namespace dvm::graph {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void Scanner::skip_space() {
  while (at_ < text_.size()) {
    if (is_space(text_[at_])) {
      ++at_;
    } else if (text_.substr(at_).starts_with("//")) {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else {
      return;
    }
  }
}

bool Scanner::at_end() {
  skip_space();
  return at_ == text_.size();
}

std::string_view Scanner::next_token() {
  skip_space();
  if (at_ == text_.size()) return {};
  std::size_t end = at_;
  if (text_[end] == '%' || text_[end] == '@') ++end;
  while (end < text_.size() && is_name_character(text_[end])) ++end;
  if (end == at_) {
    if (text_.substr(at_).starts_with("->")) return text_.substr(at_, 2);
    end = at_ + code_point_at(text_, at_).bytes;
  }
  return text_.substr(at_, end - at_);
}

bool Scanner::peek(std::string_view token) { return next_token() == token; }

bool Scanner::accept(std::string_view token) {
  if (!peek(token)) return false;
  at_ += token.size();
  return true;
}

void Scanner::expect(std::string_view token) {
  if (!accept(token)) fail("expected `" + std::string(token) + "`");
}

void Scanner::fail(std::string message, std::string label) {
  const std::string_view found = next_token();
  const auto begin = static_cast<std::uint32_t>(at_);
  const Span span{file_, begin, static_cast<std::uint32_t>(at_ + found.size())};
  if (found.empty()) {
    message += ", found the end of the text";
  } else {
    message += ", found `" + std::string(found.substr(0, 60)) + "`";
  }
  fail_at(span, std::move(message), std::move(label));
}

void Scanner::fail_at(Span span, std::string message, std::string label) {
  throw ScanError{span, std::move(message), std::move(label)};
}

bool Scanner::peek_name(char mark) {
  skip_space();
  return at_ + 1 < text_.size() && text_[at_] == mark && is_name_character(text_[at_ + 1]);
}

std::string_view Scanner::name(char mark) {
  if (!peek_name(mark)) fail(std::string("expected a name after `") + mark + "`");
  ++at_;
  return name_characters();
}

std::string_view Scanner::name_characters() {
  skip_space();
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
  if (at_ == begin) fail("expected a name");
  return text_.substr(begin, at_ - begin);
}

bool Scanner::peek_identifier() {
  skip_space();
  return at_ < text_.size() && is_identifier(text_.substr(at_, 1));
}

std::string_view Scanner::word() {
  if (!peek_identifier()) fail("expected a word");
  return name_characters();
}

bool Scanner::peek_digit() {
  skip_space();
  return at_ < text_.size() && is_digit(text_[at_]);
}

std::uint64_t Scanner::number() {
  if (!peek_digit()) fail("expected a number");
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  std::uint64_t value = 0;
  if (std::from_chars(text_.data() + begin, text_.data() + at_, value).ec != std::errc{}) {
    fail_at(span_from(static_cast<std::uint32_t>(begin)), "a number needs more than 64 bits");
  }
  return value;
}

std::uint32_t Scanner::index() {
  skip_space();
  const std::uint32_t begin = offset();
  const std::uint64_t value = number();
  if (value >= 0xFFFFFFFFu) fail_at(span_from(begin), "a number below 4294967295 was expected");
  return static_cast<std::uint32_t>(value);
}

std::string_view Scanner::literal() {
  skip_space();
  const std::size_t begin = at_;
  while (at_ < text_.size() && !is_space(text_[at_]) &&
         std::string_view(",)]}").find(text_[at_]) == std::string_view::npos) {
    ++at_;
  }
  if (begin == at_) fail("expected a literal");
  return text_.substr(begin, at_ - begin);
}

std::string Scanner::string() {
  skip_space();
  const std::uint32_t begin = offset();
  if (at_ == text_.size() || text_[at_] != '"') fail("expected a string in double quotes");
  ++at_;
  std::string result;
  while (at_ < text_.size() && text_[at_] != '"') {
    char c = text_[at_++];
    if (c == '\n') fail_at(span_from(begin), "a string has no closing quote on its line");
    if (c == '\\') {
      const char escape = at_ < text_.size() ? text_[at_++] : '\0';
      const int high = escape == 'x' && at_ + 1 < text_.size() ? hex_digit(text_[at_]) : -1;
      const int low = high >= 0 ? hex_digit(text_[at_ + 1]) : -1;
      if (escape == 'n') {
        c = '\n';
      } else if (escape == '"' || escape == '\\') {
        c = escape;
      } else if (low >= 0) {
        c = static_cast<char>(high * 16 + low);
        at_ += 2;
      } else {
        fail_at(span_from(begin),
                "a string has an unknown escape; there are \\n \\\" \\\\ and \\x with two digits");
      }
    }
    result += c;
  }
  if (at_ == text_.size()) fail_at(span_from(begin), "a string has no closing quote");
  ++at_;
  return result;
}

void Scanner::skip_parentheses() {
  const std::uint32_t begin = offset();
  for (int open = 1; open > 0;) {
    skip_space();
    if (at_ == text_.size()) fail_at({file_, begin, begin}, "this parenthesis is not closed");
    if (text_[at_] == '"') {
      string();
      continue;
    }
    if (text_[at_] == '(') ++open;
    if (text_[at_] == ')') --open;
    ++at_;
  }
}

}  // namespace dvm::graph
