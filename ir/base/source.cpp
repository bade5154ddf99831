// Source files: line starts, places for people, pieces of text.
#include "ir/base/source.hpp"

#include <algorithm>

namespace dvm {

Span join(Span first, Span last) {
  if (!first.valid()) return last;
  if (!last.valid()) return first;
  return Span{first.file, std::min(first.begin, last.begin), std::max(first.end, last.end)};
}

FileId SourceMap::add(std::string path, std::string text) {
  SourceFile file;
  file.path = std::move(path);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  file.text = std::move(text);
  file.line_starts.push_back(0);
  for (std::size_t i = 0; i < file.text.size(); ++i) {
    if (file.text[i] == '\n') file.line_starts.push_back(static_cast<std::uint32_t>(i + 1));
  }
  files_.push_back(std::move(file));
  return FileId{static_cast<std::uint32_t>(files_.size() - 1)};
}

LineColumn SourceMap::place(FileId id, std::uint32_t offset) const {
  const SourceFile& source = file(id);
  offset = std::min(offset, static_cast<std::uint32_t>(source.text.size()));
  auto after = std::upper_bound(source.line_starts.begin(), source.line_starts.end(), offset);
  const auto line = static_cast<std::uint32_t>(after - source.line_starts.begin());
  std::uint32_t column = 1;
  for (std::uint32_t i = source.line_starts[line - 1]; i < offset; ++i) {
    const auto byte = static_cast<unsigned char>(source.text[i]);
    if (byte == '\t') {
      column = (column + 7) / 8 * 8 + 1;
    } else if ((byte & 0xC0) != 0x80) {
      ++column;  // continuation bytes belong to the code point before
    }
  }
  return LineColumn{line, column};
}

std::string_view SourceMap::line_text(FileId id, std::uint32_t line) const {
  const SourceFile& source = file(id);
  if (line == 0 || line > source.line_starts.size()) return {};
  const std::size_t begin = source.line_starts[line - 1];
  std::size_t end =
      line < source.line_starts.size() ? source.line_starts[line] : source.text.size();
  if (end > begin && source.text[end - 1] == '\n') --end;
  if (end > begin && source.text[end - 1] == '\r') --end;
  return std::string_view(source.text).substr(begin, end - begin);
}

std::string_view SourceMap::text(Span span) const {
  if (!has(span)) return {};
  const std::string& all = file(span.file).text;
  const std::size_t begin = std::min<std::size_t>(span.begin, all.size());
  const std::size_t end = std::clamp<std::size_t>(span.end, begin, all.size());
  return std::string_view(all).substr(begin, end - begin);
}

}  // namespace dvm
