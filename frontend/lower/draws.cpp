// The qualifiers of a comprehension, one after the other. Each step knows how often the ones before
// it draw (n) and what they bind in draw k:
//   a generator whose array is the same in every draw   n * m draws; k gives k / m and k mod m
//   one whose array depends on what was drawn           the sizes of all its arrays are counted,
//   and
//                                                       scanned to offsets; draw k belongs to the
//                                                       last array that does not begin after it
//   guards, patterns that may fail                      a filter of the indices 0 .. n - 1
// so every draw is found by itself, and all of them in parallel.
#include "frontend/lower/draws.hpp"

#include <set>

#include "frontend/ast/walk.hpp"
#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace {

using Qualifiers = std::vector<ast::Qualifier>;

// The names that these qualifiers bind.
std::set<BindingId> names_of(const typed::Program& program, const Qualifiers& qualifiers,
                             std::size_t end) {
  std::set<BindingId> names;
  auto pattern = [&](ast::PatternId whole) {
    ast::each_pattern(program.ast->arena, whole, [&](ast::PatternId part) {
      if (program.pattern_bindings[part].valid()) names.insert(program.pattern_bindings[part]);
    });
  };
  for (std::size_t i = 0; i < end; ++i) {
    if (const auto* generator = std::get_if<ast::Generator>(&qualifiers[i]))
      pattern(generator->pattern);
    const auto* let = std::get_if<ast::LetQualifier>(&qualifiers[i]);
    if (let == nullptr) continue;
    for (ast::DeclId id : let->decls) {
      if (program.decl_bindings[id].valid()) names.insert(program.decl_bindings[id]);
      const auto& decl = program.ast->arena.decls[id].node;
      if (const auto* binding = std::get_if<ast::PatternBinding>(&decl)) pattern(binding->pattern);
    }
  }
  return names;
}

bool uses_any(const typed::Program& program, ast::ExprId expr, const std::set<BindingId>& names) {
  return ast::any_inside(program.ast->arena, expr, [&](ast::ExprId part) {
    const auto& use = program.uses[part];
    return use && use->binding.valid() && names.contains(use->binding);
  });
}

ValueRef scalar_sum(Lowerer& lower) {
  return lower.native(2, [](Lowerer& inside, const std::vector<Lazy*>& args, Span span) {
    const ValueId a = inside.as_scalar(inside.demand(args[0]), span);
    const ValueId b = inside.as_scalar(inside.demand(args[1]), span);
    return inside.scalar_value(inside.emit().scalar(ScalarFn::Add, {a, b}));
  });
}

// The last i with starts[i] <= k, for 0 = starts[0] <= k: halving.
ValueId last_start(Lowerer& lower, const ArrayValue& starts, ValueId k, Span span) {
  using Body = std::function<ValueRef(Lowerer&, ValueId low, ValueId high)>;
  auto on_bounds = [&](Body body) {
    return lower.native(
        1, [body, span](Lowerer& inside, const std::vector<Lazy*>& args, Span) -> ValueRef {
          const ValueRef state = inside.demand(args[0]);
          const auto& parts = get_if<TupleValue>(state)->parts;
          return body(inside, inside.as_scalar(parts.at(0), span),
                      inside.as_scalar(parts.at(1), span));
        });
  };
  const ValueRef done = on_bounds([](Lowerer& inside, ValueId low, ValueId high) {
    Emitter& emit = inside.emit();
    const ValueId width = emit.scalar(ScalarFn::Sub, {high, low});
    return inside.scalar_value(emit.scalar(ScalarFn::Le, {width, emit.constant_i64(1)}));
  });
  const ValueRef step = on_bounds([starts, k, span](Lowerer& inside, ValueId low, ValueId high) {
    Emitter& emit = inside.emit();
    const ValueId sum = emit.scalar(ScalarFn::Add, {low, high});
    const ValueId middle = emit.scalar(ScalarFn::Shr, {sum, emit.constant_i64(1)});
    const ValueId start = inside.as_scalar(starts.element(inside, middle), span);
    const ValueId begins = emit.scalar(ScalarFn::Le, {start, k});
    return make_value(
        TupleValue{{inside.scalar_value(emit.scalar(ScalarFn::Select, {begins, middle, low})),
                    inside.scalar_value(emit.scalar(ScalarFn::Select, {begins, high, middle}))}});
  });
  Emitter& emit = lower.emit();
  const ValueRef first =
      make_value(TupleValue{{lower.scalar_value(emit.constant_i64(0)),
                             lower.scalar_value(emit.size_value(starts.extent))}});
  const ValueRef found = lower.until(done, step, first, span);
  return lower.as_scalar(get_if<TupleValue>(found)->parts.at(0), span);
}

}  // namespace

// Binds a generator's pattern, or leaves its element to be matched.
Drawn Lowerer::draw_element(const ast::Generator& generator, const ArrayValue& source,
                            ValueId index, Env* outer) {
  Drawn drawn{new_env(outer), nullptr};
  const Span span = arena().patterns[generator.pattern].span;
  Lazy* element = new_lazy([source, index](Lowerer& lower) { return source.element(lower, index); },
                           true, span);
  if (irrefutable(generator.pattern))
    bind_pattern(generator.pattern, element, drawn.frame);
  else
    drawn.element = element;
  return drawn;
}

// The first generator of a branch.
Draws Lowerer::first_draws(const ast::Generator& generator, bool read_again, Env* env) {
  ArrayValue source = generator_source(generator, env);
  if (read_again) source = stored_or_view(source, arena().exprs[generator.source].span);
  Draws draws{source.extent, source.requirements, {}};
  draws.bind = [&generator, source](Lowerer& lower, ValueId k, Env* outer) {
    return lower.draw_element(generator, source, k, outer);
  };
  return draws;
}

// A generator whose array is the same in all draws before it.
Draws Lowerer::product_draws(const Draws& before, const ast::Generator& generator, Env* env) {
  const Span span = arena().exprs[generator.source].span;
  const ArrayValue source = stored_or_view(generator_source(generator, env), span);
  at(span);
  Draws draws{before.extent * source.extent, before.requirements, {}};
  draws.requirements.insert(draws.requirements.end(), source.requirements.begin(),
                            source.requirements.end());
  draws.bind = [&generator, before, source, span](Lowerer& lower, ValueId k, Env* outer) {
    Emitter& emit = lower.emit();
    const ValueId width = emit.size_value(source.extent);
    const CheckId check = lower.new_check(span, "division by zero");  // there are no draws then
    const ValueId row = emit.scalar(ScalarFn::IntDiv, {k, width}, check);
    const ValueId column = emit.scalar(ScalarFn::IntMod, {k, width}, check);
    emit.add_index_facts(row, before.extent);
    emit.add_index_facts(column, source.extent);
    return lower.draw_element(generator, source, column, before.bind(lower, row, outer).frame);
  };
  return draws;
}

// A generator whose array depends on what was drawn before.
Draws Lowerer::dependent_draws(const Draws& before, const ast::Generator& generator, Env* env) {
  const Span span = arena().exprs[generator.source].span;
  auto source_of = [this, &generator, before, span](ValueId row, Env* outer) {
    Env* frame = before.bind(*this, row, outer).frame;
    return std::make_pair(as_array(demand(argument(generator.source, frame, false)), span), frame);
  };
  ArrayValue counts = pull(
      before.extent,
      [source_of, env](Lowerer& lower, ValueId row) {
        const ArrayValue source = source_of(row, env).first;
        const ValueId count = lower.emit().size_value(source.extent);
        return lower.scalar_value(lower.fulfil(count, source.requirements));
      },
      false);
  counts.requirements = before.requirements;
  const ArrayValue sizes = tabulate(counts, span);
  const ValueRef sum = scalar_sum(*this);
  const ValueRef zero = scalar_value(emit().constant_i64(0));
  const ValueId total = as_scalar(reduce(sizes, sum, zero, span), span);
  emit().mark_size(total);
  const ArrayValue starts = as_array(scan(sizes, sum, zero, true, span), span);
  const Size extent = emit().as_size(total);
  const ArrayValue rows =
      tabulate(pull(
                   extent,
                   [starts, span](Lowerer& lower, ValueId k) {
                     return lower.scalar_value(last_start(lower, starts, k, span));
                   },
                   false),
               span);
  Draws draws{extent, {}, {}};
  draws.bind = [&generator, rows, starts, source_of, before, span](Lowerer& lower, ValueId k,
                                                                   Env* outer) {
    Emitter& emit = lower.emit();
    const ValueId row = lower.as_scalar(rows.element(lower, k), span);
    emit.add_index_facts(row, before.extent);
    const ValueId start = lower.as_scalar(starts.element(lower, row), span);
    const ValueId column = emit.scalar(ScalarFn::Sub, {k, start});
    const auto [source, frame] = source_of(row, outer);
    emit.add_index_facts(column, source.extent);
    return lower.draw_element(generator, source, column, frame);
  };
  return draws;
}

// The draws that match the generator's pattern and pass the guards of `rest`, which are only guards
// and `let`s; `generator` is none before the first one.
Draws Lowerer::kept_draws(const Draws& before, const ast::Generator* generator,
                          const std::vector<ast::Qualifier>& rest, Env* env, Span span) {
  ArrayValue indices =
      pull(before.extent, [](Lowerer& lower, ValueId k) { return lower.scalar_value(k); }, true);
  indices.requirements = before.requirements;
  auto keeps = [&](const ValueRef& index) -> ValueId {
    const Drawn drawn = before.bind(*this, as_scalar(index, span), env);
    Match match;
    if (drawn.element != nullptr)
      match = this->match(generator->pattern, demand(drawn.element), drawn.frame);
    auto guards = [&] {
      const Match all = test_qualifiers(rest, 0, drawn.frame);
      if (all.never) return emit().constant(Scalar::of_bool(false));
      return all.condition.valid() ? all.condition : emit().constant(Scalar::of_bool(true));
    };
    if (match.never) return emit().constant(Scalar::of_bool(false));
    return match.condition.valid() ? both(match.condition, guards, true) : guards();
  };
  const ArrayValue kept = as_array(filter(indices, keeps, span), span);
  Draws draws{kept.extent, {}, {}};
  draws.bind = [before, kept, generator, rest, span](Lowerer& lower, ValueId k, Env* outer) {
    const ValueId index = lower.as_scalar(kept.element(lower, k), span);
    lower.emit().add_index_facts(index, before.extent);
    Drawn drawn = before.bind(lower, index, outer);
    if (drawn.element != nullptr)
      lower.match(generator->pattern, lower.demand(drawn.element), drawn.frame);
    for (const ast::Qualifier& qualifier : rest)
      if (const auto* let = std::get_if<ast::LetQualifier>(&qualifier))
        lower.declare(let->decls, drawn.frame);
    return Drawn{drawn.frame, nullptr};
  };
  return draws;
}

Draws Lowerer::draws_of(const std::vector<ast::Qualifier>& qualifiers, Env* env, Span span) {
  auto is_generator = [&](std::size_t i) {
    return std::holds_alternative<ast::Generator>(qualifiers[i]);
  };
  // Before any generator there is one draw.
  Draws draws{Size(1), {}, [](Lowerer& lower, ValueId, Env* outer) {
                return Drawn{lower.new_env(outer), nullptr};
              }};
  for (std::size_t i = 0; i < qualifiers.size();) {
    const auto* generator = std::get_if<ast::Generator>(&qualifiers[i]);
    const std::size_t first = generator == nullptr ? i : i + 1;
    std::size_t end = first;
    while (end < qualifiers.size() && !is_generator(end)) ++end;
    const std::vector<ast::Qualifier> rest(qualifiers.begin() + static_cast<std::ptrdiff_t>(first),
                                           qualifiers.begin() + static_cast<std::ptrdiff_t>(end));
    bool filters = generator != nullptr && !irrefutable(generator->pattern);
    for (const ast::Qualifier& qualifier : rest)
      filters |= std::holds_alternative<ast::Guard>(qualifier);
    if (generator != nullptr) {
      if (i == 0)
        draws = first_draws(*generator, filters || end < qualifiers.size(), env);
      else if (uses_any(program_, generator->source, names_of(program_, qualifiers, i)))
        draws = dependent_draws(draws, *generator, env);
      else
        draws = product_draws(draws, *generator, env);
    }
    at(span);
    if (filters) {
      draws = kept_draws(draws, generator, rest, env, span);
    } else if (!rest.empty()) {
      draws.bind = [before = draws.bind, rest](Lowerer& lower, ValueId k, Env* outer) {
        const Drawn drawn = before(lower, k, outer);
        for (const ast::Qualifier& qualifier : rest)
          lower.declare(std::get<ast::LetQualifier>(qualifier).decls, drawn.frame);
        return drawn;
      };
    }
    i = end;
  }
  return draws;
}

}  // namespace dvm::lower
