// Class declarations: their names, superclasses, methods and defaults.
#include <algorithm>

#include "frontend/check/checker.hpp"
#include "ir/base/spelling.hpp"

namespace dvm::check {

namespace {

// The number of a built-in class that the Prelude declares.
std::optional<ClassId> builtin_class(const std::string& name) {
  for (std::uint32_t i = 0; i < typed::builtin_class::count; ++i)
    if (name == typed::builtin_class::names[i]) return ClassId{i};
  return std::nullopt;
}

}  // namespace

// ---- names
void Checker::declare_class(ast::DeclId id) {
  const auto& decl = std::get<ast::ClassDecl>(node(id).node);
  std::optional<ClassId> builtin;
  if (scope_->name == "Prelude") builtin = builtin_class(decl.name.text);
  ClassId own = builtin ? *builtin : classes_.add();
  if (!own.valid()) {
    not_supported("a program with more than " + std::to_string(ClassSet::capacity) + " classes",
                  decl.name.span);
    return;
  }
  ClassRecord& record = classes_[own];
  record.name = decl.name.text;
  record.module = scope_->name;
  record.span = decl.name.span;
  record.decl = id;
  auto [place, fresh] =
      scope_->own_types.emplace(record.name, TypeEntity{TypeEntity::Class, own.index});
  if (!fresh) {
    Span first;
    if (place->second.sort == TypeEntity::Data) first = datas_[place->second.id].span;
    if (place->second.sort == TypeEntity::Class) first = classes_[ClassId{place->second.id}].span;
    duplicate(record.name, record.span, first, "the type or class");
  }
  for (std::size_t i = 0; i < decl.decls.size(); ++i) {
    const auto* signature = std::get_if<ast::Signature>(&node(decl.decls[i]).node);
    if (!signature) continue;
    const ast::PragmaDecl* pragma = nullptr;
    if (i + 1 < decl.decls.size())
      pragma = std::get_if<ast::PragmaDecl>(&node(decl.decls[i + 1]).node);
    bool known = pragma && pragma->keyword == "BUILTIN";
    for (std::size_t n = 0; n < signature->names.size(); ++n)
      declare_method(own, signature->names[n],
                     known ? pragma_name(pragma->text, n, signature->names.size()) : "");
  }
}

void Checker::declare_method(ClassId of, const ast::Name& name, const std::string& builtin) {
  ClassRecord& record = classes_[of];
  BindingId binding = new_binding(name.text, BindingKind::Method, name.span);
  info(binding).of = of;
  info(binding).part = static_cast<std::uint32_t>(record.methods.size());
  info(binding).builtin = builtin;
  declare_value(name, binding);
  record.methods.push_back({name.text, binding, std::nullopt});
}

std::optional<ClassId> Checker::find_class(const ast::Name& name) {
  bool ambiguous = false;
  auto entity = lookup_type(name, ambiguous);
  if (ambiguous) return std::nullopt;
  if (entity && entity->sort == TypeEntity::Class) return ClassId{entity->id};
  if (entity) {
    error("not-a-class", "`" + name.text + "` is a type, not a class", name.span,
          "a class is expected here");
    return std::nullopt;
  }
  std::vector<std::string> candidates;
  auto offer = [&](const std::string& other, const TypeEntity& found) {
    if (found.sort == TypeEntity::Class) candidates.push_back(other);
  };
  for (const auto& [other, found] : scope_->own_types) offer(other, found);
  for (auto* tier : {&scope_->imported_types, &scope_->prelude_types})
    for (const auto& [other, list] : *tier)
      for (const TypeEntity& found : list) offer(other, found);
  ast::Name shown = name;
  if (!name.qualifier.empty()) shown.text = name.qualifier + "." + name.text;
  unknown_name(shown, "class", std::move(candidates));
  return std::nullopt;
}

MethodRecord* Checker::method_of(ClassId of, const std::string& name) {
  for (MethodRecord& method : classes_[of].methods)
    if (method.name == name) return &method;
  return nullptr;
}

void Checker::not_a_method(ClassId of, const ast::Name& name) {
  std::vector<std::string> names;
  std::string all;
  for (const MethodRecord& method : classes_[of].methods) {
    names.push_back(method.name);
    all += (all.empty() ? "`" : ", `") + method.name + "`";
  }
  Diagnostic diagnostic;
  diagnostic.code = "not-a-method";
  diagnostic.message = "`" + name.text + "` is no method of the class `" + classes_[of].name + "`";
  diagnostic.span = name.span;
  diagnostic.label = "not declared in the class";
  suggest_nearest(diagnostic, name.text, names, name.span);
  if (diagnostic.help.empty() && diagnostic.suggestions.empty())
    diagnostic.notes.push_back(all.empty() ? "the class has no methods" : "its methods are " + all);
  out_.add(std::move(diagnostic));
}

// What may stand in the body of a class or an instance besides methods is said by the parser; a
// pattern binding looks like a definition, but names no method.
void Checker::only_methods(const ast::Decl& decl, const char* where) {
  if (std::holds_alternative<ast::PatternBinding>(decl.node))
    error("not-a-method", std::string("a pattern cannot be bound in ") + where, decl.span,
          "define each method by its name");
}

// ---- superclasses
void Checker::define_classes(const ast::Module& module) {
  std::vector<ClassId> own;
  for (std::uint32_t i = 0; i < classes_.size(); ++i)
    if (classes_[ClassId{i}].decl && classes_[ClassId{i}].module == module.name)
      own.push_back(ClassId{i});
  for (ClassId id : own) define_superclasses(id);
  for (ClassId id : own) close_class(id);
  for (ClassId id : own) define_methods(id);
}

void Checker::define_superclasses(ClassId id) {
  ClassRecord& record = classes_[id];
  const auto& decl = std::get<ast::ClassDecl>(node(*record.decl).node);
  for (const ast::Constraint& constraint : decl.context) {
    auto super = find_class(constraint.class_name);
    ast::TypeId type = constraint.type;
    while (auto* paren = std::get_if<ast::TypeParen>(&node(type).node)) type = paren->inner;
    const auto* variable = std::get_if<ast::TypeVariable>(&node(type).node);
    if (!variable || variable->name.text != decl.param.text) {
      error("bad-superclass",
            "the context of a class is on its own variable `" + decl.param.text + "`",
            node(constraint.type).span, "not `" + decl.param.text + "`");
      continue;
    }
    if (super) record.superclasses.push_back(*super);
  }
}

void Checker::close_class(ClassId id) {
  ClassRecord& record = classes_[id];
  if (record.state == ClassRecord::Closed || !record.decl) return;
  record.state = ClassRecord::Closing;
  for (std::size_t i = 0; i < record.superclasses.size(); ++i) {
    ClassId super = record.superclasses[i];
    if (classes_[super].state == ClassRecord::Closing) {
      Diagnostic diagnostic;
      diagnostic.code = "class-cycle";
      diagnostic.message = "the class `" + record.name + "` is a superclass of itself";
      diagnostic.span = record.span;
      diagnostic.label = "this class needs `" + classes_[super].name + "`";
      if (super != id)
        diagnostic.others.push_back(
            {classes_[super].span, "`" + classes_[super].name + "` needs `" + record.name +
                                       "`, itself or through its superclasses"});
      out_.add(std::move(diagnostic));
      record.superclasses.erase(record.superclasses.begin() + static_cast<std::ptrdiff_t>(i--));
      continue;
    }
    close_class(super);
    record.closure |= classes_[super].closure;
  }
  record.state = ClassRecord::Closed;
}

// ---- methods
void Checker::define_methods(ClassId id) {
  const auto& decl = std::get<ast::ClassDecl>(node(*classes_[id].decl).node);
  for (ast::DeclId part : decl.decls)
    if (std::holds_alternative<ast::Signature>(node(part).node)) define_signature(id, part);
  for (ast::DeclId part : decl.decls) {
    if (std::holds_alternative<ast::FunctionDecl>(node(part).node)) define_default(id, part);
    only_methods(node(part), "a class");
  }
  define_minimal(id);
}

void Checker::define_signature(ClassId id, ast::DeclId signature_id) {
  const auto& decl = std::get<ast::ClassDecl>(node(*classes_[id].decl).node);
  const auto& signature = std::get<ast::Signature>(node(signature_id).node);
  store_.variables.push_back({decl.param.text, decl.param.span, classes_[id].closure, 0, nullptr});
  TypeName variable{false, static_cast<std::uint32_t>(store_.variables.size() - 1)};
  type_names_[decl.param.text].push_back(variable);
  TypeNames own;
  Scheme scheme = convert_signature(signature.type, own);
  type_names_[decl.param.text].pop_back();
  scheme.types.insert(scheme.types.begin(), variable.id);
  std::function<bool(TypePtr)> mentions = [&](TypePtr type) {
    type = TypeStore::prune(type);
    if (type->kind == Kind::Error) return true;
    if (type->kind == Kind::Variable) return type->id == variable.id;
    return std::any_of(type->parts.begin(), type->parts.end(), mentions);
  };
  if (!mentions(scheme.type))
    error("ambiguous-method",
          "the type of `" + signature.names[0].text + "` does not mention the class's variable `" +
              decl.param.text + "`",
          signature.names[0].span, "nothing would say which instance is meant");
  if (!scheme.unknowns.empty())
    not_supported("a method that is a value of unknown size", node(signature.type.type).span);
  own.emplace_back(decl.param.text, variable);
  for (const ast::Name& name : signature.names) {
    MethodRecord* method = method_of(id, name.text);
    if (!method || info(method->binding).has_scheme) continue;
    BindingInfo& binding = info(method->binding);
    binding.signature = signature_id;
    binding.scheme = scheme;
    binding.has_scheme = true;
    for (const auto& [text, entry] : own)
      if (entry.is_size) binding.size_names.emplace_back(text, entry.id);
  }
  signature_names_[signature_id.index] = std::move(own);
}

void Checker::define_default(ClassId id, ast::DeclId decl_id) {
  const auto& decl = std::get<ast::FunctionDecl>(node(decl_id).node);
  BindingId binding = new_binding(decl.name.text, BindingKind::Global, decl.name.span);
  BindingInfo& target = info(binding);
  target.decl = decl_id;
  target.is_function = !decl.clauses.empty() && !decl.clauses[0].params.empty();
  decl_bindings_[decl_id] = binding;
  MethodRecord* method = method_of(id, decl.name.text);
  if (!method) {
    not_a_method(id, decl.name);
    target.reported = true;
    return;
  }
  if (method->fallback) {
    duplicate(decl.name.text, decl.name.span, info(*method->fallback).span, "the default of");
    target.reported = true;
    return;
  }
  method->fallback = binding;
  const BindingInfo& declared = info(method->binding);
  target.signature = declared.signature;
  target.scheme = declared.scheme;
  target.has_scheme = true;
  target.size_names = declared.size_names;
}

void Checker::define_minimal(ClassId id) {
  ClassRecord& record = classes_[id];
  const auto& decl = std::get<ast::ClassDecl>(node(*record.decl).node);
  const ast::PragmaDecl* pragma = nullptr;
  Span span;
  for (ast::DeclId part : decl.decls)
    if (auto* found = std::get_if<ast::PragmaDecl>(&node(part).node);
        found && found->keyword == "MINIMAL") {
      pragma = found;
      span = node(part).span;
    }
  if (pragma) {
    record.minimal = pragma->text;
    for (const std::string& name : minimal_names(pragma->text))
      if (!method_of(id, name)) not_a_method(id, {"", name, span});
    return;
  }
  for (const MethodRecord& method : record.methods) {
    if (method.fallback) continue;
    bool word = std::isalpha(static_cast<unsigned char>(method.name[0])) || method.name[0] == '_' ||
                (method.name[0] & 0x80);
    record.minimal += record.minimal.empty() ? "" : ", ";
    record.minimal += word ? method.name : "(" + method.name + ")";
  }
}

}  // namespace dvm::check
