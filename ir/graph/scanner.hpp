// Reads words, names, numbers and strings of graph text, with places for errors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ir/base/source.hpp"

namespace dvm::graph {

// An error in the text; thrown inside the parser only, and caught at its boundary.
struct ScanError {
  Span span;
  std::string message;
  std::string label;
};

class Scanner {
 public:
  Scanner(std::string_view text, FileId file) : text_(text), file_(file) {}

  bool at_end();
  // True when the next thing is this punctuation or this whole word; `accept` then takes it.
  bool peek(std::string_view token);
  bool accept(std::string_view token);
  void expect(std::string_view token);

  bool peek_name(char mark);           // `%` or `@` follows
  std::string_view name(char mark);    // `%x` without its mark
  std::string_view word();             // an identifier
  std::string_view name_characters();  // one or more of them, whatever comes first
  bool peek_identifier();
  bool peek_digit();
  std::uint64_t number();      // decimal digits
  std::uint32_t index();       // a number below 2^32 - 1
  std::string_view literal();  // up to white space or one of , ) ] }
  std::string string();        // in double quotes
  void skip_parentheses();     // to behind the `)` that belongs to the `(` just taken

  std::uint32_t offset() const { return static_cast<std::uint32_t>(at_); }
  void go_to(std::uint32_t offset) { at_ = offset; }
  void skip_space();
  Span span_from(std::uint32_t begin) const {
    return {file_, begin, static_cast<std::uint32_t>(at_)};
  }
  // Places the error at the next token.
  [[noreturn]] void fail(std::string message, std::string label = "");
  [[noreturn]] void fail_at(Span span, std::string message, std::string label = "");

 private:
  std::string_view next_token();  // for messages and peeks: a word, a marked name or one character

  std::string_view text_;
  FileId file_;
  std::size_t at_ = 0;
};

}  // namespace dvm::graph
