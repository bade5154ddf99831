// One syntax error on the way to its message; inside frontend/parse only. syntax_error.cpp has the
// mistakes of signs and words, syntax_layout.cpp those of columns.
#pragma once

#include <algorithm>
#include <optional>

#include "frontend/parse/syntax_error.hpp"

namespace dvm::parse {

class Explainer {
 public:
  Explainer(const SyntaxError& error, Item item, const LaidOut& source)
      : error_(error), item_(item), source_(source) {}

  Diagnostic run();

 private:
  bool known_mistake();
  bool forbidden_word();
  bool single_colon();
  bool wrong_sign();
  bool missing_keyword();
  bool record_shorthand();
  std::optional<std::size_t> open_brace() const;
  bool line_not_indented();
  bool operand_missing();
  bool block_ended_early();
  bool after_a_sign() const;
  void generic();
  void name_construct();
  void explain_layout();

  const Lexeme& found() const { return source_.lexeme(error_.at); }
  bool is_virtual(TokenKind kind) const {
    return kind == TokenKind::VOpen || kind == TokenKind::VSemi || kind == TokenKind::VClose ||
           kind == TokenKind::End;
  }
  bool expects(TokenKind kind) const {
    return std::find(error_.expected.begin(), error_.expected.end(), kind) != error_.expected.end();
  }
  bool inside(std::string_view rule) const;
  std::size_t before(std::size_t index) const;
  std::optional<std::size_t> after(std::size_t index) const;
  bool starts_item(std::size_t index) const;
  std::optional<Block> innermost_block() const;
  std::size_t opener_of(TokenKind keyword) const;
  Span place() const;
  std::string found_words() const;
  void set(std::string code, std::string message, Span span, std::string label, std::string help,
           std::optional<Edit> edit = std::nullopt);
  std::optional<Edit> move_line(const Lexeme& line, std::uint32_t column) const;

  SyntaxError error_;
  Item item_;
  const LaidOut& source_;
  Diagnostic result_;
};

}  // namespace dvm::parse
