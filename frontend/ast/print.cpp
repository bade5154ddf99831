// Modules, names, comments and lists of names.
#include "frontend/ast/print.hpp"

#include <algorithm>

#include "frontend/ast/printer.hpp"

namespace dvm::ast {
namespace {

constexpr std::size_t line_width = 100;

bool is_word(const std::string& text) {
  const auto first = static_cast<unsigned char>(text.empty() ? ' ' : text[0]);
  if (first < 0x80)
    return first == '_' || (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
  // Of the other characters, letters make words and mathematical and technical symbols operators.
  if (first != 0xE2 || text.size() < 3)
    return first != 0xC2 && !(first == 0xC3 && (text[1] == '\x97' || text[1] == '\xB7'));
  return static_cast<unsigned char>(text[1]) >= 0xB0;
}

std::string full(const Name& name) {
  return name.qualifier.empty() ? name.text : name.qualifier + "." + name.text;
}

std::uint32_t line_at(const SourceLayout& source, std::uint32_t offset) {
  const auto after = std::upper_bound(source.line_starts.begin(), source.line_starts.end(), offset);
  return static_cast<std::uint32_t>(after - source.line_starts.begin());
}

}  // namespace

// A blank line of the source between what was printed last and this place is kept.
bool Printer::blank_before(std::uint32_t offset) const {
  if (source_ == nullptr || last_line_ == 0) return false;
  std::uint32_t line = line_at(*source_, offset);
  if (next_comment_ < source_->comments.size() && source_->comments[next_comment_].begin < offset) {
    line = source_->comments[next_comment_].line;
  }
  return line > last_line_ + 1;
}

void Printer::comments_before(std::uint32_t offset, std::vector<DocId>& parts,
                              bool keep_blank_lines) {
  if (source_ == nullptr) return;
  for (; next_comment_ < source_->comments.size(); ++next_comment_) {
    const SourceComment& comment = source_->comments[next_comment_];
    if (comment.begin >= offset) break;
    if (keep_blank_lines && comment.own_line && last_line_ != 0 && comment.line > last_line_ + 1)
      parts.push_back(docs_.blank_line());
    const bool own = comment.own_line || comment.end_line != comment.line;
    parts.push_back(own ? docs_.own_comment(comment.text) : docs_.trailing_comment(comment.text));
    last_line_ = comment.end_line;
  }
}

DocId Printer::atom(std::string value, Span span) {
  if (source_ == nullptr || !span.valid()) return text(std::move(value));
  std::vector<DocId> parts;
  comments_before(span.begin, parts, false);
  if (parts.empty()) return text(std::move(value));
  parts.push_back(text(std::move(value)));
  return concat(std::move(parts));
}

DocId Printer::name(const Name& name) {
  return atom(is_word(name.text) ? full(name) : "(" + full(name) + ")", name.span);
}

DocId Printer::operator_name(const Name& name) {
  return atom(is_word(name.text) ? "`" + full(name) + "`" : full(name), name.span);
}

DocId Printer::listed(const std::vector<DocId>& parts) {
  std::vector<DocId> all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    const DocId part = last ? parts[i] : concat({parts[i], text(",")});
    all.push_back(i == 0 ? part : docs_.group(concat({docs_.line(), part})));
  }
  return docs_.align(concat(std::move(all)));
}

DocId Printer::items(const std::vector<ImportItem>& items) {
  std::vector<DocId> parts;
  for (const ImportItem& item : items) {
    std::vector<DocId> part{item.whole_module ? text("module " + item.name.text) : name(item.name)};
    if (item.all_parts) part.push_back(text("(..)"));
    if (!item.parts.empty()) {
      std::vector<DocId> names;
      for (const Name& inner : item.parts) names.push_back(name(inner));
      part.push_back(concat({text("("), listed(names), text(")")}));
    }
    parts.push_back(concat(std::move(part)));
  }
  return concat({text("("), listed(parts), text(")")});
}

DocId Printer::import(const Import& import) {
  std::vector<DocId> parts;
  comments_before(import.span.begin, parts, true);
  const DocId before = concat(std::move(parts));
  parts = {text(import.qualified ? "import qualified " : "import ")};
  parts.push_back(text(import.module));
  if (import.alias.has_value()) parts.push_back(text(" as " + *import.alias));
  if (import.hiding) parts.push_back(text(" hiding"));
  if (import.items.has_value()) {
    parts.push_back(text(" "));
    parts.push_back(items(*import.items));
  }
  return concat({before, docs_.nest(4, concat(std::move(parts)))});
}

void Printer::doc_comment(const std::string& doc, std::vector<DocId>& parts) {
  std::string line = "-- | ";
  for (const char c : doc) {
    if (c != '\n') {
      line += c;
      continue;
    }
    parts.push_back(docs_.own_comment(line));
    line = "-- ";
  }
  parts.push_back(docs_.own_comment(line));
}

DocId Printer::header(const Module& module) {
  std::vector<DocId> parts;
  if (source_ != nullptr) {
    comments_before(source_->header_begin, parts, true);
    if (last_line_ != 0 && line_at(*source_, source_->header_begin) > last_line_ + 1)
      parts.push_back(docs_.blank_line());
    last_line_ = line_at(*source_, source_->header_begin);
  } else if (!module.doc.empty()) {
    doc_comment(module.doc, parts);
  }
  const DocId before = concat(std::move(parts));
  parts = {text("module " + module.name)};
  if (module.exports.has_value()) {
    parts.push_back(text(" "));
    parts.push_back(items(*module.exports));
  }
  parts.push_back(text(" where"));
  return concat({before, docs_.nest(2, concat(std::move(parts)))});
}

std::string Printer::run(const Module& module) {
  std::vector<DocId> parts;
  if (module.has_header) parts.push_back(header(module));
  bool first_import = true;
  for (const Import& item : module.imports) {
    if (!item.span.valid()) continue;  // the implicit Prelude
    if (first_import && module.has_header) parts.push_back(docs_.blank_line());
    if (!first_import && blank_before(item.span.begin)) parts.push_back(docs_.blank_line());
    first_import = false;
    parts.push_back(import(item));
    parts.push_back(docs_.hard_line());
    if (source_ != nullptr) last_line_ = line_at(*source_, item.span.begin);
  }
  if (!module.decls.empty() && (module.has_header || !first_import))
    parts.push_back(docs_.blank_line());
  parts.push_back(decls(module.decls, true));
  comments_before(~std::uint32_t{0}, parts, true);
  return docs_.render(concat(std::move(parts)), line_width);
}

std::string print(const Program& program, const Module& module) {
  return Printer(program.arena, nullptr).run(module);
}

std::string print_with_comments(const Arena& arena, const Module& module,
                                const SourceLayout& source) {
  return Printer(arena, &source).run(module);
}

}  // namespace dvm::ast
