// Messages to the user as data; rendering is separate, so that an editor need not parse text.
// Style: lower case, no final period, code in backticks; the primary label makes sense alone;
// what is goes into the message, facts into notes, the mending into help.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/base/source.hpp"

namespace dvm {

enum class Severity { Error, Warning };

struct Label {
  Span span;
  std::string text;
};

// A change that mends the program: replaces the text of the span, which may be empty.
struct Edit {
  Span span;
  std::string text;
  bool operator==(const Edit&) const = default;
};

// A way to mend the program, with the edits that do it. `sure`: there is no other likely meaning
// and nothing is left to fill in, so that `dvmc check --fix` may apply it unseen.
struct Suggestion {
  std::string text;
  std::vector<Edit> edits;
  bool sure = false;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string code;  // stable, kebab case: `type-mismatch`
  std::string message;
  Span span;                  // narrow; may be invalid when there is no source place
  std::string label;          // beside the underline of `span`; may be empty
  std::vector<Label> others;  // further places, e.g. where each size came from
  std::vector<std::string> notes;
  std::vector<std::string> help;
  std::vector<Suggestion> suggestions = {};
};

// Collects; keeps one message per (span, code).
class Diagnostics {
 public:
  void add(Diagnostic diagnostic);
  bool has_errors() const { return errors_ > 0; }
  std::size_t error_count() const { return errors_; }
  // Lets a later stage add what it knows, such as a suggestion; code and place stay.
  void amend(const std::function<void(Diagnostic&)>& change);
  // In source order (file, then place), which is the order of printing.
  std::vector<Diagnostic> sorted() const;

 private:
  std::vector<Diagnostic> all_;
  std::set<std::pair<Span, std::string>> seen_;
  std::size_t errors_ = 0;
};

// `file:line:column: error: message [code]`, source excerpt with underline and labels, notes, help.
// At most `limit` errors are printed, then how many more there are.
std::string render_text(const Diagnostics& diagnostics, const SourceMap& sources,
                        std::size_t limit = 20);
// A JSON object each, in one array or one to a line: severity, code, message, file, line, column,
// endLine, endColumn (as in an editor: of the first code point behind), label, others, notes, help,
// suggestions with their edits (places as above, and the new text).
std::string render_json(const Diagnostics& diagnostics, const SourceMap& sources);
std::string render_json_lines(const Diagnostics& diagnostics, const SourceMap& sources);

// The text of a file after all sure suggestions about it; of two that overlap the first in the
// order of `sorted` is taken. The number of suggestions that were applied is added to `applied`.
std::string apply_suggestions(const Diagnostics& diagnostics, const SourceMap& sources, FileId file,
                              std::size_t& applied);

}  // namespace dvm
