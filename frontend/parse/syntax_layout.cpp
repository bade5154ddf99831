// Mistakes of layout, explained by the block that a line left or continued.
#include <fmt/format.h>

#include "frontend/parse/expectation.hpp"
#include "frontend/parse/explainer.hpp"

namespace dvm::parse {

using Kind = TokenKind;

std::optional<Block> Explainer::innermost_block() const {
  std::vector<std::uint32_t> open;
  for (std::size_t i = item_.begin; i < error_.at && i < item_.end; ++i) {
    const Lexeme& lexeme = source_.lexeme(i);
    if (lexeme.kind == Kind::VOpen) open.push_back(lexeme.block);
    if (lexeme.kind == Kind::VClose && !open.empty()) open.pop_back();
  }
  if (!open.empty()) return source_.blocks.at(open.back());
  if (source_.blocks.empty() || found().kind == Kind::End) return std::nullopt;
  return source_.blocks.front();
}

// Lets a line start in another column; not where tabs are in the way.
std::optional<Edit> Explainer::move_line(const Lexeme& line, std::uint32_t column) const {
  Span start = source_.file.span_of(line);
  start.end = start.begin;
  if (column >= line.column) return Edit{start, std::string(column - line.column, ' ')};
  start.begin -= std::min(start.begin, line.column - column);
  const std::string_view gone = source_.file.text;
  for (std::uint32_t at = start.begin; at < start.end; ++at)
    if (gone[at] != ' ') return std::nullopt;
  return Edit{start, ""};
}

// A line that means to continue the one above, but starts in the column of the items.
bool Explainer::line_not_indented() {
  if (error_.at >= item_.end || !found().first_on_line || !starts_item(error_.at)) return false;
  const Kind kind = found().kind;
  const bool continues = kind == Kind::Where || kind == Kind::Equals || kind == Kind::Bar ||
                         kind == Kind::Arrow || kind == Kind::DColon ||
                         (is_operator(kind) && kind != Kind::PrefixBang && kind != Kind::Bang);
  if (!continues) return false;
  const std::optional<Block> block = innermost_block();
  const std::string thing = block.has_value() && block->has_opener && block->keyword != Kind::Where
                                ? fmt::format("items of the `{}` block", spelling(block->keyword))
                                : std::string("definitions");
  set("not-indented",
      fmt::format("a line that starts with `{}` must be indented more than the {} around it",
                  shorten(source_.text_of(error_.at)), thing),
      source_.span_of(error_.at),
      fmt::format("starts in column {}, like a new item", found().column), "indent the line",
      move_line(found(), found().column + 2));
  return true;
}

// A line a little left of the items around it: it ends the block, and nothing can follow there.
bool Explainer::block_ended_early() {
  if (error_.at >= item_.end || error_.at == item_.begin || !found().first_on_line) return false;
  const Lexeme& closer = source_.lexeme(error_.at - 1);
  if (closer.kind != Kind::VClose || is_keyword(found().kind)) return false;
  const Block& block = source_.blocks.at(closer.block);
  if (!block.has_opener || block.column == 0 || found().column >= block.column) return false;
  set("block-ended",
      fmt::format("this line starts in column {}, the items of the `{}` block start in column {}",
                  found().column, spelling(block.keyword), block.column),
      source_.span_of(error_.at), "so it ends the block",
      fmt::format("to start another item, let the line start in column {}", block.column),
      move_line(found(), block.column));
  result_.others.push_back({source_.span_of(block.opener), "the block starts after this"});
  return true;
}

// A virtual token in the way: which line, which block.
void Explainer::explain_layout() {
  const Kind kind = found().kind;
  const std::optional<std::size_t> next = after(error_.at);
  if (error_.at >= item_.end || !next.has_value() || found().block == no_block) return;
  const Lexeme& line = source_.lexeme(*next);
  const Block& block = source_.blocks.at(found().block);
  if (!line.first_on_line || !block.has_opener || block.column == 0) return;
  const Lexeme& opener = source_.lexeme(block.opener);
  if (kind == Kind::VSemi) {
    result_.notes.push_back(
        fmt::format("line {} starts in column {} like the items of the `{}` block of line {}, so "
                    "it starts a new item",
                    line.line, line.column, spelling(block.keyword), opener.line));
  } else if (kind == Kind::VClose && line.column < block.column) {
    result_.notes.push_back(
        fmt::format("line {} starts in column {}, but the items of the `{}` block of line {} start "
                    "in column {}, so the block ends",
                    line.line, line.column, spelling(block.keyword), opener.line, block.column));
  }
}

}  // namespace dvm::parse
