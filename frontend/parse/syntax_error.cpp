// Explains parse failures: dedicated messages for the commonest mistakes first, then what was
// expected.
#include "frontend/parse/syntax_error.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/parse/expectation.hpp"
#include "frontend/parse/explainer.hpp"

namespace dvm::parse {

using Kind = TokenKind;

// Among the rules around the error, up to the nearest block or bracket.
bool Explainer::inside(std::string_view rule) const {
  for (const EnclosingRule& enclosing : error_.enclosing) {
    if (enclosing.rule == rule) return true;
    if (enclosing.rule == "declBlock" || enclosing.rule == "altBlock") return false;
  }
  return false;
}

// The real lexeme before one of the item; the item's first if there is none.
std::size_t Explainer::before(std::size_t index) const {
  while (index > item_.begin) {
    --index;
    if (!is_virtual(source_.lexeme(index).kind)) return index;
  }
  return item_.begin;
}

std::optional<std::size_t> Explainer::after(std::size_t index) const {
  while (index < source_.lexemes().size() && is_virtual(source_.lexeme(index).kind)) ++index;
  if (index >= source_.lexemes().size()) return std::nullopt;
  return index;
}

bool Explainer::starts_item(std::size_t index) const {
  if (index == item_.begin) return true;
  const Kind kind = source_.lexeme(index - 1).kind;
  return kind == Kind::VSemi || kind == Kind::VOpen || kind == Kind::Semi;
}

// The lexeme that starts the innermost construct with this keyword.
std::size_t Explainer::opener_of(Kind keyword) const {
  for (const EnclosingRule& enclosing : error_.enclosing) {
    if (enclosing.first < source_.lexemes().size() &&
        source_.lexeme(enclosing.first).kind == keyword)
      return enclosing.first;
  }
  return item_.begin;
}

// What is missing at the end of a line belongs there and not on the next line.
Span Explainer::place() const {
  if (error_.at < item_.end && !is_virtual(found().kind)) return source_.span_of(error_.at);
  const Lexeme& last = source_.lexeme(before(error_.at));
  return Span{source_.file.file, last.end, last.end};
}

std::string Explainer::found_words() const {
  if (error_.at >= item_.end)
    return found().kind == Kind::End ? "the end of the file" : "the end of the declaration";
  switch (found().kind) {
    case Kind::VSemi:
      return "a new line";
    case Kind::VClose:
      return fmt::format("the end of the `{}` block",
                         spelling(source_.blocks.at(found().block).keyword));
    case Kind::VOpen:
      return "the start of a block";
    default:
      return fmt::format("`{}`", shorten(source_.text_of(error_.at)));
  }
}

void Explainer::set(std::string code, std::string message, Span span, std::string label,
                    std::string help, std::optional<Edit> edit) {
  result_.code = std::move(code);
  result_.message = std::move(message);
  result_.span = span;
  result_.label = std::move(label);
  if (edit.has_value())
    result_.suggestions.push_back({std::move(help), {*std::move(edit)}, true});
  else if (!help.empty())
    result_.help.push_back(std::move(help));
}

bool Explainer::forbidden_word() {
  const Kind kind = found().kind;
  if (error_.at >= item_.end || !is_keyword(kind)) return false;
  const Span span = source_.span_of(error_.at);
  if (kind == Kind::Do) {
    set("no-do", "there is no `do`", span, "everything is an expression",
        "name intermediate values with `let … in` or `where`");
    return true;
  }
  if (kind == Kind::In) {
    set("in-without-let", "this `in` belongs to no `let`", span, "no `let` is open here", "");
    explain_layout();
    return true;
  }
  const auto next = error_.at + 1 < item_.end ? source_.lexeme(error_.at + 1).kind : Kind::End;
  const bool used_as_name = next == Kind::Equals || next == Kind::DColon || next == Kind::Comma ||
                            next == Kind::RParen || next == Kind::Arrow ||
                            next == Kind::GuardArrow || next == Kind::LArrow || is_operator(next);
  const bool never_here = kind == Kind::Class || kind == Kind::Data || kind == Kind::Default ||
                          kind == Kind::Deriving || kind == Kind::Foreign || kind == Kind::Import ||
                          kind == Kind::Infix || kind == Kind::Infixl || kind == Kind::Infixr ||
                          kind == Kind::Instance || kind == Kind::Module || kind == Kind::Newtype ||
                          kind == Kind::Type;
  const bool declares = kind == Kind::Class || kind == Kind::Data || kind == Kind::Import ||
                        kind == Kind::Instance || kind == Kind::Newtype || kind == Kind::Type;
  if (declares && starts_item(error_.at) && error_.at != item_.begin) {
    set("not-top-level",
        fmt::format("`{}` stands at the top level of a module only", spelling(kind)), span,
        "inside a block", "");
    return true;
  }
  if (kind == Kind::Underscore || !(never_here || (used_as_name && expects(Kind::VarId))))
    return false;
  if (error_.at == item_.begin && (declares || kind == Kind::Module)) return false;
  set("reserved-word", fmt::format("`{}` is a reserved word and cannot be a name", spelling(kind)),
      span, "reserved", fmt::format("choose another name, for example `{}'`", spelling(kind)));
  return true;
}

bool Explainer::single_colon() {
  auto is_colon = [&](std::size_t i) {
    return i < item_.end && source_.lexeme(i).kind == Kind::ConSym && source_.text_of(i) == ":";
  };
  std::size_t colon = item_.end;
  if (inside("field") && is_colon(error_.at)) colon = error_.at;
  for (const EnclosingRule& enclosing : error_.enclosing) {
    if (enclosing.rule != "decl") continue;
    // a name and a colon, or an operator in parentheses and a colon
    if (source_.lexeme(enclosing.first).kind == Kind::VarId && is_colon(enclosing.first + 1))
      colon = enclosing.first + 1;
    break;
  }
  if (colon >= item_.end) return false;
  set("single-colon", "a type follows `::`, not `:`", source_.span_of(colon), "expected `::`",
      "write `::`", Edit{source_.span_of(colon), "::"});
  return true;
}

bool Explainer::wrong_sign() {
  if (error_.at >= item_.end) return false;
  const Kind kind = found().kind;
  const Span span = source_.span_of(error_.at);
  if (kind == Kind::Equals) {
    if ((expects(Kind::Arrow) || expects(Kind::GuardArrow)) &&
        (inside("alternative") || inside("guardedArrow"))) {
      set("equals-in-case", "an alternative of `case` has `->`, not `=`", span, "expected `->`",
          "write `->`", Edit{span, "->"});
      return true;
    }
    if (inside("recordSuffix") || !(inside("expr") || after_a_sign())) return false;
    const std::optional<Block> block = innermost_block();
    std::size_t first = error_.at;  // of its line
    while (first > item_.begin && !source_.lexeme(first).first_on_line) --first;
    const Lexeme& line = source_.lexeme(first);
    if (first > item_.begin && line.first_on_line && !starts_item(first) && block.has_value() &&
        line.column > block->column) {
      const std::string keyword(
          block->has_opener ? fmt::format(" of the `{}` block", spelling(block->keyword)) : "");
      set("line-continues",
          fmt::format("this line starts in column {}, the items{} start in column {}", line.column,
                      keyword, block->column),
          source_.file.span_of(line), "so it continues the line above",
          fmt::format("to start a new item, let the line start in column {}", block->column),
          move_line(line, block->column));
      if (block->has_opener)
        result_.others.push_back({source_.span_of(block->opener), "the block starts after this"});
      return true;
    }
    const bool lambda = expects(Kind::Arrow);
    set("equals-in-expression", "`=` defines a name, it does not compare", span,
        "inside an expression", lambda ? "a lambda has `->`" : "to compare, write `==`",
        Edit{span, lambda ? "->" : "=="});
    return true;
  }
  if ((kind == Kind::Arrow || kind == Kind::GuardArrow || kind == Kind::LArrow) &&
      expects(Kind::Equals)) {
    set("arrow-in-definition", fmt::format("a definition has `=`, not `{}`", spelling(kind)), span,
        "expected `=`", "write `=`", Edit{span, "="});
    return true;
  }
  return false;
}

bool Explainer::missing_keyword() {
  struct Missing {
    Kind keyword, opener;
    std::string_view help;
  };
  static constexpr Missing table[] = {
      {Kind::Else, Kind::If, "every `if` has a `then` and an `else`"},
      {Kind::Then, Kind::If, "write `if condition then value else value`"},
      {Kind::Of, Kind::Case, "write `case value of`, then the alternatives"},
  };
  for (const Missing& missing : table) {
    if (!expects(missing.keyword)) continue;
    const std::size_t opener = opener_of(missing.opener);
    set(fmt::format("missing-{}", spelling(missing.keyword)),
        fmt::format("this `{}` has no `{}`", spelling(missing.opener), spelling(missing.keyword)),
        place(), fmt::format("expected `{}`, found {}", spelling(missing.keyword), found_words()),
        std::string(missing.help));
    result_.others.push_back(
        {source_.span_of(opener), fmt::format("the `{}` starts here", spelling(missing.opener))});
    explain_layout();
    return true;
  }
  return false;
}

// The brace after a constructor or a value that is open before the error, if it is the innermost
// bracket.
std::optional<std::size_t> Explainer::open_brace() const {
  int closed = 0;
  for (std::size_t i = std::min(error_.at, item_.end); i-- > item_.begin;) {
    const Kind kind = source_.lexeme(i).kind;
    if (kind == Kind::RBrace || kind == Kind::RParen || kind == Kind::RBracket) ++closed;
    if (kind != Kind::LBrace && kind != Kind::LParen && kind != Kind::LBracket) continue;
    if (closed-- > 0) continue;
    const bool block = i == item_.begin || is_keyword(source_.lexeme(i - 1).kind);
    return kind == Kind::LBrace && !block ? std::optional(i) : std::nullopt;
  }
  return std::nullopt;
}

// GHC's `P {x}` and `P {..}`.
bool Explainer::record_shorthand() {
  if (error_.at >= item_.end || error_.at == item_.begin) return false;
  const Kind kind = found().kind;
  const std::size_t last = error_.at - 1;
  if (kind == Kind::DotDot && open_brace() &&
      (source_.lexeme(last).kind == Kind::LBrace || source_.lexeme(last).kind == Kind::Comma)) {
    set("record-wildcard", "`..` does not stand for the fields of a record",
        source_.span_of(error_.at), "expected `field = …`",
        "name the fields that are needed: `{ x = a, y = b }`");
    return true;
  }
  if ((kind != Kind::RBrace && kind != Kind::Comma) || !expects(Kind::Equals) || !open_brace() ||
      source_.lexeme(last).kind != Kind::VarId)
    return false;
  const std::string name(source_.text_of(last));
  set("record-pun", fmt::format("the field `{}` is given no value or pattern", name),
      source_.span_of(last), fmt::format("does not stand for `{0} = {0}`", name),
      "write both sides", Edit{source_.span_of(last), fmt::format("{0} = {0}", name)});
  return true;
}

// An operator with nothing to its right: the parser gives up before the operator.
bool Explainer::operand_missing() {
  if (error_.at >= item_.end || !is_operator(found().kind) || starts_item(error_.at)) return false;
  std::size_t next = error_.at + (found().kind == Kind::Backquote ? 3 : 1);
  next = std::min(next, item_.end);
  const bool operand_follows = next < item_.end && starts_operand(source_.lexeme(next).kind);
  if (operand_follows || is_operator(source_.lexeme(before(error_.at)).kind)) return false;
  std::string wanted = "an expression";
  for (const EnclosingRule& enclosing : error_.enclosing) {
    if (enclosing.rule == "expr" || enclosing.rule == "rhs") break;
    if (enclosing.rule == "type") wanted = "a type";
    if (enclosing.rule == "opPattern") wanted = "a pattern";
  }
  const std::string op(
      source_.text_of(std::min(error_.at + (found().kind == Kind::Backquote ? 1 : 0), item_.end)));
  const Explainer there({next, {}, error_.enclosing}, item_, source_);
  set(next >= item_.end || is_virtual(there.found().kind) ? "unexpected-end" : "unexpected-token",
      fmt::format("expected {} after `{}`, found {}", wanted, shorten(op), there.found_words()),
      there.place(), "expected " + wanted, "");
  return true;
}

// Whether the current item has had its `=` or `->` before the error.
bool Explainer::after_a_sign() const {
  for (std::size_t i = error_.at; i-- > item_.begin && !starts_item(i + 1);) {
    const Kind kind = source_.lexeme(i).kind;
    if (kind == Kind::Equals || kind == Kind::Arrow || kind == Kind::GuardArrow) return true;
  }
  return false;
}

bool Explainer::known_mistake() {
  return record_shorthand() || operand_missing() || block_ended_early() || single_colon() ||
         line_not_indented() || forbidden_word() || wrong_sign() || missing_keyword();
}

void Explainer::generic() {
  const bool at_end = error_.at >= item_.end || is_virtual(found().kind);
  const std::string wanted = expectation(error_.expected);
  const std::string message = wanted.empty()
                                  ? fmt::format("unexpected {}", found_words())
                                  : fmt::format("expected {}, found {}", wanted, found_words());
  set(at_end ? "unexpected-end" : "unexpected-token", message, place(),
      wanted.empty() ? "" : fmt::format("expected {}", wanted), "");
  name_construct();
  explain_layout();
}

void Explainer::name_construct() {
  for (const EnclosingRule& enclosing : error_.enclosing) {
    if (enclosing.first >= item_.end) continue;
    const std::string name = construct_name(enclosing.rule, source_.lexeme(enclosing.first).kind);
    if (name.empty() || enclosing.first == error_.at) continue;
    result_.others.push_back({source_.span_of(enclosing.first), fmt::format("in this {}", name)});
    return;
  }
}

Diagnostic Explainer::run() {
  if (!known_mistake()) generic();
  return std::move(result_);
}

Diagnostic explain(const SyntaxError& error, Item item, const LaidOut& source) {
  return Explainer(error, item, source).run();
}

}  // namespace dvm::parse
