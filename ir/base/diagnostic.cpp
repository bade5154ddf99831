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

Json to_json(const Suggestion& suggestion, const SourceMap& sources) {
  Json object = {{"text", suggestion.text}, {"sure", suggestion.sure}, {"edits", Json::array()}};
  for (const Edit& edit : suggestion.edits) {
    Json change;
    put_place(change, edit.span, sources);
    change["text"] = edit.text;
    object["edits"].push_back(std::move(change));
  }
  return object;
}

Json to_json(const Diagnostic& diagnostic, const SourceMap& sources) {
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
  object["suggestions"] = Json::array();
  for (const Suggestion& suggestion : diagnostic.suggestions)
    object["suggestions"].push_back(to_json(suggestion, sources));
  return object;
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

void Diagnostics::amend(const std::function<void(Diagnostic&)>& change) {
  for (Diagnostic& diagnostic : all_) change(diagnostic);
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
  for (const Diagnostic& diagnostic : diagnostics.sorted())
    all.push_back(to_json(diagnostic, sources));
  // Names from a program may hold bytes that are not UTF-8.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string render_json_lines(const Diagnostics& diagnostics, const SourceMap& sources) {
  std::string lines;
  for (const Diagnostic& diagnostic : diagnostics.sorted())
    lines +=
        to_json(diagnostic, sources).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  return lines;
}

std::string apply_suggestions(const Diagnostics& diagnostics, const SourceMap& sources, FileId file,
                              std::size_t& applied) {
  std::vector<Edit> taken;
  const auto clashes = [&](const Edit& edit) {
    return std::any_of(taken.begin(), taken.end(), [&](const Edit& other) {
      return edit.span.begin <= other.span.end && other.span.begin <= edit.span.end;
    });
  };
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    for (const Suggestion& suggestion : diagnostic.suggestions) {
      const auto& edits = suggestion.edits;
      const bool here = std::all_of(edits.begin(), edits.end(),
                                    [&](const Edit& edit) { return edit.span.file == file; });
      if (!suggestion.sure || !here || std::any_of(edits.begin(), edits.end(), clashes)) continue;
      taken.insert(taken.end(), edits.begin(), edits.end());
      ++applied;
      break;
    }
  }
  std::stable_sort(taken.begin(), taken.end(),
                   [](const Edit& a, const Edit& b) { return a.span.begin > b.span.begin; });
  std::string text = sources.file(file).text;
  for (const Edit& edit : taken)
    text.replace(edit.span.begin, edit.span.end - edit.span.begin, edit.text);
  return text;
}

}  // namespace dvm
