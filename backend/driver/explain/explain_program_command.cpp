// explain.
#include <fmt/format.h>

#include <ostream>

#include "backend/driver/commands.hpp"
#include "backend/driver/explain/explanation.hpp"
#include "backend/driver/explain/page.hpp"
#include "backend/driver/files.hpp"
#include "backend/driver/front.hpp"

namespace dvm::driver {

namespace {

// `n=1000`.
std::optional<SizeChoice> read_size(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  const std::string digits = text.substr(equals + 1);
  if (digits.empty() || digits.size() > 18 ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return SizeChoice{text.substr(0, equals), std::stoll(digits)};
}

std::optional<Problem> write_page(const Explanation& explanation, const SourceMap& sources,
                                  const std::string& path) {
  auto page = explain_as_page(explanation, sources);
  if (!page) return Problem{status::usage, "drawing", page.error()};
  auto file = PendingFile::create(path);
  if (!file) return Problem{status::usage, "output", file.error()};
  file->write(*page);
  if (const auto error = file->commit()) return Problem{status::usage, "output", *error};
  return std::nullopt;
}

}  // namespace

int explain_program_command(const Options& options, const Console& console) {
  std::vector<SizeChoice> sizes;
  for (const std::string& text : options.sizes) {
    const auto size = read_size(text);
    if (!size)
      return report(
          Problem{
              status::usage, "usage",
              fmt::format("`--size {}` is not a name and a number, as in `--size n=1000`", text)},
          options, console);
    sizes.push_back(*size);
  }
  Compilation compilation{options.compile};
  auto text = read_program(compilation, options.file);
  const auto explanation =
      text ? explain_program(compilation, options.file, *std::move(text), sizes) : std::nullopt;
  const int status = report(compilation, options, console);
  if (!explanation || status != status::ok) return status;
  if (!options.html.empty()) {
    if (const auto problem = write_page(*explanation, compilation.sources, options.html))
      return report(*problem, options, console);
  }
  if (options.json)
    console.out << explain_as_json(*explanation, compilation.sources);
  else if (options.html.empty())
    console.out << explain_as_text(*explanation, compilation.sources);
  return status::ok;
}

}  // namespace dvm::driver
