// Types of declarations: groups that depend on each other, signatures, generalisation, defaulting.
#include <algorithm>

#include "frontend/check/branches.hpp"
#include "frontend/check/checker.hpp"

namespace dvm::check {

void Checker::infer_let(const std::vector<ast::DeclId>& decls) {
  if (!decls.empty()) infer_list(list_of_first_[decls[0]]);
}

void Checker::infer_list(int list_id) {
  if (list_id < 0) return;
  const DeclList& list = lists_[static_cast<std::size_t>(list_id)];
  for (const auto& group : list.order) infer_group(list, group);
}

void Checker::infer_group(const DeclList& list, const std::vector<int>& group) {
  std::vector<ast::DeclId> open;  // without signature
  std::vector<ast::DeclId> closed;
  std::vector<ast::DeclId> patterns;
  for (int index : group) {
    ast::DeclId id = list.decls[static_cast<std::size_t>(index)];
    if (std::holds_alternative<ast::FunctionDecl>(node(id).node))
      (info(decl_bindings_[id]).signature ? closed : open).push_back(id);
    else if (std::holds_alternative<ast::PatternBinding>(node(id).node))
      patterns.push_back(id);
  }
  for (ast::DeclId id : patterns) infer_pattern_binding(id);
  if (!open.empty()) infer_open_group(open);
  for (ast::DeclId id : closed) infer_with_signature(id, info(decl_bindings_[id]));
}

// Bindings without signature: inferred together, then the functions among them generalise.
void Checker::infer_open_group(const std::vector<ast::DeclId>& group) {
  std::size_t metas = store_.metas.size(), equations = equations_.size(), indices = indices_.size();
  std::size_t symbols = store_.symbols.size(), recursive = recursive_uses_.size();
  std::size_t wanted = wanted_.size();
  const std::size_t errors = out_.error_count();
  ++level_;
  for (ast::DeclId id : group) info(decl_bindings_[id]).type = fresh();
  for (ast::DeclId id : group) {
    BindingInfo& binding = info(decl_bindings_[id]);
    binding.depth = depth_;
    Reason reason;
    reason.where = Where::Clause;
    reason.name = binding.name;
    reason.span = binding.span;
    TypePtr placeholder = binding.type;
    TypePtr type = infer_definition(id, nullptr, reason);
    if (binding.recursive) {
      reason.where = Where::Recursion;
      unify_or_report(placeholder, type, reason);
    } else {
      placeholder->link = type == placeholder ? nullptr : type;
    }
    binding.type = type;
    check_cyclic(binding);
  }
  --level_;
  settle_group(equations, indices, wanted);
  for (ast::DeclId id : group) {
    BindingInfo& binding = info(decl_bindings_[id]);
    if (binding.is_function) continue;
    lower_level(binding.type, level_);
    store_.each_symbol(binding.type, false, [&](Symbol symbol) {
      auto& unknowns = binding.scheme.unknowns;
      if (symbol >= symbols && store_.symbols[symbol].kind == SymbolKind::Unknown &&
          std::find(unknowns.begin(), unknowns.end(), symbol) == unknowns.end())
        unknowns.push_back(symbol);
    });
  }
  for (ast::DeclId id : group) {
    BindingInfo& binding = info(decl_bindings_[id]);
    if (binding.is_function) generalise(binding);
  }
  for (ast::DeclId id : group) quantify_wanted(wanted, info(decl_bindings_[id]));
  link_recursive_uses(recursive);
  if (level_ == 0) report_holes();
  default_metas(metas, level_);
  finish_wanted(wanted);
  // What a wrong definition makes of its type would only lead to errors at its uses.
  if (out_.error_count() > errors)
    for (ast::DeclId id : group) info(decl_bindings_[id]).reported = true;
}

void Checker::infer_with_signature(ast::DeclId id, BindingInfo& binding) {
  if (!binding.scheme.type) return;
  std::size_t metas = store_.metas.size(), equations = equations_.size(), indices = indices_.size();
  std::size_t recursive = recursive_uses_.size(), wanted = wanted_.size(), givens = givens_.size();
  const Scheme& scheme = binding.scheme;
  givens_.insert(givens_.end(), scheme.context.begin(), scheme.context.end());
  ++level_;
  ++depth_;
  for (std::uint32_t variable : scheme.types) store_.variables[variable].level = level_;
  for (Symbol symbol : scheme.sizes) {
    store_.symbols[symbol].level = level_;
    store_.symbols[symbol].depth = depth_;
  }
  TypePtr expected = scheme.type;
  if (!scheme.unknowns.empty()) {
    for (Symbol symbol : scheme.unknowns) {
      store_.symbols[symbol].replacement = store_.size_meta(level_, depth_);
      store_.symbols[symbol].depth = depth_ - 1;
    }
    expected = store_.substitute(expected);
    for (Symbol symbol : scheme.unknowns) store_.symbols[symbol].replacement.reset();
  }
  Reason reason;
  reason.where = binding.instance_of ? Where::Method : Where::Result;
  reason.name = binding.name;
  reason.span = binding.span;
  if (!binding.instance_of || classes_[*binding.instance_of].module != "Prelude") {
    reason.related = node(*binding.signature).span;
    reason.related_text = binding.instance_of ? "the method in its class" : "its signature";
  }
  binding.depth = depth_;
  infer_definition(id, expected, reason);
  --depth_;
  --level_;
  settle_group(equations, indices, wanted);
  link_recursive_uses(recursive);
  if (level_ == 0) report_holes();
  default_metas(metas, level_);
  finish_wanted(wanted);
  givens_.resize(givens);
}

// The type of all clauses of a function, or of a value.
TypePtr Checker::infer_definition(ast::DeclId id, TypePtr expected, const Reason& reason) {
  const auto& decl = std::get<ast::FunctionDecl>(node(id).node);
  BindingInfo& binding = info(decl_bindings_[id]);
  if (binding.is_function) {
    ClauseSet set;
    set.name = decl.name.text;
    set.where = Where::Clause;
    set.arity = decl.clauses[0].params.size();
    set.span = decl.name.span;
    set.generalised = true;
    for (const ast::Clause& clause : decl.clauses)
      if (clause.params.size() == set.arity)
        set.clauses.push_back({&clause.params, &clause.rhs, {}, clause.span});
    return infer_clauses(set, expected, reason);
  }
  if (decl.clauses.empty()) return store_.error();
  Branches branches{*this, expected, decl.name.span, "value"};
  const ast::Rhs& rhs = decl.clauses[0].rhs;
  infer_rhs(rhs, branches, reason, Where::Branch, decl.name.text);
  TypePtr type = branches.finish(reason);
  if (rhs.alternatives.size() == 1 && rhs.alternatives[0].guards.empty())
    binding.value = size_of(rhs.alternatives[0].body);
  if (binding.value) {
    TypePtr known = TypeStore::prune(type);
    if (known->kind != Kind::Meta && known != int_type()) binding.value.reset();
  }
  return type;
}

void Checker::infer_pattern_binding(ast::DeclId id) {
  const auto& decl = std::get<ast::PatternBinding>(node(id).node);
  Reason reason;
  reason.where = Where::Binding;
  reason.span = node(decl.pattern).span;
  Branches branches{*this, nullptr, reason.span, "value"};
  infer_rhs(decl.rhs, branches, reason, Where::Branch, "");
  TypePtr type = branches.finish(reason);
  check_pattern(decl.pattern, type, depth_);
}

void Checker::check_cyclic(BindingInfo& binding) {
  if (!binding.recursive || binding.is_function) return;
  TypePtr type = TypeStore::prune(binding.type);
  if (type->kind == Kind::Function || type->kind == Kind::Error) return;
  report_cyclic(binding.name, binding.span);
  binding.type = store_.error();
}

// ---- generalising
void Checker::generalise(BindingInfo& binding) {
  Scheme scheme;
  const char* size_names[] = {"n", "m", "k", "p", "q"};
  std::function<void(TypePtr)> visit = [&](TypePtr type) {
    type = TypeStore::prune(type);
    if (!type->generic) return;
    if (type->kind == Kind::Meta) {
      if (type->level <= level_) return;
      std::size_t number = scheme.types.size();
      std::string name(1, static_cast<char>('a' + number % 26));
      if (number >= 26) name += std::to_string(number / 26);
      store_.variables.push_back(
          {name, binding.span, classes_.closure(type->mask), level_ + 1, nullptr});
      auto id = static_cast<std::uint32_t>(store_.variables.size() - 1);
      scheme.types.push_back(id);
      type->link = store_.variable(id);
      return;
    }
    // A variable that another function of the group was generalised over is shared with it.
    if (type->kind == Kind::Variable && store_.variables[type->id].level > level_ &&
        std::find(scheme.types.begin(), scheme.types.end(), type->id) == scheme.types.end())
      scheme.types.push_back(type->id);
    for (const Size& size : type->sizes) {
      store_.zonk(size).symbols([&](Symbol symbol) {
        SizeSymbol& entry = store_.symbols[symbol];
        if (std::find(scheme.sizes.begin(), scheme.sizes.end(), symbol) != scheme.sizes.end())
          return;
        if (entry.kind == SymbolKind::Rigid && entry.depth > depth_ && entry.level > level_) {
          scheme.sizes.push_back(symbol);
        } else if (entry.kind == SymbolKind::Meta && entry.level > level_ && !entry.solution) {
          std::size_t number = scheme.sizes.size();
          std::string name = number < 5 ? size_names[number] : "n" + std::to_string(number);
          Symbol fresh = store_.symbol(SymbolKind::Rigid, name, "a size of `" + binding.name + "`",
                                       binding.span, level_ + 1, depth_ + 1);
          store_.symbols[symbol].solution = Size::symbol(fresh);
          scheme.sizes.push_back(fresh);
        }
      });
    }
    for (TypePtr part : type->parts) visit(part);
  };
  visit(binding.type);
  scheme.type = store_.zonk(binding.type);
  binding.scheme = std::move(scheme);
  binding.has_scheme = true;
}

// Uses of a function inside its own group were made before it had a scheme: they are at its own
// variables.
void Checker::link_recursive_uses(std::size_t mark) {
  std::size_t kept = mark;
  for (std::size_t i = mark; i < recursive_uses_.size(); ++i) {
    auto [use_index, binding_id] = recursive_uses_[i];
    const BindingInfo& binding = info(binding_id);
    if (!binding.has_scheme) {
      recursive_uses_[kept++] = recursive_uses_[i];
      continue;
    }
    UseInfo& use = uses_[static_cast<std::size_t>(use_index)];
    for (std::uint32_t id : binding.scheme.types) use.type_args.push_back(store_.variable(id));
    for (Symbol symbol : binding.scheme.sizes) use.size_args.push_back(Size::symbol(symbol));
  }
  recursive_uses_.resize(kept);
}

// Postponed equations and index types of a finished group; `level_` is that of what surrounds it.
void Checker::settle_group(std::size_t equations, std::size_t indices, std::size_t wanted) {
  for (int round = 0; round < 100; ++round) {
    std::size_t before = indices_.size();
    retry_indices(indices, false);
    bool progress = retry_equations(equations, false) || indices_.size() != before;
    progress = retry_wanted(wanted) || progress;
    if (!progress) break;
  }
  for (int round = 0; round < 100; ++round) {
    std::size_t before = indices_.size();
    retry_indices(indices, true);
    if (indices_.size() == before) break;
    retry_equations(equations, false);
  }
  retry_equations(equations, true);
}

// Type variables of a finished group that occur in no type of it: numbers are Int, else Double.
void Checker::default_metas(std::size_t mark, int level) {
  for (std::size_t i = mark; i < store_.metas.size(); ++i) {
    TypePtr meta = store_.metas[i];
    if (meta->link || meta->level <= level || !meta->mask) continue;
    if (meta->mask & classes::num) {
      auto fits = [&](ElementType element) {
        return !(meta->mask - scalar_classes_[static_cast<std::size_t>(element)]);
      };
      bool integral = fits(ElementType::I64), real = fits(ElementType::F64);
      if (integral || real) {
        meta->link = integral ? int_type() : store_.scalar(ElementType::F64);
        continue;
      }
    }
    Diagnostic diagnostic;
    diagnostic.code = "ambiguous-type";
    diagnostic.message = "the type of this is not settled";
    if (meta->need) {
      diagnostic.span = meta->need->span;
      diagnostic.label = meta->need->who + " needs a type of class `" +
                         classes_.names(classes_.minimal(meta->mask)) + "`";
    }
    diagnostic.help.push_back("give it a type with an annotation `(… :: T)`");
    out_.add(std::move(diagnostic));
    meta->link = store_.error();
  }
}

}  // namespace dvm::check
