// doc: pages, and tests of examples.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "backend/driver/commands.hpp"
#include "backend/driver/doc/module_doc.hpp"
#include "backend/driver/doc/run_examples.hpp"
#include "backend/driver/doc/site.hpp"
#include "backend/driver/files.hpp"

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

// The types of exported functions that have no signature; none when the module has errors.
std::map<std::string, std::string> inferred_types(Compilation& compilation,
                                                  const ast::Program& syntax) {
  std::map<std::string, std::string> types;
  const auto typed = check_types(compilation, syntax);
  if (!typed) return types;
  for (const typed::Binding& binding : typed->bindings)
    if (binding.kind == typed::BindingKind::Global && !binding.signature &&
        binding.module == syntax.modules.back().name)
      types[binding.name] = to_text(*typed, binding.scheme);
  return types;
}

std::optional<SitePage> read_page(Compilation& compilation, const std::string& path) {
  auto text = read_program(compilation, path);
  std::shared_ptr<const ast::Program> syntax =
      text ? parse_program(compilation, path, *std::move(text)) : nullptr;
  if (!syntax) return std::nullopt;
  const ast::Module& module = syntax->modules.back();
  const auto comments =
      parse::doc_comments(compilation.sources, module.file, compilation.diagnostics);
  if (!comments) return std::nullopt;
  SitePage page;
  page.module = module_doc(*syntax, module, compilation.sources, *comments);
  page.source = compilation.sources.file(module.file).text;
  for (const ast::Import& import : module.imports)
    if (import.module != "Prelude") page.imports.push_back(import.module);
  page.imports.push_back("Prelude");
  page.inferred = inferred_types(compilation, *syntax);
  page.syntax = std::move(syntax);
  return page;
}

int write_pages(const Options& options, const Console& console) {
  std::vector<SitePage> pages;
  for (const std::string& path : options.files) {
    Compilation compilation{options.compile};
    auto page = read_page(compilation, path);
    const int status = report(compilation, options, console);
    if (!page || status != status::ok) return status;
    for (const SitePage& other : pages)
      if (other.module.name == page->module.name)
        return report(Problem{status::usage, "output",
                              fmt::format("`{}` and `{}` are both called `{}`", other.module.path,
                                          path, page->module.name)},
                      options, console);
    pages.push_back(*std::move(page));
  }
  const Site site(std::move(pages));
  const auto files = options.format == "markdown" ? markdown_files(site) : html_files(site);
  if (const auto error = make_folders(options.output))
    return report(Problem{status::usage, "output", *error}, options, console);
  std::vector<PendingFile> pending;
  for (const auto& [name, content] : files) {
    auto file = PendingFile::create((std::filesystem::path(options.output) / name).string());
    if (!file) return report(Problem{status::usage, "output", file.error()}, options, console);
    file->write(content);
    pending.push_back(std::move(*file));
  }
  for (PendingFile& file : pending)
    if (const auto error = file.commit())
      return report(Problem{status::usage, "output", *error}, options, console);
  return status::ok;
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
  if (worst == status::ok && !options.output.empty()) worst = write_pages(options, console);
  return worst;
}

}  // namespace dvm::driver
