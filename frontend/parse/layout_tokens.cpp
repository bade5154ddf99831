// The layout filter: tokens that open, close and continue contexts wherever they stand.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/parse/layout_filter.hpp"

namespace dvm::parse {

using Kind = TokenKind;

void LayoutFilter::on_comma() {
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

void LayoutFilter::on_bar() {
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
void LayoutFilter::leave_multi_ifs() {
  std::size_t at = stack_.size();
  while (at > 0 && stack_[at - 1].kind == ContextKind::MultiIf) --at;
  if (at > 0 && stack_[at - 1].kind == ContextKind::Guard) pop_to(at);
}

void LayoutFilter::on_equals() {
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
bool LayoutFilter::on_arrow() {
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
void LayoutFilter::on_keyword_closing(ContextKind opener) {
  const std::size_t at = nearest(opener);
  if (at == none) return;
  pop_to(at);
}

void LayoutFilter::on_semicolon() {
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

void LayoutFilter::on_closer(const Lexeme& lexeme) {
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

void LayoutFilter::react(std::size_t index, Lexeme& lexeme) {
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
      on_bar();
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

}  // namespace dvm::parse
