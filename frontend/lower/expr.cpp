// Expressions.
#include <algorithm>

#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace {
constexpr int max_depth = 20'000;
}

class DepthGuard {
 public:
  DepthGuard(Lowerer& lower, Span span) : lower_(lower) {
    if (++lower_.depth_ > max_depth) {
      lower_.depth_ = 0;
      lower_.fail(span, "nesting-too-deep", "the program unfolds too deeply here",
                  "more than " + std::to_string(max_depth) + " levels");
    }
  }
  ~DepthGuard() { --lower_.depth_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  Lowerer& lower_;
};

ast::ExprId Lowerer::strip(ast::ExprId expr) const {
  while (const auto* paren = std::get_if<ast::Paren>(&arena().exprs[expr].node))
    expr = paren->inner;
  return expr;
}

ValueRef Lowerer::eval(ast::ExprId expr, Env* env) {
  const DepthGuard guard(*this, arena().exprs[expr].span);
  at(arena().exprs[expr].span);
  ValueRef value = eval_node(expr, env);
  bind_opened(expr, value, env);
  return value;
}

ValueRef Lowerer::eval_node(ast::ExprId expr, Env* env) {
  const ast::Expr& node = arena().exprs[expr];
  const Span span = node.span;
  return std::visit(
      [&](const auto& e) -> ValueRef {
        using T = std::decay_t<decltype(e)>;
        if constexpr (std::is_same_v<T, ast::Variable> || std::is_same_v<T, ast::Constructor>) {
          return eval_variable(expr, env);
        } else if constexpr (std::is_same_v<T, ast::IntegerLiteral> ||
                             std::is_same_v<T, ast::FloatLiteral>) {
          return eval_literal(expr, env);
        } else if constexpr (std::is_same_v<T, ast::StringLiteral>) {
          return make_value(StringValue{e.value});
        } else if constexpr (std::is_same_v<T, ast::Apply>) {
          return eval_application(expr, env);
        } else if constexpr (std::is_same_v<T, ast::Binary>) {
          return eval_binary(expr, env);
        } else if constexpr (std::is_same_v<T, ast::Negate>) {
          const ValueId operand = as_scalar(eval(e.operand, env), span);
          at(span);
          return scalar_value(emit().scalar(ScalarFn::Neg, {operand}));
        } else if constexpr (std::is_same_v<T, ast::LeftSection>) {
          return apply(eval(e.op, env), {argument(e.lhs, env, true)}, span);
        } else if constexpr (std::is_same_v<T, ast::RightSection>) {
          Lazy* right = argument(e.rhs, env, true);
          const ValueRef op = eval(e.op, env);
          return native(1, [op, right](Lowerer& lower, const std::vector<Lazy*>& args, Span at) {
            return lower.apply(op, {args[0], right}, at);
          });
        } else if constexpr (std::is_same_v<T, ast::Lambda>) {
          return lambda(e, env, span);
        } else if constexpr (std::is_same_v<T, ast::LambdaCase>) {
          const auto* alternatives = &e.alternatives;
          return native(1, [alternatives, env, context = context_](
                               Lowerer& lower, const std::vector<Lazy*>& args, Span at) {
            const Context outer = lower.context();
            const ValueRef scrutinee = lower.demand(args[0]);
            lower.set_context(context);
            ValueRef result = lower.eval_case(*alternatives, scrutinee, env, at);
            lower.set_context(outer);
            return result;
          });
        } else if constexpr (std::is_same_v<T, ast::Let>) {
          Env* inner = new_env(env);
          declare(e.decls, inner);
          return eval(e.body, inner);
        } else if constexpr (std::is_same_v<T, ast::If>) {
          const ValueId condition = as_scalar(eval(e.condition, env), span);
          return branch(
              condition, [&] { return eval(e.then_branch, env); },
              [&] { return eval(e.else_branch, env); }, span);
        } else if constexpr (std::is_same_v<T, ast::MultiIf>) {
          return eval_guarded(e.alternatives, 0, env, [&] { return no_alternative(span); });
        } else if constexpr (std::is_same_v<T, ast::Case>) {
          const ValueRef scrutinee = demand(argument(e.scrutinee, env, true));
          return eval_case(e.alternatives, scrutinee, env, span);
        } else if constexpr (std::is_same_v<T, ast::Tuple>) {
          TupleValue result;
          for (ast::ExprId part : e.parts) result.parts.push_back(eval(part, env));
          return make_value(std::move(result));
        } else if constexpr (std::is_same_v<T, ast::ArrayLiteral>) {
          return eval_array_literal(e, expr, env);
        } else if constexpr (std::is_same_v<T, ast::Range>) {
          return eval_range(e, expr, env);
        } else if constexpr (std::is_same_v<T, ast::Comprehension>) {
          return eval_comprehension(e, expr, env);
        } else if constexpr (std::is_same_v<T, ast::Annotated>) {
          return eval(e.expr, env);
        } else if constexpr (std::is_same_v<T, ast::RecordConstruct>) {
          return eval_record_construct(e, expr, env);
        } else if constexpr (std::is_same_v<T, ast::RecordUpdate>) {
          return eval_record_update(e, expr, env);
        } else if constexpr (std::is_same_v<T, ast::Paren>) {
          return eval(e.inner, env);
        } else {
          not_supported(span, "a hole");
        }
      },
      node.node);
}

ValueId Lowerer::as_scalar(const ValueRef& value, Span span) {
  if (const auto* scalar = get_if<ScalarValue>(value)) return scalar->id;
  if (const auto* failure = get_if<FailureValue>(value))
    return as_scalar(shaped(*failure, span), span);
  not_supported(span, "an operation on a value that is not a scalar");
}

ValueRef Lowerer::eval_literal(ast::ExprId expr, Env* env) {
  const ast::Expr& node = arena().exprs[expr];
  const ElementType type = scalar_type(expr_type(expr), env, node.span);
  if (const auto* real = std::get_if<ast::FloatLiteral>(&node.node))
    return scalar_value(emit().constant(Scalar::of_float(type, real->value)));
  const auto& integer = std::get<ast::IntegerLiteral>(node.node);
  if (is_float(type))
    return scalar_value(
        emit().constant(Scalar::of_float(type, static_cast<double>(integer.value))));
  return scalar_value(
      emit().constant(Scalar::of_integer(type, static_cast<std::int64_t>(integer.value))));
}

ValueRef Lowerer::eval_variable(ast::ExprId expr, Env* env) {
  const Span span = arena().exprs[expr].span;
  const auto& use = program_.uses[expr];
  if (!use) not_supported(span, "this name");
  if (!use->binding.valid()) {
    const auto size = use->size ? find_size(*use->size, env) : std::nullopt;
    if (!size) {
      const std::string name = use->size ? program_.size_vars[*use->size].name : "";
      fail(span, "unknown-size", "the size `" + name + "` is not known here",
           "nothing in scope has this size");
    }
    return scalar_value(emit().size_value(*size));
  }
  return variable(use->binding, &*use, env, span);
}

ValueRef Lowerer::variable(BindingId id, const typed::Use* use, Env* env, Span span) {
  const typed::Binding& binding = program_.bindings[id];
  switch (binding.kind) {
    case typed::BindingKind::Local:
    case typed::BindingKind::Global: {
      if (auto [slot, home] = find(id, env); slot != nullptr)
        return slot->value != nullptr ? demand(slot->value)
                                      : function_value(id, *slot->decl, use, home, env);
      if (!binding.decl) not_supported(span, "the use of `" + binding.name + "` here");
      return function_value(id, *binding.decl, use, nullptr, env);
    }
    case typed::BindingKind::Builtin: {
      const BuiltinInfo* builtin = find_builtin(binding.name);
      if (builtin == nullptr) not_supported(span, "`" + binding.name + "`");
      std::vector<TypeRef> types;
      if (use != nullptr)
        for (const TypeRef& type : use->type_args) types.push_back(resolve(type, env));
      ClosureValue closure;
      closure.arity = builtin->arity;
      closure.raw = true;
      closure.body = [builtin, types, name = &binding.name, use, env](
                         Lowerer& lower, const std::vector<Lazy*>& args, Span at) {
        if (at.valid()) lower.at(at);
        return builtin->run(BuiltinCall{lower, *name, args, types, at, use, env});
      };
      if (closure.arity == 0) return closure.body(*this, {}, span);
      return make_value(std::move(closure));
    }
    case typed::BindingKind::Constructor: {
      if (!binding.data.valid())
        return boolean(emit().constant(Scalar::of_bool(binding.part == 1)));
      const std::size_t arity =
          program_.datas[binding.data].constructors.at(binding.part).field_types.size();
      if (arity == 0) return construct(binding.data, binding.part, {});
      ClosureValue closure;
      closure.arity = arity;
      closure.raw = true;
      closure.body = [data = binding.data, part = binding.part](
                         Lowerer& lower, const std::vector<Lazy*>& args, Span) {
        std::vector<ValueRef> fields;
        for (Lazy* arg : args) fields.push_back(lower.demand(arg));
        return lower.construct(data, part, std::move(fields));
      };
      return make_value(std::move(closure));
    }
    case typed::BindingKind::Selector:
      return native(1, [this, data = binding.data, part = binding.part, name = binding.name](
                           Lowerer& lower, const std::vector<Lazy*>& args, Span at) {
        return select_field(data, part, name, lower.demand(args[0]), at);
      });
  }
  not_supported(span, "this name");
}

ValueRef Lowerer::construct(DataId data, std::uint32_t constructor, std::vector<ValueRef> fields) {
  DataValue result{data, constructor, {}, {}};
  result.fields.resize(program_.datas[data].constructors.size());
  result.fields[constructor] = std::move(fields);
  return make_value(std::move(result));
}

ValueRef Lowerer::eval_record_construct(const ast::RecordConstruct& node, ast::ExprId expr,
                                        Env* env) {
  const Span span = arena().exprs[expr].span;
  const auto& use = program_.uses[expr];
  if (!use || !use->binding.valid()) not_supported(span, "this record");
  const typed::Binding& binding = program_.bindings[use->binding];
  const typed::ConstructorInfo& constructor =
      program_.datas[binding.data].constructors.at(binding.part);
  std::vector<ValueRef> fields(constructor.field_types.size());
  for (const ast::FieldValue& field : node.fields)
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (constructor.field_names[i] == field.field.text) fields[i] = eval(field.value, env);
  for (const ValueRef& field : fields)
    if (!field) fail(span, "missing-field", "a field of `" + constructor.name + "` has no value");
  return construct(binding.data, binding.part, std::move(fields));
}

ValueRef Lowerer::eval_record_update(const ast::RecordUpdate& node, ast::ExprId expr, Env* env) {
  const Span span = arena().exprs[expr].span;
  const ValueRef record = concrete(eval(node.record, env), span);
  const auto* data = get_if<DataValue>(record);
  if (data == nullptr || !data->constructor)
    not_supported(span, "the update of a record whose constructor is chosen at run time");
  const typed::ConstructorInfo& constructor =
      program_.datas[data->data].constructors.at(*data->constructor);
  DataValue result = *data;
  for (const ast::FieldValue& field : node.fields)
    for (std::size_t i = 0; i < constructor.field_names.size(); ++i)
      if (constructor.field_names[i] == field.field.text)
        result.fields[*data->constructor][i] = eval(field.value, env);
  return make_value(std::move(result));
}

ValueRef Lowerer::select_field(DataId data, std::uint32_t field, const std::string& name,
                               const ValueRef& raw, Span span) {
  const ValueRef value = concrete(raw, span);
  const auto* record = get_if<DataValue>(value);
  if (record == nullptr) not_supported(span, "this selector");
  const typed::DataInfo& info = program_.datas[data];
  // The field by name: `field` counts in the constructor that declares it first.
  auto position = [&](std::size_t constructor) -> std::optional<std::size_t> {
    const auto& names = info.constructors[constructor].field_names;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return i;
    if (info.constructors.size() == 1 && field < info.constructors[0].field_types.size())
      return field;
    return std::nullopt;
  };
  if (record->constructor) {
    if (auto at = position(*record->constructor))
      return record->fields[*record->constructor].at(*at);
    fail(span, "wrong-constructor",
         "`" + info.constructors[*record->constructor].name + "` has no field `" + name + "`");
  }
  not_supported(span, "a field of a value whose constructor is chosen at run time");
}

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
