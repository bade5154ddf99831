// The stable order of the elements of an array, whatever they are made of: the leaves of the
// element are compared one after the other, those that are arrays element by element.
#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace {

const LayoutRef index_layout = make_layout(ScalarLayout{ElementType::I64});

bool has_choice(const LayoutRef& layout) {
  if (const auto* array = std::get_if<ArrayLayout>(&layout->node))
    return has_choice(array->element);
  if (const auto* tuple = std::get_if<TupleLayout>(&layout->node)) {
    for (const LayoutRef& part : tuple->parts)
      if (has_choice(part)) return true;
    return false;
  }
  const auto* data = std::get_if<DataLayout>(&layout->node);
  if (data == nullptr) return false;
  if (!data->constructor) return true;
  for (const auto& fields : data->fields)
    for (const LayoutRef& field : fields)
      if (has_choice(field)) return true;
  return false;
}

// The value with zeros for fields of constructors that it does not have, so that values are equal
// when their leaves are. `holds` is none where it always does.
ValueRef without_rest(Lowerer& lower, const ValueRef& value, ValueId holds, Span span) {
  Emitter& emit = lower.emit();
  auto select = [&](ValueId id) {
    if (!holds.valid()) return id;
    return emit.scalar(ScalarFn::Select, {holds, id, lower.zero({emit.element(id), {}})});
  };
  if (const auto* scalar = get_if<ScalarValue>(value))
    return lower.scalar_value(select(scalar->id));
  if (const auto* array = get_if<ArrayValue>(value)) {
    ArrayValue result = lower.pull(
        array->extent,
        [array = *array, holds, span](Lowerer& inside, ValueId i) {
          return without_rest(inside, array.element(inside, i), holds, span);
        },
        true);
    result.requirements = array->requirements;
    return make_value(std::move(result));
  }
  if (const auto* tuple = get_if<TupleValue>(value)) {
    TupleValue result;
    for (const ValueRef& part : tuple->parts)
      result.parts.push_back(without_rest(lower, part, holds, span));
    return make_value(std::move(result));
  }
  const auto* data = get_if<DataValue>(value);
  if (data == nullptr) return value;
  DataValue result = *data;
  if (!data->constructor) result.tag = select(data->tag);
  for (std::size_t c = 0; c < result.fields.size(); ++c) {
    if (result.fields[c].empty()) continue;
    ValueId here = holds;
    if (!data->constructor) {
      here = lower.has_constructor(*data, c);
      if (holds.valid()) here = emit.scalar(ScalarFn::And, {holds, here});
    }
    for (ValueRef& field : result.fields[c]) field = without_rest(lower, field, here, span);
  }
  return make_value(std::move(result));
}

}  // namespace

// The order refined: by these keys first, by the order so far where they are equal.
ArrayValue Lowerer::order_by(const ArrayValue& order, const std::vector<ArrayValue>& keys,
                             bool descending, Span span) {
  std::vector<ValueId> leaves;
  for (const ArrayValue& key : keys) {
    ArrayValue moved = pull(
        order.extent,
        [order, key, span](Lowerer& lower, ValueId i) {
          return key.element(lower, lower.as_scalar(order.element(lower, i), span));
        },
        true);
    leaves.push_back(tabulate(moved, span).stored->leaves.at(0));
  }
  const graph::Type type{ElementType::I64, {order.extent}};
  const std::vector<bool> down(leaves.size(), descending);
  const ValueId places = emit().results(emit().add(graph::Sort{down}, leaves, {}, {type}))[0];
  const ArrayValue sorted = stored_array(order.extent, index_layout, {places});
  return tabulate(pull(
                      order.extent,
                      [order, sorted, span](Lowerer& lower, ValueId i) {
                        return order.element(lower,
                                             lower.as_scalar(sorted.element(lower, i), span));
                      },
                      true),
                  span);
}

// By the columns of an array of rows, the last one first: each pass keeps what the ones before
// ordered.
ArrayValue Lowerer::order_by_columns(const ArrayValue& order, ValueId leaf, bool descending,
                                     Span span) {
  const std::vector<Size> shape = emit().type(leaf).shape;
  Size columns(1);
  for (std::size_t d = 1; d < shape.size(); ++d) columns = columns * shape[d];
  const ValueId count = emit().size_value(columns);
  auto pass = [&](ValueId step, const ValueRef& state) {
    const ValueId last = emit().size_value(columns - Size(1));
    ValueId rest = emit().scalar(ScalarFn::Sub, {last, step});
    std::vector<ValueId> place(shape.size());
    for (std::size_t d = shape.size() - 1; d > 1; --d) {
      const ValueId width = emit().size_value(shape[d]);
      const CheckId check = new_check(span, "division by zero");  // there are no columns then
      place[d] = emit().scalar(ScalarFn::IntMod, {rest, width}, check);
      rest = emit().scalar(ScalarFn::IntDiv, {rest, width}, check);
    }
    place[1] = rest;
    const ArrayValue key = pull(
        shape[0],
        [leaf, place](Lowerer& lower, ValueId row) {
          std::vector<ValueId> index = place;
          index[0] = row;
          return lower.scalar_value(lower.emit().read(leaf, index));
        },
        true);
    return make_value(order_by(as_array(state, span), {key}, descending, span));
  };
  return as_array(loop(count, make_value(order), pass, span), span);
}

ArrayValue Lowerer::order_of(const ArrayValue& array, bool descending, Span span) {
  ArrayValue keys = array;
  if (has_choice(array.stored->element)) {
    ArrayValue plain = pull(
        array.extent,
        [array, span](Lowerer& lower, ValueId i) {
          return without_rest(lower, array.element(lower, i), {}, span);
        },
        true);
    keys = tabulate(plain, span);
  }
  const std::vector<ValueId>& leaves = keys.stored->leaves;
  bool scalars = true;
  for (ValueId leaf : leaves) scalars &= emit().type(leaf).shape.size() == 1;
  if (scalars && !leaves.empty()) {
    const std::vector<bool> down(leaves.size(), descending);
    const graph::Type type{ElementType::I64, {keys.extent}};
    const ValueId order = emit().results(emit().add(graph::Sort{down}, leaves, {}, {type}))[0];
    return stored_array(keys.extent, index_layout, {order});
  }
  ArrayValue order = tabulate(
      pull(
          keys.extent, [](Lowerer& lower, ValueId i) { return lower.scalar_value(i); }, true),
      span);
  for (std::size_t end = leaves.size(); end > 0;) {
    if (emit().type(leaves[end - 1]).shape.size() > 1) {
      order = order_by_columns(order, leaves[--end], descending, span);
      continue;
    }
    std::size_t first = end;
    while (first > 0 && emit().type(leaves[first - 1]).shape.size() == 1) --first;
    std::vector<ArrayValue> run;
    for (std::size_t i = first; i < end; ++i)
      run.push_back(stored_array(keys.extent, make_layout(ScalarLayout{emit().element(leaves[i])}),
                                 {leaves[i]}));
    order = order_by(order, run, descending, span);
    end = first;
  }
  return order;
}

}  // namespace dvm::lower
