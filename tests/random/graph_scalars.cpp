// Scalars: operations, reads, and control with scalar states.
#include <limits>

#include "tests/random/graph_writer.hpp"

namespace dvm::test {

using namespace graph;
using enum ScalarFn;

CheckId GraphWriter::check() { return module_.checks.push({"check", {}}); }

GraphWriter::Scope GraphWriter::open() const {
  return {scalars_.size(), arrays_.size(), indices_.size(), extents_.size()};
}

void GraphWriter::close(const Scope& scope) {
  scalars_.resize(scope.scalars);
  arrays_.resize(scope.arrays);
  indices_.resize(scope.indices);
  extents_.resize(scope.extents);
}

ElementType GraphWriter::element() {
  static constexpr E all[] = {E::F64, E::F64, E::F64,  E::F64, E::F64, E::I64, E::I64,
                              E::I64, E::I64, E::Bool, E::F32, E::F32, E::I32, E::U8};
  static constexpr E rare[] = {E::I8, E::I16, E::U16, E::U32, E::U64};
  return chance(2) ? one_of(rare) : one_of(all);
}

ElementType GraphWriter::number() {
  const E drawn = element();
  return drawn == E::Bool ? E::F64 : drawn;
}

ValueId GraphWriter::keep(ValueId value) {
  scalars_.push_back(value);
  return value;
}

ValueId GraphWriter::literal(E element) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  static constexpr double floats[] = {0.0,
                                      -0.0,
                                      1.0,
                                      -1.0,
                                      0.5,
                                      2.0,
                                      3.25,
                                      1e300,
                                      inf,
                                      -inf,
                                      std::numeric_limits<double>::quiet_NaN()};
  static constexpr std::int64_t integers[] = {0,  1,  2, 3,   4,         5,
                                              -1, -2, 7, 100, INT64_MAX, INT64_MIN};
  if (element == E::Bool) return builder_.constant(Scalar::of_bool(chance(50)));
  if (is_float(element)) return builder_.constant(Scalar::of_float(element, one_of(floats)));
  return builder_.constant(Scalar::of_integer(element, integers[draw(chance(80) ? 6 : 12)]));
}

// The latest are the most interesting: what was just made is to be used.
ValueId GraphWriter::pick(E element) {
  if (chance(6)) return literal(element);
  std::vector<ValueId> fitting;
  for (std::size_t k = scalars_.size(); k-- > 0 && fitting.size() < 10;)
    if (type(scalars_[k]).element == element) fitting.push_back(scalars_[k]);
  if (fitting.size() < 3 && element != E::Bool && chance(60)) {
    for (std::size_t k = scalars_.size(); k-- > 0;)
      if (type(scalars_[k]).element != element && type(scalars_[k]).element != E::Bool)
        return keep(converted(scalars_[k], element));
  }
  if (fitting.empty()) return literal(element);
  const std::size_t first = draw(fitting.size());
  return fitting[std::min(first, draw(fitting.size()))];
}

ValueId GraphWriter::converted(ValueId value, E to) {
  const E from = type(value).element;
  const bool rounds = is_float(from) && is_integer(to);
  return builder_.scalar(rounds ? Floor : Convert, {value}, {}, to);
}

ValueId GraphWriter::scalar(E element, int depth) {
  --budget_;
  const bool deep = depth > 3 || budget_ < 0;
  switch (draw(deep ? 8 : 16)) {
    case 0:
      return keep(literal(element));
    case 1:
    case 2:
      return read(element);
    case 8:
      return chance(50) ? scalar_branch(element, depth) : guarded_read(element);
    case 9:
      return chance(60) ? scalar_loop(element, depth) : scalar_while(element, depth);
    case 10:
      if (element != E::Bool) return nested_reduce(element, depth);
      return keep(operation(element));
    case 11:
      if (chance(40)) {
        statement(depth);  // in a body: many operations no kernel holds
        return read(element);
      }
      return read(element);
    case 12:
      if (chance(25)) {
        const std::vector<ValueId> values{pick(element), pick(E::Bool), pick(E::I64)};
        return keep(builder_.check(values[0], values[1], {values[2]}, check()));
      }
      return keep(operation(element));
    default:
      return keep(operation(element));
  }
}

// Operands in order, then the check: with one thing drawn at a time the graph is the same whatever
// the order in which a compiler evaluates arguments.
ValueId GraphWriter::emit(ScalarFn fn, const std::vector<E>& operands, bool checked,
                          std::optional<E> to) {
  std::vector<ValueId> values;
  for (E operand : operands) values.push_back(pick(operand));
  return builder_.scalar(fn, std::move(values), checked ? check() : CheckId{}, to);
}

ValueId GraphWriter::operation(E element) {
  if (chance(10)) return emit(Select, {E::Bool, element, element});
  if (element == E::Bool) return bool_operation();
  if (chance(12)) return converted(element);
  return is_float(element) ? float_operation(element) : integer_operation(element);
}

ValueId GraphWriter::float_operation(E element) {
  static constexpr ScalarFn binary[] = {Add, Add, Sub, Mul, Mul, Div, Min, Max};
  static constexpr ScalarFn unary[] = {Neg, Abs, Sqrt, Signum, Exp, Log, Sin, Tanh};
  static constexpr ScalarFn rare[] = {Pow, Atan2, Hypot};
  const std::size_t kind = draw(12);
  if (kind < 8) return emit(one_of(binary), {element, element});
  if (kind < 10) return emit(one_of(unary), {element});
  if (kind == 10) return emit(one_of(rare), {element, element});
  return emit(Fma, {element, element, element});
}

ValueId GraphWriter::integer_operation(E element) {
  static constexpr ScalarFn binary[] = {Add, Add, Sub, Sub, Mul, Min, Max, And, Or, Xor};
  static constexpr ScalarFn unary[] = {Neg, Abs, Signum, Not};
  static constexpr ScalarFn division[] = {IntDiv, IntMod, IntQuot, IntRem};
  static constexpr ScalarFn shift[] = {Shl, Shr};
  static constexpr ScalarFn turn[] = {RotateL, RotateR};
  static constexpr ScalarFn bits[] = {PopCount, CountLeadingZeros, CountTrailingZeros};
  static constexpr E integers[] = {E::I64, E::I64, E::I32, E::U8};
  const std::size_t kind = draw(14);
  if (kind == 8) return emit(one_of(unary), {element});
  if (kind == 9 && element == E::I64) {
    const E from = one_of(integers);
    return emit(one_of(bits), {from});
  }
  if (kind < 10) return emit(one_of(binary), {element, element});
  if (kind == 10 && chance(60)) {
    const ValueId value = pick(element);
    const ValueId by = builder_.scalar(And, {pick(E::I64), builder_.constant_i64(15)});
    return builder_.scalar(one_of(shift), {value, by}, check());
  }
  if (kind == 10) return emit(one_of(shift), {element, E::I64}, true);
  if (kind == 11) return emit(one_of(turn), {element, E::I64});
  if (kind == 12 && chance(60)) return emit(one_of(division), {element, element}, true);
  const ValueId divisor =
      builder_.constant(Scalar::of_integer(element, static_cast<std::int64_t>(draw(5)) + 1));
  const ValueId dividend = pick(element);
  return builder_.scalar(one_of(division), {dividend, divisor});
}

ValueId GraphWriter::bool_operation() {
  static constexpr ScalarFn compare[] = {Eq, Ne, Lt, Le, Gt, Ge};
  static constexpr ScalarFn logic[] = {And, Or, Xor};
  static constexpr ScalarFn kinds[] = {IsNan, IsInfinite};
  const std::size_t kind = draw(8);
  if (kind < 5) {
    const E side = element();
    return emit(one_of(compare), {side, side});
  }
  if (kind == 5) return emit(one_of(logic), {E::Bool, E::Bool});
  if (kind == 6) return emit(Not, {E::Bool});
  const E side = chance(80) ? E::F64 : E::F32;
  return emit(one_of(kinds), {side});
}

ValueId GraphWriter::converted(E to) {
  static constexpr ScalarFn round[] = {Truncate, Floor, Ceiling, Round};
  const E from = number();
  if (is_float(from) && is_integer(to)) return emit(one_of(round), {from}, false, to);
  if (is_integer(to) && chance(15)) return emit(Convert, {E::Bool}, false, to);
  return emit(Convert, {from}, false, to);
}

ValueId GraphWriter::expression(E wanted, int depth) {
  const std::size_t count = draw(depth < 2 ? 5 : 3);
  if (chance(60)) {
    const E recent = type(any_array()).element;
    read(recent);
  }
  for (std::size_t k = 0; k < count && budget_ > 0; ++k) scalar(element(), depth);
  return chance(40) ? scalar(wanted, depth) : keep(operation(wanted));
}

// `safe`: in range whenever the region runs.
ValueId GraphWriter::index(const Size& extent, bool& safe) {
  std::vector<ValueId> fitting, others;
  for (const auto& [value, range] : indices_) (range == extent ? fitting : others).push_back(value);
  if (!fitting.empty() && chance(85)) {
    const ValueId exact =
        fitting[fitting.size() - 1 - draw(std::min<std::size_t>(fitting.size(), 2))];
    const std::size_t kind = draw(9);
    if (kind < 5) return exact;
    const ValueId last = builder_.size(extent - Size(1));
    if (kind == 5) return builder_.scalar(Sub, {last, exact});  // reversed
    const ValueId moved = builder_.scalar(
        Add, {exact, builder_.constant_i64(static_cast<std::int64_t>(draw(5)) - 2)});
    if (kind == 6) {
      const ValueId low = builder_.scalar(Max, {moved, builder_.constant_i64(0)});
      return builder_.scalar(Min, {low, last});
    }
    if (kind == 7) return builder_.scalar(IntMod, {moved, builder_.size(extent)}, check());
    safe = false;
    return moved;
  }
  safe = false;
  const ValueId free = free_index(others);
  if (chance(20)) return free;
  // In range unless there is nothing.
  const ValueId least = builder_.constant_i64(1);
  const ValueId length = builder_.scalar(Max, {builder_.size(extent), least});
  return builder_.scalar(IntMod, {free, length}, check());
}

// Strides, diagonals, windows, data.
ValueId GraphWriter::free_index(const std::vector<ValueId>& indices) {
  if (indices.empty() || chance(30)) return chance(40) ? literal(E::I64) : pick(E::I64);
  const ValueId one = indices[draw(indices.size())];
  if (chance(30)) return one;
  if (chance(50)) {
    const std::int64_t stride = static_cast<std::int64_t>(draw(3)) + 1;
    return builder_.scalar(Mul, {one, builder_.constant_i64(stride)});
  }
  return builder_.scalar(Add, {one, indices_[draw(indices_.size())].first});
}

ValueId GraphWriter::read(E element) {
  std::vector<ValueId> fitting;
  for (ValueId array : arrays_)
    if (type(array).element == element) fitting.push_back(array);
  if (fitting.empty()) return keep(operation(element));
  const std::size_t back =
      draw(chance(70) ? std::min<std::size_t>(fitting.size(), 3) : fitting.size());
  const ValueId array = fitting[fitting.size() - 1 - back];
  std::vector<ValueId> indices;
  bool safe = true;
  for (const Size& extent : std::vector<Size>(type(array).shape))
    indices.push_back(index(extent, safe));
  return keep(builder_.read(array, std::move(indices), safe && chance(70) ? CheckId{} : check()));
}

// if 0 <= i && i < extent then array[i] else …
ValueId GraphWriter::guarded_read(E element) {
  std::vector<ValueId> vectors;
  for (ValueId array : arrays_)
    if (type(array).element == element && type(array).shape.size() == 1) vectors.push_back(array);
  if (vectors.empty()) return read(element);
  const ValueId array = vectors[draw(vectors.size())];
  const Size extent = type(array).shape[0];
  ValueId at = pick(E::I64);
  if (!indices_.empty() && chance(70)) {
    const ValueId base = indices_[draw(indices_.size())].first;
    at =
        builder_.scalar(Add, {base, builder_.constant_i64(static_cast<std::int64_t>(draw(5)) - 2)});
  }
  const ValueId above = builder_.scalar(Ge, {at, builder_.constant_i64(0)});
  const ValueId below = builder_.scalar(Lt, {at, builder_.size(extent)});
  const ValueId inside = builder_.scalar(And, {above, below});
  const RegionId then = builder_.open_region();
  const ValueId value = builder_.read(array, {at}, chance(70) ? CheckId{} : check());
  builder_.close_region({value});
  const RegionId otherwise = builder_.open_region();
  const Scope scope = open();
  const ValueId other = pick(element);
  builder_.close_region({other});
  close(scope);
  return keep(
      builder_.results(builder_.add(Branch{}, {inside}, {then, otherwise}, {{element, {}}}))[0]);
}

ValueId GraphWriter::scalar_branch(E element, int depth) {
  const ValueId condition = pick(E::Bool);
  std::vector<RegionId> regions;
  const E second = this->element();
  for (int side = 0; side < 2; ++side) {
    regions.push_back(builder_.open_region());
    const Scope scope = open();
    const ValueId value = expression(element, depth + 1);
    const ValueId more = pick(second);
    builder_.close_region({value, more});
    close(scope);
  }
  const NodeId node = builder_.add(Branch{}, {condition}, regions, {{element, {}}, {second, {}}});
  keep(builder_.results(node)[1]);
  return keep(builder_.results(node)[0]);
}

ValueId GraphWriter::scalar_loop(E element, int depth) {
  const E second = number();
  const ValueId steps = count();
  const std::vector<ValueId> operands{steps, pick(element), pick(second)};
  const RegionId region = builder_.open_region();
  const Scope scope = open();
  keep(builder_.add_param({E::I64, {}}, "t"));
  keep(builder_.add_param({element, {}}, "u"));
  keep(builder_.add_param({second, {}}, "w"));
  const ValueId first = expression(element, depth + 1);
  const ValueId other = chance(20) ? pick(second) : expression(second, depth + 1);
  builder_.close_region({first, other});
  close(scope);
  const NodeId node = builder_.add(Loop{}, operands, {region}, {{element, {}}, {second, {}}});
  keep(builder_.results(node)[1]);
  return keep(builder_.results(node)[0]);
}

ValueId GraphWriter::scalar_while(E element, int depth) {
  const std::vector<ValueId> operands{builder_.constant_i64(0), pick(element)};
  std::vector<RegionId> regions;
  for (int part = 0; part < 2; ++part) {
    regions.push_back(builder_.open_region());
    const Scope scope = open();
    const ValueId step = keep(builder_.add_param({E::I64, {}}, "t"));
    keep(builder_.add_param({element, {}}, "u"));
    const ValueId value = expression(part == 0 ? E::Bool : element, depth + 1);
    if (part == 0) {
      const ValueId limit = builder_.constant_i64(static_cast<std::int64_t>(draw(4)));
      const ValueId more = builder_.scalar(Lt, {step, limit});
      builder_.close_region({chance(50) ? more : builder_.scalar(And, {more, value})});
    } else {
      const ValueId next = builder_.scalar(Add, {step, builder_.constant_i64(1)});
      builder_.close_region({next, value});
    }
    close(scope);
  }
  const NodeId node = builder_.add(While{}, operands, regions, {{E::I64, {}}, {element, {}}});
  keep(builder_.results(node)[0]);
  return keep(builder_.results(node)[1]);
}

}  // namespace dvm::test
