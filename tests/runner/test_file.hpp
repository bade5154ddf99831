// Files of file tests: a command in the first line, input, a separating line, the expected text.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dvm::test {

struct TestFile {
  std::filesystem::path path;
  std::string command, argument;  // from the first line's comment; empty when there is none
  std::string input;              // with the first line, so that places in messages are right
  std::optional<std::string> expected;
};

std::string read_text(const std::filesystem::path& path);
TestFile read_test_file(const std::filesystem::path& path);
void write_expected(const TestFile& file, const std::string& expected);

// All .dvg and .dvm files below the paths (files or folders), sorted.
std::vector<std::filesystem::path> find_files(const std::vector<std::filesystem::path>& paths);

// Lines of both with - and +, with context; empty when they are equal.
std::string unified_diff(const std::string& expected, const std::string& actual);

}  // namespace dvm::test
