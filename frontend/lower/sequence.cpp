// Array literals and ranges.
#include "frontend/lower/lowerer.hpp"

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
  ValueRef result = elements.back();
  for (std::size_t i = elements.size() - 1; i > 0; --i) {
    const ValueId here =
        emit().scalar(ScalarFn::Eq, {index, emit().constant_i64(static_cast<std::int64_t>(i - 1))});
    result = branch(here, [&] { return elements[i - 1]; }, [&] { return result; }, span);
  }
  return result;
}

ValueRef Lowerer::eval_range(const ast::Range& node, ast::ExprId expr, Env* env) {
  const Span span = arena().exprs[expr].span;
  if (!node.to) not_supported(span, "a range without end");
  const ValueRef from_value = eval(node.from, env);
  const ValueRef next_value = node.next ? eval(*node.next, env) : nullptr;
  const ValueRef to_value = eval(*node.to, env);
  at(span);
  if (get_if<DataValue>(from_value) != nullptr) not_supported(span, "a range of an enumeration");
  const ValueId from = as_scalar(from_value, span);
  const ValueId to = as_scalar(to_value, span);
  const ElementType type = emit().element(from);
  if (!is_integer(type)) not_supported(span, "a range of this type");
  // The extent is computed as far out as its operands allow.
  std::vector<ValueId> ends = {from, to};
  if (next_value) ends.push_back(as_scalar(next_value, span));
  std::vector<Frame> above = emit().rise(emit().depth_needed(ends));
  const ValueId a = emit().convert(from, ElementType::I64);
  const ValueId b = emit().convert(to, ElementType::I64);
  ValueId step;
  Size extent;
  std::vector<Requirement> requirements;
  if (next_value) {
    step = emit().scalar(ScalarFn::Sub, {emit().convert(ends[2], ElementType::I64), a});
    const CheckId zero_step = new_check(span, "the step of this range is zero");
    const ValueId steps =
        emit().scalar(ScalarFn::IntDiv, {emit().scalar(ScalarFn::Sub, {b, a}), step}, zero_step);
    const ValueId count = emit().scalar(
        ScalarFn::Max,
        {emit().scalar(ScalarFn::Add, {steps, emit().constant_i64(1)}), emit().constant_i64(0)});
    emit().mark_size(count);
    extent = emit().as_size(count);
  } else {
    extent = emit().as_size(b) - emit().as_size(a) + Size(1);
    emit().sink(std::move(above));
    const bool proven = emit().proves_nonnegative(extent);  // with the facts of all open regions
    above = emit().rise(emit().depth_needed(ends));
    const bool by_type = program_.opened[expr].empty();
    if (!proven && by_type) {
      const ValueId count = emit().size_value(extent);
      const ValueId ok = emit().scalar(ScalarFn::Ge, {count, emit().constant_i64(0)});
      requirements.push_back(
          require(ok, {a, b}, span, "the range [{0} .. {1}] has a negative size"));
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
      [from, step, type](Lowerer& lower, ValueId index) {
        ValueId offset = index;
        if (step.valid()) offset = lower.emit().scalar(ScalarFn::Mul, {index, step});
        offset = lower.emit().convert(offset, type);
        return lower.scalar_value(lower.emit().scalar(ScalarFn::Add, {from, offset}));
      },
      true);
  range.requirements = std::move(requirements);
  return make_value(std::move(range));
}

}  // namespace dvm::lower
