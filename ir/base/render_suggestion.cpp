// The mended line is built from the pieces that stay and those that are new, its marks beside it.
#include "ir/base/render_suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/base/code_point.hpp"

namespace dvm {
namespace {

constexpr std::size_t widest_line = 160;  // columns; a longer line is not shown

class MendedLine {
 public:
  void add(std::string_view piece, char mark) {
    for (std::size_t i = 0; i < piece.size();) {
      const CodePoint point = code_point_at(piece, i);
      if (piece[i] == '\t') {
        put(std::string(8 - column_ % 8, ' '), 8 - column_ % 8, mark);
      } else if (!point.valid || point.value < 0x20 ||
                 (point.value >= 0x7F && point.value < 0xA0)) {
        put("\xEF\xBF\xBD", 1, mark);
      } else {
        put(piece.substr(i, point.bytes), static_cast<std::size_t>(terminal_width(point.value)),
            mark);
      }
      i += point.bytes;
    }
  }
  std::size_t width() const { return column_; }
  const std::string& text() const { return text_; }
  std::string marks() const { return marks_.substr(0, marks_.find_last_not_of(' ') + 1); }

 private:
  void put(std::string_view glyph, std::size_t width, char mark) {
    text_ += glyph;
    marks_.append(width, mark);
    column_ += width;
  }
  std::string text_, marks_;
  std::size_t column_ = 0;
};

bool on_one_line(const Edit& edit, const SourceMap& sources) {
  if (!sources.has(edit.span)) return false;
  const auto line = [&](std::uint32_t at) { return sources.place(edit.span.file, at).line; };
  return line(edit.span.begin) == line(edit.span.end) && edit.text.find('\n') == std::string::npos;
}

bool is_new_line(const Edit& edit, const SourceMap& sources) {
  return sources.has(edit.span) && edit.span.begin == edit.span.end && edit.text.ends_with('\n') &&
         sources.place(edit.span.file, edit.span.begin).column == 1;
}

void show_new_lines(std::string& out, const Edit& edit, std::uint32_t line, std::size_t gutter) {
  for (std::size_t at = 0; at < edit.text.size();) {
    const std::size_t end = edit.text.find('\n', at);
    out += fmt::format("    {:>{}} + {}\n", line++, gutter, edit.text.substr(at, end - at));
    at = end + 1;
  }
}

void show_mended(std::string& out, const std::vector<Edit>& edits, std::uint32_t line,
                 std::size_t gutter, const SourceMap& sources) {
  const FileId file = edits.front().span.file;
  const std::string_view old = sources.line_text(file, line);
  const std::uint32_t start = sources.file(file).line_starts[line - 1];
  MendedLine mended;
  std::size_t done = 0;
  for (const Edit& edit : edits) {
    const std::size_t begin = std::clamp<std::size_t>(edit.span.begin - start, done, old.size());
    const std::size_t end = std::clamp<std::size_t>(edit.span.end - start, begin, old.size());
    mended.add(old.substr(done, begin - done), ' ');
    mended.add(edit.text, begin == end ? '+' : '~');
    done = end;
  }
  mended.add(old.substr(done), ' ');
  if (mended.width() > widest_line) return;
  std::string text = mended.text();
  text.erase(text.find_last_not_of(' ') + 1);
  out += fmt::format("    {:>{}} | {}\n", line, gutter, text);
  if (const std::string marks = mended.marks(); !marks.empty())
    out += fmt::format("    {:>{}} | {}\n", "", gutter, marks);
}

}  // namespace

std::string render_suggestion(const Suggestion& suggestion, const SourceMap& sources) {
  std::map<std::uint32_t, std::vector<Edit>> lines;
  for (const Edit& edit : suggestion.edits) {
    if (on_one_line(edit, sources) || is_new_line(edit, sources))
      lines[sources.place(edit.span.file, edit.span.begin).line].push_back(edit);
  }
  std::string out = "  help: " + suggestion.text;
  if (lines.empty()) return out + "\n";
  const std::size_t gutter = std::to_string(lines.rbegin()->first).size();
  out += fmt::format("{}\n    {:>{}} |\n", out.ends_with('?') ? "" : ":", "", gutter);
  for (auto& [line, edits] : lines) {
    std::stable_sort(edits.begin(), edits.end(),
                     [](const Edit& a, const Edit& b) { return a.span < b.span; });
    std::erase_if(edits, [&, at = line](const Edit& edit) {
      if (!is_new_line(edit, sources)) return false;
      show_new_lines(out, edit, at, gutter);
      return true;
    });
    if (!edits.empty()) show_mended(out, edits, line, gutter, sources);
  }
  return out;
}

}  // namespace dvm
