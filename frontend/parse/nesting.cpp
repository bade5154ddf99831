// The nesting limit, checked before the parser recurses.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/parse/layout.hpp"

namespace dvm::parse {
namespace {

using Kind = TokenKind;

// How deep a token nests: brackets and blocks, and in each the constructs that wait for their end.
class Depth {
 public:
  std::size_t after(Kind kind, bool after_lambda);

 private:
  void enter() {
    ++depth_;
    prefixes_.push_back(0);
  }
  void leave() {
    if (prefixes_.size() == 1) return;
    leave_prefixes();
    prefixes_.pop_back();
    --depth_;
  }
  void leave_prefixes() {
    depth_ -= prefixes_.back();
    prefixes_.back() = 0;
  }
  void drop_prefixes(std::size_t count) {
    count = std::min(count, prefixes_.back());
    depth_ -= count;
    prefixes_.back() -= count;
  }

  std::vector<std::size_t> prefixes_{0};
  std::size_t depth_ = 0;
};

std::size_t Depth::after(Kind kind, bool after_lambda) {
  switch (kind) {
    case Kind::LParen:
    case Kind::LBracket:
    case Kind::LBrace:
    case Kind::VOpen:
      enter();
      break;
    case Kind::RParen:
    case Kind::RBracket:
    case Kind::RBrace:
    case Kind::VClose:
      leave();
      break;
    case Kind::Lambda:
    case Kind::Let:
    case Kind::If:
    case Kind::Case:
      ++depth_;
      ++prefixes_.back();
      break;
    case Kind::Of:
      drop_prefixes(1);  // its `case` has become the block
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
  if (kind == Kind::Case && after_lambda) drop_prefixes(2);  // `\case` is its block
  return depth_;
}

}  // namespace

void check_nesting(LaidOut& source, Diagnostics& out) {
  for (Item& item : source.items) {
    Depth depth;
    for (std::size_t i = item.begin; i < item.end && !item.bad; ++i) {
      const bool after_lambda = i > item.begin && source.lexeme(i - 1).kind == Kind::Lambda;
      if (depth.after(source.lexeme(i).kind, after_lambda) <= nesting_limit) continue;
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
