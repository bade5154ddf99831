// Equality and order of scalars, tuples and data.
#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace {

// The types of the parts of a value, where its type is known.
TypeRef tuple_part(const TypeRef& type, std::size_t i) {
  const auto* tuple = type ? std::get_if<typed::TupleType>(&type->node) : nullptr;
  return tuple != nullptr ? tuple->parts.at(i) : nullptr;
}

TypeRef row_type(const TypeRef& type) {
  const auto* array = type ? std::get_if<typed::ArrayType>(&type->node) : nullptr;
  if (array == nullptr || array->shape.size() == 1) return array ? array->element : nullptr;
  typed::ArrayType row = *array;
  row.shape.erase(row.shape.begin());
  return std::make_shared<const typed::Type>(typed::Type{std::move(row)});
}

TypeRef field_type(const std::vector<std::vector<TypeRef>>& types, std::size_t constructor,
                   std::size_t field) {
  return types.empty() ? nullptr : types.at(constructor).at(field);
}

}  // namespace

ValueId Lowerer::equal(const ValueRef& raw_a, const ValueRef& raw_b, const TypeRef& type,
                       Span span) {
  namespace builtin = typed::builtin_class;
  const ValueRef a = concrete(raw_a, span);
  const ValueRef b = concrete(raw_b, span);
  if (get_if<ScalarValue>(a) != nullptr)
    return emit().scalar(ScalarFn::Eq, {as_scalar(a, span), as_scalar(b, span)});
  auto conjoin = [&](ValueId all, ValueId one) {
    return all.valid() ? emit().scalar(ScalarFn::And, {all, one}) : one;
  };
  ValueId all;
  if (const auto* left = get_if<TupleValue>(a)) {
    const auto* right = get_if<TupleValue>(b);
    for (std::size_t i = 0; i < left->parts.size(); ++i)
      all = conjoin(all, equal(left->parts[i], right->parts.at(i), tuple_part(type, i), span));
    return all.valid() ? all : emit().constant(Scalar::of_bool(true));
  }
  if (const auto* left = get_if<DataValue>(a)) {
    const auto* right = get_if<DataValue>(b);
    const bool plain = compares_by_structure(builtin::eq, type);
    if (!plain && written_instance(builtin::eq, type))
      return as_scalar(call(method_named(builtin::eq, "==", {type}, span), {a, b}, span), span);
    if (left->constructor && right->constructor && *left->constructor != *right->constructor)
      return emit().constant(Scalar::of_bool(false));
    std::vector<std::vector<TypeRef>> types;
    if (!plain) types = field_types(std::get<typed::DataType>(type->node));
    all = emit().scalar(ScalarFn::Eq, {tag_of(*left), tag_of(*right)});
    for (std::size_t c = 0; c < left->fields.size(); ++c) {
      if (left->fields[c].empty() || right->fields[c].empty()) continue;
      ValueId fields;
      for (std::size_t f = 0; f < left->fields[c].size(); ++f)
        fields = conjoin(fields, equal(left->fields[c][f], right->fields[c].at(f),
                                       field_type(types, c, f), span));
      // Fields count only where both have this constructor.
      const ValueId other =
          emit().scalar(ScalarFn::Ne, {tag_of(*left), emit().constant(Scalar::of_integer(
                                                          ElementType::U8, static_cast<int>(c)))});
      all = conjoin(all, emit().scalar(ScalarFn::Or, {other, fields}));
    }
    return all;
  }
  if (const auto* left = get_if<ArrayValue>(a)) {
    const ArrayValue x = *left;
    const ArrayValue y = as_array(b, span);
    ValueId same_sizes;
    ValueId common = emit().size_value(x.extent);
    if (x.extent != y.extent) {
      const ValueId other = emit().size_value(y.extent);
      same_sizes = emit().scalar(ScalarFn::Eq, {common, other});
      common = emit().scalar(ScalarFn::Min, {common, other});
      emit().mark_size(common);
    }
    ArrayValue same = pull(
        emit().as_size(common),
        [x, y, row = row_type(type), span](Lowerer& lower, ValueId i) {
          return lower.scalar_value(
              lower.equal(x.element(lower, i), y.element(lower, i), row, span));
        },
        false);
    const ValueRef op = native(2, [span](Lowerer& lower, const std::vector<Lazy*>& args, Span) {
      const ValueId first = lower.as_scalar(lower.demand(args[0]), span);
      return lower.scalar_value(lower.emit().scalar(
          ScalarFn::And, {first, lower.as_scalar(lower.demand(args[1]), span)}));
    });
    same.requirements = x.requirements;
    same.requirements.insert(same.requirements.end(), y.requirements.begin(), y.requirements.end());
    const ValueId elements =
        as_scalar(reduce(same, op, boolean(emit().constant(Scalar::of_bool(true))), span), span);
    return conjoin(same_sizes, elements);
  }
  not_supported(span, "the comparison of these values");
}

ValueId Lowerer::tag_of(const DataValue& data) {
  return data.constructor ? emit().constant(Scalar::of_integer(ElementType::U8,
                                                               static_cast<int>(*data.constructor)))
                          : data.tag;
}

namespace {

// -1, 0 or 1.
ValueId sign_of(Emitter& emit, ValueId a, ValueId b) {
  const ElementType type = emit.element(a);
  ValueId below = emit.scalar(ScalarFn::Lt, {a, b});
  ValueId above = emit.scalar(ScalarFn::Gt, {a, b});
  if (is_float(type)) {  // NaN equals itself and comes last
    const ValueId a_nan = emit.scalar(ScalarFn::IsNan, {a});
    const ValueId b_nan = emit.scalar(ScalarFn::IsNan, {b});
    const ValueId only_b = emit.scalar(ScalarFn::And, {b_nan, emit.scalar(ScalarFn::Not, {a_nan})});
    const ValueId only_a = emit.scalar(ScalarFn::And, {a_nan, emit.scalar(ScalarFn::Not, {b_nan})});
    below = emit.scalar(ScalarFn::Or, {below, only_b});
    above = emit.scalar(ScalarFn::Or, {above, only_a});
  }
  const ValueId rest =
      emit.scalar(ScalarFn::Select, {above, emit.constant_i64(1), emit.constant_i64(0)});
  return emit.scalar(ScalarFn::Select, {below, emit.constant_i64(-1), rest});
}

ValueId first_difference(Emitter& emit, ValueId sign, ValueId rest) {
  if (!rest.valid()) return sign;
  const ValueId differs = emit.scalar(ScalarFn::Ne, {sign, emit.constant_i64(0)});
  return emit.scalar(ScalarFn::Select, {differs, sign, rest});
}

}  // namespace

ValueId Lowerer::compare(const ValueRef& raw_a, const ValueRef& raw_b, const TypeRef& type,
                         Span span) {
  namespace builtin = typed::builtin_class;
  const ValueRef a = concrete(raw_a, span);
  const ValueRef b = concrete(raw_b, span);
  if (get_if<ScalarValue>(a) != nullptr)
    return sign_of(emit(), as_scalar(a, span), as_scalar(b, span));
  // The first difference of parts decides.
  auto parts = [&](const std::vector<ValueRef>& left, const std::vector<ValueRef>& right,
                   const std::function<TypeRef(std::size_t)>& type_of) {
    ValueId result;
    for (std::size_t i = left.size(); i > 0; --i)
      result = first_difference(emit(), compare(left[i - 1], right.at(i - 1), type_of(i - 1), span),
                                result);
    return result.valid() ? result : emit().constant_i64(0);
  };
  if (const auto* left = get_if<TupleValue>(a))
    return parts(left->parts, get_if<TupleValue>(b)->parts,
                 [&](std::size_t i) { return tuple_part(type, i); });
  if (const auto* left = get_if<ArrayValue>(a))
    return compare_arrays(*left, as_array(b, span), row_type(type), span);
  const auto* left = get_if<DataValue>(a);
  if (left == nullptr) not_supported(span, "the order of these values");
  const auto* right = get_if<DataValue>(b);
  const bool plain = compares_by_structure(builtin::ord, type);
  if (!plain && written_instance(builtin::ord, type)) {
    const ValueRef outcome =
        concrete(call(method_named(builtin::ord, "compare", {type}, span), {a, b}, span), span);
    const ValueId tag = emit().convert(tag_of(*get_if<DataValue>(outcome)), ElementType::I64);
    return emit().scalar(ScalarFn::Sub, {tag, emit().constant_i64(1)});
  }
  std::vector<std::vector<TypeRef>> types;
  if (!plain) types = field_types(std::get<typed::DataType>(type->node));
  // The constructors decide, else the fields of the one that both have.
  ValueId fields = emit().constant_i64(0);
  for (std::size_t c = 0; c < left->fields.size(); ++c) {
    if (left->fields[c].empty() || right->fields[c].empty()) continue;
    const ValueId own = parts(left->fields[c], right->fields[c],
                              [&](std::size_t f) { return field_type(types, c, f); });
    fields = emit().scalar(ScalarFn::Select, {has_constructor(*left, c), own, fields});
  }
  const ValueId sign = sign_of(emit(), emit().convert(tag_of(*left), ElementType::I64),
                               emit().convert(tag_of(*right), ElementType::I64));
  return first_difference(emit(), sign, fields);
}

// Lexicographic: the first elements that differ decide, else the shorter array comes first.
ValueId Lowerer::compare_arrays(const ArrayValue& a, const ArrayValue& b, const TypeRef& row,
                                Span span) {
  ValueId lengths;
  ValueId common = emit().size_value(a.extent);
  if (a.extent != b.extent) {
    const ValueId other = emit().size_value(b.extent);
    lengths = sign_of(emit(), common, other);
    common = emit().scalar(ScalarFn::Min, {common, other});
    emit().mark_size(common);
  }
  ArrayValue signs = pull(
      emit().as_size(common),
      [a, b, row, span](Lowerer& lower, ValueId i) {
        return lower.scalar_value(
            lower.compare(a.element(lower, i), b.element(lower, i), row, span));
      },
      false);
  signs.requirements = a.requirements;
  signs.requirements.insert(signs.requirements.end(), b.requirements.begin(), b.requirements.end());
  const ValueRef op = native(2, [span](Lowerer& lower, const std::vector<Lazy*>& args, Span) {
    const ValueId first = lower.as_scalar(lower.demand(args[0]), span);
    const ValueId second = lower.as_scalar(lower.demand(args[1]), span);
    return lower.scalar_value(first_difference(lower.emit(), first, second));
  });
  const ValueId sign =
      as_scalar(reduce(signs, op, scalar_value(emit().constant_i64(0)), span), span);
  return first_difference(emit(), sign, lengths);
}

ValueRef Lowerer::ordering(ValueId sign, DataId data) {
  const ValueId tag = emit().scalar(ScalarFn::Add, {sign, emit().constant_i64(1)});
  DataValue result{data, std::nullopt, emit().convert(tag, ElementType::U8), {}};
  if (auto known = emit().known(result.tag))
    result.constructor = static_cast<std::uint32_t>(known->bits);
  result.fields.resize(3);
  return make_value(std::move(result));
}

ValueId Lowerer::less(ScalarFn fn, const ValueRef& a, const ValueRef& b, const TypeRef& type,
                      Span span) {
  if (get_if<ScalarValue>(a) != nullptr || get_if<FailureValue>(a) != nullptr)
    return emit().scalar(fn, {as_scalar(a, span), as_scalar(b, span)});
  return emit().scalar(fn, {compare(a, b, type, span), emit().constant_i64(0)});
}

}  // namespace dvm::lower
