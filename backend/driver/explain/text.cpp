// The explanation for a terminal.
#include <fmt/format.h>

#include <algorithm>

#include "backend/driver/explain/explanation.hpp"
#include "backend/driver/explain/words.hpp"

namespace dvm::driver {

namespace {

constexpr std::size_t width = 100;

std::size_t columns(std::string_view text) {  // code points
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Words wrapped, the first line after `first`, the others after `indent` blanks.
std::string wrapped(std::string first, std::size_t indent, std::string_view text) {
  std::string out = std::move(first);
  std::size_t at = columns(out);
  bool begin = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!begin && at + 1 + columns(word) > width) {
      out += "\n" + std::string(indent, ' ');
      at = indent;
      begin = true;
    }
    out += (begin ? "" : " ") + std::string(word);
    at += columns(word) + (begin ? 0 : 1);
    begin = false;
  }
  return out + "\n";
}

std::string line_text(const LineStory& line, const Explanation& all, const SourceMap& sources) {
  std::string out;
  if (!line.place.valid()) {
    out += "\nNot from a line of the program:\n";
  } else if (sources.file(line.place.file).path == all.program) {
    out += fmt::format("\n{:>4} | {}\n", line.place.line, line.text);
  } else {
    out += fmt::format("\n{}:{} | {}\n", sources.file(line.place.file).path, line.place.line,
                       line.text);
  }
  for (const Story& story : line.stories) {
    out += wrapped("     - ", 7, describe(story) + ": " + fate_of(story, line.place));
    for (const std::string& note : story.notes) out += wrapped("       ", 7, "also: " + note);
  }
  for (const Change& change : changes(line.before, line.after, all.names))
    out += wrapped(fmt::format("       {:<34}", change.what + ":"), 41, change.text());
  return out;
}

// Two columns where there is room for them.
std::string table(const std::vector<Change>& rows) {
  std::size_t first = 6, last = 5;
  for (const Change& row : rows) {
    first = std::max(first, columns(row.before));
    last = std::max(last, columns(row.after));
  }
  std::string out;
  if (first + last + 38 <= width) {
    const auto cell = [&](const std::string& text) {
      return text + std::string(first + 2 - columns(text), ' ');
    };
    out += fmt::format("  {:<34}{}{}\n", "", cell("before"), "after");
    for (const Change& row : rows)
      out += fmt::format("  {:<34}{}{}\n", row.what, cell(row.before), row.after);
    return out;
  }
  for (const Change& row : rows) {
    out += fmt::format("  {}\n", row.what);
    if (row.before == row.after) {
      out += wrapped("    unchanged  ", 15, row.after);
    } else {
      out += wrapped("    before     ", 15, row.before);
      out += wrapped("    after      ", 15, row.after);
    }
  }
  return out;
}

std::string summary(const Explanation& all) {
  std::string out = "\nIn all:\n" + table(totals(all.before, all.after, all.names));
  for (const passes::Remark& remark : all.general)
    out += wrapped("  ", 4, fmt::format("{}: {}", remark.pass, remark.reason));
  return out;
}

}  // namespace

std::string explain_as_text(const Explanation& explanation, const SourceMap& sources) {
  std::string out = fmt::format("{}, entry `{}`: before and after the graph passes\n",
                                explanation.program, explanation.entry);
  for (const LineStory& line : explanation.lines)
    if (is_worth_telling(line)) out += line_text(line, explanation, sources);
  return out + summary(explanation);
}

}  // namespace dvm::driver
