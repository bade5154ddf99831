// Reductions, scans, reductions by key, scatter, filter.
#include <algorithm>

#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

using graph::Component;
using graph::Type;

namespace {

bool is_builtin_combiner(ScalarFn fn) {
  switch (fn) {
    case ScalarFn::Add:
    case ScalarFn::Mul:
    case ScalarFn::Min:
    case ScalarFn::Max:
    case ScalarFn::And:
    case ScalarFn::Or:
    case ScalarFn::Xor:
      return true;
    default:
      return false;
  }
}

const Type index_type{ElementType::I64, {}};

}  // namespace

// The element of nested rows at a point.
ValueRef Lowerer::row_element(ValueRef value, const std::vector<ValueId>& point, Span span) {
  for (ValueId index : point) value = as_array(value, span).element(*this, index);
  return value;
}

// A row that has these scalars at `point`, and nothing elsewhere: what an operator on rows sees of
// its operands.
ValueRef Lowerer::wrap_rows(const ValueRef& scalars, const std::vector<Size>& extents,
                            const std::vector<ValueId>& point, std::size_t level) {
  if (level == extents.size()) return scalars;
  return make_value(pull(
      extents[level],
      [scalars, extents, point, level](Lowerer& lower, ValueId index) {
        if (index != point[level])
          lower.not_supported({}, "an operator on rows that does not go element by element");
        return lower.wrap_rows(scalars, extents, point, level + 1);
      },
      true));
}

Lowerer::Operator Lowerer::make_operator(const ValueRef& op, const LayoutRef& layout,
                                         const std::vector<Size>& rows, Span span) {
  const LocId loc = emit().loc();
  const std::vector<Type> types = leaf_types(layout);
  const RegionId region = emit().open(FrameKind::Parallel);
  std::vector<ValueId> left;
  std::vector<ValueId> right;
  for (const Type& type : types) left.push_back(emit().param(type, "a"));
  for (const Type& type : types) right.push_back(emit().param(type, "b"));
  std::vector<ValueId> point;
  for (std::size_t i = 0; i < rows.size(); ++i)
    point.push_back(
        emit().results(emit().add(graph::Constant{Scalar::of_i64(0)}, {}, {}, {index_type}))[0]);
  const ValueRef a = wrap_rows(rebuild(layout, left), rows, point, 0);
  const ValueRef b = wrap_rows(rebuild(layout, right), rows, point, 0);
  const ValueRef combined = settle(row_element(call(op, {a, b}, span), point, span), span);
  std::vector<ValueId> yields;
  flatten(combined, layout, yields, span);
  emit().leave();
  emit().set_loc(loc);
  emit().set_yields(region, yields);
  Operator result;
  for (std::size_t i = 0; i < yields.size(); ++i) {
    const graph::Node* node = emit().node_of(yields[i]);
    const auto* scalar = node == nullptr ? nullptr : std::get_if<graph::ScalarOp>(&node->op);
    if (scalar == nullptr || !is_builtin_combiner(scalar->fn)) break;
    const auto& operands = node->operands;
    const bool straight = operands[0] == left[i] && operands[1] == right[i];
    const bool crossed = operands[0] == right[i] && operands[1] == left[i];
    if (!straight && !crossed) break;
    result.components.push_back(Component{scalar->fn, false});
  }
  if (result.components.size() != yields.size()) {
    result.components.clear();
    result.region = region;
  }
  return result;
}

std::vector<ValueId> Lowerer::neutral_leaves(const ValueRef& neutral, const LayoutRef& layout,
                                             std::size_t rows, Span span) {
  std::vector<ValueId> point(rows);
  for (ValueId& index : point) index = emit().constant_i64(0);
  const ValueRef settled = settle(row_element(neutral, point, span), span);
  std::vector<ValueId> leaves;
  flatten(settled, layout, leaves, span);
  if (rows > 0)
    for (ValueId leaf : leaves) {
      const graph::Node* node = emit().node_of(leaf);
      if (node != nullptr && std::holds_alternative<graph::Read>(node->op))
        not_supported(span, "a neutral row whose elements may differ");
    }
  return leaves;
}

// Opens the region of terms. Its parameters are the index of the array and, when elements are rows,
// the indices of those (first, unless `index_first`).
Lowerer::Terms Lowerer::terms_of(const ArrayValue& array, bool index_first,
                                 const LayoutRef& neutral, Span span) {
  Terms terms;
  const std::size_t outer_depth = emit().frames().size();
  terms.region = emit().open(FrameKind::Parallel);
  terms.index = emit().param(index_type, "i");
  emit().add_index_facts(terms.index, array.extent);
  ValueRef value = array.element(*this, terms.index);
  while (const auto* row = get_if<ArrayValue>(value)) {
    if (!emit().visible_at(row->extent, outer_depth))
      fail(span, "ragged-array", "the rows of this array may differ in length",
           "not a regular array");
    terms.rows.push_back(row->extent);
    terms.point.push_back(emit().param(index_type, "j"));
    emit().add_index_facts(terms.point.back(), row->extent);
    value = row->element(*this, terms.point.back());
  }
  if (!index_first) {
    auto& params = emit().function().regions[terms.region].params;
    std::rotate(params.begin(), params.begin() + 1, params.end());
  }
  value = settle(value, span);
  terms.layout = layout_of(value, span);
  if (neutral) terms.layout = join_layouts(terms.layout, neutral, span);
  flatten(value, terms.layout, terms.leaves, span);
  for (const Type& type : leaf_types(terms.layout))
    if (!type.is_scalar()) not_supported(span, "a reduction of values that contain arrays");
  return terms;
}

ValueRef Lowerer::reduced(const Terms& terms, std::vector<Size> leading,
                          const std::vector<ValueId>& leaves) {
  leading.insert(leading.end(), terms.rows.begin(), terms.rows.end());
  LayoutRef layout = terms.layout;
  for (std::size_t i = leading.size(); i > 0; --i)
    layout = make_layout(ArrayLayout{leading[i - 1], layout});
  return rebuild(layout, leaves);
}

std::vector<Type> Lowerer::reduced_types(const Terms& terms, const std::vector<Size>& leading) {
  std::vector<Type> types = leaf_types(terms.layout);
  for (Type& type : types) {
    type.shape = leading;
    type.shape.insert(type.shape.end(), terms.rows.begin(), terms.rows.end());
  }
  return types;
}

// The layout of the neutral value where it is known to have more constructors than the elements.
LayoutRef Lowerer::neutral_layout(const ValueRef& neutral, Span span) {
  if (get_if<ArrayValue>(neutral) != nullptr) return nullptr;
  return layout_of(settle(neutral, span), span);
}

ValueRef Lowerer::reduce(const ArrayValue& raw, const ValueRef& op, const ValueRef& neutral,
                         Span span) {
  const ArrayValue array = worthwhile(raw, span);
  const LocId loc = emit().loc();
  const Terms terms = terms_of(array, false, neutral_layout(neutral, span), span);
  emit().leave();
  emit().set_loc(loc);
  emit().set_yields(terms.region, terms.leaves);
  const std::vector<ValueId> operands =
      neutral_leaves(neutral, terms.layout, terms.rows.size(), span);
  const Operator combine = make_operator(op, terms.layout, terms.rows, span);
  std::vector<RegionId> regions = {terms.region};
  if (combine.region) regions.push_back(*combine.region);
  graph::Reduce node{terms.rows, array.extent, graph::Tree::Unset, combine.components};
  emit().set_loc(loc);
  std::vector<ValueId> leaves =
      emit().results(emit().add(std::move(node), operands, regions, reduced_types(terms, {})));
  for (ValueId& leaf : leaves) leaf = fulfil(leaf, array.requirements);
  return reduced(terms, {}, leaves);
}

ValueRef Lowerer::scan(const ArrayValue& raw, const ValueRef& op, const ValueRef& neutral,
                       bool exclusive, Span span) {
  const ArrayValue array = worthwhile(raw, span);
  const LocId loc = emit().loc();
  const Terms terms = terms_of(array, false, neutral_layout(neutral, span), span);
  emit().leave();
  emit().set_loc(loc);
  emit().set_yields(terms.region, terms.leaves);
  if (!terms.rows.empty()) not_supported(span, "a scan of rows");
  const std::vector<ValueId> operands = neutral_leaves(neutral, terms.layout, 0, span);
  const Operator combine = make_operator(op, terms.layout, {}, span);
  std::vector<RegionId> regions = {terms.region};
  if (combine.region) regions.push_back(*combine.region);
  emit().set_loc(loc);
  std::vector<ValueId> leaves =
      emit().results(emit().add(graph::Scan{{}, array.extent, exclusive, combine.components},
                                operands, regions, reduced_types(terms, {array.extent})));
  for (ValueId& leaf : leaves) leaf = fulfil(leaf, array.requirements);
  return reduced(terms, {array.extent}, leaves);
}

ValueRef Lowerer::reduce_by_key(const ValueRef& op, const ValueRef& neutral, const Size& keys,
                                const ArrayValue& raw_key, const ArrayValue& raw, Span span) {
  const ArrayValue array = worthwhile(raw, span);
  const ArrayValue key = worthwhile(raw_key, span);
  const LocId loc = emit().loc();
  const Terms terms = terms_of(array, true, neutral_layout(neutral, span), span);
  std::vector<ValueId> yields = {as_scalar(key.element(*this, terms.index), span)};
  yields.insert(yields.end(), terms.leaves.begin(), terms.leaves.end());
  emit().leave();
  emit().set_loc(loc);
  emit().set_yields(terms.region, yields);
  const std::vector<ValueId> operands =
      neutral_leaves(neutral, terms.layout, terms.rows.size(), span);
  const Operator combine = make_operator(op, terms.layout, terms.rows, span);
  std::vector<RegionId> regions = {terms.region};
  if (combine.region) regions.push_back(*combine.region);
  emit().set_loc(loc);
  std::vector<ValueId> leaves = emit().results(
      emit().add(graph::ReduceByKey{keys, array.extent, terms.rows, combine.components}, operands,
                 regions, reduced_types(terms, {keys})));
  for (ValueId& leaf : leaves) leaf = fulfil(fulfil(leaf, array.requirements), key.requirements);
  return reduced(terms, {keys}, leaves);
}

ValueRef Lowerer::scatter(const ArrayValue& raw_into, const ArrayValue& raw_indices,
                          const ArrayValue& raw_values, const ValueRef& op, Span span) {
  const ArrayValue into = tabulate(raw_into, span);
  const ArrayValue indices = worthwhile(raw_indices, span);
  const ArrayValue values = worthwhile(raw_values, span);
  const LocId loc = emit().loc();
  LayoutRef element = into.stored->element;
  while (const auto* row = std::get_if<ArrayLayout>(&element->node)) element = row->element;
  const Terms terms = terms_of(values, true, element, span);
  std::vector<ValueId> yields = {as_scalar(indices.element(*this, terms.index), span)};
  yields.insert(yields.end(), terms.leaves.begin(), terms.leaves.end());
  emit().leave();
  emit().set_loc(loc);
  emit().set_yields(terms.region, yields);
  std::vector<RegionId> regions = {terms.region};
  graph::Scatter node{values.extent, terms.rows, op != nullptr, {}};
  if (op != nullptr) {
    const Operator combine = make_operator(op, terms.layout, terms.rows, span);
    node.components = combine.components;
    if (combine.region) regions.push_back(*combine.region);
  }
  if (leaf_types(element).size() != into.stored->leaves.size() ||
      terms.leaves.size() != into.stored->leaves.size())
    not_supported(span, "a scatter of values of this type");
  std::vector<Type> types;
  for (ValueId leaf : into.stored->leaves) types.push_back(emit().type(leaf));
  emit().set_loc(loc);
  std::vector<ValueId> leaves =
      emit().results(emit().add(std::move(node), into.stored->leaves, regions, types));
  for (ValueId& leaf : leaves)
    leaf = fulfil(fulfil(leaf, values.requirements), indices.requirements);
  return make_value(stored_array(into.extent, into.stored->element, std::move(leaves)));
}

// The elements to keep. Those that are scalars are written by the filter itself; of others it gives
// the indices.
ValueRef Lowerer::filter(const ArrayValue& raw, const std::function<ValueId(const ValueRef&)>& keep,
                         Span span) {
  ArrayValue array = worthwhile(raw, span);
  const LocId loc = emit().loc();
  const bool rows = shape_of(array, 2, span).size() > 1;
  if (rows) array = stored_or_view(array, span);
  const RegionId region = emit().open(FrameKind::Parallel);
  const ValueId index = emit().param(index_type, "i");
  emit().add_index_facts(index, array.extent);
  const ValueRef element = array.element(*this, index);
  std::vector<ValueId> yields = {keep(element)};
  LayoutRef layout;
  if (rows) {
    layout = make_layout(ScalarLayout{ElementType::I64});
    yields.push_back(index);
  } else {
    const ValueRef settled = settle(element, span);
    layout = layout_of(settled, span);
    flatten(settled, layout, yields, span);
  }
  emit().leave();
  emit().set_loc(loc);
  emit().set_yields(region, yields);
  const ValueId count = emit().new_value(index_type);
  emit().mark_size(count);
  const Size extent = Size::symbol(count.index);
  std::vector<ValueId> results = {count};
  for (Type type : leaf_types(layout)) {
    if (!type.is_scalar()) not_supported(span, "a filter of values that contain arrays");
    type.shape = {extent};
    results.push_back(emit().new_value(std::move(type)));
  }
  emit().add_with_results(graph::Filter{array.extent}, {}, {region}, results);
  std::vector<ValueId> leaves(results.begin() + 1, results.end());
  for (ValueId& leaf : leaves) leaf = fulfil(leaf, array.requirements);
  const ArrayValue kept = stored_array(extent, layout, std::move(leaves));
  if (!rows) return make_value(kept);
  return make_value(pull(
      extent,
      [kept, array, span](Lowerer& lower, ValueId i) {
        return array.element(lower, lower.as_scalar(kept.element(lower, i), span));
      },
      array.view || array.stored));
}

}  // namespace dvm::lower
