// doc: pages, and tests of examples.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "backend/driver/commands.hpp"
#include "backend/driver/doc/module_doc.hpp"
#include "backend/driver/doc/run_examples.hpp"

namespace dvm::driver {

namespace {

int test_file(const std::string& path, const Options& options, const Console& console) {
  Compilation compilation{options.compile};
  const auto settings = choose_settings(compilation);
  const auto counts = settings ? run_examples(compilation, path, *settings) : std::nullopt;
  const int status = report(compilation, options, console);
  if (counts && status == status::ok)
    console.out << fmt::format("{}: {} examples\n", path, counts->examples);
  return status;
}

int check_file(const std::string& path, const Options& options, const Console& console) {
  Compilation compilation{options.compile};
  auto text = read_program(compilation, path);
  const auto syntax = text ? parse_program(compilation, path, *std::move(text)) : nullptr;
  if (syntax) {
    const ast::Module& module = syntax->modules.back();
    const auto comments =
        parse::doc_comments(compilation.sources, module.file, compilation.diagnostics);
    if (comments)
      check_complete(module_doc(*syntax, module, compilation.sources, *comments),
                     compilation.sources, compilation.diagnostics);
  }
  return report(compilation, options, console);
}

}  // namespace

int doc_command(const Options& options, const Console& console) {
  if (options.output.empty() && !options.test_examples && !options.complete)
    return report(Problem{status::usage,
                          "usage",
                          "nothing to do",
                          {"`-o FOLDER` writes pages, `--test` runs the examples, `--complete` "
                           "looks for what is not documented"}},
                  options, console);
  int worst = status::ok;
  for (const std::string& path : options.files) {
    if (options.complete) worst = std::max(worst, check_file(path, options, console));
    if (options.test_examples) worst = std::max(worst, test_file(path, options, console));
  }
  return worst;
}

}  // namespace dvm::driver
