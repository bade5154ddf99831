// Lexemes and comments of one file; what the lexer gives and the layout filter extends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/diagnostic.hpp"
#include "ir/base/source.hpp"

namespace dvm::parse {

// One per token of grammar/DvmLexer.g4 that reaches the parser, and End.
enum class TokenKind : std::uint8_t {
  // clang-format off
  VOpen, VSemi, VClose, PrefixBang, GuardArrow, Pragma,
  Case, Class, Data, Default, Deriving, Do, Else, Foreign, If, Import, In, Infix, Infixl, Infixr, Instance, Let,
  Module, Newtype, Of, Then, Type, Where, Underscore, As, Hiding, Qualified, Forall,
  LParen, RParen, LBracket, RBracket, LBrace, RBrace, Comma, Semi, Backquote,
  DotDot, DColon, Equals, Lambda, Bar, LArrow, Arrow, At, Tilde, DArrow, Bang, Minus, Dot, Question,
  VarId, ConId, QVarId, QConId, VarSym, ConSym, QVarSym, QConSym, UnknownSize, Float, Integer, String,
  UnterminatedString, Character, ErrChar, End
  // clang-format on
};
inline constexpr std::size_t token_kinds = static_cast<std::size_t>(TokenKind::End) + 1;

// The spelling of a fixed token (`where`, `->`), "" for names, numbers and virtual tokens.
std::string_view spelling(TokenKind kind);
// The kind in words, for dumps and messages: `name`, `operator`, `where`.
std::string_view describe(TokenKind kind);
bool is_keyword(TokenKind kind);
bool is_operator(TokenKind kind);

inline constexpr std::uint32_t no_block = ~std::uint32_t{0};

struct Lexeme {
  TokenKind kind = TokenKind::End;
  std::uint32_t begin = 0, end = 0;    // bytes; empty for virtual tokens
  std::uint32_t line = 1, column = 1;  // as people count; tabs go to multiples of 8
  bool first_on_line = false;
  bool bad = false;                // reported already: its declaration is not parsed
  std::uint32_t block = no_block;  // of virtual tokens: index into LaidOut::blocks
  std::uint32_t comments = 0;      // comments [comments of the lexeme before, this) stand before it
};

struct Comment {
  std::uint32_t begin = 0, end = 0;
  std::uint32_t line = 1, column = 1, end_line = 1;
  bool own_line = false;  // nothing but blanks before it on its line
};

struct LexedFile {
  FileId file;
  std::string text;
  std::vector<Lexeme> lexemes;  // the last one is End
  std::vector<Comment> comments;

  std::string_view text_of(const Lexeme& lexeme) const {
    return std::string_view(text).substr(lexeme.begin, lexeme.end - lexeme.begin);
  }
  Span span_of(const Lexeme& lexeme) const { return Span{file, lexeme.begin, lexeme.end}; }
};

// Line and column of every offset asked for, in increasing order, in one walk over the text.
class PlaceCounter {
 public:
  explicit PlaceCounter(std::string_view text) : text_(text) {}
  LineColumn at(std::uint32_t offset);

 private:
  std::string_view text_;
  std::uint32_t offset_ = 0;
  LineColumn place_;
};

// Reports the first byte that is not UTF-8 (`invalid-utf8`); false if there is one.
bool check_utf8(const SourceMap& sources, FileId file, Diagnostics& out);

}  // namespace dvm::parse
