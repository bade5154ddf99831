// Names of lists of declarations, and the groups of them that depend on each other.
#include <algorithm>

#include "frontend/check/components.hpp"
#include "frontend/check/resolve.hpp"

namespace dvm::check {

// Declares the names of a list in the scope that is open (of a module: they stand in its table
// already), then resolves the right-hand sides.
int Checker::resolve_list(const std::vector<ast::DeclId>& decls, bool global) {
  if (decls.empty()) return -1;
  ResolveWalk walk(*this);
  int list_id = static_cast<int>(lists_.size());
  lists_.emplace_back();
  list_of_first_[decls[0]] = list_id;
  lists_.back().decls = decls;
  lists_.back().edges.resize(decls.size());

  std::unordered_map<std::string, BindingId> names;
  ResolveWalk::Bound bound;
  auto place = [&](BindingId binding, std::size_t index) {
    info(binding).list = list_id;
    info(binding).index = static_cast<int>(index);
  };
  for (std::size_t i = 0; i < decls.size(); ++i) {
    const ast::Decl& decl = node(decls[i]);
    if (auto* function = std::get_if<ast::FunctionDecl>(&decl.node)) {
      const ast::Name& name = function->name;
      BindingId binding = decl_bindings_[decls[i]];
      if (!global) {
        binding = new_binding(name.text, BindingKind::Local, name.span);
        info(binding).decl = decls[i];
        decl_bindings_[decls[i]] = binding;
        auto earlier = names.find(name.text);
        if (earlier != names.end())
          duplicate(name.text, name.span, info(earlier->second).span, "the name");
        else
          bound.emplace_back(name.text, binding);
      }
      info(binding).is_function =
          !function->clauses.empty() && !function->clauses[0].params.empty();
      names.emplace(name.text, binding);
      place(binding, i);
    } else if (auto* pattern = std::get_if<ast::PatternBinding>(&decl.node)) {
      ResolveWalk::Bound own;
      walk.pattern(pattern->pattern, own);
      for (const auto& [name, binding] : own) {
        auto earlier = names.find(name);
        if (earlier != names.end()) {
          if (!global) duplicate(name, info(binding).span, info(earlier->second).span, "the name");
        } else if (!global) {
          bound.emplace_back(name, binding);
        }
        names.emplace(name, binding);
        place(binding, i);
      }
    }
  }
  walk.enter(bound);
  resolve_signatures(decls, names);

  for (std::size_t i = 0; i < decls.size(); ++i) {
    lists_[static_cast<std::size_t>(list_id)].current = static_cast<int>(i);
    walk.definition(decls[i]);
  }
  lists_[static_cast<std::size_t>(list_id)].current = -1;
  group_list(lists_[static_cast<std::size_t>(list_id)]);
  return list_id;
}

void Checker::resolve_signatures(const std::vector<ast::DeclId>& decls,
                                 const std::unordered_map<std::string, BindingId>& names) {
  for (ast::DeclId id : decls) {
    const auto* signature = std::get_if<ast::Signature>(&node(id).node);
    if (!signature) continue;
    TypeNames own;
    const std::size_t errors = out_.error_count();
    Scheme scheme = convert_signature(signature->type, own);
    // A wrong signature has had its message; definition and uses are not held to it.
    if (out_.error_count() > errors) scheme = {};
    for (const ast::Name& name : signature->names) {
      BindingId binding;
      auto found = names.find(name.text);
      if (found != names.end()) {
        binding = found->second;
      } else {
        auto builtin = scope_->own.find(name.text);
        if (builtin != scope_->own.end() && info(builtin->second).signature == id)
          binding = builtin->second;
      }
      if (!binding.valid()) {
        error("missing-definition", "`" + name.text + "` has a signature, but no definition",
              name.span, "declared here");
        continue;
      }
      BindingInfo& target = info(binding);
      if (target.has_scheme && target.signature != id) {
        Span first = target.signature ? node(*target.signature).span : Span{};
        duplicate(name.text, name.span, first, "the signature of");
        continue;
      }
      target.signature = id;
      target.scheme = scheme;
      target.has_scheme = true;
      for (const auto& [text, entry] : own)
        if (entry.is_size) target.size_names.emplace_back(text, entry.id);
    }
    signature_names_[id.index] = std::move(own);
  }
}

void ResolveWalk::definition(ast::DeclId id) {
  const ast::Decl& decl = checker_.node(id);
  if (auto* function = std::get_if<ast::FunctionDecl>(&decl.node)) {
    const BindingInfo& binding = checker_.info(checker_.decl_bindings_[id]);
    std::size_t mark = open();
    std::vector<std::string> type_names;
    if (binding.signature) {
      auto own = checker_.method_names_.find(id.index);
      for (const auto& [name, entry] : own != checker_.method_names_.end()
                                           ? own->second
                                           : checker_.signature_names_[binding.signature->index]) {
        checker_.type_names_[name].push_back(entry);
        type_names.push_back(name);
        if (entry.is_size) push(name, {Reference::SizeVariable, entry.id});
      }
    }
    std::size_t arity = function->clauses.empty() ? 0 : function->clauses[0].params.size();
    for (const ast::Clause& clause : function->clauses) {
      if (clause.params.size() != arity) {
        checker_.error(
            "clause-arity",
            "the clauses of `" + function->name.text + "` differ in their number of parameters",
            clause.span,
            "this one has " + std::to_string(clause.params.size()) + ", the first has " +
                std::to_string(arity));
        checker_.info(checker_.decl_bindings_[id]).reported = true;
      }
      std::size_t inner = open();
      Bound bound;
      for (auto param : clause.params) pattern(param, bound);
      enter(bound);
      rhs(clause.rhs);
      close(inner);
    }
    close(mark);
    for (const auto& name : type_names) checker_.type_names_[name].pop_back();
  } else if (auto* binding = std::get_if<ast::PatternBinding>(&decl.node)) {
    rhs(binding->rhs);
  }
}

void Checker::group_list(DeclList& list) {
  std::size_t count = list.decls.size();
  for (auto& edges : list.edges) {
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  }
  auto binding_of = [&](int index) -> BindingInfo* {
    ast::DeclId id = list.decls[static_cast<std::size_t>(index)];
    if (!std::holds_alternative<ast::FunctionDecl>(node(id).node)) return nullptr;
    return &info(decl_bindings_[id]);
  };
  // Recursion is a matter of all uses …
  for (const auto& group : strong_components(list.edges)) {
    bool cyclic = group.size() > 1;
    for (int member : group)
      for (int target : list.edges[static_cast<std::size_t>(member)]) cyclic |= target == member;
    for (int member : group) {
      if (!cyclic) continue;
      if (BindingInfo* binding = binding_of(member)) {
        binding->recursive = true;
      } else if (std::holds_alternative<ast::PatternBinding>(
                     node(list.decls[static_cast<std::size_t>(member)]).node)) {
        error("cyclic-value", "this value is defined by itself",
              node(list.decls[static_cast<std::size_t>(member)]).span, "it needs its own value");
      }
    }
  }
  // … but a function that has a signature can be used before it is checked. (A value may be a size:
  // `width = 16`.)
  std::vector<std::vector<int>> edges(count);
  for (std::size_t i = 0; i < count; ++i)
    for (int target : list.edges[i]) {
      BindingInfo* binding = binding_of(target);
      if (!binding || !binding->signature || !binding->is_function) edges[i].push_back(target);
    }
  list.order = strong_components(edges);
}

}  // namespace dvm::check
