// Comprehensions: each branch is a number of draws (draws.cpp), the body is evaluated for each.
#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

ArrayValue Lowerer::generator_source(const ast::Generator& generator, Env* env) {
  const Span span = arena().exprs[generator.source].span;
  Lazy* lazy = argument(generator.source, env, false);
  return worthwhile(as_array(demand(lazy), span), span);
}

// Several generators, none of whose sizes depends on another (so that the type knows the size), and
// no filter: nested arrays, flattened.
bool Lowerer::is_grid(const ast::Comprehension& node, ast::ExprId expr) const {
  if (node.branches.size() != 1 || !program_.opened[expr].empty()) return false;
  std::size_t generators = 0;
  for (const ast::Qualifier& qualifier : node.branches[0]) {
    const auto* generator = std::get_if<ast::Generator>(&qualifier);
    if (std::holds_alternative<ast::Guard>(qualifier)) return false;
    if (generator != nullptr && !irrefutable(generator->pattern)) return false;
    generators += generator != nullptr;
  }
  return generators > 1;
}

ValueRef Lowerer::eval_comprehension(const ast::Comprehension& node, ast::ExprId expr, Env* env) {
  const Span span = arena().exprs[expr].span;
  if (is_grid(node, expr) && !emit().in_parallel()) {
    std::size_t generators = 0;
    for (const ast::Qualifier& qualifier : node.branches[0])
      generators += std::holds_alternative<ast::Generator>(qualifier);
    const ValueRef grid = generator_grid(node, node.branches[0], 0, new_env(env), span);
    ValueRef result = make_value(tabulate(as_array(grid, span), span));
    for (; generators > 1; --generators) result = flatten_rows(as_array(result, span), span);
    return result;
  }
  std::vector<Draws> branches;
  for (const auto& branch : node.branches) branches.push_back(draws_of(branch, env, span));
  at(span);
  const Size extent = branches[0].extent;
  std::vector<Requirement> requirements;
  std::vector<std::optional<Requirement>> same(branches.size());
  for (std::size_t k = 0; k < branches.size(); ++k) {
    requirements.insert(requirements.end(), branches[k].requirements.begin(),
                        branches[k].requirements.end());
    if (branches[k].extent == extent) continue;
    same[k] = same_size(extent, branches[k].extent, span,
                        "generators side by side draw {0} and {1} elements");
    requirements.push_back(*same[k]);
  }
  ArrayValue result = pull(
      extent,
      [&node, env, branches, same](Lowerer& lower, ValueId index) {
        Env* frame = env;
        for (std::size_t k = 0; k < branches.size(); ++k) {
          const ValueId at = same[k] ? lower.fulfil(index, {*same[k]}) : index;
          frame = branches[k].bind(lower, at, frame).frame;
        }
        return lower.eval(node.body, frame);
      },
      false);
  result.requirements = std::move(requirements);
  return make_value(std::move(result));
}

Requirement Lowerer::same_size(const Size& a, const Size& b, Span span,
                               const std::string& message) {
  const ValueId first = emit().size_value(a);
  const ValueId second = emit().size_value(b);
  const ValueId ok = emit().scalar(ScalarFn::Eq, {first, second});
  return require(ok, {first, second}, span, message);
}

// [ e | x <- xs, y <- ys ] as an array of arrays.
ValueRef Lowerer::generator_grid(const ast::Comprehension& node,
                                 const std::vector<ast::Qualifier>& qualifiers, std::size_t from,
                                 Env* env, Span span) {
  while (from < qualifiers.size() && std::holds_alternative<ast::LetQualifier>(qualifiers[from])) {
    declare(std::get<ast::LetQualifier>(qualifiers[from]).decls, env);
    ++from;
  }
  if (from == qualifiers.size()) return eval(node.body, env);
  const auto& generator = std::get<ast::Generator>(qualifiers[from]);
  const ArrayValue source = generator_source(generator, env);
  ArrayValue result = pull(
      source.extent,
      [this, &node, &qualifiers, &generator, from, env, source, span](Lowerer&, ValueId index) {
        Env* frame = new_env(env);
        Lazy* element = new_lazy(
            [source, index](Lowerer& lower) { return source.element(lower, index); }, true, span);
        bind_pattern(generator.pattern, element, frame);
        return generator_grid(node, qualifiers, from + 1, frame, span);
      },
      false);
  result.requirements = source.requirements;
  return make_value(std::move(result));
}

// Array [n, m, …] stored as [n * m, …].
ValueRef Lowerer::flatten_rows(const ArrayValue& array, Span span) {
  const ArrayValue whole = tabulate(array, span);
  const auto* row = std::get_if<ArrayLayout>(&whole.stored->element->node);
  if (row == nullptr) not_supported(span, "this use of `flatten`");
  std::vector<ValueId> leaves;
  for (ValueId leaf : whole.stored->leaves) {
    graph::Type type = emit().type(leaf);
    type.shape[1] = type.shape[0] * type.shape[1];
    type.shape.erase(type.shape.begin());
    leaves.push_back(emit().results(emit().add(graph::Reshape{}, {leaf}, {}, {type}))[0]);
  }
  return make_value(stored_array(whole.extent * row->extent, row->element, std::move(leaves)));
}

}  // namespace dvm::lower
