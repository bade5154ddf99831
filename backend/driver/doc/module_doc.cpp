// From the syntax tree and the comments of a file to its documented exports.
#include "backend/driver/doc/module_doc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "backend/driver/doc/example.hpp"

namespace dvm::driver {

namespace {

class Collector {
 public:
  Collector(const ast::Program& program, const ast::Module& module, const SourceMap& sources,
            const parse::DocComments& comments)
      : arena_(program.arena), module_(module), sources_(sources), comments_(comments) {}

  ModuleDoc run() {
    result_.name = module_.name;
    result_.path = sources_.file(module_.file).path;
    result_.file = module_.file;
    for (const parse::DocComment& comment : comments_.comments)
      if (sources_.line_text(module_.file, comment.last_line() + 1).starts_with("module "))
        result_.doc = comment;
    for (const ast::DeclId id : module_.decls) declaration(id);
    for (const ast::DeclId id : module_.decls)
      if (const auto* instance = std::get_if<ast::InstanceDecl>(&arena_.decls[id].node))
        attach(id, *instance);
    return std::move(result_);
  }

 private:
  std::uint32_t line_of(ast::DeclId id) const {
    const Span span = arena_.decls[id].span;
    return sources_.place(span.file, span.begin).line;
  }

  // The item of the export list, if the name is exported.
  bool is_exported(const std::string& name, const ast::ImportItem** item = nullptr) const {
    if (!module_.exports) return true;
    for (const ast::ImportItem& candidate : *module_.exports) {
      if (candidate.name.text != name) continue;
      if (item != nullptr) *item = &candidate;
      return true;
    }
    return false;
  }

  bool exports_part(const std::string& owner, const std::string& part) const {
    const ast::ImportItem* item = nullptr;
    if (!is_exported(owner, &item)) return false;
    if (!module_.exports || item->all_parts || is_exported(part)) return true;
    return std::any_of(item->parts.begin(), item->parts.end(),
                       [&](const ast::Name& name) { return name.text == part; });
  }

  DocEntry& add(DocEntry::Kind kind, ast::DeclId id, std::vector<std::string> names) {
    DocEntry entry;
    entry.kind = kind;
    entry.names = std::move(names);
    entry.decl = id;
    entry.line = line_of(id);
    if (const auto* doc = comments_.above(entry.line)) entry.doc = *doc;
    const std::string heading = comments_.section(entry.line).value_or("");
    if (result_.sections.empty() || result_.sections.back().heading != heading)
      result_.sections.push_back({heading, {}});
    result_.sections.back().entries.push_back(std::move(entry));
    return result_.sections.back().entries.back();
  }

  void declaration(ast::DeclId id) {
    const auto& node = arena_.decls[id].node;
    if (const auto* signature = std::get_if<ast::Signature>(&node)) {
      std::vector<std::string> names;
      for (const ast::Name& name : signature->names) {
        signed_.insert(name.text);
        if (is_exported(name.text)) names.push_back(name.text);
      }
      if (!names.empty()) add(DocEntry::Kind::Function, id, std::move(names));
    } else if (const auto* function = std::get_if<ast::FunctionDecl>(&node)) {
      const std::string& name = function->name.text;
      if (!signed_.contains(name) && is_exported(name)) add(DocEntry::Kind::Function, id, {name});
    } else if (const auto* data = std::get_if<ast::DataDecl>(&node)) {
      if (is_exported(data->name.text)) add_data(id, *data);
    } else if (const auto* synonym = std::get_if<ast::TypeSynonym>(&node)) {
      if (is_exported(synonym->name.text)) add(DocEntry::Kind::Synonym, id, {synonym->name.text});
    } else if (const auto* type_class = std::get_if<ast::ClassDecl>(&node)) {
      if (is_exported(type_class->name.text)) add_class(id, *type_class);
    }
  }

  void add_data(ast::DeclId id, const ast::DataDecl& data) {
    DocEntry& entry = add(DocEntry::Kind::Data, id, {data.name.text});
    for (const ast::ConstructorDecl& constructor : data.constructors) {
      if (exports_part(data.name.text, constructor.name.text))
        entry.parts.push_back(constructor.name.text);
      for (const ast::FieldDecl& field : constructor.fields)
        if (exports_part(data.name.text, field.name.text)) entry.fields.push_back(field.name.text);
    }
  }

  void add_class(ast::DeclId id, const ast::ClassDecl& type_class) {
    DocEntry& entry = add(DocEntry::Kind::Class, id, {type_class.name.text});
    for (const ast::DeclId method : type_class.decls) {
      const auto* signature = std::get_if<ast::Signature>(&arena_.decls[method].node);
      if (signature == nullptr) continue;
      MethodDoc found{{}, method, {}};
      for (const ast::Name& name : signature->names)
        if (exports_part(type_class.name.text, name.text)) found.names.push_back(name.text);
      if (found.names.empty()) continue;
      entry.parts.insert(entry.parts.end(), found.names.begin(), found.names.end());
      if (const auto* doc = comments_.above(line_of(method))) found.doc = *doc;
      entry.methods.push_back(std::move(found));
    }
  }

  // An instance stands with its class, else with its type, where the module has one of them.
  void attach(ast::DeclId id, const ast::InstanceDecl& instance) {
    const std::string head = head_of(instance.type);
    for (const std::string& owner : {instance.class_name.text, head})
      for (DocSection& section : result_.sections)
        for (DocEntry& entry : section.entries)
          if (entry.kind != DocEntry::Kind::Function && entry.names[0] == owner) {
            entry.instances.push_back(id);
            return;
          }
  }

  std::string head_of(ast::TypeId id) const {
    const auto& node = arena_.types[id].node;
    if (const auto* constructor = std::get_if<ast::TypeConstructor>(&node))
      return constructor->name.text;
    if (const auto* apply = std::get_if<ast::TypeApply>(&node)) return head_of(apply->head);
    if (const auto* paren = std::get_if<ast::TypeParen>(&node)) return head_of(paren->inner);
    return "";
  }

  const ast::Arena& arena_;
  const ast::Module& module_;
  const SourceMap& sources_;
  const parse::DocComments& comments_;
  ModuleDoc result_;
  std::set<std::string> signed_;
};

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '\'';
}

// Whether the code has the name as a word, or as an operator.
bool names(const std::string& code, const std::string& name) {
  constexpr std::string_view operators = "!#$%&*+./<=>?@\\^|-~:";
  const auto belongs = [&](char c) {
    return is_name_character(name[0]) ? is_name_character(c)
                                      : operators.find(c) != std::string_view::npos;
  };
  for (std::size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !belongs(code[at - 1])) && (end == code.size() || !belongs(code[end])))
      return true;
  }
  return false;
}

// In the expression or in its value.
bool has_example(const parse::DocComment& doc, const std::string& name) {
  for (const Example& example : examples_of(doc)) {
    if (names(example.expected_text(), name)) return true;
    for (const parse::DocLine& line : example.code)
      if (names(line.text, name)) return true;
  }
  return false;
}

}  // namespace

ModuleDoc module_doc(const ast::Program& program, const ast::Module& module,
                     const SourceMap& sources, const parse::DocComments& comments) {
  return Collector(program, module, sources, comments).run();
}

std::string description(const parse::DocComment& doc) {
  std::string text;
  for (const parse::DocLine& line : doc.lines) {
    if (line.text.starts_with(">>>")) break;
    text += line.text + "\n";
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

void check_complete(const ModuleDoc& module, const SourceMap& sources, Diagnostics& out) {
  const auto complain = [&](const DocEntry& entry, std::string message) {
    Diagnostic diagnostic;
    diagnostic.code = "undocumented";
    diagnostic.message = std::move(message);
    const std::uint32_t begin = sources.file(module.file).line_starts.at(entry.line - 1);
    const auto line = sources.line_text(module.file, entry.line);
    diagnostic.span = {module.file, begin, begin + static_cast<std::uint32_t>(line.size())};
    out.add(std::move(diagnostic));
  };
  for (const DocSection& section : module.sections) {
    for (const DocEntry& entry : section.entries) {
      std::string missing;
      const auto require = [&](bool there, const std::string& what) {
        if (!there) missing += (missing.empty() ? "" : ", ") + what;
      };
      require(!description(entry.doc).empty(),
              fmt::format("`{}` has no description", entry.names[0]));
      std::vector<std::string> shown = entry.parts;
      if (entry.kind == DocEntry::Kind::Function) shown = entry.names;
      for (const std::string& name : shown)
        require(has_example(entry.doc, name), fmt::format("no example shows `{}`", name));
      for (const MethodDoc& method : entry.methods)
        require(!description(method.doc).empty(),
                fmt::format("`{}` has no description", method.names[0]));
      if (!missing.empty()) complain(entry, missing);
    }
  }
}

}  // namespace dvm::driver
