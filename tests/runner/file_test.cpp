// File tests: `file_test [--update] PATH…` runs the command of each file and compares exactly.
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "frontend/parse/deep_stack.hpp"
#include "tests/runner/commands.hpp"
#include "tests/runner/run_program.hpp"
#include "tests/runner/test_file.hpp"

using namespace dvm::test;

namespace {

struct Counts {
  int passed = 0, failed = 0, updated = 0;
};

void run_one(const TestFile& file, bool update, Counts& counts) {
  const Command* command = find_command(file.command, file.path.extension().string());
  if (command == nullptr) {
    if (!file.expected) return;  // not a test: a module that others import, a graph for the laws
    fmt::print("FAIL {}\n  there is no command `{}` for {} files\n", file.path.string(),
               file.command, file.path.extension().string());
    ++counts.failed;
    return;
  }
  const std::string folder = file.path.parent_path().string();
  const std::string actual =
      command->run({folder.empty() ? "" : folder + "/", file.path.filename().string(),
                    file.argument, file.input});
  const bool agrees = actual.find(disagreement_mark) == std::string::npos;
  if (agrees && file.expected == actual) {
    ++counts.passed;
  } else if (agrees && update) {
    write_expected(file, actual);
    fmt::print("updated {}\n", file.path.string());
    ++counts.updated;
  } else {
    fmt::print("FAIL {}\n{}  to accept: file_test --update {}\n\n", file.path.string(),
               unified_diff(file.expected.value_or(""), actual), file.path.string());
    ++counts.failed;
  }
}

int usage() {
  fmt::print(
      stderr,
      "usage: file_test [--update] PATH...\n\ncommands, in a comment in a file's first line:\n");
  for (const Command& command : command_table()) {
    fmt::print(stderr, "  {:<8} {}  {}\n", command.name, command.extension, command.doc);
  }
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  bool update = false;
  std::vector<std::filesystem::path> paths;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--update") {
      update = true;
    } else {
      paths.emplace_back(argv[i]);
    }
  }
  if (paths.empty()) return usage();
  Counts counts;
  for (const auto& path : find_files(paths)) {
    const TestFile file = read_test_file(path);
    dvm::with_deep_stack([&] { run_one(file, update, counts); });
  }
  fmt::print("{} passed, {} failed, {} updated\n", counts.passed, counts.failed, counts.updated);
  if (counts.passed + counts.updated == 0)
    return 1;  // a wrong path would otherwise look like success
  return counts.failed == 0 ? 0 : 1;
}
