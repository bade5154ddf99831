// Collecting diagnostics, and their rendering as JSON. Text: ir/base/render_text.cpp.
#include "ir/base/diagnostic.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

namespace dvm {
namespace {

using Json = nlohmann::ordered_json;

void put_place(Json& object, Span span, const SourceMap& sources) {
  if (!sources.has(span)) {
    for (const char* key : {"file", "line", "column", "endLine", "endColumn"})
      object[key] = nullptr;
    return;
  }
  const LineColumn begin = sources.place(span.file, span.begin);
  const LineColumn end = sources.place(span.file, std::max(span.begin, span.end));
  object["file"] = sources.file(span.file).path;
  object["line"] = begin.line;
  object["column"] = begin.column;
  object["endLine"] = end.line;
  object["endColumn"] = end.column;
}

}  // namespace

void Diagnostics::add(Diagnostic diagnostic) {
  // Without a place only the very same message is a repetition.
  std::string key = diagnostic.code;
  if (!diagnostic.span.valid()) key += '\n' + diagnostic.message;
  if (!seen_.emplace(diagnostic.span, std::move(key)).second) return;
  if (diagnostic.severity == Severity::Error) ++errors_;
  all_.push_back(std::move(diagnostic));
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<Diagnostic> result = all_;
  std::stable_sort(result.begin(), result.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.span, a.severity) < std::tie(b.span, b.severity);
  });
  return result;
}

std::string render_json(const Diagnostics& diagnostics, const SourceMap& sources) {
  Json all = Json::array();
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    Json object;
    object["severity"] = diagnostic.severity == Severity::Error ? "error" : "warning";
    object["code"] = diagnostic.code;
    object["message"] = diagnostic.message;
    put_place(object, diagnostic.span, sources);
    object["label"] = diagnostic.label;
    object["others"] = Json::array();
    for (const Label& other : diagnostic.others) {
      Json label;
      put_place(label, other.span, sources);
      label["label"] = other.text;
      object["others"].push_back(std::move(label));
    }
    object["notes"] = diagnostic.notes;
    object["help"] = diagnostic.help;
    all.push_back(std::move(object));
  }
  // Names from a program may hold bytes that are not UTF-8.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dvm
