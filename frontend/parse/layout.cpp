// The layout filter: contexts, offside lines, and tokens that close blocks before them.
#include "frontend/parse/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dvm::parse {
namespace {

using Kind = TokenKind;

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
bool is_hard(ContextKind kind) {
  return kind >= ContextKind::Braces && kind <= ContextKind::Bracket;
}
bool is_soft(ContextKind kind) { return kind >= ContextKind::LetIn; }

bool has_items(ContextKind kind) {
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
  Kind keyword = Kind::Where;
  ItemState state = ItemState::Start;
  bool saw_type = false;  // a `::` in the current item
};

bool closes_or_continues(Kind kind) {
  switch (kind) {
    case Kind::Then:
    case Kind::Else:
    case Kind::Of:
    case Kind::In:
    case Kind::RParen:
    case Kind::RBracket:
    case Kind::RBrace:
    case Kind::Comma:
      return true;
    default:
      return false;
  }
}

Kind closer_of(ContextKind kind) {
  if (kind == ContextKind::Paren) return Kind::RParen;
  return kind == ContextKind::Bracket ? Kind::RBracket : Kind::RBrace;
}

class Filter {
 public:
  Filter(LexedFile file, Diagnostics& out) : in_(std::move(file.lexemes)), out_(out) {
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
  void on_bar(const Lexeme& next);
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
  void push(ContextKind kind, Kind keyword = Kind::Where);
  void emit(const Lexeme& lexeme);
  void emit_virtual(Kind kind, std::uint32_t block, const Lexeme& next);
  void end_item();
  void mark_bad() { item_bad_ = true; }
  void report_unclosed(const Context& context, const Lexeme& noticed);
  void force_close(const Lexeme& lexeme);

  std::vector<Lexeme> in_;
  Diagnostics& out_;
  LaidOut result_;
  std::vector<Context> stack_;
  bool pending_ = false;  // a block keyword was the last lexeme
  Kind pending_keyword_ = Kind::Where;
  bool fresh_ = false;  // the current lexeme is the first of a block
  std::size_t item_begin_ = 0;
  bool item_bad_ = false;
  bool too_deep_ = false;
  std::vector<Comment> dropped_;
};

void Filter::emit(const Lexeme& lexeme) {
  if (lexeme.bad) mark_bad();
  result_.file.lexemes.push_back(lexeme);
}

void Filter::emit_virtual(Kind kind, std::uint32_t block, const Lexeme& next) {
  Lexeme made = next;
  made.kind = kind;
  made.block = block;
  made.bad = made.first_on_line = false;
  made.end = made.begin;
  if (kind == Kind::VClose && !result_.file.lexemes.empty()) {
    made.begin = made.end =
        std::max(result_.file.lexemes.back().end, result_.file.lexemes.back().begin);
  }
  made.comments = result_.file.lexemes.empty() ? 0 : result_.file.lexemes.back().comments;
  result_.file.lexemes.push_back(made);
}

// The lexemes since item_begin_ are an item; the separator comes next.
void Filter::end_item() {
  const std::size_t end = result_.file.lexemes.size();
  if (end > item_begin_) result_.items.push_back({item_begin_, end, item_bad_});
  item_bad_ = false;
  item_begin_ = end + 1;
}

void Filter::push(ContextKind kind, Kind keyword) {
  Context context;
  context.kind = kind;
  context.keyword = keyword;
  context.opener = result_.file.lexemes.size();
  stack_.push_back(context);
}

// Blocks among the contexts popped are closed.
void Filter::pop_to(std::size_t size) {
  while (stack_.size() > size) {
    const Context context = stack_.back();
    stack_.pop_back();
    if (context.kind == ContextKind::Block) {
      Lexeme here = result_.file.lexemes.back();
      here.line = here.column = 0;  // filled in by the caller's next lexeme, see step()
      emit_virtual(Kind::VClose, context.block, here);
    }
  }
}

// The innermost `wanted` that no bracket hides.
std::size_t Filter::nearest(ContextKind wanted) const {
  for (std::size_t i = stack_.size(); i-- > 0;) {
    if (stack_[i].kind == wanted) return i;
    if (is_hard(stack_[i].kind)) return none;
  }
  return none;
}

std::size_t Filter::nearest_block() const { return nearest(ContextKind::Block); }

// The innermost context from `from` downwards that is neither a block nor a waiting `let`.
std::size_t Filter::below_lets(std::size_t from) const {
  for (std::size_t i = from; i-- > 0;) {
    if (stack_[i].kind != ContextKind::Block && stack_[i].kind != ContextKind::LetIn) return i;
  }
  return none;
}

bool Filter::open_pending(const Lexeme& lexeme) {
  pending_ = false;
  if (lexeme.kind == Kind::LBrace) {
    push(ContextKind::Braces, pending_keyword_);
    emit(lexeme);
    if (stack_.size() == 1) item_begin_ = result_.file.lexemes.size();
    return true;
  }
  const std::size_t enclosing = nearest_block();
  const std::uint32_t least = enclosing == none ? 0 : stack_[enclosing].column;
  Block block;
  block.keyword = pending_keyword_;
  block.has_opener = !result_.file.lexemes.empty();
  block.opener = block.has_opener ? result_.file.lexemes.size() - 1 : 0;
  block.column = lexeme.column;
  const auto id = static_cast<std::uint32_t>(result_.blocks.size());
  const bool opens =
      lexeme.column > least && !closes_or_continues(lexeme.kind) && lexeme.kind != Kind::End;
  if (!opens && !stack_.empty()) block.column = 0;  // an empty block has no items
  result_.blocks.push_back(block);
  emit_virtual(Kind::VOpen, id, lexeme);
  if (!opens && !stack_.empty()) {
    emit_virtual(Kind::VClose, id, lexeme);
    return false;
  }
  push(ContextKind::Block, pending_keyword_);
  stack_.back().block = id;
  stack_.back().column = lexeme.column;
  if (stack_.size() == 1) item_begin_ = result_.file.lexemes.size();
  fresh_ = true;
  return false;
}

void Filter::report_unclosed(const Context& context, const Lexeme& noticed) {
  mark_bad();
  const Lexeme& opener = result_.lexeme(context.opener);
  Diagnostic diagnostic;
  diagnostic.code = "unclosed-bracket";
  diagnostic.message = fmt::format("this `{}` is never closed", spelling(opener.kind));
  diagnostic.span = result_.file.span_of(opener);
  diagnostic.label = "opened here";
  if (noticed.kind == Kind::End) {
    diagnostic.notes.push_back("the file ends before it is closed");
  } else {
    diagnostic.others.push_back({result_.file.span_of(noticed), "a new declaration starts here"});
  }
  diagnostic.help.push_back(fmt::format("add `{}`", spelling(closer_of(context.kind))));
  out_.add(std::move(diagnostic));
}

// A line at the column of the top-level declarations ends whatever is open, so that one forgotten
// bracket costs one declaration and not the rest of the file.
void Filter::force_close(const Lexeme& lexeme) {
  for (std::size_t i = stack_.size(); i-- > 1;) {
    if (!is_hard(stack_[i].kind)) continue;
    report_unclosed(stack_[i], lexeme);
    break;
  }
  pop_to(1);
}

void Filter::new_line(const Lexeme& lexeme) {
  if (stack_.empty()) return;
  const bool continues = closes_or_continues(lexeme.kind);
  if (stack_[0].kind == ContextKind::Block && lexeme.column <= stack_[0].column && !continues) {
    const bool open = std::any_of(stack_.begin() + 1, stack_.end(),
                                  [](const Context& c) { return is_hard(c.kind); });
    if (open) force_close(lexeme);
  }
  while (true) {
    const std::size_t at = nearest_block();
    if (at == none || lexeme.column > stack_[at].column) return;
    if (lexeme.column < stack_[at].column && at > 0) {
      pop_to(at);
      continue;
    }
    if (continues && !(at == 0 && lexeme.column < stack_[0].column)) return;
    if (lexeme.kind == Kind::Where && at > 0) {
      pop_to(at);
      continue;
    }
    pop_to(at + 1);
    Context& block = stack_[at];
    if (at == 0) end_item();
    emit_virtual(Kind::VSemi, block.block, lexeme);
    block.state = ItemState::Start;
    block.saw_type = false;
    if (lexeme.column < block.column) {
      mark_bad();
      out_.add({.code = "bad-indentation",
                .message = fmt::format("this line starts in column {}, but the declarations of "
                                       "this file start in column {}",
                                       lexeme.column, block.column),
                .span = result_.file.span_of(lexeme),
                .label = "left of the first declaration",
                .others = {},
                .notes = {},
                .help = {"let all top-level declarations start in the same column"}});
      block.column = lexeme.column;  // one message, not one for each line
    }
    return;
  }
}

void Filter::on_comma() {
  std::size_t at = stack_.size();
  bool closes = false;
  while (at > 0) {
    const Context& context = stack_[at - 1];
    if (context.kind == ContextKind::Block) {
      // `a, b :: Int` is a signature inside the block
      if (!closes && context.state == ItemState::Start && context.keyword != Kind::Of) return;
      closes = true;
    } else if (context.kind != ContextKind::LetIn && context.kind != ContextKind::MultiIf &&
               context.kind != ContextKind::Lambda) {
      break;
    }
    --at;
  }
  if (at == 0) return;
  if (is_hard(stack_[at - 1].kind) || stack_[at - 1].kind == ContextKind::Guard) pop_to(at);
}

void Filter::on_bar(const Lexeme&) {
  if (stack_.empty()) return;
  if (stack_.back().kind == ContextKind::LetIn) {  // its block is closed and no `in` came
    const std::size_t below = below_lets(stack_.size());
    if (below != none && stack_[below].kind == ContextKind::Bracket) pop_to(below + 1);
  }
  Context& top = stack_.back();
  if (top.kind == ContextKind::MultiIf) {
    push(ContextKind::Guard);
    return;
  }
  if (!has_items(top.kind)) return;
  if (top.state != ItemState::Plain) {
    top.state = ItemState::Guards;
    push(ContextKind::Guard);
    return;
  }
  const std::size_t below = below_lets(stack_.size());
  if (below == none) return;
  if (stack_[below].kind == ContextKind::Bracket) pop_to(below + 1);
  if (stack_[below].kind == ContextKind::MultiIf) {
    pop_to(below + 1);
    push(ContextKind::Guard);
  }
}

// A multi-way `if` inside a guard ends where the guard does.
void Filter::leave_multi_ifs() {
  std::size_t at = stack_.size();
  while (at > 0 && stack_[at - 1].kind == ContextKind::MultiIf) --at;
  if (at > 0 && stack_[at - 1].kind == ContextKind::Guard) pop_to(at);
}

void Filter::on_equals() {
  if (stack_.empty()) return;
  leave_multi_ifs();
  Context& top = stack_.back();
  if (top.kind == ContextKind::Guard) {
    stack_.pop_back();
    return;
  }
  if (!has_items(top.kind)) return;
  if (top.state == ItemState::Start && top.keyword != Kind::Of) {
    top.state = ItemState::Plain;
    return;
  }
  const std::size_t below = below_lets(stack_.size());
  if (below != none && stack_[below].kind == ContextKind::Guard) pop_to(below);
}

// True if the arrow ends a guard.
bool Filter::on_arrow() {
  if (stack_.empty()) return false;
  leave_multi_ifs();
  Context& top = stack_.back();
  if (top.kind == ContextKind::Guard || top.kind == ContextKind::Lambda) {
    const bool guard = top.kind == ContextKind::Guard;
    stack_.pop_back();
    return guard;
  }
  if (!has_items(top.kind)) return false;
  if (top.state == ItemState::Start) {
    if (top.keyword == Kind::Of) top.state = ItemState::Plain;
    return false;
  }
  const std::size_t below = below_lets(stack_.size());
  if (top.saw_type || below == none || stack_[below].kind != ContextKind::Guard) return false;
  pop_to(below);
  return true;
}

// `then`, `of`, `in` close the blocks since their opener.
void Filter::on_keyword_closing(ContextKind opener) {
  const std::size_t at = nearest(opener);
  if (at == none) return;
  pop_to(at);
}

void Filter::on_semicolon() {
  std::size_t at = stack_.size();
  while (at > 0 && is_soft(stack_[at - 1].kind)) --at;
  if (at == 0) return;
  Context& context = stack_[at - 1];
  if (context.kind != ContextKind::Block && context.kind != ContextKind::Braces) return;
  pop_to(at);
  stack_.back().state = ItemState::Start;
  stack_.back().saw_type = false;
  if (stack_.size() == 1) end_item();
}

void Filter::on_closer(const Lexeme& lexeme) {
  std::size_t at = stack_.size();
  while (at > 0 && !is_hard(stack_[at - 1].kind)) --at;
  Diagnostic diagnostic;
  diagnostic.span = result_.file.span_of(lexeme);
  if (at == 0) {
    mark_bad();
    diagnostic.code = "unopened-bracket";
    diagnostic.message = fmt::format("this `{}` closes nothing", spelling(lexeme.kind));
    diagnostic.label = "no bracket is open here";
    out_.add(std::move(diagnostic));
    return;
  }
  if (closer_of(stack_[at - 1].kind) != lexeme.kind) {
    mark_bad();
    const Lexeme& opener = result_.lexeme(stack_[at - 1].opener);
    diagnostic.code = "mismatched-bracket";
    diagnostic.message =
        fmt::format("`{}` cannot close `{}`", spelling(lexeme.kind), spelling(opener.kind));
    diagnostic.label = fmt::format("expected `{}`", spelling(closer_of(stack_[at - 1].kind)));
    diagnostic.others.push_back({result_.file.span_of(opener), "opened here"});
    out_.add(std::move(diagnostic));
    std::size_t match = at - 1;
    while (match > 0 &&
           !(is_hard(stack_[match - 1].kind) && closer_of(stack_[match - 1].kind) == lexeme.kind))
      --match;
    if (match > 1) at = match;
  }
  pop_to(at);
  if (at == 1 && stack_[0].kind == ContextKind::Braces) end_item();
  stack_.pop_back();
}

// A pragma is an item if nothing but further items can follow it; elsewhere it is a comment.
bool Filter::keep_pragma(std::size_t index) {
  const Lexeme& pragma = in_[index];
  const Lexeme& next = in_[index + 1];
  const std::size_t at = nearest_block();
  if (stack_.empty() && pending_) return true;  // the first item of the file
  if (at == none || stack_[at].keyword == Kind::Of) return false;
  if (next.kind == Kind::End) return true;
  if (pending_)
    return next.first_on_line && next.column <= pragma.column && pragma.column > stack_[at].column;
  return next.first_on_line && next.column <= stack_[at].column;
}

// Kept as a comment, so that the formatter keeps it.
void Filter::drop_pragma(const Lexeme& pragma) {
  Comment comment{pragma.begin,  pragma.end,  pragma.line,
                  pragma.column, pragma.line, pragma.first_on_line};
  comment.end_line += static_cast<std::uint32_t>(std::count(
      result_.file.text.begin() + pragma.begin, result_.file.text.begin() + pragma.end, '\n'));
  dropped_.push_back(comment);
}

void Filter::merge_dropped() {
  if (dropped_.empty()) return;
  std::vector<Comment>& comments = result_.file.comments;
  comments.insert(comments.end(), dropped_.begin(), dropped_.end());
  auto earlier = [](const Comment& a, const Comment& b) { return a.begin < b.begin; };
  std::sort(comments.begin(), comments.end(), earlier);
  std::uint32_t passed = 0;
  for (Lexeme& lexeme : result_.file.lexemes) {
    while (passed < comments.size() && comments[passed].begin < lexeme.begin) ++passed;
    lexeme.comments = passed;
  }
}

void Filter::react(std::size_t index, Lexeme& lexeme) {
  const Kind next = in_[std::min(index + 1, in_.size() - 1)].kind;
  switch (lexeme.kind) {
    case Kind::LParen:
      push(ContextKind::Paren);
      break;
    case Kind::LBracket:
      push(ContextKind::Bracket);
      break;
    case Kind::LBrace:
      push(ContextKind::Record);
      break;
    case Kind::RParen:
    case Kind::RBracket:
    case Kind::RBrace:
      on_closer(lexeme);
      break;
    case Kind::Comma:
      on_comma();
      break;
    case Kind::Semi:
      on_semicolon();
      break;
    case Kind::Bar:
      on_bar(lexeme);
      break;
    case Kind::Equals:
      on_equals();
      break;
    case Kind::Arrow:
      if (on_arrow()) lexeme.kind = Kind::GuardArrow;
      break;
    case Kind::DColon:
      if (!stack_.empty()) stack_.back().saw_type = true;
      break;
    case Kind::Let:
      push(ContextKind::LetIn);
      break;
    case Kind::If:
      push(next == Kind::Bar ? ContextKind::MultiIf : ContextKind::If);
      break;
    case Kind::Case:
      if (index == 0 || in_[index - 1].kind != Kind::Lambda) push(ContextKind::Case);
      break;
    case Kind::Lambda:
      if (next != Kind::Case) push(ContextKind::Lambda);
      break;
    case Kind::Then:
      if (nearest(ContextKind::If) == none) break;
      on_keyword_closing(ContextKind::If);
      push(ContextKind::Then);
      break;
    case Kind::Else:
      on_keyword_closing(ContextKind::Then);
      break;
    case Kind::Of:
      on_keyword_closing(ContextKind::Case);
      break;
    case Kind::In:
      on_keyword_closing(ContextKind::LetIn);
      break;
    default:
      break;
  }
}

void Filter::step(std::size_t index) {
  Lexeme lexeme = in_[index];
  if (lexeme.kind == Kind::Pragma && !keep_pragma(index)) {
    drop_pragma(lexeme);
    return;
  }
  const std::size_t before = result_.file.lexemes.size();
  fresh_ = false;
  if (pending_ && open_pending(lexeme)) return;
  if (lexeme.first_on_line && !fresh_) new_line(lexeme);
  if (lexeme.kind == Kind::Pragma && !lexeme.first_on_line && !fresh_) {
    const std::size_t at = nearest_block();
    pop_to(at + 1);
    if (at == 0) end_item();
    emit_virtual(Kind::VSemi, stack_[at].block, lexeme);
    stack_[at].state = ItemState::Start;
  }
  react(index, lexeme);
  for (std::size_t i = before; i < result_.file.lexemes.size(); ++i) {
    Lexeme& made = result_.file.lexemes[i];
    if (made.line == 0) {
      made.line = lexeme.line;
      made.column = lexeme.column;
    }
  }
  emit(lexeme);
  const bool lambda_case =
      lexeme.kind == Kind::Case && index > 0 && in_[index - 1].kind == Kind::Lambda;
  if (lexeme.kind == Kind::Let || lexeme.kind == Kind::Where || lexeme.kind == Kind::Of ||
      lambda_case) {
    pending_ = true;
    pending_keyword_ = lambda_case ? Kind::Of : lexeme.kind;
  }
}

// Copies `module … where` and returns the index of the first lexeme after it.
std::size_t Filter::header() {
  std::size_t index = 0;
  while (in_[index].kind == Kind::Pragma) ++index;
  if (in_[index].kind != Kind::Module) return 0;
  for (std::size_t i = 0; i < index; ++i) drop_pragma(in_[i]);
  const std::size_t begin = index;
  bool bad = false;
  for (; in_[index].kind != Kind::End; ++index) {
    const Lexeme& lexeme = in_[index];
    const bool next_declaration = index > begin && lexeme.first_on_line && lexeme.column == 1 &&
                                  lexeme.kind != Kind::Where && !closes_or_continues(lexeme.kind) &&
                                  lexeme.kind != Kind::LParen;
    if (next_declaration) break;
    bad = bad || lexeme.bad;
    result_.file.lexemes.push_back(lexeme);
    if (lexeme.kind == Kind::Where) {
      ++index;
      break;
    }
  }
  result_.header = Item{0, result_.file.lexemes.size(), bad};
  return index;
}

void Filter::finish() {
  const Lexeme& end = in_.back();
  const std::size_t before = result_.file.lexemes.size();
  if (pending_) open_pending(end);
  for (std::size_t i = stack_.size(); i-- > 0;) {
    if (!is_hard(stack_[i].kind)) continue;
    report_unclosed(stack_[i], end);
    break;
  }
  if (!stack_.empty()) {
    pop_to(1);
    end_item();
    pop_to(0);
  } else if (item_begin_ < result_.file.lexemes.size()) {
    end_item();
  }
  for (std::size_t i = before; i < result_.file.lexemes.size(); ++i) {
    Lexeme& made = result_.file.lexemes[i];
    if (made.line == 0) {
      made.line = end.line;
      made.column = end.column;
    }
  }
  result_.file.lexemes.push_back(end);
  merge_dropped();
}

LaidOut Filter::run() {
  std::size_t index = header();
  pending_ = true;
  for (; in_[index].kind != Kind::End; ++index) {
    step(index);
    if (stack_.size() > 2 * nesting_limit) {
      mark_bad();
      too_deep_ = true;
      out_.add({.code = "nesting-too-deep",
                .message = fmt::format("nesting is deeper than {} levels", nesting_limit),
                .span = result_.file.span_of(in_[index]),
                .label = "the limit is reached here",
                .others = {},
                .notes = {},
                .help = {"give inner parts a name of their own"}});
      break;
    }
  }
  if (too_deep_) {  // the rest of the file is not looked at
    while (!stack_.empty() && stack_.size() > 1) stack_.pop_back();
    end_item();
    stack_.clear();
    pending_ = false;
    item_begin_ = result_.file.lexemes.size();
  }
  finish();
  return std::move(result_);
}

}  // namespace

LaidOut lay_out(LexedFile file, Diagnostics& out) { return Filter(std::move(file), out).run(); }

void check_nesting(LaidOut& source, Diagnostics& out) {
  for (Item& item : source.items) {
    if (item.bad) continue;
    std::vector<std::size_t> prefixes{
        0};  // of each open bracket or block: constructs that wait for their end
    std::size_t depth = 0;
    auto leave_prefixes = [&] {
      depth -= prefixes.back();
      prefixes.back() = 0;
    };
    for (std::size_t i = item.begin; i < item.end && !item.bad; ++i) {
      const Kind kind = source.lexeme(i).kind;
      switch (kind) {
        case Kind::LParen:
        case Kind::LBracket:
        case Kind::LBrace:
        case Kind::VOpen:
          ++depth;
          prefixes.push_back(0);
          break;
        case Kind::RParen:
        case Kind::RBracket:
        case Kind::RBrace:
        case Kind::VClose:
          if (prefixes.size() == 1) break;
          leave_prefixes();
          prefixes.pop_back();
          --depth;
          break;
        case Kind::Lambda:
        case Kind::Let:
        case Kind::If:
        case Kind::Case:
          ++depth;
          ++prefixes.back();
          break;
        case Kind::Of:
          if (prefixes.back() == 0) break;
          --depth;
          --prefixes.back();
          break;
        case Kind::Comma:
        case Kind::Semi:
        case Kind::VSemi:
        case Kind::Bar:
          leave_prefixes();
          break;
        default:
          break;
      }
      if (kind == Kind::Case && i > item.begin && source.lexeme(i - 1).kind == Kind::Lambda) {
        depth -= 2;
        prefixes.back() -= 2;
      }
      if (depth <= nesting_limit) continue;
      item.bad = true;
      out.add({.code = "nesting-too-deep",
               .message = fmt::format("nesting is deeper than {} levels", nesting_limit),
               .span = source.span_of(i),
               .label = "the limit is reached here",
               .others = {},
               .notes = {},
               .help = {"give inner parts a name of their own"}});
    }
  }
}

}  // namespace dvm::parse
