// Operations on arrays.
#include <limits>

#include "tests/random/graph_writer.hpp"

namespace dvm::test {

using namespace graph;

Size GraphWriter::extent() {
  static constexpr std::int64_t constants[] = {1, 1, 2, 3, 4, 0};
  const Size n = Size::symbol(n_.index), m = Size::symbol(m_.index);
  switch (draw(12)) {
    case 0:
    case 1:
    case 2:
      return m;
    case 3:
    case 4:
      return Size(one_of(constants));
    case 5:
      if (!extents_.empty()) return extents_[extents_.size() - 1 - draw(extents_.size())];
      return n + Size(1);
    case 6:
      return chance(50) ? n + Size(1) : n + m;
    default:
      return n;
  }
}

std::vector<Size> GraphWriter::space() {
  std::vector<Size> dims;
  const std::size_t kind = draw(12);
  const std::size_t rank = kind == 0 ? 0 : kind < 8 ? 1 : kind < 11 ? 2 : 3;
  for (std::size_t k = 0; k < rank; ++k)
    dims.push_back(rank > 1 && chance(40) ? Size(2) : extent());
  return dims;
}

void GraphWriter::add_indices(const std::vector<Size>& extents) {
  for (const Size& extent : extents) {
    const ValueId index = builder_.add_param({E::I64, {}}, "i");
    keep(index);
    indices_.emplace_back(index, extent);
  }
}

ValueId GraphWriter::array_of(const Type& wanted, int depth) {
  std::vector<ValueId> fitting;
  for (ValueId array : arrays_)
    if (type(array) == wanted) fitting.push_back(array);
  if (!fitting.empty() && chance(85))
    return fitting[fitting.size() - 1 - draw(std::min<std::size_t>(fitting.size(), 3))];
  return make_map(wanted, depth);
}

ValueId GraphWriter::any_array() {
  return arrays_[arrays_.size() - 1 -
                 draw(chance(60) ? std::min<std::size_t>(arrays_.size(), 4) : arrays_.size())];
}

ValueId GraphWriter::make_map(const Type& wanted, int depth) {
  const Type type = wanted;
  const RegionId region =
      body(type.shape, [&] { return std::vector<ValueId>{expression(type.element, depth + 1)}; });
  const NodeId node = builder_.add(Map{type.shape}, {}, {region}, {type});
  arrays_.push_back(builder_.results(node)[0]);
  return arrays_.back();
}

void GraphWriter::keep_results(NodeId node) {
  for (ValueId result : std::vector<ValueId>(builder_.results(node)))
    (type(result).is_scalar() ? scalars_ : arrays_).push_back(result);
}

void GraphWriter::statement(int depth) {
  --budget_;
  switch (draw(depth > 2 ? 9 : 24)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return map(depth);
    case 4:
    case 5:
      return reduce(depth);
    case 6:
      return scan(depth);
    case 7:
      return concat(depth);
    case 8:
      return reshape(depth);
    case 9:
    case 10:
      return map(depth);
    case 11:
      return reduce(depth);
    case 12:
    case 13:
      return scatter(depth);
    case 14:
      return by_key(depth);
    case 15:
      return sort(depth);
    case 16:
      return filter(depth);
    case 17:
      return array_loop(depth);
    case 18:
      return chance(50) ? array_while(depth) : array_loop(depth);
    case 19:
      return chance(70) ? array_branch(depth) : sized_branch(depth);
    case 20:
      return chance(50) ? array_check() : call(depth);
    case 21:
      return call(depth);
    default:
      scalar(element(), depth);
  }
}

void GraphWriter::map(int depth) {
  const std::vector<Size> dims = space();
  const bool rows = chance(8);
  std::vector<Type> types;
  const RegionId region = body(dims, [&] {
    std::vector<ValueId> yields;
    const std::size_t count = 1 + (chance(25) ? 1 : 0);
    for (std::size_t k = 0; k < count; ++k) {
      Type type{element(), {}};
      if (rows) {
        type.shape = {chance(50) ? Size::symbol(m_.index) : Size(2)};
        yields.push_back(make_map(type, depth + 1));
      } else {
        yields.push_back(expression(type.element, depth + 1));
      }
      type.shape.insert(type.shape.begin(), dims.begin(), dims.end());
      types.push_back(type);
    }
    return yields;
  });
  keep_results(builder_.add(Map{dims}, {}, {region}, std::move(types)));
}

GraphWriter::Combination GraphWriter::combination(bool one) {
  static constexpr ScalarFn logic[] = {ScalarFn::And, ScalarFn::Or, ScalarFn::Xor};
  static constexpr ScalarFn arithmetic[] = {ScalarFn::Add, ScalarFn::Add, ScalarFn::Add,
                                            ScalarFn::Mul, ScalarFn::Min, ScalarFn::Max};
  Combination result;
  const bool by_operator = chance(15);
  const std::size_t count = one || !chance(25) ? 1 : 2;
  for (std::size_t k = 0; k < count; ++k) {
    const E element = this->element();
    const bool bits = element == E::Bool || (is_integer(element) && chance(20));
    const ScalarFn fn = bits ? one_of(logic) : one_of(arithmetic);
    result.elements.push_back(element);
    if (!by_operator) result.components.push_back({fn, false});
    if (by_operator || chance(20)) {
      result.neutrals.push_back(pick(element));
      continue;
    }
    if (element == E::Bool) {
      result.neutrals.push_back(builder_.constant(Scalar::of_bool(fn == ScalarFn::And)));
    } else if (is_float(element)) {
      constexpr double inf = std::numeric_limits<double>::infinity();
      const double neutral = fn == ScalarFn::Add   ? (chance(50) ? -0.0 : 0.0)
                             : fn == ScalarFn::Mul ? 1.0
                             : fn == ScalarFn::Min ? inf
                                                   : -inf;
      result.neutrals.push_back(builder_.constant(Scalar::of_float(element, neutral)));
    } else {
      const std::int64_t neutral = fn == ScalarFn::Mul   ? 1
                                   : fn == ScalarFn::And ? -1
                                   : fn == ScalarFn::Min ? INT64_MAX
                                   : fn == ScalarFn::Max ? INT64_MIN
                                                         : 0;
      result.neutrals.push_back(builder_.constant(Scalar::of_integer(element, neutral)));
    }
  }
  return result;
}

// One more region where no component says how to combine.
std::vector<RegionId> GraphWriter::with_operator(RegionId body, const Combination& combination) {
  if (!combination.components.empty()) return {body};
  const std::vector<RegionId> regions{body, builder_.open_region()};
  const Scope scope = open();
  for (const char* side : {"a", "b"})
    for (E element : combination.elements) keep(builder_.add_param({element, {}}, side));
  std::vector<ValueId> yields;
  for (E element : combination.elements) {
    ValueId value = operation(element);
    if (chance(40)) {
      keep(value);
      value = operation(element);
    }
    yields.push_back(value);
  }
  builder_.close_region(std::move(yields));
  close(scope);
  return regions;
}

// Adds the operation, whose results all have this shape.
void GraphWriter::combine(Op op, const Combination& combination, RegionId body,
                          const std::vector<Size>& shape) {
  const std::vector<RegionId> regions = with_operator(body, combination);
  std::vector<Type> types;
  for (E element : combination.elements) types.push_back({element, shape});
  keep_results(builder_.add(std::move(op), combination.neutrals, regions, std::move(types)));
}

std::vector<ValueId> GraphWriter::terms(const Combination& combination, int depth) {
  std::vector<ValueId> values;
  for (E element : combination.elements) values.push_back(expression(element, depth + 1));
  return values;
}

void GraphWriter::reduce(int depth) {
  const Combination combined = combination(false);
  Reduce op;
  if (chance(50)) op.space = space();
  op.extent = extent();
  op.components = combined.components;
  std::vector<Size> dims = op.space;
  dims.push_back(op.extent);
  combine(op, combined, body(dims, [&] { return terms(combined, depth); }), op.space);
}

ValueId GraphWriter::nested_reduce(E element, int depth) {
  Reduce op;
  op.extent = extent();
  op.components = {{chance(60)   ? ScalarFn::Add
                    : chance(50) ? ScalarFn::Max
                                 : ScalarFn::Mul,
                    false}};
  const ValueId neutral =
      chance(80) ? builder_.constant(is_float(element) ? Scalar::of_float(element, -0.0)
                                                       : Scalar::of_integer(element, 0))
                 : pick(element);
  const RegionId region =
      body({op.extent}, [&] { return std::vector<ValueId>{expression(element, depth + 1)}; });
  return keep(builder_.results(builder_.add(op, {neutral}, {region}, {{element, {}}}))[0]);
}

void GraphWriter::scan(int depth) {
  const Combination combined = combination(false);
  Scan op;
  if (chance(25)) op.space = space();
  op.extent = extent();
  op.exclusive = chance(30);
  op.components = combined.components;
  std::vector<Size> dims = op.space;
  dims.push_back(op.extent);
  combine(op, combined, body(dims, [&] { return terms(combined, depth); }), dims);
}

void GraphWriter::scatter(int depth) {
  const ValueId into = any_array();
  const std::vector<Size> shape = type(into).shape;
  Combination combined;
  combined.neutrals = {into};
  combined.elements = {type(into).element};
  Scatter op;
  op.combines = chance(50);
  if (op.combines && chance(80)) {
    const bool boolean = combined.elements[0] == E::Bool;
    op.components = {{boolean ? ScalarFn::Or : chance(70) ? ScalarFn::Add : ScalarFn::Max, false}};
  }
  combined.components = op.components;
  const std::size_t leading = shape.size() > 1 && chance(50) ? 1 : shape.size();
  op.space.assign(shape.begin() + static_cast<std::ptrdiff_t>(leading), shape.end());
  op.extent = extent();
  std::vector<Size> dims = op.space;
  dims.insert(dims.begin(), op.extent);
  const RegionId region = body(dims, [&] {
    std::vector<ValueId> yields;
    for (std::size_t k = 0; k < leading; ++k) {
      if (chance(50)) {
        bool safe = true;
        yields.push_back(index(shape[k], safe));
      } else {
        yields.push_back(expression(E::I64, depth + 1));
      }
    }
    yields.push_back(expression(combined.elements[0], depth + 1));
    return yields;
  });
  if (op.combines) return combine(op, combined, region, shape);
  keep_results(builder_.add(op, {into}, {region}, {type(into)}));
}

void GraphWriter::by_key(int depth) {
  const Combination combined = combination(false);
  ReduceByKey op;
  op.keys = extent();
  op.extent = extent();
  if (chance(25)) op.space = {chance(50) ? Size::symbol(m_.index) : Size(2)};
  op.components = combined.components;
  const RegionId region = body({op.extent}, [&] {
    // Before the indices of the space are in the pool: the key must not depend on them.
    ValueId key = expression(E::I64, depth + 1);
    if (chance(60)) key = builder_.scalar(ScalarFn::IntMod, {key, builder_.constant_i64(3)});
    add_indices(op.space);
    std::vector<ValueId> yields = terms(combined, depth);
    yields.insert(yields.begin(), key);
    return yields;
  });
  std::vector<Size> shape = op.space;
  shape.insert(shape.begin(), op.keys);
  combine(op, combined, region, shape);
}

void GraphWriter::concat(int depth) {
  const ValueId first = any_array();
  Type whole = type(first);
  std::vector<ValueId> operands{first};
  const std::size_t more = draw(3);
  for (std::size_t k = 0; k < more; ++k) {
    Type next = type(first);
    if (chance(30)) next.shape[0] = extent();
    operands.push_back(array_of(next, depth));
    whole.shape[0] = whole.shape[0] + next.shape[0];
  }
  keep_results(builder_.add(Concat{}, std::move(operands), {}, {whole}));
}

void GraphWriter::reshape(int) {
  const ValueId from = any_array();
  Type to = type(from);
  Size count(1);
  for (const Size& dim : to.shape) count = count * dim;
  CheckId checked;
  switch (draw(4)) {
    case 0:
      to.shape = {count};
      break;
    case 1:
      to.shape.push_back(Size(1));
      break;
    case 2:
      to.shape = {Size(1), count};
      break;
    default:
      to.shape = chance(50) ? std::vector<Size>{Size(2), extent()} : std::vector<Size>{extent()};
      checked = check();
  }
  keep_results(builder_.add(Reshape{}, {from}, {}, {to}, checked));
}

void GraphWriter::sort(int depth) {
  const Size length = extent();
  Sort op;
  std::vector<ValueId> keys;
  const std::size_t count = 1 + draw(2);
  for (std::size_t k = 0; k < count; ++k) {
    op.descending.push_back(chance(30));
    keys.push_back(array_of({element(), {length}}, depth));
  }
  keep_results(builder_.add(op, std::move(keys), {}, {{E::I64, {length}}}));
}

void GraphWriter::filter(int depth) {
  const Size length = extent();
  std::vector<E> elements;
  const RegionId region = body({length}, [&] {
    std::vector<ValueId> yields{expression(E::Bool, depth + 1)};
    const std::size_t count = 1 + draw(2);
    for (std::size_t k = 0; k < count; ++k) {
      elements.push_back(element());
      yields.push_back(expression(elements.back(), depth + 1));
    }
    return yields;
  });
  std::vector<ValueId> results{builder_.new_value({E::I64, {}})};
  const Size kept = Size::symbol(results[0].index);
  for (E element : elements) results.push_back(builder_.new_value({element, {kept}}));
  keep_results(builder_.add_with_results(Filter{length}, {}, {region}, results));
  extents_.push_back(kept);
}

}  // namespace dvm::test
