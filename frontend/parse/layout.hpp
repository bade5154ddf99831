// The layout rule as a filter over the whole token vector, before parsing.
//
// Method: a stack of contexts as in PureScript's CST.Layout instead of Haskell's parse-error(t);
// where the two can differ is said in grammar/README.md.
#pragma once

#include <optional>

#include "frontend/parse/token.hpp"

namespace dvm::parse {

struct Block {
  TokenKind keyword = TokenKind::Where;
  std::size_t opener = 0;    // index of the keyword in LaidOut::lexemes
  bool has_opener = false;   // the block of a file without header has none
  std::uint32_t column = 1;  // of its items
};

// A range of LaidOut::lexemes without its separators; lexemes[end] is the separator after it.
struct Item {
  std::size_t begin = 0, end = 0;
  bool bad = false;  // an error in it is reported already
};

struct LaidOut {
  LexedFile file;  // its lexemes: with VOpen, VSemi, VClose
  std::vector<Block> blocks;
  std::optional<Item> header;
  std::vector<Item> items;  // imports and declarations

  const std::vector<Lexeme>& lexemes() const { return file.lexemes; }
  const Lexeme& lexeme(std::size_t index) const { return file.lexemes.at(index); }
  Span span_of(std::size_t index) const { return file.span_of(lexeme(index)); }
  std::string_view text_of(std::size_t index) const { return file.text_of(lexeme(index)); }
};

// Reports unbalanced brackets (`unclosed-bracket`, `unopened-bracket`, `mismatched-bracket`), lines
// left of the first declaration (`bad-indentation`) and too deep nesting; the items concerned are
// marked bad.
LaidOut lay_out(LexedFile file, Diagnostics& out);

// Nesting of brackets, blocks and prefix constructs that the parser accepts.
inline constexpr std::size_t nesting_limit = 5000;
// Marks items that nest deeper as bad (`nesting-too-deep`).
void check_nesting(LaidOut& source, Diagnostics& out);

}  // namespace dvm::parse
