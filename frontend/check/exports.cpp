// What a module exports: all of its own, or what its list says; `module A` in the list stands for
// what is in scope both as `x` and as `A.x` (Haskell 2010, 5.2).
#include <algorithm>
#include <cctype>

#include "frontend/check/checker.hpp"
#include "ir/base/spelling.hpp"

namespace dvm::check {

void Checker::export_value(const std::string& name, BindingId binding, Span span) {
  auto [place, fresh] = scope_->exports.emplace(name, binding);
  if (fresh || place->second == binding) return;
  Diagnostic diagnostic;
  diagnostic.code = "ambiguous-name";
  diagnostic.message = "two different names would be exported as `" + name + "`";
  diagnostic.span = span;
  diagnostic.label = "exported before from module `" + info(place->second).module + "`";
  out_.add(std::move(diagnostic));
}

void Checker::export_type(const std::string& name, TypeEntity entity, Span span) {
  auto [place, fresh] = scope_->type_exports.emplace(name, entity);
  if (!fresh && !(place->second == entity))
    error("ambiguous-name", "two different types would be exported as `" + name + "`", span,
          "exported before");
}

void Checker::export_entity(const ast::ImportItem& item) {
  const std::string& name = item.name.text;
  const bool is_type = !name.empty() && std::isupper(static_cast<unsigned char>(name[0]));
  if (!is_type) {
    if (auto binding = find_global(item.name, false)) export_value(name, *binding, item.name.span);
    return;
  }
  auto entity = find_type(item.name);
  if (!entity) return;
  export_type(name, *entity, item.name.span);
  std::map<std::string, BindingId> parts;
  if (entity->sort == TypeEntity::Data) {
    const DataRecord& data = datas_[entity->id];
    parts = data.selectors;
    for (const auto& constructor : data.constructors) parts[constructor.name] = constructor.binding;
  }
  if (entity->sort == TypeEntity::Class)
    for (const MethodRecord& method : classes_[ClassId{entity->id}].methods)
      parts[method.name] = method.binding;
  if (item.all_parts)
    for (const auto& [part, binding] : parts) export_value(part, binding, item.name.span);
  for (const ast::Name& part : item.parts) {
    auto found = parts.find(part.text);
    if (found != parts.end()) {
      export_value(part.text, found->second, part.span);
      continue;
    }
    std::vector<std::string> candidates;
    for (const auto& [other, binding] : parts) candidates.push_back(other);
    unknown_name(part, ("part of `" + name + "`").c_str(), candidates);
  }
}

void Checker::export_module(const ast::Module& module, const ast::Name& name) {
  if (name.text == module.name) {
    for (const auto& [own, binding] : scope_->own) export_value(own, binding, name.span);
    for (const auto& [own, entity] : scope_->own_types) export_type(own, entity, name.span);
  }
  if (!scope_->knows_qualifier(name.text)) {
    std::vector<std::string> candidates;
    for (const auto& [qualifier, unused] : scope_->qualifiers) candidates.push_back(qualifier);
    unknown_name(name, "module", candidates);
    return;
  }
  const std::string prefix = name.text + ".";
  // The name without the qualifier; nothing when it has another one still (`B.x` of `A.B.x`).
  auto unqualified = [&](const std::string& key) -> std::string {
    if (key.compare(0, prefix.size(), prefix) != 0) return "";
    std::string rest = key.substr(prefix.size());
    const bool word = !rest.empty() && std::isalpha(static_cast<unsigned char>(rest[0]));
    return word && rest.find('.') != std::string::npos ? "" : rest;
  };
  std::map<std::string, BindingId> values;  // in order, so that messages are
  std::map<std::string, TypeEntity> types;
  auto holds = [](const auto& table, const std::string& key, const auto& wanted) {
    auto found = table.find(key);
    return found != table.end() &&
           std::find(found->second.begin(), found->second.end(), wanted) != found->second.end();
  };
  for (const auto& [key, bindings] : scope_->imported) {
    std::string plain = unqualified(key);
    for (BindingId binding : bindings)
      if (!plain.empty() &&
          (holds(scope_->imported, plain, binding) || holds(scope_->prelude, plain, binding)))
        values.emplace(plain, binding);
  }
  for (const auto& [key, entities] : scope_->imported_types) {
    std::string plain = unqualified(key);
    for (const TypeEntity& entity : entities)
      if (!plain.empty() && (holds(scope_->imported_types, plain, entity) ||
                             holds(scope_->prelude_types, plain, entity)))
        types.emplace(plain, entity);
  }
  for (const auto& [plain, binding] : values) export_value(plain, binding, name.span);
  for (const auto& [plain, entity] : types) export_type(plain, entity, name.span);
}

void Checker::declare_exports(const ast::Module& module) {
  if (!module.exports) {
    for (const auto& [name, binding] : scope_->own) scope_->exports[name] = binding;
    for (const auto& [name, entity] : scope_->own_types) scope_->type_exports[name] = entity;
    return;
  }
  for (const ast::ImportItem& item : *module.exports) {
    if (item.whole_module)
      export_module(module, item.name);
    else
      export_entity(item);
  }
}

}  // namespace dvm::check
