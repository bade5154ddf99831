// Messages as text, `file:line:column: error: message [code]` with notes below, or as JSON.
#include "backend/driver/problem.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

namespace dvm::driver {

namespace {

bool as_json(const Options& options) { return options.diagnostics != "text"; }
bool as_lines(const Options& options) { return options.diagnostics == "lines"; }

std::string render(const Diagnostics& diagnostics, const SourceMap& sources,
                   const Options& options) {
  if (as_lines(options)) return render_json_lines(diagnostics, sources);
  return as_json(options) ? render_json(diagnostics, sources) : render_text(diagnostics, sources);
}

// `file:line:column` from its end, because a file's name may hold colons.
nlohmann::ordered_json place_fields(const std::string& place) {
  nlohmann::ordered_json fields = {{"file", nullptr}, {"line", nullptr}, {"column", nullptr}};
  const std::size_t second = place.rfind(':');
  const std::size_t first =
      second == std::string::npos || second == 0 ? second : place.rfind(':', second - 1);
  if (first == std::string::npos) return fields;
  const std::string line = place.substr(first + 1, second - first - 1),
                    column = place.substr(second + 1);
  const auto digits = [](const std::string& text) {
    return !text.empty() && text.size() < 10 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!digits(line) || !digits(column)) return fields;
  fields["file"] = place.substr(0, first);
  fields["line"] = std::stoi(line);
  fields["column"] = std::stoi(column);
  return fields;
}

struct Entry {
  std::string place, code, message;
  std::vector<std::string> notes;
};

nlohmann::ordered_json as_object(const Entry& entry) {
  nlohmann::ordered_json object = {
      {"severity", "error"}, {"code", entry.code}, {"message", entry.message}};
  object.update(place_fields(entry.place));
  object["notes"] = entry.notes;
  return object;
}

void print(std::span<const Entry> entries, const Options& options, const Console& console) {
  if (as_json(options)) {
    constexpr auto replace = nlohmann::json::error_handler_t::replace;
    auto all = nlohmann::ordered_json::array();
    for (const Entry& entry : entries) all.push_back(as_object(entry));
    if (!as_lines(options)) console.err << all.dump(2, ' ', false, replace) << '\n';
    for (const auto& one : all)
      if (as_lines(options)) console.err << one.dump(-1, ' ', false, replace) << '\n';
    return;
  }
  for (const Entry& entry : entries) {
    console.err << (entry.place.empty() ? "dvmc" : entry.place) << ": error: " << entry.message
                << " [" << entry.code << "]\n";
    for (const std::string& note : entry.notes) console.err << "  note: " << note << '\n';
  }
}

}  // namespace

int report(const Problem& problem, const Options& options, const Console& console) {
  const Entry entry{"", problem.code, problem.message, problem.notes};
  print({&entry, 1}, options, console);
  return problem.status;
}

int report(const RunFailure& failure, const Options& options, const Console& console) {
  return report({&failure, 1}, options, console);
}

int report(std::span<const RunFailure> failures, const Options& options, const Console& console) {
  std::vector<Entry> entries;
  for (const RunFailure& failure : failures)
    entries.push_back({failure.place, failure.code, failure.message, failure.path});
  print(entries, options, console);
  return status::program;
}

int report(const Diagnostics& diagnostics, const SourceMap& sources, const Options& options,
           const Console& console) {
  const auto all = diagnostics.sorted();
  if (!all.empty()) console.err << render(diagnostics, sources, options);
  return diagnostics.has_errors() || (options.warnings_are_errors && !all.empty()) ? status::program
                                                                                   : status::ok;
}

}  // namespace dvm::driver
