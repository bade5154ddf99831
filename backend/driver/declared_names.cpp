// Walks declarations and patterns; see declared_names.hpp.
#include "backend/driver/declared_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace dvm::driver {

namespace {

// Variables of a pattern. An explicit stack: patterns nest as deep as the user likes.
void add_variables(const ast::Arena& arena, ast::PatternId root, std::vector<std::string>& names) {
  std::vector<ast::PatternId> open{root};
  while (!open.empty()) {
    const auto& node = arena.patterns[open.back()].node;
    open.pop_back();
    const auto all = [&](const std::vector<ast::PatternId>& parts) {
      open.insert(open.end(), parts.rbegin(), parts.rend());
    };
    if (const auto* variable = std::get_if<ast::VariablePattern>(&node)) {
      names.push_back(variable->name.text);
    } else if (const auto* as = std::get_if<ast::AsPattern>(&node)) {
      names.push_back(as->name.text);
      open.push_back(as->pattern);
    } else if (const auto* tuple = std::get_if<ast::TuplePattern>(&node)) {
      all(tuple->parts);
    } else if (const auto* list = std::get_if<ast::ListPattern>(&node)) {
      all(list->parts);
    } else if (const auto* constructor = std::get_if<ast::ConstructorPattern>(&node)) {
      all(constructor->args);
    } else if (const auto* record = std::get_if<ast::RecordPattern>(&node)) {
      for (const ast::FieldPattern& field : record->fields) open.push_back(field.pattern);
    } else if (const auto* bang = std::get_if<ast::BangPattern>(&node)) {
      open.push_back(bang->pattern);
    } else if (const auto* paren = std::get_if<ast::ParenPattern>(&node)) {
      open.push_back(paren->pattern);
    } else if (const auto* annotated = std::get_if<ast::AnnotatedPattern>(&node)) {
      open.push_back(annotated->pattern);
    }
  }
}

void add_declaration(const ast::Arena& arena, const ast::Decl& decl,
                     std::vector<std::string>& names) {
  if (const auto* function = std::get_if<ast::FunctionDecl>(&decl.node)) {
    names.push_back(function->name.text);
  } else if (const auto* pattern = std::get_if<ast::PatternBinding>(&decl.node)) {
    add_variables(arena, pattern->pattern, names);
  } else if (const auto* synonym = std::get_if<ast::TypeSynonym>(&decl.node)) {
    names.push_back(synonym->name.text);
  } else if (const auto* data = std::get_if<ast::DataDecl>(&decl.node)) {
    names.push_back(data->name.text);
    for (const ast::ConstructorDecl& constructor : data->constructors) {
      names.push_back(constructor.name.text);
      for (const ast::FieldDecl& field : constructor.fields) names.push_back(field.name.text);
    }
  } else if (const auto* type_class = std::get_if<ast::ClassDecl>(&decl.node)) {
    names.push_back(type_class->name.text);
    for (const ast::DeclId method : type_class->decls) {
      const auto* signature = std::get_if<ast::Signature>(&arena.decls[method].node);
      if (signature == nullptr) continue;
      for (const ast::Name& name : signature->names) names.push_back(name.text);
    }
  }
}

std::string item_text(const ast::ImportItem& item) {
  std::string text = in_parentheses(item.name.text);
  if (item.all_parts) return text + "(..)";
  std::vector<std::string> parts;
  for (const ast::Name& part : item.parts) parts.push_back(in_parentheses(part.text));
  return parts.empty() ? text : fmt::format("{}({})", text, fmt::join(parts, ", "));
}

std::vector<std::string> spelled(const std::vector<std::string>& names) {
  std::vector<std::string> result;
  for (const std::string& name : names) result.push_back(in_parentheses(name));
  return result;
}

}  // namespace

std::vector<std::string> declared_names(const ast::Module& module, const ast::Arena& arena) {
  std::vector<std::string> names;
  for (const ast::DeclId id : module.decls) add_declaration(arena, arena.decls[id], names);
  return names;
}

std::string in_parentheses(const std::string& name) {
  const auto first = static_cast<unsigned char>(name.empty() ? '_' : name.front());
  const bool word = std::isalnum(first) != 0 || first == '_' || first >= 0x80;
  return word ? name : "(" + name + ")";
}

std::string import_line(const std::string& module, const std::vector<std::string>& hidden) {
  if (hidden.empty()) return fmt::format("import {}\n", module);
  return fmt::format("import {} hiding ({})\n", module, fmt::join(spelled(hidden), ", "));
}

std::string import_line(const ast::Import& import, const std::vector<std::string>& hidden) {
  std::string line = import.qualified ? "import qualified " : "import ";
  line += import.module;
  if (import.alias) line += " as " + *import.alias;
  std::vector<std::string> items;
  bool hiding = import.hiding;
  if (import.items) {
    for (const ast::ImportItem& item : *import.items) {
      const bool shadowed = !hiding && !import.qualified &&
                            std::find(hidden.begin(), hidden.end(), item.name.text) != hidden.end();
      if (!shadowed) items.push_back(item_text(item));
    }
  }
  if (!import.qualified && (!import.items || hiding)) {
    const auto more = spelled(hidden);
    items.insert(items.end(), more.begin(), more.end());
    hiding = hiding || !items.empty();
  }
  if (hiding || import.items)
    line += fmt::format(" {}({})", hiding ? "hiding " : "", fmt::join(items, ", "));
  return line + "\n";
}

}  // namespace dvm::driver
