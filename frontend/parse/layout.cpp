// The layout filter: blocks, lines and items.
#include "frontend/parse/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/parse/layout_filter.hpp"

namespace dvm::parse {

using Kind = TokenKind;

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

void LayoutFilter::emit(const Lexeme& lexeme) {
  if (lexeme.bad) mark_bad();
  result_.file.lexemes.push_back(lexeme);
}

void LayoutFilter::emit_virtual(Kind kind, std::uint32_t block, const Lexeme& next) {
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
void LayoutFilter::end_item() {
  const std::size_t end = result_.file.lexemes.size();
  if (end > item_begin_) result_.items.push_back({item_begin_, end, item_bad_});
  item_bad_ = false;
  item_begin_ = end + 1;
}

void LayoutFilter::push(ContextKind kind, Kind keyword) {
  Context context;
  context.kind = kind;
  context.keyword = keyword;
  context.opener = result_.file.lexemes.size();
  stack_.push_back(context);
}

// Blocks among the contexts popped are closed.
void LayoutFilter::pop_to(std::size_t size) {
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
std::size_t LayoutFilter::nearest(ContextKind wanted) const {
  for (std::size_t i = stack_.size(); i-- > 0;) {
    if (stack_[i].kind == wanted) return i;
    if (is_hard(stack_[i].kind)) return none;
  }
  return none;
}

std::size_t LayoutFilter::nearest_block() const { return nearest(ContextKind::Block); }

// The innermost context from `from` downwards that is neither a block nor a waiting `let`.
std::size_t LayoutFilter::below_lets(std::size_t from) const {
  for (std::size_t i = from; i-- > 0;) {
    if (stack_[i].kind != ContextKind::Block && stack_[i].kind != ContextKind::LetIn) return i;
  }
  return none;
}

bool LayoutFilter::open_pending(const Lexeme& lexeme) {
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

void LayoutFilter::report_unclosed(const Context& context, const Lexeme& noticed) {
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
void LayoutFilter::force_close(const Lexeme& lexeme) {
  for (std::size_t i = stack_.size(); i-- > 1;) {
    if (!is_hard(stack_[i].kind)) continue;
    report_unclosed(stack_[i], lexeme);
    break;
  }
  pop_to(1);
}

void LayoutFilter::new_line(const Lexeme& lexeme) {
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

// A pragma is an item if nothing but further items can follow it; elsewhere it is a comment.
bool LayoutFilter::keep_pragma(std::size_t index) {
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
void LayoutFilter::drop_pragma(const Lexeme& pragma) {
  Comment comment{pragma.begin,  pragma.end,  pragma.line,
                  pragma.column, pragma.line, pragma.first_on_line};
  comment.end_line += static_cast<std::uint32_t>(std::count(
      result_.file.text.begin() + pragma.begin, result_.file.text.begin() + pragma.end, '\n'));
  dropped_.push_back(comment);
}

void LayoutFilter::merge_dropped() {
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

void LayoutFilter::step(std::size_t index) {
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
std::size_t LayoutFilter::header() {
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

void LayoutFilter::finish() {
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

LaidOut LayoutFilter::run() {
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

LaidOut lay_out(LexedFile file, Diagnostics& out) {
  return LayoutFilter(std::move(file), out).run();
}

}  // namespace dvm::parse
