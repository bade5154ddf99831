// Choices and loops.
#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

using graph::Type;

// ---------------------------------------------------------------- choices

ValueRef Lowerer::branch(ValueId condition, const Rest& then_side, const Rest& else_side,
                         Span span) {
  if (auto known = emit().known_bool(condition)) return *known ? then_side() : else_side();
  const LocId loc = emit().loc();
  auto evaluate = [&](const Rest& side, bool holds) {
    emit().open(FrameKind::Branch);
    emit().assume(condition, holds);
    ValueRef value = side();
    emit().set_loc(loc);
    return std::make_pair(std::move(value), emit().leave());
  };
  auto [then_value, then_frame] = evaluate(then_side, true);
  if (holds_function(then_value)) return branch_functions(condition, then_side, else_side, span);
  auto [else_value, else_frame] = evaluate(else_side, false);
  if (holds_function(else_value)) return branch_functions(condition, then_side, else_side, span);
  return branch_values(condition, then_value, std::move(then_frame), else_value,
                       std::move(else_frame), span);
}

ValueRef Lowerer::branch_values(ValueId condition, const ValueRef& then_raw, Frame then_frame,
                                const ValueRef& else_raw, Frame else_frame, Span span) {
  const LocId loc = emit().loc();
  // A choice between rows inside a body is made element by element.
  const auto* then_row = get_if<ArrayValue>(then_raw);
  const auto* else_row = get_if<ArrayValue>(else_raw);
  if (then_row != nullptr && else_row != nullptr && emit().in_parallel() &&
      then_row->extent == else_row->extent && is_cheap(then_frame.region) &&
      is_cheap(else_frame.region) && !then_frame.guards && !else_frame.guards) {
    emit().splice(then_frame.region);
    emit().splice(else_frame.region);
    ArrayValue chosen = pull(
        then_row->extent,
        [condition, a = *then_row, b = *else_row, span](Lowerer& lower, ValueId i) {
          return lower.branch(
              condition, [&] { return a.element(lower, i); }, [&] { return b.element(lower, i); },
              span);
        },
        then_row->view && else_row->view);
    return make_value(std::move(chosen));
  }
  auto in_frame = [&](Frame& frame, const std::function<void()>& act) {
    emit().reenter(std::move(frame));
    act();
    frame = emit().leave();
    emit().set_loc(loc);
  };
  const auto* then_failure = get_if<FailureValue>(then_raw);
  const auto* else_failure = get_if<FailureValue>(else_raw);
  if (then_failure != nullptr && else_failure != nullptr && !then_failure->type &&
      !else_failure->type)
    return then_raw;
  ValueRef then_value = then_raw;
  ValueRef else_value = else_raw;
  if (then_failure == nullptr || else_failure != nullptr)
    in_frame(then_frame, [&] { then_value = settle(then_raw, span); });
  if (else_failure == nullptr || then_failure != nullptr)
    in_frame(else_frame, [&] { else_value = settle(else_raw, span); });
  const bool then_fails = then_failure != nullptr && else_failure == nullptr;
  const bool else_fails = else_failure != nullptr && then_failure == nullptr;

  std::vector<JoinedSize> sizes;
  std::vector<JoinedSize>* outer_sizes = joined_sizes_;
  joined_sizes_ = &sizes;
  LayoutRef layout;
  if (then_fails)
    layout = layout_of(else_value, span);
  else if (else_fails)
    layout = layout_of(then_value, span);
  else
    layout = join_layouts(layout_of(then_value, span), layout_of(else_value, span), span);
  joined_sizes_ = outer_sizes;

  std::vector<ValueId> then_leaves;
  std::vector<ValueId> else_leaves;
  auto leaves_of = [&](const ValueRef& value, bool fails, bool first,
                       std::vector<ValueId>& leaves) {
    for (const JoinedSize& size : sizes)
      leaves.push_back(emit().size_value(first ? size.first : size.second));
    if (!fails) return flatten(value, layout, leaves, span);
    const auto* failure = get_if<FailureValue>(value);
    const CheckId check = new_check(failure->span, failure->message);
    const ValueId never = emit().constant(Scalar::of_bool(false));
    for (const Type& type : leaf_types(layout))
      leaves.push_back(emit().check(zero(type), never, {}, check));
  };
  in_frame(then_frame, [&] { leaves_of(then_value, then_fails, true, then_leaves); });
  in_frame(else_frame, [&] { leaves_of(else_value, else_fails, false, else_leaves); });

  bool select = is_cheap(then_frame.region) && is_cheap(else_frame.region) && !then_frame.guards &&
                !else_frame.guards;
  for (std::size_t i = 0; i < then_leaves.size() && select; ++i)
    select = emit().type(then_leaves[i]).is_scalar() &&
             emit().may_select(condition, then_leaves[i], else_leaves[i]);
  if (select) {
    emit().splice(then_frame.region);
    emit().splice(else_frame.region);
    std::vector<ValueId> leaves;
    for (std::size_t i = sizes.size(); i < then_leaves.size(); ++i)
      leaves.push_back(
          emit().scalar(ScalarFn::Select, {condition, then_leaves[i], else_leaves[i]}));
    return rebuild(layout, leaves);
  }
  emit().set_yields(then_frame.region, then_leaves);
  emit().set_yields(else_frame.region, else_leaves);
  std::vector<ValueId> results;
  for (const JoinedSize& size : sizes) {
    emit().mark_size(size.result);
    results.push_back(size.result);
  }
  for (Type& type : leaf_types(layout)) results.push_back(emit().new_value(std::move(type)));
  emit().add_with_results(graph::Branch{}, {condition}, {then_frame.region, else_frame.region},
                          results);
  return rebuild(layout,
                 {results.begin() + static_cast<std::ptrdiff_t>(sizes.size()), results.end()});
}

ValueId Lowerer::both(ValueId condition, const std::function<ValueId()>& rest, bool conjunction) {
  return both_known(
      condition,
      [&] {
        emit().assume(condition, conjunction);
        return rest();
      },
      conjunction);
}

// The same where `rest` itself says what it may assume.
ValueId Lowerer::both_known(ValueId condition, const std::function<ValueId()>& rest,
                            bool conjunction) {
  if (auto known = emit().known_bool(condition)) {
    if (*known == conjunction) return rest();
    return condition;
  }
  const LocId loc = emit().loc();
  emit().open(FrameKind::Branch);
  const ValueId second = rest();
  Frame frame = emit().leave();
  emit().set_loc(loc);
  if (is_cheap(frame.region) && !frame.guards && emit().may_select(condition, condition, second)) {
    emit().splice(frame.region);
    return emit().scalar(conjunction ? ScalarFn::And : ScalarFn::Or, {condition, second});
  }
  emit().set_yields(frame.region, {second});
  emit().open(FrameKind::Branch);
  const ValueId skipped = emit().constant(Scalar::of_bool(!conjunction));
  const RegionId other = emit().leave().region;
  emit().set_yields(other, {skipped});
  std::vector<RegionId> regions = {frame.region, other};
  if (!conjunction) std::swap(regions[0], regions[1]);
  return emit().results(
      emit().add(graph::Branch{}, {condition}, regions, {Type{ElementType::Bool, {}}}))[0];
}

// ---------------------------------------------------------------- loops

LayoutRef Lowerer::state_layout(const ValueRef& settled, Span span) {
  return generalise(layout_of(settled, span, Functions::Keep));
}

// Makes leaves those of a layout that only differs in how its sizes are written; that they are
// equal is checked at run time.
void Lowerer::coerce(const LayoutRef& to, std::vector<ValueId>& leaves, Span span) {
  const std::vector<Type> want = leaf_types(to);
  for (std::size_t i = 0; i < leaves.size() && i < want.size(); ++i) {
    const Type actual = emit().type(leaves[i]);
    if (actual == want[i]) continue;
    for (std::size_t d = 0; d < want[i].shape.size() && d < actual.shape.size(); ++d) {
      if (actual.shape[d] == want[i].shape[d]) continue;
      const ValueId is = emit().size_value(actual.shape[d]);
      const ValueId should = emit().size_value(want[i].shape[d]);
      const ValueId ok = emit().scalar(ScalarFn::Eq, {is, should});
      const CheckId check = new_check(span, "the size {0} is not the expected size {1}");
      leaves[i] = emit().check(leaves[i], ok, {is, should}, check);
    }
    const CheckId check = new_check(span, "the size {0} is not the expected size {1}");
    leaves[i] = emit().results(emit().add(graph::Reshape{}, {leaves[i]}, {}, {want[i]}, check))[0];
  }
}

std::vector<ValueId> Lowerer::state_leaves(const ValueRef& value, const LayoutRef& layout,
                                           Span span) {
  const ValueRef settled = settle(value, span, Functions::Keep);
  std::vector<ValueId> leaves;
  flatten(settled, layout, leaves, span);
  coerce(layout, leaves, span);
  return leaves;
}

ValueRef Lowerer::loop(ValueId count, const ValueRef& initial,
                       const std::function<ValueRef(ValueId, const ValueRef&)>& step, Span span,
                       const TypeRef& type) {
  constexpr std::int64_t most_unrolled = 16;
  const LocId loc = emit().loc();
  if (auto known = emit().known(count); known && known->as_i64() >= 0 &&
                                        known->as_i64() <= most_unrolled &&
                                        (emit().in_parallel() || known->as_i64() <= 1)) {
    bool scalars = true;
    const ValueRef settled = settle(initial, span, Functions::Keep);
    for (const Type& leaf : leaf_types(layout_of(settled, span, Functions::Keep)))
      scalars &= leaf.is_scalar();
    if (scalars || known->as_i64() <= 1) {
      ValueRef state = settled;
      for (std::int64_t i = 0; i < known->as_i64(); ++i)
        state = settle(step(emit().constant_i64(i), state), span, Functions::Keep);
      return state;
    }
  }
  const ValueRef start = settle(initial, span, Functions::Keep);
  const StateForm form = state_form(start, type, span);
  std::vector<ValueId> operands = {count};
  const std::vector<ValueId> first = state_values(start, form, span);
  operands.insert(operands.end(), first.begin(), first.end());
  const std::size_t outer_sizes = changing_sizes_.size();
  const RegionId region = emit().open(FrameKind::Step);
  const ValueId index = emit().param({ElementType::I64, {}}, "step");
  emit().add_index_facts(index, emit().as_size(count));
  const ValueRef state = state_params(form, span);
  const std::vector<ValueId> yields = state_values(step(index, state), form, span);
  emit().leave();
  changing_sizes_.resize(outer_sizes);
  emit().set_loc(loc);
  emit().set_yields(region, yields);
  const auto [result, results] = state_results(form, span);
  emit().add_with_results(graph::Loop{}, operands, {region}, results);
  return result;
}

ValueRef Lowerer::until(const ValueRef& done, const ValueRef& step, const ValueRef& initial,
                        Span span, const TypeRef& type) {
  const LocId loc = emit().loc();
  const ValueRef start = settle(initial, span, Functions::Keep);
  const StateForm form = state_form(start, type, span);
  const std::vector<ValueId> operands = state_values(start, form, span);
  const std::size_t outer_sizes = changing_sizes_.size();

  const RegionId condition = emit().open(FrameKind::Step);
  const ValueRef tested = state_params(form, span);
  const ValueId stop = as_scalar(call(done, {tested}, span), span);
  const ValueId go_on = emit().scalar(ScalarFn::Not, {stop});
  emit().leave();
  emit().set_yields(condition, {go_on});

  const RegionId body = emit().open(FrameKind::Step);
  const ValueRef state = state_params(form, span);
  const std::vector<ValueId> yields = state_values(call(step, {state}, span), form, span);
  emit().leave();
  changing_sizes_.resize(outer_sizes);
  emit().set_loc(loc);
  emit().set_yields(body, yields);
  const auto [result, results] = state_results(form, span);
  emit().add_with_results(graph::While{}, operands, {condition, body}, results);
  return result;
}

// All states of a fold: the initial one, and those after each element.
ValueRef Lowerer::scan_states(const ArrayValue& array, const ValueRef& step,
                              const ValueRef& initial, Span span, const TypeRef& type) {
  const LocId loc = emit().loc();
  const ValueRef start = settle(initial, span);
  const StateForm form = state_form(start, type, span);
  const LayoutRef& layout = form.layout;
  std::vector<ValueId> operands = {emit().size_value(array.extent)};
  const std::vector<ValueId> first = state_values(start, form, span);
  operands.insert(operands.end(), first.begin(), first.end());
  const std::vector<Type> types = leaf_types(layout);
  const RegionId region = emit().open(FrameKind::Step);
  const ValueId index = emit().param({ElementType::I64, {}}, "step");
  emit().add_index_facts(index, array.extent);
  const ValueRef state = state_params(form, span);
  const ValueRef next = call(step, {state, array.element(*this, index)}, span);
  std::vector<ValueId> yields = state_values(next, form, span);
  const std::vector<ValueId> stacked = yields;
  yields.insert(yields.end(), stacked.begin(), stacked.end());
  emit().leave();
  emit().set_loc(loc);
  emit().set_yields(region, yields);
  std::vector<Type> results = types;
  for (Type stacked_type : types) {
    stacked_type.shape.insert(stacked_type.shape.begin(), array.extent);
    results.push_back(std::move(stacked_type));
  }
  const auto all = emit().results(emit().add(graph::Loop{static_cast<std::uint32_t>(types.size())},
                                             operands, {region}, std::move(results)));
  std::vector<ValueId> leaves;
  for (std::size_t i = 0; i < types.size(); ++i) {
    // The initial state as an array of one.
    Type one = types[i];
    one.shape.insert(one.shape.begin(), Size(1));
    const RegionId single = emit().open(FrameKind::Parallel);
    emit().param({ElementType::I64, {}}, "i");
    emit().leave();
    emit().set_yields(single, {first[i]});
    const ValueId head = emit().results(emit().add(graph::Map{{Size(1)}}, {}, {single}, {one}))[0];
    Type whole = one;
    whole.shape[0] = array.extent + Size(1);
    leaves.push_back(
        emit().results(emit().add(graph::Concat{}, {head, all[types.size() + i]}, {}, {whole}))[0]);
  }
  ArrayValue result = stored_array(array.extent + Size(1), layout, std::move(leaves));
  return make_value(std::move(result));
}

}  // namespace dvm::lower
