// The methods that instances define: their types there, signatures, what is missing, their bodies.
#include <algorithm>

#include "frontend/check/namer.hpp"
#include "frontend/check/resolve.hpp"

namespace dvm::check {

// The type of a method at an instance: the class's variable is the head.
Scheme Checker::method_scheme(const InstanceRecord& record, const Scheme& method) {
  Scheme scheme;
  scheme.types = record.types;
  scheme.sizes = record.sizes;
  store_.variables[method.types[0]].replacement = record.head;
  for (std::size_t i = 1; i < method.types.size(); ++i) {
    TypeVariable copy = store_.variables[method.types[i]];
    store_.variables.push_back(copy);
    scheme.types.push_back(static_cast<std::uint32_t>(store_.variables.size() - 1));
    store_.variables[method.types[i]].replacement = store_.variable(scheme.types.back());
  }
  for (Symbol symbol : method.sizes) {
    const SizeSymbol from = store_.symbols[symbol];
    Symbol copy = store_.symbol(SymbolKind::Rigid, from.name, from.origin, from.span, 0, 0);
    scheme.sizes.push_back(copy);
    store_.symbols[symbol].replacement = Size::symbol(copy);
  }
  scheme.type = store_.substitute(method.type);
  for (const Constraint& constraint : method.context)
    scheme.context.push_back({constraint.of, store_.substitute(constraint.type)});
  for (std::uint32_t id : method.types) store_.variables[id].replacement = nullptr;
  for (Symbol symbol : method.sizes) store_.symbols[symbol].replacement.reset();
  return scheme;
}

void Checker::define_instance_methods(InstanceRecord& record) {
  const auto& decl = std::get<ast::InstanceDecl>(node(*record.decl).node);
  for (ast::DeclId part : decl.decls) {
    if (std::holds_alternative<ast::FunctionDecl>(node(part).node))
      define_instance_method(record, part);
    only_methods(node(part), "an instance");
  }
  for (ast::DeclId part : decl.decls)
    if (std::holds_alternative<ast::Signature>(node(part).node))
      match_instance_signature(record, part);
  check_missing_methods(record);
}

void Checker::define_instance_method(InstanceRecord& record, ast::DeclId decl_id) {
  const auto& decl = std::get<ast::FunctionDecl>(node(decl_id).node);
  BindingId binding = new_binding(decl.name.text, BindingKind::Global, decl.name.span);
  BindingInfo& target = info(binding);
  target.decl = decl_id;
  target.is_function = !decl.clauses.empty() && !decl.clauses[0].params.empty();
  target.instance_of = record.of;
  decl_bindings_[decl_id] = binding;
  MethodRecord* method = method_of(record.of, decl.name.text);
  if (!method) {
    not_a_method(record.of, decl.name);
    target.reported = true;
    return;
  }
  const BindingInfo& declared = info(method->binding);
  auto& place = record.methods[declared.part];
  if (place) {
    duplicate(decl.name.text, decl.name.span, info(*place).span, "the method");
    target.reported = true;
    return;
  }
  place = binding;
  if (!declared.has_scheme) return;
  target.signature = declared.signature;
  target.scheme = method_scheme(record, declared.scheme);
  target.has_scheme = true;
  for (const auto& [text, entry] : record.names)
    if (entry.is_size) target.size_names.emplace_back(text, entry.id);
  method_names_[decl_id.index] = record.names;
}

// A signature in an instance says again what the class says of the method there; its names are in
// scope in the definition.
void Checker::match_instance_signature(InstanceRecord& record, ast::DeclId signature_id) {
  const auto& signature = std::get<ast::Signature>(node(signature_id).node);
  for (const auto& [name, entry] : record.names) type_names_[name].push_back(entry);
  TypeNames own;
  Scheme written = convert_signature(signature.type, own);
  for (const auto& [name, entry] : record.names) type_names_[name].pop_back();
  for (const ast::Name& name : signature.names) {
    MethodRecord* method = method_of(record.of, name.text);
    if (!method) {
      not_a_method(record.of, name);
      continue;
    }
    const auto& place = record.methods[info(method->binding).part];
    if (!place || !info(*place).has_scheme) {
      error("missing-definition", "`" + name.text + "` has a signature, but no definition here",
            name.span, "declared here");
      continue;
    }
    BindingInfo& binding = info(*place);
    UseInfo use;
    ++level_;
    ++depth_;
    for (std::uint32_t id : binding.scheme.types) store_.variables[id].level = level_;
    for (Symbol symbol : binding.scheme.sizes) store_.symbols[symbol].depth = depth_;
    TypePtr type = instantiate(written, &use, {name.span, "this signature"});
    Reason reason;
    reason.where = Where::Annotation;
    reason.span = node(signature.type.type).span;
    reason.related = node(*binding.signature).span;
    reason.related_text = "the method in the class";
    unify_or_report(binding.scheme.type, type, reason);
    --depth_;
    --level_;
    TypeNames& names = method_names_[binding.decl->index];
    for (const auto& [text, entry] : own) {
      for (std::size_t i = 0; i < written.types.size(); ++i) {
        TypePtr found = TypeStore::prune(use.type_args[i]);
        if (!entry.is_size && written.types[i] == entry.id && found->kind == Kind::Variable)
          names.emplace_back(text, TypeName{false, found->id});
      }
      for (std::size_t i = 0; i < written.sizes.size(); ++i) {
        auto found = store_.zonk(use.size_args[i]).as_symbol();
        if (entry.is_size && written.sizes[i] == entry.id && found)
          names.emplace_back(text, TypeName{true, *found});
      }
    }
  }
}

void Checker::check_missing_methods(const InstanceRecord& record) {
  const ClassRecord& of = classes_[record.of];
  MinimalAnswer answer = check_minimal(of.minimal, [&](const std::string& name) {
    for (std::size_t i = 0; i < of.methods.size(); ++i)
      if (of.methods[i].name == name) return record.methods[i].has_value();
    return true;
  });
  if (answer.satisfied) return;
  Namer namer(*this);
  Diagnostic diagnostic;
  diagnostic.code = "missing-method";
  diagnostic.message = "this instance of `" + of.name + "` does not define " + answer.missing;
  diagnostic.span = record.span;
  diagnostic.label = "no definition, and no default";
  diagnostic.notes.push_back("an instance of `" + of.name + "` defines at least: " + of.minimal);
  show_class(diagnostic, record.of, "the class is declared here");
  out_.add(std::move(diagnostic));
}

// ---- bodies
namespace {
template <class Visit>
void each_method_body(const ast::Program& program, const ast::Module& module, const Visit& visit) {
  for (ast::DeclId id : module.decls) {
    const auto& decl = program.arena.decls[id].node;
    const std::vector<ast::DeclId>* body = nullptr;
    if (auto* of = std::get_if<ast::ClassDecl>(&decl)) body = &of->decls;
    if (auto* of = std::get_if<ast::InstanceDecl>(&decl)) body = &of->decls;
    if (!body) continue;
    for (ast::DeclId part : *body)
      if (std::holds_alternative<ast::FunctionDecl>(program.arena.decls[part].node)) visit(part);
  }
}
}  // namespace

void Checker::resolve_method_bodies(const ast::Module& module) {
  ResolveWalk walk(*this);
  each_method_body(program_, module, [&](ast::DeclId id) {
    if (decl_bindings_[id].valid() && info(decl_bindings_[id]).has_scheme) walk.definition(id);
  });
}

void Checker::infer_method_bodies(const ast::Module& module) {
  each_method_body(program_, module, [&](ast::DeclId id) {
    if (!decl_bindings_[id].valid()) return;
    BindingInfo& binding = info(decl_bindings_[id]);
    if (binding.has_scheme && !binding.reported) infer_with_signature(id, binding);
  });
}

}  // namespace dvm::check
