// Documentation comments with their lines and places, for examples and pages; the syntax tree keeps
// only their text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/base/diagnostic.hpp"

namespace dvm::parse {

// One line of a comment: its text without the dashes and the mark, trailing blanks removed.
struct DocLine {
  std::uint32_t line = 1;    // of the file, from 1
  std::uint32_t column = 0;  // bytes before the text on its line
  std::string text;
};

// `-- | text` and the `--` lines right below it, or `{-| text -}`.
struct DocComment {
  std::vector<DocLine> lines;
  bool at_margin = true;  // starts in the first column, so it belongs to the top level
  bool block = false;     // `{- -}`

  std::uint32_t first_line() const { return lines.front().line; }
  std::uint32_t last_line() const { return lines.back().line; }
};

// `-- * Heading`: begins a section of a module's page.
struct Heading {
  std::uint32_t line = 1;
  std::string text;
};

struct DocComments {
  std::vector<DocComment> comments;  // in the order of the file
  std::vector<Heading> headings;

  // The comment that ends on the line above `line`.
  const DocComment* above(std::uint32_t line) const;
  // The text of the last heading above `line`, or nothing.
  std::optional<std::string> section(std::uint32_t line) const;
};

// nullopt, and an error in `out`, when the file is not UTF-8. Other mistakes of the text are the
// parser's to report.
std::optional<DocComments> doc_comments(const SourceMap& sources, FileId file, Diagnostics& out);

}  // namespace dvm::parse
