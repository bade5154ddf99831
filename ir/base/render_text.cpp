// Diagnostics as text: one header line, the source lines with underlines, notes and help.
//
//   cg.dvm:7:12: error: sizes differ [size-mismatch]
//     |
//   3 | main :: Vec n Double -> Vec m Double -> Double
//     |                             - `m` comes from here
//   7 | main xs ys = dot xs ys
//     |                     ^~ expected size `n`, found `m`
//     note: …
//     help: …
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/base/code_point.hpp"
#include "ir/base/diagnostic.hpp"
#include "ir/base/render_suggestion.hpp"

namespace dvm {
namespace {

constexpr std::size_t widest_excerpt = 160;  // columns; longer lines are shown around the underline
constexpr std::size_t before_underline = 60;

struct Mark {
  LineColumn begin;
  std::uint32_t begin_offset = 0, end_offset = 0;  // in bytes from the start of its line
  std::string text;
  bool primary = false;
};

// One cell of an expanded source line.
struct Glyph {
  std::string text;
  std::size_t column = 0;  // on the terminal, from 0
  std::size_t offset = 0;  // byte in the line
};

// Tabs become spaces; control characters and invalid bytes become U+FFFD, so that a source file can
// not steer the terminal.
std::vector<Glyph> expand(std::string_view line) {
  std::vector<Glyph> glyphs;
  std::size_t column = 0;
  for (std::size_t i = 0; i < line.size();) {
    const CodePoint point = code_point_at(line, i);
    Glyph glyph{"", column, i};
    if (line[i] == '\t') {
      glyph.text = std::string(8 - column % 8, ' ');
      column += glyph.text.size();
    } else if (!point.valid || point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0)) {
      glyph.text = "\xEF\xBF\xBD";
      ++column;
    } else {
      glyph.text = std::string(line.substr(i, point.bytes));
      column += static_cast<std::size_t>(terminal_width(point.value));
    }
    i += point.bytes;
    glyphs.push_back(std::move(glyph));
  }
  glyphs.push_back({"", column, line.size()});
  return glyphs;
}

std::size_t column_of(const std::vector<Glyph>& glyphs, std::size_t offset) {
  auto found =
      std::upper_bound(glyphs.begin(), glyphs.end(), offset,
                       [](std::size_t at, const Glyph& glyph) { return at < glyph.offset; });
  return found == glyphs.begin() ? 0 : std::prev(found)->column;
}

std::string indented(std::string_view text, std::size_t spaces) {
  std::string result;
  for (char c : text) {
    result += c;
    if (c == '\n') result.append(spaces, ' ');
  }
  return result;
}

void append_line(std::string& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

void render_line(std::string& out, std::string_view source, std::uint32_t line,
                 std::vector<Mark> marks, std::size_t gutter) {
  const std::vector<Glyph> glyphs = expand(source);
  const std::size_t width = glyphs.back().column;
  std::size_t low = 0, high = width;
  if (width > widest_excerpt) {
    auto focus =
        std::find_if(marks.begin(), marks.end(), [](const Mark& mark) { return mark.primary; });
    if (focus == marks.end()) focus = marks.begin();
    const std::size_t at = column_of(glyphs, focus->begin_offset);
    low = at > before_underline ? at - before_underline : 0;
    high = std::min(width, low + widest_excerpt);
  }
  std::string shown = low > 0 ? "..." : "";
  for (const Glyph& glyph : glyphs) {
    if (glyph.column >= low && glyph.column < high) shown += glyph.text;
  }
  if (high < width) shown += "...";
  append_line(out, fmt::format("{:>{}} | {}", line, gutter, shown));
  const std::size_t shift = low > 0 ? 3 : 0;
  for (const Mark& mark : marks) {
    const std::size_t first = std::clamp(column_of(glyphs, mark.begin_offset), low, high);
    const std::size_t last = std::clamp(column_of(glyphs, mark.end_offset), first, high);
    const std::size_t length = std::max<std::size_t>(1, last - first);
    std::string underline(length, mark.primary ? '~' : '-');
    if (mark.primary) underline[0] = '^';
    const std::size_t column = first - low + shift;
    append_line(out, fmt::format("{:>{}} | {}{} {}", "", gutter, std::string(column, ' '),
                                 underline, indented(mark.text, 0)));
  }
}

Mark make_mark(Span span, std::string text, bool primary, const SourceMap& sources) {
  Mark mark;
  mark.begin = sources.place(span.file, span.begin);
  const std::uint32_t start = sources.file(span.file).line_starts[mark.begin.line - 1];
  const auto length =
      static_cast<std::uint32_t>(sources.line_text(span.file, mark.begin.line).size());
  const auto size = static_cast<std::uint32_t>(sources.file(span.file).text.size());
  mark.begin_offset = std::min(std::min(span.begin, size) - start, length);
  mark.end_offset = std::min(std::max(span.end, span.begin) - start, length);
  std::replace(text.begin(), text.end(), '\n', ' ');
  mark.text = std::move(text);
  mark.primary = primary;
  return mark;
}

using MarksOfFile = std::map<std::uint32_t, std::vector<Mark>>;  // by line

void render_file(std::string& out, FileId file, const MarksOfFile& lines, const SourceMap& sources,
                 std::size_t gutter) {
  append_line(out, fmt::format("{:>{}} |", "", gutter));
  std::uint32_t last = 0;
  for (const auto& [line, marks] : lines) {
    if (last != 0 && line > last + 1) append_line(out, fmt::format("{:>{}} :", "", gutter));
    render_line(out, sources.line_text(file, line), line, marks, gutter);
    last = line;
  }
}

void render_excerpt(std::string& out, const Diagnostic& diagnostic, const SourceMap& sources) {
  std::map<FileId, MarksOfFile> files;
  auto put = [&](Span span, const std::string& text, bool primary) {
    Mark mark = make_mark(span, text, primary, sources);
    const std::uint32_t line = mark.begin.line;
    files[span.file][line].push_back(std::move(mark));
  };
  put(diagnostic.span, diagnostic.label, true);
  for (const Label& other : diagnostic.others) {
    if (sources.has(other.span)) put(other.span, other.text, false);
  }
  std::uint32_t largest = 1;
  for (const auto& [file, lines] : files) largest = std::max(largest, lines.rbegin()->first);
  const std::size_t gutter = std::to_string(largest).size();
  render_file(out, diagnostic.span.file, files[diagnostic.span.file], sources, gutter);
  for (const auto& [file, lines] : files) {
    if (file == diagnostic.span.file) continue;
    const Mark& first = lines.begin()->second.front();
    out += fmt::format("{:>{}}--> {}:{}:{}\n", "", gutter, sources.file(file).path,
                       first.begin.line, first.begin.column);
    render_file(out, file, lines, sources, gutter);
  }
}

void render_one(std::string& out, const Diagnostic& diagnostic, const SourceMap& sources) {
  if (sources.has(diagnostic.span)) {
    const LineColumn at = sources.place(diagnostic.span.file, diagnostic.span.begin);
    out += fmt::format("{}:{}:{}: ", sources.file(diagnostic.span.file).path, at.line, at.column);
  }
  out += diagnostic.severity == Severity::Error ? "error: " : "warning: ";
  out += indented(diagnostic.message, 2);
  if (!diagnostic.code.empty()) out += " [" + diagnostic.code + "]";
  out += "\n";
  if (sources.has(diagnostic.span)) render_excerpt(out, diagnostic, sources);
  for (const std::string& note : diagnostic.notes) out += "  note: " + indented(note, 8) + "\n";
  for (const std::string& help : diagnostic.help) out += "  help: " + indented(help, 8) + "\n";
  for (const Suggestion& suggestion : diagnostic.suggestions)
    out += render_suggestion(suggestion, sources);
}

}  // namespace

std::string render_text(const Diagnostics& diagnostics, const SourceMap& sources,
                        std::size_t limit) {
  std::string out;
  std::size_t errors = 0;
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    if (errors == limit) continue;
    if (diagnostic.severity == Severity::Error) ++errors;
    if (!out.empty()) out += "\n";
    render_one(out, diagnostic, sources);
  }
  if (diagnostics.error_count() > errors) {
    const std::size_t rest = diagnostics.error_count() - errors;
    out += fmt::format("\n{} more error{}\n", rest, rest == 1 ? "" : "s");
  }
  return out;
}

}  // namespace dvm
