// Messages to the user as data; rendering is separate, so that an editor need not parse text.
// Style: lower case, no final period, code in backticks; the primary label makes sense alone;
// what is goes into the message, facts into notes, the mending into help.
#pragma once

#include <cstddef>
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

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string code;  // stable, kebab case: `type-mismatch`
  std::string message;
  Span span;                  // narrow; may be invalid when there is no source place
  std::string label;          // beside the underline of `span`; may be empty
  std::vector<Label> others;  // further places, e.g. where each size came from
  std::vector<std::string> notes;
  std::vector<std::string> help;
};

// Collects; keeps one message per (span, code).
class Diagnostics {
 public:
  void add(Diagnostic diagnostic);
  bool has_errors() const { return errors_ > 0; }
  std::size_t error_count() const { return errors_; }
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
// One JSON array: severity, code, message, file, line, column, endLine, endColumn, label, others,
// notes, help.
std::string render_json(const Diagnostics& diagnostics, const SourceMap& sources);

}  // namespace dvm
