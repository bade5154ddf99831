// Built-in reductions, scans and reductions by key.
#include <limits>

#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace {

using Call = const BuiltinCall&;

ValueRef scalar_operator(Lowerer& lower, ScalarFn fn) {
  return lower.native(2, [fn](Lowerer& inside, const std::vector<Lazy*>& args, Span span) {
    const ValueId a = inside.as_scalar(inside.demand(args[0]), span);
    const ValueId b = inside.as_scalar(inside.demand(args[1]), span);
    return inside.scalar_value(inside.emit().scalar(fn, {a, b}));
  });
}

Scalar number(ElementType type, int value) {
  return is_float(type) ? Scalar::of_float(type, value) : Scalar::of_integer(type, value);
}

// The greatest value of the type (infinity), or the least.
Scalar end_of(ElementType type, bool greatest) {
  if (is_float(type)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return Scalar::of_float(type, greatest ? infinity : -infinity);
  }
  if (type == ElementType::Bool) return Scalar::of_bool(greatest);
  const int bits = 8 * byte_size(type);
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  if (is_signed(type))
    return Scalar::of_integer(type, static_cast<std::int64_t>(greatest ? top - 1 : top));
  return Scalar::of_integer(type, greatest ? -1 : 0);
}

template <ScalarFn fn, int neutral>
ValueRef fold(Call call) {
  namespace builtin = typed::builtin_class;
  const ArrayValue array = call.array(0);
  if (!call.lower.builtin_scalar(builtin::num, call.types.at(0))) {
    const ValueRef op = call.lower.method_named(builtin::num, fn == ScalarFn::Add ? "+" : "*",
                                                {call.types[0]}, call.span);
    const ValueRef start =
        call.lower.from_integer(call.types[0], call.emit().constant_i64(neutral), call.span);
    return call.lower.reduce(array, op, start, call.span);
  }
  const ValueId start = call.emit().constant(number(call.type(0), neutral));
  return call.lower.reduce(array, scalar_operator(call.lower, fn), call.lower.scalar_value(start),
                           call.span);
}

ValueId nonempty(Call call, ValueId value, const Size& extent) {
  if (call.emit().proves_nonnegative(extent - Size(1))) return value;
  const ValueId count = call.emit().size_value(extent);
  const ValueId ok = call.emit().scalar(ScalarFn::Gt, {count, call.emit().constant_i64(0)});
  return call.emit().check(
      value, ok, {}, call.lower.new_check(call.span, "`" + call.name + "` of an empty array"));
}

// Whether the elements are, or contain, arrays.
bool contains_array(Call call) {
  if (call.types.empty() || !call.types[0]) return false;
  const LayoutRef layout = call.lower.layout_of_type(call.types[0], nullptr, call.span);
  for (const graph::Type& type : call.lower.leaf_types(layout))
    if (!type.is_scalar()) return true;
  return false;
}

// The index of the first least (greatest) element: a reduction of elements with their indices.
template <bool least>
ValueRef extreme_index(Call call) {
  const ArrayValue array = call.lower.worthwhile(call.array(0), call.span);
  if (contains_array(call)) {  // rows are not reduced as wholes, but they have an order
    if (!call.lower.compares_by_structure(typed::builtin_class::ord, call.types[0]))
      call.lower.not_supported(call.span, "`" + call.name + "` by an instance of one's own");
    const ArrayValue keys = call.lower.tabulate(array, call.span);
    const ArrayValue order = call.lower.order_of(keys, !least, call.span);
    const ValueId first = nonempty(call, call.emit().constant_i64(0), array.extent);
    return order.element(call.lower, first);
  }
  ArrayValue pairs = call.lower.pull(
      array.extent,
      [array](Lowerer& lower, ValueId index) {
        return make_value(TupleValue{{array.element(lower, index), lower.scalar_value(index)}});
      },
      false);
  pairs.requirements = array.requirements;
  const ValueRef op =
      call.lower.native(2, [span = call.span, type = call.types.at(0)](
                               Lowerer& lower, const std::vector<Lazy*>& args, Span) {
        Emitter& emit = lower.emit();
        const ValueRef a = lower.demand(args[0]);
        const ValueRef b = lower.demand(args[1]);
        const ValueRef x = get_if<TupleValue>(a)->parts.at(0);
        const ValueRef y = get_if<TupleValue>(b)->parts.at(0);
        ValueId keep = lower.less(least ? ScalarFn::Le : ScalarFn::Ge, x, y, type, span);
        if (const auto* scalar = get_if<ScalarValue>(x);
            scalar != nullptr && is_float(emit.element(scalar->id)))
          keep = emit.scalar(ScalarFn::Or, {keep, emit.scalar(ScalarFn::IsNan, {scalar->id})});
        return lower.branch(keep, [&] { return a; }, [&] { return b; }, span);
      });
  if (call.types.empty() || !call.types[0])
    call.lower.not_supported(call.span, "`" + call.name + "` here");
  const LayoutRef layout = call.lower.layout_of_type(call.types[0], nullptr, call.span);
  std::vector<ValueId> zeros;
  for (const graph::Type& type : call.lower.leaf_types(layout))
    zeros.push_back(call.lower.zero(type));
  const ValueRef none = make_value(TupleValue{
      {call.lower.rebuild(layout, zeros), call.lower.scalar_value(call.emit().constant_i64(0))}});
  const ValueRef best = call.lower.reduce(pairs, op, none, call.span);
  const ValueId index = call.lower.as_scalar(get_if<TupleValue>(best)->parts.at(1), call.span);
  return call.lower.scalar_value(nonempty(call, index, array.extent));
}

// Of elements that are no scalars: the method, and the first element as the neutral one.
ValueRef extreme_by(Call call, const char* method) {
  const ArrayValue array = call.lower.worthwhile(call.array(0), call.span);
  const ValueRef op =
      call.lower.method_named(typed::builtin_class::ord, method, {call.types[0]}, call.span);
  const ValueId first = nonempty(call, call.emit().constant_i64(0), array.extent);
  return call.lower.reduce(array, op, array.element(call.lower, first), call.span);
}

template <ScalarFn fn>
ValueRef extreme(Call call) {
  constexpr bool least = fn == ScalarFn::Min;
  if (contains_array(call)) {
    const ArrayValue array = call.whole(0);
    const ValueRef index = extreme_index<least>(call);
    return array.element(call.lower, call.lower.as_scalar(index, call.span));
  }
  if (!call.lower.builtin_scalar(typed::builtin_class::ord, call.types.at(0)))
    return extreme_by(call, least ? "min" : "max");
  const ArrayValue array = call.array(0);
  const ElementType type = call.type(0);
  const ValueId start = call.emit().constant(end_of(type, fn == ScalarFn::Min));
  const ValueRef result = call.lower.reduce(array, scalar_operator(call.lower, fn),
                                            call.lower.scalar_value(start), call.span);
  return call.lower.scalar_value(
      nonempty(call, call.lower.as_scalar(result, call.span), array.extent));
}

ValueRef reduce(Call call) {
  const ValueRef op = call.value(0);
  const ValueRef neutral = call.value(1);
  const ArrayValue array = call.array(2);
  call.lower.state_laws();
  return call.lower.reduce(array, op, neutral, call.span);
}

template <bool exclusive>
ValueRef scan(Call call) {
  const ValueRef op = call.value(0);
  const ValueRef neutral = call.value(1);
  const ArrayValue array = call.array(2);
  call.lower.state_laws();
  return call.lower.scan(array, op, neutral, exclusive, call.span);
}

ValueRef combine_bools(Call call, const ArrayValue& array, bool conjunction) {
  const ValueId start = call.emit().constant(Scalar::of_bool(conjunction));
  return call.lower.reduce(array,
                           scalar_operator(call.lower, conjunction ? ScalarFn::And : ScalarFn::Or),
                           call.lower.boolean(start), call.span);
}

template <bool conjunction>
ValueRef bools(Call call) {
  return combine_bools(call, call.array(0), conjunction);
}

ArrayValue mapped(Call call, const std::function<ValueRef(Lowerer&, const ValueRef&)>& f) {
  const ArrayValue array = call.lower.worthwhile(call.array(1), call.span);
  ArrayValue result = call.lower.pull(
      array.extent,
      [f, array](Lowerer& lower, ValueId index) { return f(lower, array.element(lower, index)); },
      false);
  result.requirements = array.requirements;
  return result;
}

template <bool conjunction>
ValueRef quantifier(Call call) {
  const ValueRef p = call.value(0);
  return combine_bools(
      call,
      mapped(call, [p, span = call.span](Lowerer& lower,
                                         const ValueRef& x) { return lower.call(p, {x}, span); }),
      conjunction);
}

ValueRef count(Call call) {
  const ValueRef p = call.value(0);
  const ArrayValue ones = mapped(call, [p, span = call.span](Lowerer& lower, const ValueRef& x) {
    const ValueId holds = lower.as_scalar(lower.call(p, {x}, span), span);
    return lower.scalar_value(lower.emit().convert(holds, ElementType::I64));
  });
  return call.lower.reduce(ones, scalar_operator(call.lower, ScalarFn::Add),
                           call.lower.scalar_value(call.emit().constant_i64(0)), call.span);
}

ValueRef reduce_by_key(Call call) {
  const ValueRef op = call.value(0);
  const ValueRef neutral = call.value(1);
  auto [keys, requirements] = call.lower.extent_of(call.scalar(2), call.span, "the number of keys");
  ArrayValue array = call.array(4);
  array.requirements.insert(array.requirements.end(), requirements.begin(), requirements.end());
  const ArrayValue key = call.array(3);
  call.lower.state_laws();
  return call.lower.reduce_by_key(op, neutral, keys, key, array, call.span);
}

// Segment s is a reduction from offset s to offset s + 1. One check for each segment: offsets do
// not decrease, stay inside, and the last is the size.
ValueRef segment_reduce(Call call) {
  const ValueRef op = call.value(0);
  const ValueRef neutral = call.value(1);
  const ArrayValue offsets = call.whole(2);
  const ArrayValue values = call.lower.worthwhile(call.array(3), call.span);
  const Size segments = offsets.extent - Size(1);
  ArrayValue result = call.lower.pull(
      segments,
      [=, span = call.span](Lowerer& lower, ValueId s) {
        Emitter& emit = lower.emit();
        const ValueId one = emit.constant_i64(1);
        const ValueId after = emit.scalar(ScalarFn::Add, {s, one});
        const ValueId from = lower.as_scalar(offsets.element(lower, s), span);
        const ValueId to = lower.as_scalar(offsets.element(lower, after), span);
        const ValueId size = emit.size_value(values.extent);
        ValueId ok = emit.scalar(ScalarFn::Ge, {from, emit.constant_i64(0)});
        ok = emit.scalar(ScalarFn::And, {ok, emit.scalar(ScalarFn::Le, {from, to})});
        ok = emit.scalar(ScalarFn::And, {ok, emit.scalar(ScalarFn::Le, {to, size})});
        const ValueId inner = emit.scalar(ScalarFn::Lt, {after, emit.size_value(segments)});
        const ValueId ends = emit.scalar(ScalarFn::Eq, {to, size});
        ok = emit.scalar(ScalarFn::And, {ok, emit.scalar(ScalarFn::Or, {inner, ends})});
        const CheckId check = lower.new_check(span,
                                              "the offsets {0} and {1} are no segment of an array "
                                              "of size {2}, or the last offset is not the size");
        const ValueId start = emit.check(from, ok, {from, to, size}, check);
        emit.add_fact(emit.as_size(start));
        emit.add_fact(values.extent - emit.as_size(to));
        const ArrayValue segment = lower.pull(
            emit.as_size(to) - emit.as_size(start),
            [values, start](Lowerer& inside, ValueId q) {
              return values.element(inside, inside.emit().scalar(ScalarFn::Add, {start, q}));
            },
            values.view);
        lower.state_laws();
        return lower.reduce(segment, op, neutral, span);
      },
      false);
  result.requirements = values.requirements;
  return make_value(std::move(result));
}

}  // namespace

const BuiltinTable& reduce_builtins() {
  static const BuiltinTable table = {
      {"reduce", {3, reduce}},
      {"scan", {3, scan<false>}},
      {"scanExclusive", {3, scan<true>}},
      {"sum", {1, fold<ScalarFn::Add, 0>}},
      {"product", {1, fold<ScalarFn::Mul, 1>}},
      {"minimum", {1, extreme<ScalarFn::Min>}},
      {"maximum", {1, extreme<ScalarFn::Max>}},
      {"argmin", {1, extreme_index<true>}},
      {"argmax", {1, extreme_index<false>}},
      {"and", {1, bools<true>}},
      {"or", {1, bools<false>}},
      {"all", {2, quantifier<true>}},
      {"any", {2, quantifier<false>}},
      {"count", {2, count}},
      {"segReduce", {4, segment_reduce}},
      {"reduceByKey", {5, reduce_by_key}},
  };
  return table;
}

}  // namespace dvm::lower
