// Array literals and ranges.
#include "frontend/lower/lowerer.hpp"

#include <algorithm>

namespace dvm::lower {

ValueRef Lowerer::eval_array_literal(const ast::ArrayLiteral& node, ast::ExprId expr, Env* env) {
  const Span span = arena().exprs[expr].span;
  std::vector<ValueRef> elements;
  for (ast::ExprId element : node.elements)
    elements.push_back(concrete(force(eval(element, env), span), span));
  if (elements.empty()) {
    const TypeRef type = expr_type(expr);
    const auto* array = type ? std::get_if<typed::ArrayType>(&type->node) : nullptr;
    if (array == nullptr) not_supported(span, "this empty array");
    typed::ArrayType inner = *array;
    inner.shape.erase(inner.shape.begin());
    const LayoutRef layout =
        inner.shape.empty()
            ? layout_of_type(inner.element, env, span)
            : layout_of_type(std::make_shared<const typed::Type>(typed::Type{inner}), env, span);
    return make_value(pull(
        Size(0),
        [layout](Lowerer& lower, ValueId) {
          std::vector<ValueId> leaves;
          for (const graph::Type& type : lower.leaf_types(layout))
            leaves.push_back(lower.zero(type));
          return lower.rebuild(layout, leaves);
        },
        false));
  }
  const auto count = static_cast<std::int64_t>(elements.size());
  return make_value(pull(
      Size(count),
      [elements, span](Lowerer& lower, ValueId index) {
        return lower.choose(index, elements, span);
      },
      false));
}

// The element at an index, by selection: `choose i [a, b, c]`.
ValueRef Lowerer::choose(ValueId index, const std::vector<ValueRef>& elements, Span span) {
  if (auto known = emit().known(index); known && known->as_u64() < elements.size())
    return elements[known->as_u64()];
  if (elements.size() == 1) return elements[0];
  if (const auto* first = get_if<ArrayValue>(elements[0])) {
    return make_value(pull(
        first->extent,
        [elements, index, span](Lowerer& lower, ValueId j) {
          std::vector<ValueRef> inner;
          for (const ValueRef& element : elements)
            inner.push_back(lower.as_array(element, span).element(lower, j));
          return lower.choose(index, inner, span);
        },
        true));
  }
  if (const auto* first = get_if<TupleValue>(elements[0])) {
    TupleValue result;
    for (std::size_t part = 0; part < first->parts.size(); ++part) {
      std::vector<ValueRef> inner;
      for (const ValueRef& element : elements)
        inner.push_back(get_if<TupleValue>(element)->parts[part]);
      result.parts.push_back(choose(index, inner, span));
    }
    return make_value(std::move(result));
  }
  // An array is needed as a whole: so are the elements, whichever is chosen.
  const bool scalars = std::all_of(elements.begin(), elements.end(), [](const ValueRef& element) {
    return get_if<ScalarValue>(element) != nullptr;
  });
  ValueRef result = elements.back();
  for (std::size_t i = elements.size() - 1; i > 0; --i) {
    const ValueId here =
        emit().scalar(ScalarFn::Eq, {index, emit().constant_i64(static_cast<std::int64_t>(i - 1))});
    if (scalars)
      result = scalar_value(emit().scalar(
          ScalarFn::Select,
          {here, get_if<ScalarValue>(elements[i - 1])->id, get_if<ScalarValue>(result)->id}));
    else
      result = branch(here, [&] { return elements[i - 1]; }, [&] { return result; }, span);
  }
  return result;
}

// A bound of a range as an i64: integers as they are, values of an enumeration by their number.
ValueId Lowerer::range_number(const ValueRef& value, Span span) {
  if (const auto* data = get_if<DataValue>(value))
    return emit().convert(tag_of(*data), ElementType::I64);
  const ValueId id = as_scalar(value, span);
  const ElementType type = emit().element(id);
  if (!is_integer(type) && type != ElementType::Bool) not_supported(span, "a range of this type");
  return emit().convert(id, ElementType::I64);
}

// The value of the range's type with this number; `like` is any value of that type.
ValueRef Lowerer::range_element(ValueId number, const ValueRef& like) {
  if (const auto* data = get_if<DataValue>(like)) {
    DataValue result{data->data, std::nullopt, emit().convert(number, ElementType::U8), {}};
    result.fields.resize(program_.datas[data->data].constructors.size());
    return make_value(std::move(result));
  }
  const ElementType type = emit().element(get_if<ScalarValue>(like)->id);
  if (type == ElementType::Bool)
    return boolean(emit().scalar(ScalarFn::Ne, {number, emit().constant_i64(0)}));
  return scalar_value(emit().convert(number, type));
}

// The number of the least (greatest) value of the type of `like`.
std::int64_t Lowerer::last_number(const ValueRef& like, bool greatest, Span span) {
  if (const auto* data = get_if<DataValue>(like))
    return greatest ? static_cast<std::int64_t>(program_.datas[data->data].constructors.size()) - 1
                    : 0;
  const ElementType type = emit().element(as_scalar(like, span));
  if (type == ElementType::Bool) return greatest ? 1 : 0;
  if (byte_size(type) == 8)
    fail(span, "endless-range", "this range has no end that an array could reach",
         "write the last element");
  const std::int64_t top = std::int64_t{1} << (8 * byte_size(type) - (is_signed(type) ? 1 : 0));
  if (greatest) return top - 1;
  return is_signed(type) ? -top : 0;
}

ValueRef Lowerer::eval_range(const ast::Range& node, ast::ExprId expr, Env* env) {
  const Span span = arena().exprs[expr].span;
  const ValueRef from = concrete(eval(node.from, env), span);
  const ValueRef next = node.next ? concrete(eval(*node.next, env), span) : nullptr;
  const ValueRef to = node.to ? concrete(eval(*node.to, env), span) : nullptr;
  at(span);
  std::vector<ValueId> ends = {range_number(from, span)};
  if (next) ends.push_back(range_number(next, span));
  if (to) ends.push_back(range_number(to, span));
  // The extent is computed as far out as its operands allow.
  std::vector<Frame> above = emit().rise(emit().depth_needed(ends));
  const ValueId first = ends[0];
  ValueId last = to ? ends.back() : emit().constant_i64(last_number(from, true, span));
  ValueId step;
  Size extent;
  std::vector<Requirement> requirements;
  if (next) {
    step = emit().scalar(ScalarFn::Sub, {ends[1], first});
    if (!to) {
      const ValueId up = emit().scalar(ScalarFn::Ge, {step, emit().constant_i64(0)});
      const ValueId least = emit().constant_i64(last_number(from, false, span));
      last = emit().scalar(ScalarFn::Select, {up, last, least});
    }
    const CheckId zero_step = new_check(span, "the step of this range is zero");
    const ValueId way = emit().scalar(ScalarFn::Sub, {last, first});
    const ValueId steps = emit().scalar(ScalarFn::IntDiv, {way, step}, zero_step);
    const ValueId count = emit().scalar(
        ScalarFn::Max,
        {emit().scalar(ScalarFn::Add, {steps, emit().constant_i64(1)}), emit().constant_i64(0)});
    emit().mark_size(count);
    extent = emit().as_size(count);
  } else {
    extent = emit().as_size(last) - emit().as_size(first) + Size(1);
    emit().sink(std::move(above));
    const bool proven = emit().proves_nonnegative(extent);  // with the facts of all open regions
    above = emit().rise(emit().depth_needed(ends));
    const bool by_type = program_.opened[expr].empty();
    if (!proven && by_type) {
      const ValueId count = emit().size_value(extent);
      const ValueId ok = emit().scalar(ScalarFn::Ge, {count, emit().constant_i64(0)});
      requirements.push_back(
          require(ok, {first, last}, span, "the range [{0} .. {1}] has a negative size"));
    } else if (!proven) {
      const ValueId count =
          emit().scalar(ScalarFn::Max, {emit().size_value(extent), emit().constant_i64(0)});
      emit().mark_size(count);
      extent = emit().as_size(count);
    }
  }
  emit().sink(std::move(above));
  ArrayValue range = pull(
      extent,
      [from, first, step](Lowerer& lower, ValueId index) {
        Emitter& emit = lower.emit();
        const ValueId offset = step.valid() ? emit.scalar(ScalarFn::Mul, {index, step}) : index;
        return lower.range_element(emit.scalar(ScalarFn::Add, {first, offset}), from);
      },
      true);
  range.requirements = std::move(requirements);
  return make_value(std::move(range));
}

}  // namespace dvm::lower
