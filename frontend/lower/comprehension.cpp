// Comprehensions.
#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace {

// One generator, then only `let`s.
bool is_simple(const std::vector<ast::Qualifier>& branch) {
  if (branch.empty() || !std::holds_alternative<ast::Generator>(branch[0])) return false;
  for (std::size_t i = 1; i < branch.size(); ++i)
    if (!std::holds_alternative<ast::LetQualifier>(branch[i])) return false;
  return true;
}

}  // namespace

ArrayValue Lowerer::generator_source(const ast::Generator& generator, Env* env) {
  const Span span = arena().exprs[generator.source].span;
  Lazy* lazy = argument(generator.source, env, false);
  return worthwhile(as_array(demand(lazy), span), span);
}

ValueRef Lowerer::eval_comprehension(const ast::Comprehension& node, ast::ExprId expr, Env* env) {
  const Span span = arena().exprs[expr].span;
  bool simple = true;
  for (const auto& branch : node.branches) {
    simple &= is_simple(branch);
    if (simple) simple &= irrefutable(std::get<ast::Generator>(branch[0]).pattern);
  }
  if (simple) return parallel_comprehension(node, env, span);
  if (node.branches.size() != 1)
    not_supported(span, "a comprehension that filters in one of several branches");
  return nested_comprehension(node, env, span);
}

// [ e | x <- xs | y <- ys ]: element i binds the patterns to elements i.
ValueRef Lowerer::parallel_comprehension(const ast::Comprehension& node, Env* env, Span span) {
  std::vector<ArrayValue> sources;
  for (const auto& branch : node.branches)
    sources.push_back(generator_source(std::get<ast::Generator>(branch[0]), env));
  at(span);
  Size extent = sources[0].extent;
  std::vector<Requirement> requirements;
  for (const ArrayValue& source : sources) {
    requirements.insert(requirements.end(), source.requirements.begin(), source.requirements.end());
    if (source.extent == extent) continue;
    requirements.push_back(same_size(extent, source.extent, span));
  }
  for (std::size_t k = 1; k < sources.size(); ++k)
    if (sources[k].extent != extent)
      sources[k] = guarded(sources[k], same_size(extent, sources[k].extent, span));
  ArrayValue result = pull(
      extent,
      [this, &node, env, sources](Lowerer&, ValueId index) {
        Env* frame = new_env(env);
        for (std::size_t k = 0; k < sources.size(); ++k) {
          const auto& branch = node.branches[k];
          const auto& generator = std::get<ast::Generator>(branch[0]);
          const ArrayValue& source = sources[k];
          Lazy* element =
              new_lazy([source, index](Lowerer& lower) { return source.element(lower, index); },
                       true, arena().patterns[generator.pattern].span);
          bind_pattern(generator.pattern, element, frame);
          for (std::size_t q = 1; q < branch.size(); ++q)
            declare(std::get<ast::LetQualifier>(branch[q]).decls, frame);
        }
        return eval(node.body, frame);
      },
      false);
  result.requirements = std::move(requirements);
  return make_value(std::move(result));
}

Requirement Lowerer::same_size(const Size& a, const Size& b, Span span) {
  const ValueId first = emit().size_value(a);
  const ValueId second = emit().size_value(b);
  const ValueId ok = emit().scalar(ScalarFn::Eq, {first, second});
  return require(ok, {first, second}, span,
                 "arrays of different sizes {0} and {1} are taken together");
}

// One branch with guards, or with several generators that do not depend on each other.
ValueRef Lowerer::nested_comprehension(const ast::Comprehension& node, Env* env, Span span) {
  const std::vector<ast::Qualifier>& qualifiers = node.branches[0];
  std::size_t generators = 0;
  for (const ast::Qualifier& qualifier : qualifiers)
    generators += std::holds_alternative<ast::Generator>(qualifier);
  if (qualifiers.empty() || !std::holds_alternative<ast::Generator>(qualifiers[0]))
    not_supported(span, "a comprehension that does not begin with a generator");
  const auto& first = std::get<ast::Generator>(qualifiers[0]);
  if (generators == 1) {
    // The indices of what is kept, then the body on those.
    const ArrayValue source =
        stored_or_view(generator_source(first, env), arena().exprs[first.source].span);
    at(span);
    ArrayValue indices = pull(
        source.extent, [](Lowerer& lower, ValueId index) { return lower.scalar_value(index); },
        true);
    indices.requirements = source.requirements;
    const ValueRef kept = filter(
        indices,
        [&](const ValueRef& index) {
          Env* frame = new_env(env);
          return keeps(qualifiers, source.element(*this, as_scalar(index, span)), frame, span);
        },
        span);
    const ArrayValue chosen = as_array(kept, span);
    return make_value(pull(
        chosen.extent,
        [this, &node, &qualifiers, env, source, chosen, span](Lowerer&, ValueId k) {
          Env* frame = new_env(env);
          const ValueRef element = source.element(*this, as_scalar(chosen.element(*this, k), span));
          match(std::get<ast::Generator>(qualifiers[0]).pattern, element, frame);
          for (std::size_t q = 1; q < qualifiers.size(); ++q)
            if (const auto* let = std::get_if<ast::LetQualifier>(&qualifiers[q]))
              declare(let->decls, frame);
          return eval(node.body, frame);
        },
        false));
  }
  for (const ast::Qualifier& qualifier : qualifiers)
    if (std::holds_alternative<ast::Guard>(qualifier))
      not_supported(span, "a comprehension with several generators and guards");
  const ArrayValue grid = as_array(generator_grid(node, qualifiers, 0, env, span), span);
  ValueRef result = make_value(tabulate(grid, span));
  for (std::size_t i = 1; i < generators; ++i) result = flatten_rows(as_array(result, span), span);
  return result;
}

ValueId Lowerer::keeps(const std::vector<ast::Qualifier>& qualifiers, const ValueRef& element,
                       Env* frame, Span span) {
  const Match match = this->match(std::get<ast::Generator>(qualifiers[0]).pattern, element, frame);
  if (match.never) return emit().constant(Scalar::of_bool(false));
  auto guards = [&] {
    const Match rest = test_qualifiers(qualifiers, 1, frame);
    if (rest.never) return emit().constant(Scalar::of_bool(false));
    return rest.condition.valid() ? rest.condition : emit().constant(Scalar::of_bool(true));
  };
  return match.condition.valid() ? both(match.condition, guards, true, span) : guards();
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
  if (!irrefutable(generator.pattern))
    not_supported(span, "a pattern that can fail among several generators");
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
