// The state of the layout filter, inside frontend/parse only: contexts, and what each kind of token
// does to them. Lines and blocks are in layout.cpp, single tokens in layout_tokens.cpp.
#pragma once

#include <vector>

#include "frontend/parse/layout.hpp"

namespace dvm::parse {

enum class ContextKind : std::uint8_t {
  Block,  // items by column
  Braces,
  Record,
  Paren,
  Bracket,  // hard: closed by their bracket only
  LetIn,
  If,
  Then,
  Case,
  Guard,
  MultiIf,
  Lambda,  // soft: wait for their `in`, `then`, `else`, `of`, `=` or `->`
};
inline bool is_hard(ContextKind kind) {
  return kind >= ContextKind::Braces && kind <= ContextKind::Bracket;
}
inline bool is_soft(ContextKind kind) { return kind >= ContextKind::LetIn; }

inline bool has_items(ContextKind kind) {
  return kind == ContextKind::Block || kind == ContextKind::Braces;
}

enum class ItemState : std::uint8_t {
  Start,
  Guards,
  Plain
};  // Plain: its `=` or `->` came without a guard

struct Context {
  ContextKind kind = ContextKind::Block;
  std::size_t opener = 0;  // index in the output
  std::uint32_t block = no_block;
  std::uint32_t column = 0;
  TokenKind keyword = TokenKind::Where;
  ItemState state = ItemState::Start;
  bool saw_type = false;  // a `::` in the current item
};

// Tokens that never start an item.
bool closes_or_continues(TokenKind kind);
// The bracket that ends a hard context.
TokenKind closer_of(ContextKind kind);

class LayoutFilter {
 public:
  LayoutFilter(LexedFile file, Diagnostics& out) : in_(std::move(file.lexemes)), out_(out) {
    result_.file = std::move(file);
    result_.file.lexemes.clear();
    result_.file.lexemes.reserve(in_.size() + in_.size() / 4);
  }

  LaidOut run();

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  std::size_t header();
  void step(std::size_t index);
  bool open_pending(const Lexeme& lexeme);
  void new_line(const Lexeme& lexeme);
  void react(std::size_t index, Lexeme& lexeme);
  bool keep_pragma(std::size_t index);
  void drop_pragma(const Lexeme& pragma);
  void merge_dropped();
  void finish();

  void on_comma();
  void on_bar();
  void on_equals();
  void leave_multi_ifs();
  bool on_arrow();
  void on_closer(const Lexeme& lexeme);
  void on_semicolon();
  void on_keyword_closing(ContextKind opener);

  std::size_t nearest(ContextKind wanted) const;
  std::size_t nearest_block() const;
  std::size_t below_lets(std::size_t from) const;
  void pop_to(std::size_t size);
  void push(ContextKind kind, TokenKind keyword = TokenKind::Where);
  void emit(const Lexeme& lexeme);
  void emit_virtual(TokenKind kind, std::uint32_t block, const Lexeme& next);
  void end_item();
  void mark_bad() { item_bad_ = true; }
  void report_unclosed(const Context& context, const Lexeme& noticed);
  void force_close(const Lexeme& lexeme);

  std::vector<Lexeme> in_;
  Diagnostics& out_;
  LaidOut result_;
  std::vector<Context> stack_;
  bool pending_ = false;  // a block keyword was the last lexeme
  TokenKind pending_keyword_ = TokenKind::Where;
  bool fresh_ = false;  // the current lexeme is the first of a block
  std::size_t item_begin_ = 0;
  bool item_bad_ = false;
  bool too_deep_ = false;
  std::vector<Comment> dropped_;
};

}  // namespace dvm::parse
