// Long chains of one operator that nests to the right: without recursion along them.
//
// Note [Long chains]. `a && b && …` goes from left to right, each term where the ones before it
// hold; `f . g . …` is one function that applies all; `xs ++ ys ++ …` is joined in halves. Of any
// other operator, `f $ g $ x` among them, the innermost operand is evaluated first. Chains of usual
// length are evaluated from outside, so that an operand that is not used is not computed.
#include <algorithm>

#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace {

constexpr std::size_t usual_length = 256;
constexpr std::size_t remembered = 32;  // terms whose truth helps to prove what the next one needs

}  // namespace

std::optional<ValueRef> Lowerer::eval_long_chain(ast::ExprId expr, Env* env) {
  const auto operator_of = [&](ast::ExprId id) -> BindingId {
    const auto* binary = std::get_if<ast::Binary>(&arena().exprs[id].node);
    if (binary == nullptr) return {};
    const auto& use = program_.uses[strip(binary->op)];
    return use ? use->binding : BindingId{};
  };
  const BindingId op = operator_of(expr);
  if (!op.valid()) return std::nullopt;
  std::vector<ast::ExprId> nodes;
  ast::ExprId last = expr;
  while (operator_of(last) == op) {
    nodes.push_back(last);
    last = strip(std::get<ast::Binary>(arena().exprs[last].node).rhs);
  }
  if (nodes.size() <= usual_length) return std::nullopt;
  std::vector<ast::ExprId> operands;
  for (ast::ExprId node : nodes)
    operands.push_back(std::get<ast::Binary>(arena().exprs[node].node).lhs);
  operands.push_back(last);
  const Span span = arena().exprs[expr].span;
  if (is_builtin_of_prelude(op, "&&")) return boolean(chain_of_conditions(operands, true, env));
  if (is_builtin_of_prelude(op, "||")) return boolean(chain_of_conditions(operands, false, env));
  if (is_prelude(op, ".")) return chain_of_functions(operands, env, span);
  if (is_builtin_of_prelude(op, "++")) {
    const ValueRef join = eval(std::get<ast::Binary>(arena().exprs[expr].node).op, env);
    return joined_in_halves(join, operands, 0, operands.size(), env, span);
  }
  return chain_from_inside(nodes, is_prelude(op, "$"), last, env);
}

ValueId Lowerer::chain_of_conditions(const std::vector<ast::ExprId>& terms, bool conjunction,
                                     Env* env) {
  std::vector<ValueId> before;
  ValueId all;
  for (ast::ExprId term : terms) {
    const Span span = arena().exprs[term].span;
    const auto next = [&] {
      const std::size_t from = before.size() - std::min(before.size(), remembered);
      for (std::size_t k = from; k < before.size(); ++k) emit().assume(before[k], conjunction);
      before.push_back(as_scalar(eval(term, env), span));
      return before.back();
    };
    all = all.valid() ? both_known(all, next, conjunction) : next();
    if (emit().known_bool(all) == !conjunction) break;
    // Terms inside a branch are not seen from the next one.
    if (!emit().visible(before.back())) before.pop_back();
  }
  return all;
}

ValueRef Lowerer::chain_of_functions(const std::vector<ast::ExprId>& functions, Env* env,
                                     Span span) {
  std::vector<Lazy*> lazies;
  for (ast::ExprId function : functions) lazies.push_back(argument(function, env, true));
  Origin origin;
  origin.span = span;
  return native(
      1,
      [lazies](Lowerer& lower, const std::vector<Lazy*>& args, Span at) {
        Lazy* value = args[0];
        for (std::size_t k = lazies.size(); k-- > 0;)
          value = lower.ready(lower.apply(lower.demand(lazies[k]), {value}, at));
        return lower.demand(value);
      },
      origin);
}

ValueRef Lowerer::joined_in_halves(const ValueRef& join, const std::vector<ast::ExprId>& parts,
                                   std::size_t from, std::size_t to, Env* env, Span span) {
  if (to - from == 1) return eval(parts[from], env);
  const std::size_t middle = from + (to - from) / 2;
  const ValueRef left = joined_in_halves(join, parts, from, middle, env, span);
  const ValueRef right = joined_in_halves(join, parts, middle, to, env, span);
  // Stored at some levels, or each element would be found through all of them.
  const bool store = to - from > 16 && !emit().in_parallel();
  const ValueRef whole = call(join, {left, right}, span);
  return store ? force(settle(whole, span), span) : whole;
}

ValueRef Lowerer::chain_from_inside(const std::vector<ast::ExprId>& nodes, bool applies,
                                    ast::ExprId last, Env* env) {
  Lazy* right = nullptr;
  ValueRef value;
  for (std::size_t k = nodes.size(); k-- > 0;) {
    const auto& node = std::get<ast::Binary>(arena().exprs[nodes[k]].node);
    const Span span = arena().exprs[nodes[k]].span;
    at(span);
    const ValueRef function = eval(applies ? node.lhs : node.op, env);
    const auto* closure = get_if<ClosureValue>(function);
    const bool raw = closure != nullptr && closure->raw &&
                     closure->args.size() + (applies ? 1 : 2) >= closure->arity;
    if (value)
      right = ready(raw ? value : force(value, span));
    else
      right = argument(last, env, !raw);
    value = applies ? apply(function, {right}, span)
                    : apply(function, {argument(node.lhs, env, !raw), right}, span);
    bind_opened(nodes[k], value, env);
  }
  return value;
}

}  // namespace dvm::lower
