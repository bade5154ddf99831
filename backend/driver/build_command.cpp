// build and inspect.
#include <filesystem>
#include <ostream>

#include "backend/driver/commands.hpp"
#include "backend/driver/compile.hpp"
#include "backend/driver/files.hpp"

namespace dvm::driver {

int build_command(const Options& options, const Console& console) {
  Compilation compilation{options.compile};
  const auto settings = choose_settings(compilation);
  auto text = settings ? read_program(compilation, options.file) : std::nullopt;
  const auto compiled =
      text ? compile(compilation, options.file, *std::move(text), *settings) : std::nullopt;
  const int status = report(compilation, options, console);
  if (!compiled || status != status::ok) return status;
  std::string path = options.output;
  if (path.empty())
    path = std::filesystem::path(options.file).filename().replace_extension(".dvmp").string();
  auto file = PendingFile::create(path);
  if (!file) return report(Problem{status::usage, "output", file.error()}, options, console);
  file->write(package::write(compiled->package));
  if (const auto error = file->commit())
    return report(Problem{status::usage, "output", *error}, options, console);
  return status::ok;
}

int inspect_command(const Options& options, const Console& console) {
  Compilation compilation{options.compile};
  const auto package = read_package(compilation, options.file);
  const int status = report(compilation, options, console);
  if (package) console.out << package::inspect(*package);
  return status;
}

}  // namespace dvm::driver
