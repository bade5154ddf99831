// Built-in functions on the shape of arrays; nearly all of them are views.
#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace {

using Call = const BuiltinCall&;
using Element = std::function<ValueRef(Lowerer&, ValueId)>;

ValueRef view(Call call, const Size& extent, const ArrayValue& base, Element element,
              std::vector<Requirement> requirements = {}) {
  ArrayValue result = call.lower.pull(extent, std::move(element), base.view || base.stored);
  result.requirements = base.requirements;
  result.requirements.insert(result.requirements.end(), requirements.begin(), requirements.end());
  return make_value(std::move(result));
}

// Elements from `from` on, `length` of them; what is not provable is checked.
ValueRef part(Call call, const ArrayValue& array, const Size& from, const Size& length,
              const std::string& message, const std::vector<ValueId>& values) {
  Emitter& emit = call.emit();
  ValueId ok;
  auto need = [&](const Size& nonnegative) {
    if (emit.proves_nonnegative(nonnegative)) return;
    const ValueId holds =
        emit.scalar(ScalarFn::Ge, {emit.size_value(nonnegative), emit.constant_i64(0)});
    ok = ok.valid() ? emit.scalar(ScalarFn::And, {ok, holds}) : holds;
  };
  need(from);
  need(length);
  need(array.extent - from - length);
  ArrayValue base = array;
  std::vector<Requirement> requirements;
  if (ok.valid()) {
    requirements.push_back(call.lower.require(ok, values, call.span, message));
    base = call.lower.guarded(array, requirements[0]);
  }
  const ValueId start = emit.size_value(from);
  return view(
      call, length, base,
      [base, start](Lowerer& lower, ValueId index) {
        return base.element(lower, lower.emit().scalar(ScalarFn::Add, {start, index}));
      },
      requirements);
}

ValueRef take(Call call) {
  const ValueId count = call.scalar(0);
  const ArrayValue array = call.whole(1);
  const Size length = call.emit().as_size(count);
  return part(call, array, Size(0), length, "`take` of {0} elements of an array of size {1}",
              {count, call.emit().size_value(array.extent)});
}

ValueRef drop(Call call) {
  const ValueId count = call.scalar(0);
  const ArrayValue array = call.whole(1);
  const Size from = call.emit().as_size(count);
  return part(call, array, from, array.extent - from,
              "`drop` of {0} elements of an array of size {1}",
              {count, call.emit().size_value(array.extent)});
}

ValueRef slice(Call call) {
  const ValueId from = call.scalar(0);
  const ValueId length = call.scalar(1);
  const ArrayValue array = call.whole(2);
  Emitter& emit = call.emit();
  return part(call, array, emit.as_size(from), emit.as_size(length),
              "`slice` of {1} elements from {0} on, of an array of size {2}",
              {from, length, emit.size_value(array.extent)});
}

ValueRef block(Call call) {
  const ValueRef corner = call.lower.concrete(call.value(0), call.span);
  const ValueId height = call.scalar(1);
  const ValueId width = call.scalar(2);
  const ArrayValue matrix = call.whole(3);
  const auto* tuple = get_if<TupleValue>(corner);
  const ValueId row = call.lower.as_scalar(tuple->parts.at(0), call.span);
  const ValueId column = call.lower.as_scalar(tuple->parts.at(1), call.span);
  Emitter& emit = call.emit();
  const ValueRef rows = part(call, matrix, emit.as_size(row), emit.as_size(height),
                             "`block` of {1} rows from {0} on, of a matrix of {2}",
                             {row, height, emit.size_value(matrix.extent)});
  // The columns are checked once, for all rows.
  const std::vector<Size> shape = call.lower.shape_of(matrix, 2, call.span);
  const Size from = emit.as_size(column);
  const Size length = emit.as_size(width);
  ValueId ok = emit.constant(Scalar::of_bool(true));
  for (const Size& nonnegative : {from, length, shape.at(1) - from - length})
    if (!emit.proves_nonnegative(nonnegative))
      ok = emit.scalar(
          ScalarFn::And,
          {ok, emit.scalar(ScalarFn::Ge, {emit.size_value(nonnegative), emit.constant_i64(0)})});
  ArrayValue base = call.lower.as_array(rows, call.span);
  std::vector<Requirement> requirements = base.requirements;
  if (emit.known_bool(ok) != true) {
    requirements.push_back(
        call.lower.require(ok, {column, width, emit.size_value(shape.at(1))}, call.span,
                           "`block` of {1} columns from {0} on, of a matrix of {2}"));
    base = call.lower.guarded(base, requirements.back());
  }
  ArrayValue result = call.lower.pull(
      base.extent,
      [base, column, length, span = call.span](Lowerer& lower, ValueId i) {
        const ArrayValue whole = lower.as_array(base.element(lower, i), span);
        return make_value(lower.pull(
            length,
            [whole, column](Lowerer& inside, ValueId j) {
              return whole.element(inside, inside.emit().scalar(ScalarFn::Add, {column, j}));
            },
            true));
      },
      true);
  result.requirements = std::move(requirements);
  return make_value(std::move(result));
}

ValueRef transpose(Call call) {
  const ArrayValue matrix = call.whole(0);
  const std::vector<Size> shape = call.lower.shape_of(matrix, 2, call.span);
  return view(call, shape.at(1), matrix, [matrix, span = call.span](Lowerer& lower, ValueId j) {
    return make_value(lower.pull(
        matrix.extent,
        [matrix, j, span](Lowerer& inside, ValueId i) {
          return inside.as_array(matrix.element(inside, i), span).element(inside, j);
        },
        true));
  });
}

ValueRef flatten(Call call) { return call.lower.flatten_rows(call.array(0), call.span); }

// Rows of `width` elements of a vector.
ValueRef rows_of(Call call, const Size& rows, const Size& width, const ArrayValue& base,
                 std::vector<Requirement> requirements) {
  const ValueId stride = call.emit().size_value(width);
  return view(
      call, rows, base,
      [base, stride, width](Lowerer& lower, ValueId i) {
        const ValueId start = lower.emit().scalar(ScalarFn::Mul, {i, stride});
        return make_value(lower.pull(
            width,
            [base, start](Lowerer& inside, ValueId j) {
              return base.element(inside, inside.emit().scalar(ScalarFn::Add, {start, j}));
            },
            true));
      },
      std::move(requirements));
}

ValueRef unflatten(Call call) {
  auto [rows, row_needs] = call.lower.extent_of(call.scalar(0), call.span, "the number of rows");
  auto [columns, column_needs] =
      call.lower.extent_of(call.scalar(1), call.span, "the number of columns");
  ArrayValue array = call.whole(2);
  std::vector<Requirement> requirements = row_needs;
  requirements.insert(requirements.end(), column_needs.begin(), column_needs.end());
  if (array.extent != rows * columns) {
    const Requirement same = call.lower.same_size(rows * columns, array.extent, call.span);
    requirements.push_back(same);
    array = call.lower.guarded(array, same);
  }
  return rows_of(call, rows, columns, array, requirements);
}

ValueRef chunks(Call call) {
  const ValueId width = call.scalar(0);
  const ArrayValue array = call.whole(1);
  Emitter& emit = call.emit();
  const ValueId size = emit.size_value(array.extent);
  const ValueId positive = emit.scalar(ScalarFn::Gt, {width, emit.constant_i64(0)});
  const CheckId check = call.lower.new_check(call.span, "chunks of {0} elements");
  const ValueId divisor = emit.check(width, positive, {width}, check);
  const CheckId zero = call.lower.new_check(call.span, "division by zero");
  const ValueId rows = emit.scalar(ScalarFn::IntDiv, {size, divisor}, zero);
  emit.mark_size(rows);
  const ValueId covered = emit.scalar(ScalarFn::Mul, {rows, divisor});
  const ValueId ok = emit.scalar(ScalarFn::Eq, {covered, size});
  const Requirement divides = call.lower.require(
      ok, {width, size}, call.span, "chunks of {0} elements do not divide an array of size {1}");
  const ArrayValue base = call.lower.guarded(array, divides);
  return rows_of(call, emit.as_size(rows), emit.as_size(width), base, {divides});
}

ValueRef windows(Call call) {
  const ValueId width = call.scalar(0);
  const ArrayValue array = call.whole(1);
  Emitter& emit = call.emit();
  const Size length = emit.as_size(width);
  const Size count = array.extent - length + Size(1);
  ValueId ok = emit.constant(Scalar::of_bool(true));
  for (const Size& nonnegative : {length, count})
    if (!emit.proves_nonnegative(nonnegative))
      ok = emit.scalar(
          ScalarFn::And,
          {ok, emit.scalar(ScalarFn::Ge, {emit.size_value(nonnegative), emit.constant_i64(0)})});
  std::vector<Requirement> requirements;
  ArrayValue base = array;
  if (emit.known_bool(ok) != true) {
    requirements.push_back(call.lower.require(ok, {width, emit.size_value(array.extent)}, call.span,
                                              "windows of {0} elements of an array of size {1}"));
    base = call.lower.guarded(array, requirements[0]);
  }
  return view(
      call, count, base,
      [base, length](Lowerer& lower, ValueId i) {
        return make_value(lower.pull(
            length,
            [base, i](Lowerer& inside, ValueId j) {
              return base.element(inside, inside.emit().scalar(ScalarFn::Add, {i, j}));
            },
            true));
      },
      requirements);
}

ValueRef reverse(Call call) {
  const ArrayValue array = call.whole(0);
  return view(call, array.extent, array, [array](Lowerer& lower, ValueId i) {
    const ValueId last = lower.emit().size_value(array.extent - Size(1));
    return array.element(lower, lower.emit().scalar(ScalarFn::Sub, {last, i}));
  });
}

ValueRef rotate(Call call) {
  const ValueId by = call.scalar(0);
  const ArrayValue array = call.whole(1);
  return view(call, array.extent, array, [array, by, span = call.span](Lowerer& lower, ValueId i) {
    Emitter& emit = lower.emit();
    const ValueId size = emit.size_value(array.extent);
    const ValueId moved = emit.scalar(ScalarFn::Add, {i, by});
    return array.element(lower, emit.scalar(ScalarFn::IntMod, {moved, size},
                                            lower.new_check(span, "division by zero")));
  });
}

ValueRef append(Call call) {
  Emitter& emit = call.emit();
  const ArrayValue first = call.array(0);
  const ArrayValue second = call.array(1);
  const Size extent = first.extent + second.extent;
  if (emit.in_parallel()) {
    const ArrayValue a = call.lower.stored_or_view(first, call.span);
    const ArrayValue b = call.lower.stored_or_view(second, call.span);
    ArrayValue result = call.lower.pull(
        extent,
        [a, b, span = call.span](Lowerer& lower, ValueId i) {
          const ValueId size = lower.emit().size_value(a.extent);
          const ValueId in_first = lower.emit().scalar(ScalarFn::Lt, {i, size});
          return lower.branch(
              in_first,
              [&] {
                lower.emit().top().guards = true;
                return a.element(lower, i);
              },
              [&] {
                lower.emit().top().guards = true;
                return b.element(lower, lower.emit().scalar(ScalarFn::Sub, {i, size}));
              },
              span);
        },
        false);
    result.requirements = a.requirements;
    result.requirements.insert(result.requirements.end(), b.requirements.begin(),
                               b.requirements.end());
    return make_value(std::move(result));
  }
  const ArrayValue a = call.lower.tabulate(first, call.span);
  const ArrayValue b = call.lower.tabulate(second, call.span);
  if (a.stored->leaves.size() != b.stored->leaves.size())
    call.lower.not_supported(call.span, "`++` of arrays whose constructors differ");
  std::vector<ValueId> leaves;
  for (std::size_t i = 0; i < a.stored->leaves.size(); ++i) {
    graph::Type type = emit.type(a.stored->leaves[i]);
    type.shape[0] = extent;
    leaves.push_back(emit.results(
        emit.add(graph::Concat{}, {a.stored->leaves[i], b.stored->leaves[i]}, {}, {type}))[0]);
  }
  return make_value(call.lower.stored_array(extent, a.stored->element, std::move(leaves)));
}

ValueRef pad(Call call) {
  auto [before, before_needs] = call.lower.extent_of(call.scalar(0), call.span, "the padding");
  auto [after, after_needs] = call.lower.extent_of(call.scalar(1), call.span, "the padding");
  const ValueRef fill = call.lower.force(call.value(2), call.span);
  const ArrayValue array = call.whole(3);
  const Size first = before;
  ArrayValue result = call.lower.pull(
      before + array.extent + after,
      [=, span = call.span](Lowerer& lower, ValueId i) {
        Emitter& emit = lower.emit();
        const ValueId index = emit.scalar(ScalarFn::Sub, {i, emit.size_value(first)});
        const ValueId low = emit.scalar(ScalarFn::Ge, {index, emit.constant_i64(0)});
        const ValueId high = emit.scalar(ScalarFn::Lt, {index, emit.size_value(array.extent)});
        return lower.branch(
            emit.scalar(ScalarFn::And, {low, high}),
            [&] {
              lower.emit().top().guards = true;
              return array.element(lower, index);
            },
            [&] { return fill; }, span);
      },
      false);
  result.requirements = array.requirements;
  result.requirements.insert(result.requirements.end(), before_needs.begin(), before_needs.end());
  result.requirements.insert(result.requirements.end(), after_needs.begin(), after_needs.end());
  return make_value(std::move(result));
}

}  // namespace

const BuiltinTable& shape_builtins() {
  static const BuiltinTable table = {
      {"take", {2, take}},
      {"drop", {2, drop}},
      {"slice", {3, slice}},
      {"block", {4, block}},
      {"transpose", {1, transpose}},
      {"flatten", {1, flatten}},
      {"unflatten", {3, unflatten}},
      {"chunks", {2, chunks}},
      {"windows", {2, windows}},
      {"reverse", {1, reverse}},
      {"rotate", {2, rotate}},
      {"++", {2, append}},
      {"pad", {4, pad}},
  };
  return table;
}

}  // namespace dvm::lower
