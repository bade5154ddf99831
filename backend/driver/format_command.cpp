// fmt: programs in the standard layout, in place.
#include <algorithm>
#include <istream>
#include <iterator>
#include <ostream>

#include "backend/driver/commands.hpp"
#include "backend/driver/files.hpp"
#include "backend/driver/problem.hpp"
#include "frontend/parse/format.hpp"

namespace dvm::driver {

namespace {

int write_file(const std::string& path, const std::string& text, const Options& options,
               const Console& console) {
  auto file = PendingFile::create(path);
  if (!file) return report(Problem{status::usage, "output", file.error()}, options, console);
  file->write(text);
  if (const auto error = file->commit())
    return report(Problem{status::usage, "output", *error}, options, console);
  return status::ok;
}

int format_one(const std::string& path, const Options& options, const Console& console) {
  const bool standard_input = path == "-";
  const Result<std::string, std::string> text =
      standard_input ? Result<std::string, std::string>(
                           std::string(std::istreambuf_iterator<char>(console.in), {}))
                     : read_text(path);
  if (!text)
    return report(Problem{status::usage, "unreadable-file", text.error()}, options, console);
  SourceMap sources;
  Diagnostics diagnostics;
  const FileId file = sources.add(standard_input ? "standard input" : path, *text);
  const auto formatted = parse::format(sources, file, diagnostics);
  const int status = report(diagnostics, sources, options, console);
  if (!formatted) return status;
  if (options.check_only) {
    if (*formatted != *text) console.out << path << '\n';
    return *formatted == *text ? status : status::program;
  }
  if (standard_input) {
    console.out << *formatted;
    return status;
  }
  return *formatted == *text ? status : write_file(path, *formatted, options, console);
}

}  // namespace

int format_command(const Options& options, const Console& console) {
  int worst = status::ok;
  for (const std::string& path : options.files)
    worst = std::max(worst, format_one(path, options, console));
  return worst;
}

}  // namespace dvm::driver
