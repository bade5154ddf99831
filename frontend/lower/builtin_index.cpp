// Built-in functions with indices: reading, writing, filtering, sorting.
#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace {

using Call = const BuiltinCall&;

std::vector<ValueId> indices_of(Call call, const ValueRef& value) {
  if (const auto* tuple = get_if<TupleValue>(value)) {
    std::vector<ValueId> result;
    for (const ValueRef& part : tuple->parts)
      result.push_back(call.lower.as_scalar(part, call.span));
    return result;
  }
  return {call.lower.as_scalar(value, call.span)};
}

ValueRef index(Call call) {
  const ArrayValue array = call.whole(0);
  const std::vector<ValueId> indices = indices_of(call, call.value(1));
  return call.lower.read_index(array, indices, call.span);
}

ValueRef gather(Call call) {
  const ArrayValue array = call.whole(0);
  const ArrayValue indices = call.lower.worthwhile(call.array(1), call.span);
  ArrayValue result = call.lower.pull(
      indices.extent,
      [array, indices, span = call.span](Lowerer& lower, ValueId i) {
        lower.at(span);
        return lower.read_index(array, {lower.as_scalar(indices.element(lower, i), span)}, span);
      },
      false);
  result.requirements = indices.requirements;
  result.requirements.insert(result.requirements.end(), array.requirements.begin(),
                             array.requirements.end());
  return make_value(std::move(result));
}

// The index, checked to leave room for `length` elements.
ValueId checked_start(Call call, ValueId start, const Size& length, const Size& extent,
                      const std::string& message) {
  Emitter& emit = call.emit();
  const Size from = emit.as_size(start);
  if (emit.proves_nonnegative(from) && emit.proves_nonnegative(extent - length - from))
    return start;
  const ValueId low = emit.scalar(ScalarFn::Ge, {start, emit.constant_i64(0)});
  const ValueId high = emit.scalar(ScalarFn::Le, {start, emit.size_value(extent - length)});
  const ValueId ok = emit.scalar(ScalarFn::And, {low, high});
  return emit.check(start, ok, {start, emit.size_value(length), emit.size_value(extent)},
                    call.lower.new_check(call.span, message));
}

ValueRef update(Call call) {
  const ArrayValue array = call.whole(0);
  const ValueId at = checked_start(call, call.scalar(1), Size(1), array.extent,
                                   "index {0} is out of range for size {2}");
  const ValueRef x = call.lower.force(call.value(2), call.span);
  ArrayValue result = call.lower.pull(
      array.extent,
      [array, at, x, span = call.span](Lowerer& lower, ValueId i) {
        const ValueId here = lower.emit().scalar(ScalarFn::Eq, {i, at});
        return lower.branch(here, [&] { return x; }, [&] { return array.element(lower, i); }, span);
      },
      false);
  result.requirements = array.requirements;
  return make_value(std::move(result));
}

// Inside the run from `start` on: the new element, else the old one.
ValueRef inside_run(Lowerer& lower, ValueId i, ValueId start, const Size& length,
                    const std::function<ValueRef(ValueId)>& replaced,
                    const std::function<ValueRef()>& kept, Span span) {
  Emitter& emit = lower.emit();
  const ValueId offset = emit.scalar(ScalarFn::Sub, {i, start});
  const ValueId low = emit.scalar(ScalarFn::Ge, {offset, emit.constant_i64(0)});
  const ValueId high = emit.scalar(ScalarFn::Lt, {offset, emit.size_value(length)});
  return lower.branch(
      emit.scalar(ScalarFn::And, {low, high}),
      [&] {
        lower.emit().top().guards = true;
        return replaced(offset);
      },
      kept, span);
}

ValueRef update_slice(Call call) {
  const ValueId from = call.scalar(0);
  const ArrayValue part = call.whole(1);
  const ArrayValue array = call.whole(2);
  const ValueId start =
      checked_start(call, from, part.extent, array.extent,
                    "`updateSlice` of {1} elements from {0} on, in an array of size {2}");
  ArrayValue result = call.lower.pull(
      array.extent,
      [part, array, start, span = call.span](Lowerer& lower, ValueId i) {
        return inside_run(
            lower, i, start, part.extent,
            [&](ValueId offset) { return part.element(lower, offset); },
            [&] { return array.element(lower, i); }, span);
      },
      false);
  result.requirements = array.requirements;
  result.requirements.insert(result.requirements.end(), part.requirements.begin(),
                             part.requirements.end());
  return make_value(std::move(result));
}

ValueRef update_block(Call call) {
  const std::vector<ValueId> corner = indices_of(call, call.value(0));
  const ArrayValue part = call.whole(1);
  const ArrayValue matrix = call.whole(2);
  const Size width = call.lower.shape_of(part, 2, call.span).at(1);
  const Size columns = call.lower.shape_of(matrix, 2, call.span).at(1);
  const ValueId row = checked_start(call, corner.at(0), part.extent, matrix.extent,
                                    "`updateBlock` of {1} rows from {0} on, in a matrix of {2}");
  const ValueId column =
      checked_start(call, corner.at(1), width, columns,
                    "`updateBlock` of {1} columns from {0} on, in a matrix of {2}");
  ArrayValue result = call.lower.pull(
      matrix.extent,
      [=, span = call.span](Lowerer& lower, ValueId i) {
        const ArrayValue old_row = lower.as_array(matrix.element(lower, i), span);
        return make_value(lower.pull(
            columns,
            [=](Lowerer& inside, ValueId j) {
              auto kept = [&] { return old_row.element(inside, j); };
              return inside_run(
                  inside, i, row, part.extent,
                  [&](ValueId r) {
                    const ArrayValue new_row = inside.as_array(part.element(inside, r), span);
                    return inside_run(
                        inside, j, column, width,
                        [&](ValueId c) { return new_row.element(inside, c); }, kept, span);
                  },
                  kept, span);
            },
            false));
      },
      false);
  result.requirements = matrix.requirements;
  result.requirements.insert(result.requirements.end(), part.requirements.begin(),
                             part.requirements.end());
  return make_value(std::move(result));
}

ValueRef scatter(Call call) {
  const ArrayValue into = call.array(0);
  const ArrayValue indices = call.array(1);
  return call.lower.scatter(into, indices, call.array(2), nullptr, call.span);
}

ValueRef scatter_with(Call call) {
  const ValueRef op = call.value(0);
  const ArrayValue into = call.array(1);
  const ArrayValue indices = call.array(2);
  return call.lower.scatter(into, indices, call.array(3), op, call.span);
}

ValueRef filter_by(Call call, const ValueRef& p, const ArrayValue& array, bool kept) {
  return call.lower.filter(
      array,
      [&](const ValueRef& element) {
        const ValueId holds =
            call.lower.as_scalar(call.lower.call(p, {element}, call.span), call.span);
        return kept ? holds : call.emit().scalar(ScalarFn::Not, {holds});
      },
      call.span);
}

ValueRef filter(Call call) {
  const ValueRef p = call.value(0);
  return filter_by(call, p, call.array(1), true);
}

ValueRef partition(Call call) {
  const ValueRef p = call.value(0);
  const ArrayValue array = call.whole(1);
  const ValueRef kept = filter_by(call, p, array, true);
  const ArrayValue others = call.lower.as_array(filter_by(call, p, array, false), call.span);
  // Its size is the rest, as the type says.
  const Size rest = array.extent - call.lower.as_array(kept, call.span).extent;
  ArrayValue second = call.lower.pull(
      rest, [others](Lowerer& lower, ValueId i) { return others.element(lower, i); }, true);
  return make_value(TupleValue{{kept, make_value(std::move(second))}});
}

ArrayValue order_of(Call call, const ArrayValue& array) {
  if (!call.lower.compares_by_structure(typed::builtin_class::ord, call.types.at(0)))
    return call.lower.order_by_instance(array, call.types[0], call.span);
  return call.lower.order_of(array, false, call.span);
}

ValueRef argsort(Call call) {
  return make_value(order_of(call, call.lower.tabulate(call.array(0), call.span)));
}

ValueRef sort(Call call) {
  const ArrayValue array = call.lower.tabulate(call.array(0), call.span);
  const ArrayValue order = order_of(call, array);
  return make_value(call.lower.pull(
      array.extent,
      [array, order, span = call.span](Lowerer& lower, ValueId i) {
        return array.element(lower, lower.as_scalar(order.element(lower, i), span));
      },
      true));
}

}  // namespace

// An element (or row) at an index that is checked unless it is provably inside.
ValueRef Lowerer::read_index(const ArrayValue& array, const std::vector<ValueId>& index,
                             Span span) {
  const std::string message = "index {0} is out of range for size {1}";
  ArrayValue current = array;
  ValueRef value;
  for (std::size_t k = 0; k < index.size(); ++k) {
    ValueId i = index[k];
    if (!emit().proves_index(i, current.extent)) {
      // A single graph array is read with its own check; otherwise the index is checked.
      const bool last = k + 1 == index.size();
      if (last && current.stored && current.stored->leaves.size() == 1 &&
          std::holds_alternative<ScalarLayout>(current.stored->element->node)) {
        std::vector<ValueId> all = current.stored->prefix;
        all.push_back(i);
        return scalar_value(emit().read(current.stored->leaves[0], all, new_check(span, message)));
      }
      const ValueId size = emit().size_value(current.extent);
      const ValueId low = emit().scalar(ScalarFn::Ge, {i, emit().constant_i64(0)});
      const ValueId ok =
          emit().scalar(ScalarFn::And, {low, emit().scalar(ScalarFn::Lt, {i, size})});
      i = emit().check(i, ok, {i, size}, new_check(span, message));
    }
    value = current.element(*this, i);
    if (k + 1 < index.size()) current = as_array(value, span);
  }
  return value;
}

const BuiltinTable& index_builtins() {
  static const BuiltinTable table = {
      {"!", {2, index}},
      {"gather", {2, gather}},
      {"update", {3, update}},
      {"updateSlice", {3, update_slice}},
      {"updateBlock", {3, update_block}},
      {"scatter", {3, scatter}},
      {"scatterWith", {4, scatter_with}},
      {"filter", {2, filter}},
      {"partition", {2, partition}},
      {"argsort", {1, argsort}},
      {"sort", {1, sort}},
  };
  return table;
}

}  // namespace dvm::lower
