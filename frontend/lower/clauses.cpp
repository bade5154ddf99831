// Declarations, function clauses, guards and alternatives: the first that matches is taken.
#include <set>

#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

void Lowerer::declare(const std::vector<ast::DeclId>& decls, Env* env) {
  for (ast::DeclId id : decls) {
    const ast::Decl& decl = arena().decls[id];
    if (const auto* function = std::get_if<ast::FunctionDecl>(&decl.node)) {
      const BindingId binding = program_.decl_bindings[id];
      const typed::Binding& info = program_.bindings[binding];
      const bool recursive = info.recursive && holds_arrow(info.scheme.type);
      if (!function->clauses.empty() && function->clauses[0].params.empty() && !recursive &&
          info.scheme.types.empty()) {
        const ast::Rhs* rhs = &function->clauses[0].rhs;
        Lazy* lazy = new_lazy(
            [rhs, env, span = decl.span](Lowerer& lower) {
              return lower.eval_rhs(*rhs, env,
                                    [&lower, span] { return lower.no_alternative(span); });
            },
            true, function->name.span, function->name.text);
        env->values[binding] = Env::Slot{lazy, {}};
      } else {
        env->values[binding] = Env::Slot{nullptr, id};
      }
    } else if (const auto* pattern = std::get_if<ast::PatternBinding>(&decl.node)) {
      const ast::Rhs* rhs = &pattern->rhs;
      Lazy* whole = new_lazy(
          [rhs, env, span = decl.span](Lowerer& lower) {
            return lower.eval_rhs(*rhs, env, [&lower, span] { return lower.no_alternative(span); });
          },
          !irrefutable(pattern->pattern), decl.span);
      bind_matching(pattern->pattern, whole, env);
    }
  }
}

ValueRef Lowerer::run_clauses(const std::vector<ast::Clause>& clauses,
                              const std::vector<Lazy*>& args, Env* env, Span span,
                              const Tail* tail) {
  std::function<ValueRef(std::size_t)> from = [&](std::size_t k) -> ValueRef {
    if (k == clauses.size()) return no_alternative(span);
    const ast::Clause& clause = clauses[k];
    Env* frame = new_env(env);
    Match total;
    for (std::size_t i = 0; i < clause.params.size() && !total.never; ++i) {
      if (irrefutable(clause.params[i])) {
        bind_pattern(clause.params[i], args.at(i), frame);
        continue;
      }
      const Match one = match(clause.params[i], demand(args.at(i)), frame);
      total.never |= one.never;
      if (one.condition.valid())
        total.condition = total.condition.valid()
                              ? emit().scalar(ScalarFn::And, {total.condition, one.condition})
                              : one.condition;
    }
    if (total.never) return from(k + 1);
    auto body = [&] { return eval_rhs(clause.rhs, frame, [&] { return from(k + 1); }, tail); };
    if (!total.condition.valid()) return body();
    return branch(total.condition, body, [&] { return from(k + 1); }, clause.span);
  };
  return from(0);
}

ValueRef Lowerer::eval_rhs(const ast::Rhs& rhs, Env* env, const Rest& rest, const Tail* tail) {
  Env* frame = env;
  if (!rhs.where.empty()) {
    frame = new_env(env);
    declare(rhs.where, frame);
  }
  return eval_guarded(rhs.alternatives, 0, frame, rest, tail);
}

ValueRef Lowerer::eval_guarded(const std::vector<ast::Guarded>& alternatives, std::size_t from,
                               Env* env, const Rest& rest, const Tail* tail) {
  if (from == alternatives.size()) return rest();
  const ast::Guarded& alternative = alternatives[from];
  if (alternative.guards.empty()) return eval_tail(alternative.body, env, tail);
  Env* frame = new_env(env);
  const Match match = test_qualifiers(alternative.guards, 0, frame);
  auto next = [&] { return eval_guarded(alternatives, from + 1, env, rest, tail); };
  if (match.never) return next();
  if (!match.condition.valid()) return eval_tail(alternative.body, frame, tail);
  return branch(
      match.condition, [&] { return eval_tail(alternative.body, frame, tail); }, next,
      arena().exprs[alternative.body].span);
}

Match Lowerer::test_qualifiers(const std::vector<ast::Qualifier>& qualifiers, std::size_t from,
                               Env* env) {
  Match total;
  auto add = [&](ValueId condition) {
    if (auto known = emit().known_bool(condition)) {
      total.never |= !*known;
      return;
    }
    total.condition = condition;
  };
  for (std::size_t i = from; i < qualifiers.size() && !total.never; ++i) {
    if (const auto* let = std::get_if<ast::LetQualifier>(&qualifiers[i])) {
      declare(let->decls, env);
    } else if (const auto* generator = std::get_if<ast::Generator>(&qualifiers[i])) {
      const ValueRef value = demand(argument(generator->source, env, true));
      const Match one = match(generator->pattern, value, env);
      total.never |= one.never;
      if (one.condition.valid())
        add(total.condition.valid() ? emit().scalar(ScalarFn::And, {total.condition, one.condition})
                                    : one.condition);
    } else {
      const auto& guard = std::get<ast::Guard>(qualifiers[i]);
      const Span span = arena().exprs[guard.condition].span;
      auto condition = [&] { return as_scalar(eval(guard.condition, env), span); };
      add(total.condition.valid() ? both(total.condition, condition, true) : condition());
    }
  }
  return total;
}

namespace {

ast::PatternId without_parens(const ast::Arena& arena, ast::PatternId pattern) {
  while (true) {
    const auto& node = arena.patterns[pattern].node;
    if (const auto* paren = std::get_if<ast::ParenPattern>(&node))
      pattern = paren->pattern;
    else if (const auto* bang = std::get_if<ast::BangPattern>(&node))
      pattern = bang->pattern;
    else
      return pattern;
  }
}

bool always_taken(const ast::Rhs& rhs) {
  return !rhs.alternatives.empty() && rhs.alternatives.back().guards.empty();
}

}  // namespace

ValueRef Lowerer::eval_case(const std::vector<ast::Alternative>& alternatives,
                            const ValueRef& scrutinee, Env* env, Span span, const Tail* tail) {
  // The last constructor that is left needs no test.
  std::set<std::uint32_t> excluded;
  std::function<ValueRef(std::size_t)> from = [&](std::size_t k) -> ValueRef {
    if (k == alternatives.size()) return no_alternative(span);
    const ast::Alternative& alternative = alternatives[k];
    Env* frame = new_env(env);
    Match found = match(alternative.pattern, scrutinee, frame);
    if (found.never) return from(k + 1);
    const ast::PatternId pattern = without_parens(arena(), alternative.pattern);
    const BindingId constructor = program_.pattern_constructors.contains(pattern)
                                      ? program_.pattern_constructors[pattern]
                                      : BindingId{};
    if (constructor.valid() && found.condition.valid()) {
      const typed::Binding& binding = program_.bindings[constructor];
      const std::size_t count =
          binding.data.valid() ? program_.datas[binding.data].constructors.size() : 2;
      bool plain = true;
      if (const auto* node = std::get_if<ast::ConstructorPattern>(&arena().patterns[pattern].node))
        for (ast::PatternId arg : node->args) plain &= irrefutable(arg);
      else
        plain = false;
      if (plain && excluded.size() + 1 == count && !excluded.contains(binding.part))
        found.condition = {};
      if (plain && always_taken(alternative.rhs)) excluded.insert(binding.part);
    }
    auto body = [&] { return eval_rhs(alternative.rhs, frame, [&] { return from(k + 1); }, tail); };
    if (!found.condition.valid()) return body();
    return branch(found.condition, body, [&] { return from(k + 1); }, alternative.span);
  };
  return from(0);
}

// Stands for the value of alternatives none of which matches; shaped by its use, since it never is
// one.
ValueRef Lowerer::no_alternative(Span span) {
  return make_value(FailureValue{"no alternative matches", span, nullptr});
}

}  // namespace dvm::lower
