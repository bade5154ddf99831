// Source files and places in them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/id.hpp"

namespace dvm {

using FileId = Id<struct FileTag>;

// A half-open range of bytes of one file.
struct Span {
  FileId file;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool valid() const { return file.valid(); }
  auto operator<=>(const Span&) const = default;
};

// The smallest span that covers both; both lie in one file.
Span join(Span first, Span last);

// A place for people: both counted from 1; columns count code points, a tab goes to the next
// multiple of 8.
struct LineColumn {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

struct SourceFile {
  std::string path;  // as the user wrote it
  std::string text;  // without byte-order mark; line ends as they were
  std::vector<std::uint32_t> line_starts;
};

// All files of one compilation.
class SourceMap {
 public:
  FileId add(std::string path, std::string text);
  const SourceFile& file(FileId id) const { return files_.at(id.index); }
  std::size_t size() const { return files_.size(); }
  // Graph text names files by number; read back elsewhere, the file may not be there.
  bool has(Span span) const { return span.file.index < files_.size(); }
  LineColumn place(FileId file, std::uint32_t offset) const;
  std::string_view line_text(FileId file, std::uint32_t line) const;  // without its line end
  std::string_view text(Span span) const;

 private:
  std::vector<SourceFile> files_;
};

}  // namespace dvm
