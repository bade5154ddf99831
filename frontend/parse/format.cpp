// Formatting: parse, print with comments, and check that the result says the same.
#include "frontend/parse/format.hpp"

#include <algorithm>

#include "frontend/ast/print.hpp"
#include "frontend/parse/deep_stack.hpp"
#include "frontend/parse/file.hpp"

namespace dvm::parse {
namespace {

// What formatting must keep: the tree, as printed without comments, and the comments.
struct Meaning {
  std::string tree;
  std::vector<std::string> comments;
  bool operator==(const Meaning&) const = default;
};

struct Formatted {
  std::string text;
  Meaning meaning;
};

ast::SourceLayout layout_of(const LaidOut& source, const SourceMap& sources) {
  ast::SourceLayout layout;
  layout.line_starts = sources.file(source.file.file).line_starts;
  for (const Comment& comment : source.file.comments) {
    std::string text = source.file.text.substr(comment.begin, comment.end - comment.begin);
    std::erase(text, '\r');
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.pop_back();
    layout.comments.push_back({comment.begin, comment.end, comment.line, comment.end_line,
                               comment.own_line, std::move(text)});
  }
  if (source.header.has_value()) layout.header_begin = source.lexeme(source.header->begin).begin;
  return layout;
}

// Chains are grouped by the file's own fixities alone; that changes the tree but not how it prints.
std::optional<Formatted> format_once(const SourceMap& sources, FileId file, Diagnostics& out) {
  ast::Program program;
  FixityScopes scopes;
  Chains chains;
  const std::size_t errors = out.error_count();
  ParsedFile parsed = parse_file(sources, file, program.arena, scopes, chains, out);
  if (out.error_count() > errors) return std::nullopt;
  Diagnostics ignored;
  resolve(chains, scopes, program.arena, ignored);
  const ast::SourceLayout layout = layout_of(parsed.source, sources);
  Formatted result;
  result.text = ast::print_with_comments(program.arena, parsed.module, layout);
  result.meaning.tree = ast::print(program, parsed.module);
  for (const ast::SourceComment& comment : layout.comments)
    result.meaning.comments.push_back(comment.text);
  return result;
}

std::string checked(const SourceMap& sources, FileId file, const Formatted& first) {
  const std::string& original = sources.file(file).text;
  std::string text = first.text;
  for (int round = 0; round < 4; ++round) {  // comments may move once
    SourceMap scratch;
    Diagnostics ignored;
    const FileId again = scratch.add("", text);
    const std::optional<Formatted> next = format_once(scratch, again, ignored);
    if (!next.has_value() || next->meaning != first.meaning) return original;
    if (next->text == text) return text;
    text = next->text;
  }
  return original;
}

}  // namespace

std::optional<std::string> format(SourceMap& sources, FileId file, Diagnostics& out) {
  std::optional<std::string> result;
  with_deep_stack([&] {
    const std::optional<Formatted> first = format_once(sources, file, out);
    if (first.has_value()) result = checked(sources, file, *first);
  });
  return result;
}

}  // namespace dvm::parse
