// Modules: what each declares, imports and exports, and which binding a global name means.
#include <algorithm>
#include <sstream>

#include "frontend/check/checker.hpp"
#include "ir/base/spelling.hpp"

namespace dvm::check {

namespace {
bool is_type_name(const std::string& text) {
  return !text.empty() && text[0] >= 'A' && text[0] <= 'Z';
}

template <class T>
void add_once(std::vector<T>& list, const T& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

}  // namespace

std::string pragma_name(const std::string& text, std::size_t index, std::size_t count) {
  std::istringstream words(text);
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  if (all.size() == count && index < all.size()) return all[index];
  return all.empty() ? "" : all[0];
}

bool ModuleScope::knows_qualifier(const std::string& qualifier) const {
  return qualifiers.count(qualifier) > 0;
}

ModuleScope* Checker::module_scope(const std::string& name) {
  auto found = scope_by_name_.find(name);
  return found == scope_by_name_.end() ? nullptr : &scopes_[found->second];
}

BindingId Checker::new_binding(std::string name, BindingKind kind, Span span) {
  BindingInfo binding;
  binding.name = std::move(name);
  binding.kind = kind;
  binding.span = span;
  if (kind != BindingKind::Local && scope_) binding.module = scope_->name;
  bindings_.push_back(std::move(binding));
  return BindingId{static_cast<std::uint32_t>(bindings_.size() - 1)};
}

void Checker::duplicate(const std::string& name, Span second, Span first, const char* what) {
  Diagnostic diagnostic;
  diagnostic.code = "duplicate-definition";
  diagnostic.message = std::string(what) + " `" + name + "` is defined twice";
  diagnostic.span = second;
  diagnostic.label = "defined again here";
  if (first.valid()) diagnostic.others.push_back({first, "first defined here"});
  out_.add(std::move(diagnostic));
}

void Checker::declare_value(const ast::Name& name, BindingId binding) {
  auto [place, fresh] = scope_->own.emplace(name.text, binding);
  if (!fresh) duplicate(name.text, name.span, info(place->second).span, "the name");
}

void Checker::declare_module(const ast::Module& module) {
  scopes_.emplace_back();
  scope_ = &scopes_.back();
  scope_->name = module.name;
  scope_by_name_[module.name] = scopes_.size() - 1;
  scope_->qualifiers[module.name] = true;

  std::function<void(ast::PatternId)> declare_pattern = [&](ast::PatternId id) {
    const ast::Pattern& pattern = node(id);
    auto declare = [&](const ast::Name& name) {
      BindingId binding = new_binding(name.text, BindingKind::Global, name.span);
      pattern_bindings_[id] = binding;
      declare_value(name, binding);
    };
    if (auto* variable = std::get_if<ast::VariablePattern>(&pattern.node)) declare(variable->name);
    if (auto* as = std::get_if<ast::AsPattern>(&pattern.node)) {
      declare(as->name);
      declare_pattern(as->pattern);
    }
    if (auto* tuple = std::get_if<ast::TuplePattern>(&pattern.node))
      for (auto part : tuple->parts) declare_pattern(part);
    if (auto* list = std::get_if<ast::ListPattern>(&pattern.node))
      for (auto part : list->parts) declare_pattern(part);
    if (auto* constructor = std::get_if<ast::ConstructorPattern>(&pattern.node))
      for (auto part : constructor->args) declare_pattern(part);
    if (auto* record = std::get_if<ast::RecordPattern>(&pattern.node))
      for (auto& field : record->fields) declare_pattern(field.pattern);
    if (auto* bang = std::get_if<ast::BangPattern>(&pattern.node)) declare_pattern(bang->pattern);
    if (auto* paren = std::get_if<ast::ParenPattern>(&pattern.node))
      declare_pattern(paren->pattern);
    if (auto* typed = std::get_if<ast::AnnotatedPattern>(&pattern.node))
      declare_pattern(typed->pattern);
  };

  for (std::size_t i = 0; i < module.decls.size(); ++i) {
    ast::DeclId id = module.decls[i];
    const ast::Decl& decl = node(id);
    if (auto* function = std::get_if<ast::FunctionDecl>(&decl.node)) {
      BindingId binding =
          new_binding(function->name.text, BindingKind::Global, function->name.span);
      info(binding).decl = id;
      decl_bindings_[id] = binding;
      declare_value(function->name, binding);
    } else if (auto* pattern = std::get_if<ast::PatternBinding>(&decl.node)) {
      declare_pattern(pattern->pattern);
    } else if (auto* signature = std::get_if<ast::Signature>(&decl.node)) {
      const ast::PragmaDecl* pragma = nullptr;
      if (i + 1 < module.decls.size())
        pragma = std::get_if<ast::PragmaDecl>(&node(module.decls[i + 1]).node);
      if (!pragma || pragma->keyword != "BUILTIN") continue;
      for (std::size_t n = 0; n < signature->names.size(); ++n) {
        const ast::Name& name = signature->names[n];
        BindingId binding = new_binding(name.text, BindingKind::Builtin, name.span);
        info(binding).signature = id;
        info(binding).builtin = pragma_name(pragma->text, n, signature->names.size());
        declare_value(name, binding);
      }
    } else if (std::holds_alternative<ast::DataDecl>(decl.node)) {
      declare_data(module, id);
    } else if (auto* synonym = std::get_if<ast::TypeSynonym>(&decl.node)) {
      SynonymRecord record;
      record.name = synonym->name.text;
      record.module = module.name;
      record.span = synonym->name.span;
      record.decl = id;
      synonyms_.push_back(record);
      TypeEntity entity{TypeEntity::Synonym, static_cast<std::uint32_t>(synonyms_.size() - 1)};
      if (!scope_->own_types.emplace(record.name, entity).second)
        duplicate(record.name, record.span, {}, "the type");
    } else if (std::holds_alternative<ast::ClassDecl>(decl.node)) {
      declare_class(id);
    }
  }
}

void Checker::declare_data(const ast::Module& module, ast::DeclId id) {
  const auto& decl = std::get<ast::DataDecl>(node(id).node);
  auto data_id = static_cast<std::uint32_t>(datas_.size());
  datas_.emplace_back();
  DataRecord& record = datas_.back();
  record.name = decl.name.text;
  record.module = module.name;
  record.span = decl.name.span;
  record.decl = id;
  record.is_newtype = decl.is_newtype;
  for (const auto& param : decl.params) record.param_names.push_back(param.text);
  TypeEntity entity{TypeEntity::Data, data_id};
  auto [place, fresh] = scope_->own_types.emplace(record.name, entity);
  if (!fresh) {
    Span first;
    if (place->second.sort == TypeEntity::Data) first = datas_[place->second.id].span;
    duplicate(record.name, record.span, first, "the type");
  }
  for (const ast::Name& name : decl.deriving) {
    namespace builtin = typed::builtin_class;
    bool known = false;
    for (ClassId of : {builtin::eq, builtin::ord, builtin::bounded, builtin::enumeration}) {
      if (name.text != builtin::names[of.index]) continue;
      known = true;
      bool again = std::any_of(record.deriving.begin(), record.deriving.end(),
                               [&](const auto& entry) { return entry.first == of; });
      if (!again) record.deriving.emplace_back(of, name.span);
    }
    if (!known) {
      error("cannot-derive", "`" + name.text + "` cannot be derived", name.span,
            "only Eq, Ord, Bounded and Enum can");
    }
  }
  for (std::uint32_t c = 0; c < decl.constructors.size(); ++c) {
    const auto& constructor = decl.constructors[c];
    DataRecord::Constructor entry;
    entry.name = constructor.name.text;
    entry.is_record = constructor.is_record;
    entry.binding = new_binding(entry.name, BindingKind::Constructor, constructor.name.span);
    info(entry.binding).data = typed::DataId{data_id};
    info(entry.binding).part = c;
    declare_value(constructor.name, entry.binding);
    for (std::uint32_t f = 0; f < constructor.fields.size(); ++f) {
      const auto& field = constructor.fields[f];
      entry.field_names.push_back(field.name.text);
      auto own = scope_->own.find(field.name.text);
      bool shared = own != scope_->own.end() && info(own->second).kind == BindingKind::Selector &&
                    info(own->second).data == typed::DataId{data_id} && c > 0;
      if (shared) continue;  // the same field in another constructor
      BindingId selector = new_binding(field.name.text, BindingKind::Selector, field.name.span);
      info(selector).data = typed::DataId{data_id};
      info(selector).part = f;
      record.selectors[field.name.text] = selector;
      declare_value(field.name, selector);
    }
    entry.field_names.resize(std::max(constructor.fields.size(), constructor.args.size()));
    record.constructors.push_back(std::move(entry));
  }
}

void Checker::declare_imports(const ast::Module& module) {
  bool prelude_named = false;
  for (const ast::Import& import : module.imports) {
    prelude_named |= import.module == "Prelude";
    import_module(import, *scope_, import.module == "Prelude");
  }
  if (!prelude_named && module.name != "Prelude" && module_scope("Prelude")) {
    ast::Import import;
    import.module = "Prelude";
    import_module(import, *scope_, true);
  }
  // A module's own names can be qualified by its name.
  for (const auto& [name, binding] : scope_->own)
    add_once(scope_->imported[module.name + "." + name], binding);
  for (const auto& [name, entity] : scope_->own_types)
    add_once(scope_->imported_types[module.name + "." + name], entity);
}

void Checker::unknown_import(const ast::Import& import, const ModuleScope& from,
                             const ast::Name& name) {
  std::vector<std::string> candidates;
  for (const auto& [other, binding] : from.exports) candidates.push_back(other);
  for (const auto& [other, entity] : from.type_exports) candidates.push_back(other);
  Diagnostic diagnostic;
  diagnostic.code = "unknown-import";
  diagnostic.message = "module `" + import.module + "` exports no `" + name.text + "`";
  diagnostic.span = name.span;
  auto constructor = from.exports.find(name.text);
  if (constructor != from.exports.end() && info(constructor->second).data.valid()) {
    const DataRecord& data = datas_[info(constructor->second).data.index];
    diagnostic.message = "`" + name.text + "` is imported with its type";
    diagnostic.help.push_back("write `" + data.name + " (" + name.text + ")`");
  } else {
    diagnostic.label = "not among its exports";
    suggest_nearest(diagnostic, name.text, std::move(candidates), name.span);
  }
  out_.add(std::move(diagnostic));
}

void Checker::import_module(const ast::Import& import, ModuleScope& scope, bool is_prelude) {
  ModuleScope* from = module_scope(import.module);
  if (!from) return;  // the loader has reported it
  std::map<std::string, BindingId> values;
  std::map<std::string, TypeEntity> types;
  auto parts_of = [&](const TypeEntity& entity, auto&& visit) {
    if (entity.sort == TypeEntity::Class)
      for (const MethodRecord& method : classes_[ClassId{entity.id}].methods) visit(method.name);
    if (entity.sort != TypeEntity::Data) return;
    for (const auto& constructor : datas_[entity.id].constructors) {
      visit(constructor.name);
      for (const auto& field : constructor.field_names)
        if (!field.empty()) visit(field);
    }
  };
  auto take_value = [&](const std::string& name) {
    auto found = from->exports.find(name);
    if (found != from->exports.end()) values[name] = found->second;
    return found != from->exports.end();
  };
  if (!import.items || import.hiding) {
    values = from->exports;
    types = from->type_exports;
  }
  if (import.items) {
    for (const ast::ImportItem& item : *import.items) {
      const std::string& name = item.name.text;
      bool known = false;
      auto type = from->type_exports.find(name);
      if (is_type_name(name) && type != from->type_exports.end()) {
        known = true;
        std::vector<std::string> parts;
        if (item.all_parts)
          parts_of(type->second, [&](const std::string& part) { parts.push_back(part); });
        for (const auto& part : item.parts) {
          parts.push_back(part.text);
          if (!import.hiding && !from->exports.count(part.text))
            unknown_import(import, *from, part);
        }
        if (import.hiding)
          types.erase(name);
        else
          types[name] = type->second;
        for (const auto& part : parts) {
          if (import.hiding)
            values.erase(part);
          else
            take_value(part);
        }
      }
      if (import.hiding) {
        known |= values.erase(name) > 0;
        known = true;  // hiding what is not there does no harm
      } else if (!is_type_name(name)) {
        known |= take_value(name);
      }
      if (!known) {
        unknown_import(import, *from, item.name);
        if (!is_type_name(name)) {  // its uses say nothing more
          values[name] = new_binding(name, BindingKind::Local, item.name.span);
          info(values[name]).reported = true;
        }
      }
    }
  }
  std::string qualifier = import.alias.value_or(import.module);
  scope.qualifiers[qualifier] = true;
  auto& plain = is_prelude ? scope.prelude : scope.imported;
  auto& plain_types = is_prelude ? scope.prelude_types : scope.imported_types;
  for (const auto& [name, binding] : values) {
    if (!import.qualified) add_once(plain[name], binding);
    add_once(scope.imported[qualifier + "." + name], binding);
  }
  for (const auto& [name, entity] : types) {
    if (!import.qualified) add_once(plain_types[name], entity);
    add_once(scope.imported_types[qualifier + "." + name], entity);
  }
}

std::optional<BindingId> Checker::find_global(const ast::Name& name, bool constructor) {
  const char* what = constructor ? "constructor" : "name";
  if (constructor && name.qualifier.empty()) {
    if (name.text == "True") return true_;
    if (name.text == "False") return false_;
  }
  std::string key = name.qualifier.empty() ? name.text : name.qualifier + "." + name.text;
  if (name.qualifier.empty()) {
    auto own = scope_->own.find(key);
    if (own != scope_->own.end()) return own->second;
  } else if (!scope_->knows_qualifier(name.qualifier)) {
    std::vector<std::string> candidates;
    for (const auto& [qualifier, unused] : scope_->qualifiers) candidates.push_back(qualifier);
    unknown_name({"", name.qualifier, name.span}, "module", candidates);
    return std::nullopt;
  }
  for (auto* tier : {&scope_->imported, &scope_->prelude}) {
    auto found = tier->find(key);
    if (found == tier->end()) continue;
    if (found->second.size() == 1) return found->second[0];
    Diagnostic diagnostic;
    diagnostic.code = "ambiguous-name";
    diagnostic.message = "`" + key + "` could be any of several imported names";
    diagnostic.span = name.span;
    diagnostic.label = "which one is meant?";
    std::string qualified;
    for (BindingId candidate : found->second) {
      const BindingInfo& binding = info(candidate);
      diagnostic.notes.push_back("module `" + binding.module + "` has a `" + name.text + "`");
      if (qualified.empty()) qualified = binding.module + "." + name.text;
    }
    diagnostic.help.push_back("write `" + qualified + "`, or hide the other in its import");
    out_.add(std::move(diagnostic));
    return std::nullopt;
  }
  std::vector<std::string> candidates;
  for (const auto& [local, references] : locals_)
    if (!references.empty()) candidates.push_back(local);
  for (const auto& [other, binding] : scope_->own) candidates.push_back(other);
  for (auto* tier : {&scope_->imported, &scope_->prelude})
    for (const auto& [other, list] : *tier) candidates.push_back(other);
  if (constructor) {
    candidates.push_back("True");
    candidates.push_back("False");
  }
  ast::Name shown = name;
  shown.text = key;
  unknown_name(shown, what, std::move(candidates));
  return std::nullopt;
}

// What a type or class name means; several meanings are an error, none is not.
std::optional<TypeEntity> Checker::lookup_type(const ast::Name& name, bool& ambiguous) {
  std::string key = name.qualifier.empty() ? name.text : name.qualifier + "." + name.text;
  if (name.qualifier.empty()) {
    auto own = scope_->own_types.find(key);
    if (own != scope_->own_types.end()) return own->second;
  }
  for (auto* tier : {&scope_->imported_types, &scope_->prelude_types}) {
    auto found = tier->find(key);
    if (found == tier->end()) continue;
    if (found->second.size() == 1) return found->second[0];
    error("ambiguous-name", "`" + key + "` could be any of several imported types", name.span,
          "which one is meant?");
    ambiguous = true;
    return std::nullopt;
  }
  auto builtin = builtin_types_.find(key);
  if (builtin != builtin_types_.end()) return builtin->second;
  return std::nullopt;
}

std::optional<TypeEntity> Checker::find_type(const ast::Name& name) {
  bool ambiguous = false;
  auto known = lookup_type(name, ambiguous);
  if (known || ambiguous) return known;
  std::string key = name.qualifier.empty() ? name.text : name.qualifier + "." + name.text;
  std::vector<std::string> candidates;
  for (const auto& [other, entity] : builtin_types_) candidates.push_back(other);
  for (const auto& [other, entity] : scope_->own_types) candidates.push_back(other);
  for (auto* tier : {&scope_->imported_types, &scope_->prelude_types})
    for (const auto& [other, list] : *tier) candidates.push_back(other);
  ast::Name shown = name;
  shown.text = key;
  unknown_name(shown, "type", std::move(candidates));
  return std::nullopt;
}

}  // namespace dvm::check
