// Reading, writing and comparing test files.
#include "tests/runner/test_file.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace dvm::test {
namespace {

std::string_view comment_of(const std::filesystem::path& path) {
  return path.extension() == ".dvm" ? "-- " : "// ";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin) +
                    (end == std::string::npos ? "\\ no line end" : ""));
    begin = end == std::string::npos ? text.size() : end + 1;
  }
  return lines;
}

constexpr std::size_t context = 3;
constexpr std::size_t most_cells = 16'000'000;  // of the table of common subsequences

}  // namespace

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TestFile read_test_file(const std::filesystem::path& path) {
  TestFile file;
  file.path = path;
  const std::string text = read_text(path);
  const std::string comment(comment_of(path));
  const std::string separator = "\n" + comment + "---- expect\n";
  const std::size_t at = text.find(separator);
  file.input = text.substr(0, at == std::string::npos ? at : at + 1);
  if (at != std::string::npos) file.expected = text.substr(at + separator.size());
  if (text.starts_with(comment)) {
    std::string line = text.substr(comment.size(), text.find('\n') - comment.size());
    const std::size_t space = line.find(' ');
    file.command = line.substr(0, space);
    if (space != std::string::npos) file.argument = line.substr(space + 1);
  }
  return file;
}

void write_expected(const TestFile& file, const std::string& expected) {
  std::ofstream out(file.path, std::ios::binary);
  out << file.input;
  if (!file.input.ends_with('\n')) out << '\n';
  out << comment_of(file.path) << "---- expect\n" << expected;
}

std::vector<std::filesystem::path> find_files(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::filesystem::path> found;
  auto add = [&](const std::filesystem::path& path) {
    if (path.extension() == ".dvg" || path.extension() == ".dvm") found.push_back(path);
  };
  for (const auto& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      add(path);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) add(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string unified_diff(const std::string& expected, const std::string& actual) {
  if (expected == actual) return "";
  const auto a = lines_of(expected), b = lines_of(actual);
  const std::size_t width = b.size() + 1;
  if ((a.size() + 1) * width > most_cells) return "the texts differ and are too long to compare\n";
  // common[i * width + j]: length of the longest common subsequence of a[i..] and b[j..].
  std::vector<std::uint32_t> common((a.size() + 1) * width, 0);
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i * width + j] =
          a[i] == b[j] ? common[(i + 1) * width + j + 1] + 1
                       : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  std::vector<std::string> lines;
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      lines.push_back("  " + a[i++]);
      ++j;
    } else if (j == b.size() ||
               (i < a.size() && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      lines.push_back("- " + a[i++]);
    } else {
      lines.push_back("+ " + b[j++]);
    }
  }
  std::string out;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t low = i > context ? i - context : 0,
                      high = std::min(lines.size(), i + context + 1);
    const bool near = std::any_of(lines.begin() + static_cast<std::ptrdiff_t>(low),
                                  lines.begin() + static_cast<std::ptrdiff_t>(high),
                                  [](const std::string& line) { return line[0] != ' '; });
    if (!near) continue;
    if (i > shown) out += "  ...\n";
    out += lines[i] + "\n";
    shown = i + 1;
  }
  return out;
}

}  // namespace dvm::test
