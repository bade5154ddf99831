// Modules: finding files, order, cycles, the implicit Prelude, fixities across modules.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "frontend/parse/deep_stack.hpp"
#include "frontend/parse/file.hpp"
#include "frontend/parse/module_names.hpp"
#include "frontend/parse/parse.hpp"
#include "ir/base/spelling.hpp"

namespace dvm::parse {
namespace {

namespace fs = std::filesystem;
using ExportedFixities = std::map<std::string, Fixity>;

std::optional<std::string> read_file(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// `A.B` is A/B.dvm below the root.
fs::path path_below(const std::string& root, const std::string& module) {
  std::string relative = module;
  std::replace(relative.begin(), relative.end(), '.', '/');
  return (root.empty() ? fs::path() : fs::path(root)) / (relative + ".dvm");
}

class Loader {
 public:
  Loader(SourceMap& sources, const ModuleSearch& search, Diagnostics& out)
      : sources_(sources), search_(search), out_(out) {}

  void load_main(const std::string& path, std::string text);
  ast::Program finish();

 private:
  enum class State { Loading, Done, Failed };

  void load(FileId file, const std::string& root, const std::string& expected_name,
            Span imported_at);
  void load_imports(ast::Module& module, const std::string& root);
  void load_import(const ast::Import& import, const std::string& root);
  Span name_in(const ast::Import& import) const;
  void report_missing(const ast::Import& import, const std::vector<std::string>& places);
  void report_cycle(const ast::Import& import);
  void connect_fixities(const ast::Module& module, ScopeId root);

  SourceMap& sources_;
  const ModuleSearch& search_;
  Diagnostics& out_;
  ast::Program program_;
  FixityScopes scopes_;
  Chains chains_;
  std::map<std::string, State> states_;
  std::vector<std::string> path_;  // the modules being loaded, outermost first
  std::vector<ScopeId> roots_;     // of program_.modules
  std::map<std::string, ExportedFixities> exported_;
  std::map<std::string, std::map<std::string, std::vector<std::string>>>
      parts_;  // module, type or class, names
};

void Loader::load_main(const std::string& path, std::string text) {
  const FileId file = sources_.add(path, std::move(text));
  load(file, fs::path(path).parent_path().string(), "", Span{});
}

void Loader::load(FileId file, const std::string& root, const std::string& expected_name,
                  Span imported_at) {
  ParsedFile parsed = parse_file(sources_, file, program_.arena, scopes_, chains_, out_);
  ast::Module& module = parsed.module;
  if (!expected_name.empty() && module.name != expected_name) {
    if (parsed.source.header.has_value() || !out_.has_errors()) {
      Diagnostic diagnostic;
      diagnostic.code = "module-name-mismatch";
      diagnostic.message = fmt::format("the module in this file is called `{}`, not `{}`",
                                       module.name, expected_name);
      diagnostic.span = {file, 0, 0};
      diagnostic.label = module.has_header ? "" : "no `module … where`";
      if (imported_at.valid()) diagnostic.others.push_back({imported_at, "imported here"});
      diagnostic.help.push_back(
          fmt::format("start the file with `module {} where`", expected_name));
      out_.add(std::move(diagnostic));
    }
    module.name = expected_name;
  }
  states_[module.name] = State::Loading;
  path_.push_back(module.name);
  load_imports(module, root);
  path_.pop_back();
  states_[module.name] = State::Done;
  roots_.push_back(parsed.root);
  program_.modules.push_back(std::move(module));
}

void Loader::load_imports(ast::Module& module, const std::string& root) {
  const bool explicit_prelude =
      std::any_of(module.imports.begin(), module.imports.end(),
                  [](const ast::Import& import) { return import.module == "Prelude"; });
  if (search_.prelude && module.name != "Prelude" && !explicit_prelude) {
    ast::Import prelude;
    prelude.module = "Prelude";
    module.imports.push_back(std::move(prelude));
  }
  for (const ast::Import& import : module.imports) load_import(import, root);
}

// Where the import says its module's name.
Span Loader::name_in(const ast::Import& import) const {
  const std::size_t at = sources_.text(import.span).find(import.module);
  if (at == std::string_view::npos) return Span{};
  const std::uint32_t begin = import.span.begin + static_cast<std::uint32_t>(at);
  return {import.span.file, begin, begin + static_cast<std::uint32_t>(import.module.size())};
}

void Loader::report_missing(const ast::Import& import, const std::vector<std::string>& places) {
  Diagnostic diagnostic;
  diagnostic.code = "module-not-found";
  diagnostic.message = fmt::format("there is no module `{}`", import.module);
  diagnostic.span = import.span;
  diagnostic.label = "not found";
  for (const std::string& place : places)
    diagnostic.notes.push_back(fmt::format("looked at {}", place));
  if (!import.span.valid()) {
    diagnostic.help.push_back("the standard library is missing; set DVM_STDLIB to its folder");
  } else {
    std::vector<std::string> known;
    for (const std::string& place : places) {
      const auto names = modules_in(fs::path(place).parent_path().string());
      known.insert(known.end(), names.begin(), names.end());
    }
    suggest_nearest(diagnostic, import.module, std::move(known), name_in(import));
    if (diagnostic.help.empty() && diagnostic.suggestions.empty())
      diagnostic.help.push_back("name its root folder with `-I`");
  }
  out_.add(std::move(diagnostic));
}

void Loader::report_cycle(const ast::Import& import) {
  auto first = std::find(path_.begin(), path_.end(), import.module);
  std::string cycle;
  for (; first != path_.end(); ++first) cycle += *first + " -> ";
  Diagnostic diagnostic;
  diagnostic.code = "import-cycle";
  diagnostic.message = fmt::format("modules import each other: {}{}", cycle, import.module);
  diagnostic.span = import.span;
  diagnostic.label = "closes the cycle";
  diagnostic.help.push_back("move what both need into a third module");
  out_.add(std::move(diagnostic));
}

void Loader::load_import(const ast::Import& import, const std::string& root) {
  const auto state = states_.find(import.module);
  if (state != states_.end()) {
    if (state->second == State::Loading) report_cycle(import);
    return;
  }
  if (const auto given = search_.given.find(import.module); given != search_.given.end()) {
    const FileId file = sources_.add(given->second.path, given->second.text);
    return load(file, fs::path(given->second.path).parent_path().string(), import.module,
                import.span);
  }
  std::vector<std::string> places;
  std::vector<std::string> roots{root};
  roots.insert(roots.end(), search_.folders.begin(), search_.folders.end());
  for (const std::string& folder : roots) {
    const std::string path = path_below(folder, import.module).string();
    if (std::find(places.begin(), places.end(), path) != places.end()) continue;
    places.push_back(path);
    std::optional<std::string> text = read_file(path);
    if (!text.has_value()) continue;
    const FileId file = sources_.add(path, std::move(*text));
    load(file, folder, import.module, import.span);
    return;
  }
  states_[import.module] = State::Failed;
  report_missing(import, places);
}

// Constructors, fields and methods of each type and class.
std::map<std::string, std::vector<std::string>> parts_of(const ast::Module& module,
                                                         const ast::Arena& arena) {
  std::map<std::string, std::vector<std::string>> result;
  for (const ast::DeclId id : module.decls) {
    if (const auto* data = std::get_if<ast::DataDecl>(&arena.decls[id].node)) {
      std::vector<std::string>& names = result[data->name.text];
      for (const ast::ConstructorDecl& constructor : data->constructors) {
        names.push_back(constructor.name.text);
        for (const ast::FieldDecl& field : constructor.fields) names.push_back(field.name.text);
      }
    } else if (const auto* type_class = std::get_if<ast::ClassDecl>(&arena.decls[id].node)) {
      std::vector<std::string>& names = result[type_class->name.text];
      for (const ast::DeclId method : type_class->decls) {
        const auto* signature = std::get_if<ast::Signature>(&arena.decls[method].node);
        if (signature == nullptr) continue;
        for (const ast::Name& name : signature->names) names.push_back(name.text);
      }
    }
  }
  return result;
}

std::set<std::string> names_of(const std::vector<ast::ImportItem>& items,
                               const std::map<std::string, std::vector<std::string>>& parts) {
  std::set<std::string> names;
  for (const ast::ImportItem& item : items) {
    if (!item.whole_module) names.insert(item.name.text);
    for (const ast::Name& part : item.parts) names.insert(part.text);
    const auto found = parts.find(item.name.text);
    if (item.all_parts && found != parts.end())
      names.insert(found->second.begin(), found->second.end());
  }
  return names;
}

void Loader::connect_fixities(const ast::Module& module, ScopeId root) {
  for (const ast::Import& import : module.imports) {
    const ExportedFixities& fixities = exported_[import.module];
    std::set<std::string> listed;
    if (import.items.has_value()) listed = names_of(*import.items, parts_[import.module]);
    for (const auto& [name, fixity] : fixities) {
      if (import.items.has_value() && listed.contains(name) == import.hiding) continue;
      if (!import.qualified) scopes_.import(root, name, fixity);
      scopes_.import(root, import.alias.value_or(import.module) + "." + name, fixity);
    }
  }
  parts_[module.name] = parts_of(module, program_.arena);
  ExportedFixities& exported = exported_[module.name];
  if (!module.exports.has_value()) {
    for (const auto& [name, fixity] : scopes_.own(root))
      exported.emplace(name, fixity.value_or(Fixity{}));
    return;
  }
  std::map<std::string, std::vector<std::string>> parts = parts_[module.name];
  for (const ast::Import& import : module.imports)
    parts.insert(parts_[import.module].begin(), parts_[import.module].end());
  std::set<std::string> names = names_of(*module.exports, parts);
  for (const ast::ImportItem& item : *module.exports) {
    if (!item.whole_module) continue;
    if (item.name.text == module.name)
      for (const auto& [name, fixity] : scopes_.own(root)) names.insert(name);
    for (const ast::Import& import : module.imports)
      if (import.alias.value_or(import.module) == item.name.text)
        for (const auto& [name, fixity] : exported_[import.module]) names.insert(name);
  }
  for (const std::string& name : names) {
    const auto own = scopes_.own(root).find(name);
    if (own != scopes_.own(root).end()) {
      exported.emplace(name, own->second.value_or(Fixity{}));
    } else if (const std::optional<Fixity> fixity = scopes_.imported(root, name)) {
      exported.emplace(name, *fixity);
    }
  }
}

ast::Program Loader::finish() {
  for (std::size_t i = 0; i < program_.modules.size(); ++i)
    connect_fixities(program_.modules[i], roots_[i]);
  resolve(chains_, scopes_, program_.arena, out_);
  return std::move(program_);
}

}  // namespace

std::optional<ast::Program> load(SourceMap& sources, const std::string& path, std::string text,
                                 const ModuleSearch& search, Diagnostics& out) {
  const std::size_t errors_before = out.error_count();
  std::optional<ast::Program> program;
  with_deep_stack([&] {
    Loader loader(sources, search, out);
    loader.load_main(path, std::move(text));
    program = loader.finish();
  });
  if (out.error_count() > errors_before) return std::nullopt;
  return program;
}

}  // namespace dvm::parse
