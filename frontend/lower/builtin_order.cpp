// Built-in functions on truth values, equality, order, enumerations.
#include <limits>

#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace {

using Call = const BuiltinCall&;

TypeRef first_type(Call call) { return call.types.empty() ? nullptr : call.types[0]; }

template <bool conjunction>
ValueRef connective(Call call) {
  const ValueId first = call.scalar(0);
  return call.lower.boolean(call.lower.both(first, [&] { return call.scalar(1); }, conjunction));
}

ValueRef negation(Call call) {
  const ValueId x = call.scalar(0);
  return call.lower.boolean(call.emit().scalar(ScalarFn::Not, {x}));
}

template <bool same>
ValueRef equality(Call call) {
  const ValueRef a = call.value(0);
  const ValueRef b = call.value(1);
  if (get_if<ScalarValue>(a) != nullptr && !same) {
    const ValueId x = call.scalar(0);
    return call.lower.boolean(call.emit().scalar(ScalarFn::Ne, {x, call.scalar(1)}));
  }
  const ValueId equal = call.lower.equal(a, b, first_type(call), call.span);
  return call.lower.boolean(same ? equal : call.emit().scalar(ScalarFn::Not, {equal}));
}

template <ScalarFn fn>
ValueRef order(Call call) {
  const ValueRef a = call.value(0);
  const ValueRef b = call.value(1);
  return call.lower.boolean(call.lower.less(fn, a, b, first_type(call), call.span));
}

ValueRef compare(Call call) {
  const ValueRef a = call.value(0);
  const ValueRef b = call.value(1);
  const DataId ordering = call.lower.ordering_data(call.span);
  return call.lower.ordering(call.lower.compare(a, b, first_type(call), call.span), ordering);
}

template <ScalarFn fn>
ValueRef extreme(Call call) {
  const ValueRef a = call.value(0);
  const ValueRef b = call.value(1);
  if (get_if<ScalarValue>(a) != nullptr) {
    const ValueId x = call.scalar(0);
    return call.lower.scalar_value(call.emit().scalar(fn, {x, call.scalar(1)}));
  }
  const ValueId first = call.lower.less(fn == ScalarFn::Min ? ScalarFn::Le : ScalarFn::Ge, a, b,
                                        first_type(call), call.span);
  return call.lower.branch(first, [&] { return a; }, [&] { return b; }, call.span);
}

template <bool greatest>
ValueRef bound(Call call) {
  if (!call.types.empty() && call.types[0])
    if (const auto* data = std::get_if<typed::DataType>(&call.types[0]->node)) {
      const auto types = call.lower.field_types(*data);
      const std::size_t last = greatest ? types.size() - 1 : 0;
      std::vector<ValueRef> fields;
      for (const TypeRef& type : types.at(last))
        fields.push_back(call.lower.method_named(typed::builtin_class::bounded, call.name.c_str(),
                                                 {type}, call.span));
      return call.lower.construct(data->data, static_cast<std::uint32_t>(last), std::move(fields));
    }
  const ElementType type = call.type(0);
  if (type == ElementType::Bool)
    return call.lower.boolean(call.emit().constant(Scalar::of_bool(greatest)));
  if (is_float(type)) call.lower.not_supported(call.span, "`" + call.name + "` at this type");
  const int bits = 8 * byte_size(type);
  std::uint64_t value = 0;
  if (is_signed(type)) {
    const std::uint64_t top = std::uint64_t{1} << (bits - 1);
    value = greatest ? top - 1 : top;
  } else if (greatest) {
    value = std::numeric_limits<std::uint64_t>::max();
  }
  return call.lower.scalar_value(
      call.emit().constant(Scalar::of_integer(type, static_cast<std::int64_t>(value))));
}

ValueRef from_number(Call call, ValueId number, const ValueRef& like) {
  if (const auto* data = get_if<DataValue>(like)) {
    DataValue result{data->data, std::nullopt, call.emit().convert(number, ElementType::U8), {}};
    if (auto known = call.emit().known(result.tag))
      result.constructor = static_cast<std::uint32_t>(known->bits);
    result.fields.resize(data->fields.size());
    return make_value(std::move(result));
  }
  return like;
}

template <int by>
ValueRef neighbour(Call call) {
  const ValueRef x = call.value(0);
  Emitter& emit = call.emit();
  if (const auto* data = get_if<DataValue>(x)) {
    const auto count =
        static_cast<std::int64_t>(call.lower.program().datas[data->data].constructors.size());
    const ValueId tag = emit.convert(call.lower.tag_of(*data), ElementType::I64);
    const ValueId ok = emit.scalar(ScalarFn::Ne, {tag, emit.constant_i64(by > 0 ? count - 1 : 0)});
    const ValueId checked = emit.check(
        tag, ok, {},
        call.lower.new_check(call.span, "`" + call.name + "` goes beyond the last value"));
    return from_number(call, emit.scalar(ScalarFn::Add, {checked, emit.constant_i64(by)}), x);
  }
  const ValueId value = call.scalar(0);
  const ElementType type = emit.element(value);
  const Scalar one = is_float(type) ? Scalar::of_float(type, by) : Scalar::of_integer(type, by);
  return call.lower.scalar_value(emit.scalar(ScalarFn::Add, {value, emit.constant(one)}));
}

ValueRef from_enum(Call call) {
  const ValueRef x = call.value(0);
  if (const auto* data = get_if<DataValue>(x))
    return call.lower.scalar_value(call.emit().convert(call.lower.tag_of(*data), ElementType::I64));
  const ValueId value = call.scalar(0);
  const ScalarFn fn = is_float(call.emit().element(value)) ? ScalarFn::Truncate : ScalarFn::Convert;
  return call.lower.scalar_value(call.emit().scalar(fn, {value}, {}, ElementType::I64));
}

ValueRef to_enum(Call call) {
  const ValueId number = call.scalar(0);
  Emitter& emit = call.emit();
  if (!call.types.empty() && call.types[0])
    if (const auto* data = std::get_if<typed::DataType>(&call.types[0]->node)) {
      const std::size_t count = call.lower.program().datas[data->data].constructors.size();
      const ValueId last = emit.constant_i64(static_cast<std::int64_t>(count) - 1);
      const ValueId low = emit.scalar(ScalarFn::Ge, {number, emit.constant_i64(0)});
      const ValueId ok =
          emit.scalar(ScalarFn::And, {low, emit.scalar(ScalarFn::Le, {number, last})});
      const ValueId checked =
          emit.check(number, ok, {number},
                     call.lower.new_check(call.span, "`toEnum` of {0}, which has no value"));
      return from_number(call, checked, call.lower.construct(data->data, 0, {}));
    }
  const ElementType type = call.type(0);
  if (type == ElementType::Bool)
    return call.lower.boolean(emit.scalar(ScalarFn::Ne, {number, emit.constant_i64(0)}));
  return call.lower.scalar_value(emit.convert(number, type));
}

}  // namespace

const BuiltinTable& order_builtins() {
  static const BuiltinTable table = {
      {"&&", {2, connective<true>}},
      {"||", {2, connective<false>}},
      {"not", {1, negation}},
      {"==", {2, equality<true>}},
      {"/=", {2, equality<false>}},
      {"<", {2, order<ScalarFn::Lt>}},
      {"<=", {2, order<ScalarFn::Le>}},
      {">", {2, order<ScalarFn::Gt>}},
      {">=", {2, order<ScalarFn::Ge>}},
      {"compare", {2, compare}},
      {"min", {2, extreme<ScalarFn::Min>}},
      {"max", {2, extreme<ScalarFn::Max>}},
      {"minBound", {0, bound<false>}},
      {"maxBound", {0, bound<true>}},
      {"succ", {1, neighbour<1>}},
      {"pred", {1, neighbour<-1>}},
      {"fromEnum", {1, from_enum}},
      {"toEnum", {1, to_enum}},
  };
  return table;
}

}  // namespace dvm::lower
