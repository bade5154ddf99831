// A module is parsed only when its text has the name in it at all.
#include "backend/driver/suggest_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "backend/driver/files.hpp"
#include "backend/driver/front.hpp"
#include "frontend/parse/module_names.hpp"
#include "frontend/parse/parse.hpp"

namespace dvm::driver {

namespace {

struct Finding {
  std::string module;
  std::string item;  // as it stands in an import list: a constructor with its type
};

// What a module that names no exports exports under this name; empty when it does not.
std::string item_of(const ast::Program& program, const ast::Module& module,
                    const std::string& name) {
  const bool open = !module.exports.has_value();
  const auto exported = [&](const std::string& item) {
    return open || std::any_of(module.exports->begin(), module.exports->end(),
                               [&](const ast::ImportItem& one) { return one.name.text == item; });
  };
  for (const ast::DeclId id : module.decls) {
    const auto& decl = program.arena.decls[id].node;
    if (const auto* function = std::get_if<ast::FunctionDecl>(&decl)) {
      const bool symbolic = !std::isalpha(static_cast<unsigned char>(name[0]));
      if (function->name.text == name && exported(name)) return symbolic ? "(" + name + ")" : name;
    } else if (const auto* data = std::get_if<ast::DataDecl>(&decl)) {
      if (!exported(data->name.text)) continue;
      if (data->name.text == name) return name;
      for (const ast::ConstructorDecl& constructor : data->constructors)
        if (constructor.name.text == name) return data->name.text + "(..)";
    } else if (const auto* synonym = std::get_if<ast::TypeSynonym>(&decl)) {
      if (synonym->name.text == name && exported(name)) return name;
    }
  }
  return "";
}

std::string find_in(const std::string& path, const std::string& name,
                    const CompileOptions& options) {
  auto text = read_text(path);
  if (!text || text->find(name) == std::string::npos) return "";
  SourceMap sources;
  Diagnostics messages;
  parse::ModuleSearch search;
  search.folders = options.include_folders;
  search.folders.push_back(stdlib_folder());
  const auto program = parse::load(sources, path, *std::move(text), search, messages);
  if (!program) return "";
  for (const ast::Module& module : program->modules)
    if (module.file == FileId{0}) return item_of(*program, module, name);
  return "";
}

std::vector<Finding> find_modules(const std::string& name, const Compilation& compilation) {
  namespace fs = std::filesystem;
  const std::string program = compilation.sources.file(FileId{0}).path;
  std::vector<std::string> folders = {fs::path(program).parent_path().string()};
  const auto& more = compilation.options.include_folders;
  folders.insert(folders.end(), more.begin(), more.end());
  folders.push_back(stdlib_folder());
  std::vector<Finding> found;
  for (const std::string& folder : folders) {
    for (const std::string& module : parse::modules_in(folder)) {
      const fs::path path = fs::path(folder) / (module + ".dvm");
      const bool known = module == "Prelude" || path == fs::path(program) ||
                         std::any_of(found.begin(), found.end(), [&](const Finding& earlier) {
                           return earlier.module == module;
                         });
      if (known) continue;
      if (std::string item = find_in(path.string(), name, compilation.options); !item.empty())
        found.push_back({module, std::move(item)});
    }
  }
  return found;
}

// The start of the line below the last import, else below the module's header.
Span place_of_import(const ast::Module& module, const SourceMap& sources) {
  const std::string& text = sources.file(module.file).text;
  std::uint32_t at = 0;
  bool any = false;
  for (const ast::Import& import : module.imports) {
    if (!import.span.valid()) continue;
    at = std::max(at, import.span.end);
    any = true;
  }
  if (!any && module.has_header) {
    const std::size_t header = text.find("where");
    at = header == std::string::npos ? 0 : static_cast<std::uint32_t>(header);
    any = header != std::string::npos;
  }
  if (any) {
    const std::size_t end = text.find('\n', at);
    at = end == std::string::npos ? 0 : static_cast<std::uint32_t>(end + 1);
  }
  return {module.file, at, at};
}

}  // namespace

void suggest_imports(Compilation& compilation, const ast::Program& syntax) {
  const ast::Module* program = nullptr;
  for (const ast::Module& module : syntax.modules)
    if (module.file == FileId{0}) program = &module;
  if (program == nullptr) return;
  compilation.diagnostics.amend([&](Diagnostic& diagnostic) {
    if (diagnostic.code != "unknown-name" && diagnostic.code != "unknown-type") return;
    if (diagnostic.span.file != FileId{0}) return;
    const std::string name(compilation.sources.text(diagnostic.span));
    if (name.empty() || name.find('.', 1) != std::string::npos) return;
    const auto found = find_modules(name, compilation);
    if (found.empty()) return;
    diagnostic.suggestions.clear();  // a near name is not meant when this very name exists
    diagnostic.help.clear();
    const bool imported =
        std::any_of(program->imports.begin(), program->imports.end(),
                    [&](const ast::Import& import) { return import.module == found[0].module; });
    for (const Finding& finding : found)
      diagnostic.suggestions.push_back(
          {fmt::format("module `{}` has it", finding.module),
           {{place_of_import(*program, compilation.sources),
             fmt::format("import {} ({})\n{}", finding.module, finding.item,
                         program->imports.size() > 1 || imported ? "" : "\n")}},
           found.size() == 1});
  });
}

}  // namespace dvm::driver
