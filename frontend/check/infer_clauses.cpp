// Types of clauses: parameters, guards and right-hand sides, and the function type they make
// together.
#include <algorithm>

#include "frontend/check/branches.hpp"
#include "frontend/check/checker.hpp"

namespace dvm::check {

// ---- clauses
void Checker::infer_rhs(const ast::Rhs& rhs, Branches& branches, const Reason& reason, Where where,
                        const std::string& name) {
  infer_let(rhs.where);
  infer_alternatives(rhs.alternatives, branches, reason, where, name);
}

void Checker::infer_alternatives(const std::vector<ast::Guarded>& alternatives, Branches& branches,
                                 const Reason& reason, Where where, const std::string& name) {
  for (const ast::Guarded& guarded : alternatives) {
    for (const auto& guard : guarded.guards) infer_guard(guard);
    infer_branch(guarded.body, branches, reason, where, name);
  }
}

void Checker::infer_branch(ast::ExprId body, Branches& branches, const Reason& reason, Where where,
                           const std::string& name) {
  TypePtr wanted = branches.next();
  Reason inner = reason;
  inner.span = node(body).span;
  TypePtr type = wanted ? check(body, wanted, inner) : infer(body);
  Reason join;
  join.where = where;
  join.name = name;
  join.span = inner.span;
  branches.add(wanted ? wanted : type, join);
}

void Checker::infer_guard(const ast::Qualifier& qualifier) {
  if (auto* guard = std::get_if<ast::Guard>(&qualifier)) {
    Reason reason;
    reason.where = Where::Guard;
    reason.span = node(guard->condition).span;
    check(guard->condition, bool_type(), reason);
  } else if (auto* generator = std::get_if<ast::Generator>(&qualifier)) {
    check_pattern(generator->pattern, infer(generator->source), depth_);
  } else {
    infer_let(std::get<ast::LetQualifier>(qualifier).decls);
  }
}

// The binding of a parameter that is a plain variable.
BindingInfo* Checker::plain_variable(ast::PatternId id) {
  for (;;) {
    const ast::Pattern& pattern = node(id);
    if (auto* bang = std::get_if<ast::BangPattern>(&pattern.node))
      id = bang->pattern;
    else if (auto* paren = std::get_if<ast::ParenPattern>(&pattern.node))
      id = paren->pattern;
    else if (auto* typed = std::get_if<ast::AnnotatedPattern>(&pattern.node))
      id = typed->pattern;
    else
      break;
  }
  bool named = std::holds_alternative<ast::VariablePattern>(node(id).node) ||
               std::holds_alternative<ast::AsPattern>(node(id).node);
  return named && pattern_bindings_[id].valid() ? &info(pattern_bindings_[id]) : nullptr;
}

// Parameters live one level deeper than what surrounds the function, bodies two: a parameter's type
// may mention the sizes of parameters before it, but not what comes into being in the body.
TypePtr Checker::infer_clauses(const ClauseSet& set, TypePtr expected, const Reason& reason) {
  int outer = depth_;
  std::vector<TypePtr> params;
  std::vector<std::optional<Size>> arg_sizes(set.arity);
  std::vector<Symbol> exists;
  TypePtr result = nullptr;
  if (expected) {
    TypePtr type = TypeStore::prune(expected);
    while (params.size() < set.arity && type->kind == Kind::Function) {
      if (!type->sizes.empty()) arg_sizes[params.size()] = type->sizes[0];
      params.push_back(type->parts[0]);
      exists = type->exists;
      type = TypeStore::prune(type->parts[1]);
    }
    if (params.size() == set.arity) {
      if (type->kind != Kind::Meta || !exists.empty()) result = type;
    } else if (type->kind != Kind::Meta && type->kind != Kind::Error) {
      report_arity(set, params.size(), expected, reason);
      while (params.size() < set.arity) params.push_back(store_.error());
      result = store_.error();
    }
  }
  while (params.size() < set.arity) params.push_back(store_.meta(level_, outer + 1));

  std::size_t slot_base = slots_.size();
  slots_.resize(slot_base + set.arity);
  depth_ = outer + 2;
  if (result && !exists.empty()) {
    for (Symbol symbol : exists)
      store_.symbols[symbol].replacement = store_.size_meta(level_, depth_);
    result = store_.substitute(result);
    for (Symbol symbol : exists) store_.symbols[symbol].replacement.reset();
  }
  Branches branches{*this, result, set.span, set.where == Where::Clause ? "function" : "`case`"};
  std::size_t index_mark = indices_.size();
  for (const ClauseView& clause : set.clauses) {
    for (std::size_t i = 0; i < set.arity; ++i) {
      check_pattern((*clause.params)[i], params[i], outer + 1, static_cast<int>(slot_base + i));
      BindingInfo* variable = arg_sizes[i] ? plain_variable((*clause.params)[i]) : nullptr;
      if (!variable) continue;
      variable->value = *arg_sizes[i];
      variable->symbol = arg_sizes[i]->as_symbol();
    }
    if (clause.rhs)
      infer_rhs(*clause.rhs, branches, reason, set.where, set.name);
    else
      infer_branch(clause.body, branches, reason, set.where, set.name);
  }
  retry_indices(index_mark, false);
  TypePtr found = branches.finish(reason);
  depth_ = outer;
  TypePtr type = expected;
  if (!result) type = pack(params, arg_sizes, found, slot_base, outer, set);
  slots_.resize(slot_base);
  if (!result && expected) unify_or_report(expected, type, reason);
  return type;
}

// The function type of clauses whose result was inferred: unknown sizes of the body become unknown
// sizes of the result, fresh at each application; parameters that occur as sizes become `(k ::
// Int)`.
TypePtr Checker::pack(const std::vector<TypePtr>& params,
                      const std::vector<std::optional<Size>>& known_sizes, TypePtr result,
                      std::size_t slot_base, int outer, const ClauseSet& set) {
  std::vector<std::optional<Size>> arg_sizes = known_sizes;
  std::vector<bool> used(params.size(), false);
  std::vector<Symbol> exists;
  auto slot_of = [&](Symbol symbol) {
    for (std::size_t i = 0; i < params.size(); ++i)
      if (slots_[slot_base + i] == symbol) return static_cast<int>(i);
    return -1;
  };
  auto inner = [&](Symbol symbol) {
    const SizeSymbol& entry = store_.symbols[symbol];
    return entry.kind == SymbolKind::Unknown && entry.depth > outer;
  };
  store_.each_symbol(result, true, [&](Symbol symbol) {
    if (!inner(symbol)) return;
    int slot = slot_of(symbol);
    if (slot >= 0)
      used[static_cast<std::size_t>(slot)] = true;
    else if (std::find(exists.begin(), exists.end(), symbol) == exists.end())
      exists.push_back(symbol);
  });
  for (std::size_t i = 0; i < params.size(); ++i) {
    store_.each_symbol(params[i], true, [&](Symbol symbol) {
      if (!inner(symbol)) return;
      int slot = slot_of(symbol);
      if (slot >= 0)
        used[static_cast<std::size_t>(slot)] = true;
      else
        report_escape(symbol, set);
    });
  }
  std::vector<Symbol> replaced;
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (!used[i]) continue;
    Symbol symbol = *slots_[slot_base + i];
    if (set.generalised) {
      store_.symbols[symbol].kind = SymbolKind::Rigid;
      arg_sizes[i] = Size::symbol(symbol);
    } else {
      Size meta = store_.size_meta(level_, outer, set.span);
      store_.symbols[symbol].replacement = meta;
      replaced.push_back(symbol);
      arg_sizes[i] = meta;
    }
  }
  TypePtr type = replaced.empty() ? result : store_.substitute(result);
  // An inferred result that is a function itself takes the unknown sizes to its own last arrow.
  for (std::size_t i = params.size(); i-- > 0;) {
    TypePtr param = replaced.empty() ? params[i] : store_.substitute(params[i]);
    type = store_.function(param, type, arg_sizes[i],
                           i + 1 == params.size() ? exists : std::vector<Symbol>{});
  }
  for (Symbol symbol : replaced) store_.symbols[symbol].replacement.reset();
  lower_depth(type, outer);
  return type;
}

}  // namespace dvm::check
