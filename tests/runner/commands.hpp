// What the first line of a file test may ask for: one table, to which every stage adds its
// commands.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dvm::test {

struct CommandInput {
  std::string folder;    // where the file is, and the modules that it imports; ends in `/`
  std::string name;      // of the file in it: how messages call the file
  std::string argument;  // rest of the command line: `fuse-maps,simplify`
  std::string text;      // the file up to the line that separates the expected text
  std::string path() const { return folder + name; }
};

// Messages that are the same wherever the tree stands: without the test's folder, and with
// `stdlib/` for that of the standard library.
std::string without_folders(std::string text, const CommandInput& input);

struct Command {
  std::string_view name;
  std::string_view extension;  // of the files that may use it
  std::string_view doc;
  std::string (*run)(const CommandInput& input);  // the text that is compared; errors are text too
};

std::span<const Command> command_table();
const Command* find_command(std::string_view name,
                            std::string_view extension);  // null when there is none

}  // namespace dvm::test
