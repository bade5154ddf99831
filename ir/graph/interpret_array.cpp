// The interpreter: map, filter, concat, reshape, sort.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "ir/graph/interpreter.hpp"

namespace dvm::graph {
namespace {

// The total order of sort: -0 equals +0, NaN equals NaN and is greater than all else.
std::weak_ordering order(const Tensor& keys, std::int64_t a, std::int64_t b) {
  const Scalar x = keys.at(a), y = keys.at(b);
  if (!is_float(keys.element))
    return is_signed(keys.element) ? x.as_i64() <=> y.as_i64() : x.bits <=> y.bits;
  const double u = x.as_double(), v = y.as_double();
  if (std::isnan(u) || std::isnan(v)) return std::isnan(u) <=> std::isnan(v);
  return u < v   ? std::weak_ordering::less
         : u > v ? std::weak_ordering::greater
                 : std::weak_ordering::equivalent;
}

}  // namespace

void Interpreter::run_op(Frame& frame, const Step& step, const Map& op) {
  const Node& node = *step.node;
  const Block& body = *step.blocks[0];
  const std::vector<std::int64_t> space = extents(frame, op.space);
  const std::int64_t count = points(space);
  std::vector<Tensor> results(node.results.size());
  std::vector<bool> lost(node.results.size(), false);
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Type& type = this->type(frame, node.results[k]);
    if (step.results[k] && !type.is_scalar())
      results[k] = make(type.element, extents(frame, type.shape));
  }
  Odometer odometer(space);
  Points points(*this);
  for (std::int64_t p = 0; p < count; ++p, odometer.next()) {
    for (std::size_t d = 0; d < space.size(); ++d) {
      bits(frame, body.region->params[d]) = static_cast<std::uint64_t>(odometer.at()[d]);
      set_poison(frame, body.region->params[d], false);
    }
    points.at(p);
    enter(frame, body);
    for (std::size_t k = 0; k < results.size(); ++k) {
      if (!step.results[k]) continue;
      const ValueId yield = body.region->yields[k];
      if (is_poisoned(frame, yield)) {
        lost[k] = true;
      } else if (results[k].data == nullptr) {  // an empty space of rank 0: the yield itself
        bits(frame, node.results[k]) = bits(frame, yield);
      } else if (type(frame, yield).is_scalar()) {
        results[k].set(p, scalar(frame, yield));
      } else {
        const Tensor& part = array(frame, yield);
        const auto shape = std::span(results[k].shape).subspan(space.size());
        if (!std::equal(part.shape.begin(), part.shape.end(), shape.begin(), shape.end())) {
          abort(fmt::format("a map yields an array of shape [{}], not [{}]",
                            fmt::join(part.shape, ", "), fmt::join(shape, ", ")));
        }
        const std::size_t bytes = part.bytes();
        if (bytes > 0)
          std::memcpy(results[k].data.get() + static_cast<std::size_t>(p) * bytes, part.data.get(),
                      bytes);
      }
    }
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (!step.results[k]) continue;
    if (results[k].data != nullptr) array(frame, node.results[k]) = std::move(results[k]);
    set_poison(frame, node.results[k], lost[k]);
  }
}

void Interpreter::run_op(Frame& frame, const Step& step, const Filter& op) {
  const Node& node = *step.node;
  const Block& condition = *step.blocks[0];
  const Block& values = *step.blocks[1];
  const Region& region = *condition.region;
  const std::int64_t count = extent(frame, op.extent);
  const bool any_values =
      std::find(step.results.begin() + 1, step.results.end(), true) != step.results.end();
  std::vector<std::vector<Scalar>> kept(node.results.size());
  std::vector<bool> lost(node.results.size(), false);
  std::int64_t number = 0;
  Points points(*this);
  for (std::int64_t i = 0; i < count; ++i) {
    bits(frame, region.params[0]) = static_cast<std::uint64_t>(i);
    set_poison(frame, region.params[0], false);
    points.at(i);
    enter(frame, condition);
    if (is_poisoned(frame, region.yields[0])) {
      lost.assign(lost.size(), true);
      continue;
    }
    if (bits(frame, region.yields[0]) == 0) continue;
    ++number;
    if (!any_values) continue;
    enter(frame, values);
    for (std::size_t k = 1; k < kept.size(); ++k) {
      if (!step.results[k]) continue;
      if (is_poisoned(frame, region.yields[k])) lost[k] = true;
      kept[k].push_back(scalar(frame, region.yields[k]));
    }
  }
  bits(frame, node.results[0]) = static_cast<std::uint64_t>(number);
  set_poison(frame, node.results[0], lost[0]);
  for (std::size_t k = 1; k < kept.size(); ++k) {
    if (!step.results[k]) continue;
    set_poison(frame, node.results[k], lost[k]);
    Tensor result =
        make(type(frame, node.results[k]).element, {static_cast<std::int64_t>(kept[k].size())});
    for (std::size_t i = 0; i < kept[k].size(); ++i)
      result.set(static_cast<std::int64_t>(i), kept[k][i]);
    array(frame, node.results[k]) = std::move(result);
  }
}

void Interpreter::run_op(Frame& frame, const Step& step, const Concat&) {
  const Node& node = *step.node;
  std::vector<std::int64_t> shape = array(frame, node.operands[0]).shape;
  shape[0] = 0;
  for (ValueId operand : node.operands) {
    const Tensor& part = array(frame, operand);
    if (__builtin_add_overflow(shape[0], part.shape[0], &shape[0]))
      throw Unmade{"a size does not fit in 64 bits"};
    if (!std::equal(part.shape.begin() + 1, part.shape.end(), shape.begin() + 1, shape.end())) {
      abort("concat joins arrays that differ in more than the first dimension");
    }
  }
  Tensor result = make(type(frame, node.results[0]).element, std::move(shape));
  std::byte* to = result.data.get();
  for (ValueId operand : node.operands) {
    const Tensor& part = array(frame, operand);
    const std::size_t bytes = part.bytes();
    if (bytes > 0) std::memcpy(to, part.data.get(), bytes);
    to += bytes;
  }
  array(frame, node.results[0]) = std::move(result);
}

void Interpreter::run_op(Frame& frame, const Step& step, const Reshape&) {
  const Node& node = *step.node;
  const ValueId from = node.operands[0], to = node.results[0];
  Tensor source = as_tensor(frame, from);
  std::vector<std::int64_t> shape;
  std::int64_t count = 1;
  bool negative = false, too_large = false;
  for (const Size& one : type(frame, to).shape) {
    shape.push_back(size(frame, one));
    negative = negative || shape.back() < 0;
    too_large = too_large || __builtin_mul_overflow(count, shape.back(), &count);
  }
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) count = 0, too_large = false;
  if (negative || too_large || count != source.count()) {
    return fail(frame, step, {Scalar::of_i64(source.count()), Scalar::of_i64(count)});
  }
  if (shape.empty()) {
    bits(frame, to) = source.at(0).bits;
    return;
  }
  source.shape = std::move(shape);
  array(frame, to) = std::move(source);
}

void Interpreter::run_op(Frame& frame, const Step& step, const Sort& op) {
  const Node& node = *step.node;
  std::vector<Tensor> keys;
  for (ValueId operand : node.operands) keys.push_back(array(frame, operand));
  const std::int64_t count = keys[0].shape[0];
  for (const Tensor& key : keys) {
    if (key.shape[0] != count) abort("sort takes key arrays of different length");
  }
  std::vector<std::int64_t> permutation(static_cast<std::size_t>(count));
  std::iota(permutation.begin(), permutation.end(), 0);
  std::stable_sort(permutation.begin(), permutation.end(), [&](std::int64_t a, std::int64_t b) {
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const auto ordering = op.descending[k] ? order(keys[k], b, a) : order(keys[k], a, b);
      if (ordering != 0) return ordering < 0;
    }
    return false;
  });
  Tensor result = make(op.values ? keys[0].element : ElementType::I64, {count});
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t place = permutation[static_cast<std::size_t>(i)];
    result.set(i, op.values ? keys[0].at(place) : Scalar::of_i64(place));
  }
  array(frame, node.results[0]) = std::move(result);
}

}  // namespace dvm::graph
