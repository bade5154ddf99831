// The interpreter: reduce, scan, scatter, reduce_by_key. The trees: ir/graph/op.hpp, Tree.
#include <algorithm>

#include "ir/graph/combination.hpp"

namespace dvm::graph {
namespace {

// Arrays of the needed components; scalars get one element.
template <class Make>
std::vector<Tensor> component_arrays(const Combination& parts,
                                     const std::vector<std::int64_t>& shape, const Make& make) {
  std::vector<Tensor> arrays(parts.size());
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (parts.needed(k)) arrays[k] = make(parts.element(k), shape);
  }
  return arrays;
}

const Block* operator_of(const Step& step) {
  return step.blocks.size() > 1 ? step.blocks[1].get() : nullptr;
}

}  // namespace

void Interpreter::run_op(Frame& frame, const Step& step, const Reduce& op) {
  const Block& body = *step.blocks[0];
  const std::vector<std::int64_t> space = extents(frame, op.space);
  const std::int64_t extent = this->extent(frame, op.extent);
  const std::int64_t count = points(space);
  Combination parts(*this, frame, step, op.components, 0, operator_of(step));
  auto arrays =
      component_arrays(parts, space, [&](ElementType e, auto shape) { return make(e, shape); });
  const std::int64_t width = op.tree == Tree::Lanes ? reduction_lanes : 1;
  std::vector<Combination::Values> lanes(static_cast<std::size_t>(width));
  std::vector<Combination::Values> blocks;
  Odometer odometer(space);
  Points points(*this);
  for (std::int64_t p = 0; p < count; ++p, odometer.next()) {
    for (std::size_t d = 0; d < space.size(); ++d) {
      bits(frame, body.region->params[d]) = static_cast<std::uint64_t>(odometer.at()[d]);
      set_poison(frame, body.region->params[d], false);
    }
    blocks.clear();
    for (std::int64_t begin = 0; begin < extent; begin += reduction_block) {
      const std::int64_t length = std::min(reduction_block, extent - begin);
      for (std::int64_t t = 0; t < length; ++t) {
        bits(frame, body.region->params[space.size()]) = static_cast<std::uint64_t>(begin + t);
        set_poison(frame, body.region->params[space.size()], false);
        points.at(p * extent + begin + t);
        enter(frame, body);
        parts.take_terms();
        auto& lane = lanes[static_cast<std::size_t>(t % width)];
        if (t < width) {
          parts.start(lane);
        } else {
          parts.add(lane);
        }
      }
      std::int64_t used = std::min(width, length);
      for (std::int64_t half = width / 2; half > 0; half /= 2) {
        for (std::int64_t l = 0; l < half && l + half < used; ++l) {
          parts.combine(lanes[static_cast<std::size_t>(l)],
                        lanes[static_cast<std::size_t>(l + half)]);
        }
        used = std::min(used, half);
      }
      blocks.push_back(lanes[0]);
    }
    const Combination::Values result =
        extent == 0 ? parts.neutral() : parts.tree(std::move(blocks));
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (parts.needed(k)) parts.store(result, k, arrays[k], p);
    }
    blocks = {};
  }
  parts.finish(arrays, op.space.empty());
}

void Interpreter::run_op(Frame& frame, const Step& step, const Scan& op) {
  const Block& body = *step.blocks[0];
  const std::vector<std::int64_t> space = extents(frame, op.space);
  const std::int64_t extent = this->extent(frame, op.extent);
  const std::int64_t count = points(space);
  std::vector<std::int64_t> shape = space;
  shape.push_back(extent);
  points(shape);  // too many: an error
  Combination parts(*this, frame, step, op.components, 0, operator_of(step));
  auto arrays = component_arrays(parts, shape, [&](ElementType e, auto s) { return make(e, s); });
  auto store = [&](const Combination::Values& from, std::int64_t at) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (parts.needed(k)) parts.store(from, k, arrays[k], at);
    }
  };
  Odometer odometer(space);
  Points points(*this);
  for (std::int64_t p = 0; p < count; ++p, odometer.next()) {
    for (std::size_t d = 0; d < space.size(); ++d) {
      bits(frame, body.region->params[d]) = static_cast<std::uint64_t>(odometer.at()[d]);
      set_poison(frame, body.region->params[d], false);
    }
    Combination::Values local, offset, total;  // offset is empty before the second block
    if (op.exclusive && extent > 0) store(parts.neutral(), p * extent);
    for (std::int64_t t = 0; t < extent; ++t) {
      bits(frame, body.region->params[space.size()]) = static_cast<std::uint64_t>(t);
      set_poison(frame, body.region->params[space.size()], false);
      points.at(p * extent + t);
      enter(frame, body);
      parts.take_terms();
      if (t % reduction_block == 0) {
        if (t == reduction_block) offset = local;
        if (t > reduction_block) parts.combine(offset, local);
        parts.start(local);
      } else {
        parts.add(local);
      }
      total = local;
      if (!offset.empty()) parts.combine_before(offset, total);
      const std::int64_t at = op.exclusive ? t + 1 : t;
      if (at < extent) store(total, p * extent + at);
    }
  }
  parts.finish(arrays, false);
}

void Interpreter::run_op(Frame& frame, const Step& step, const ReduceByKey& op) {
  const Block& body = *step.blocks[0];
  const Region& region = *body.region;
  const std::vector<std::int64_t> space = extents(frame, op.space);
  const std::int64_t keys = extent(frame, op.keys), count = extent(frame, op.extent);
  const std::int64_t width = points(space), block = key_block(keys);
  std::vector<std::int64_t> shape = space;
  shape.insert(shape.begin(), keys);
  const std::int64_t cells = points(shape);
  Combination parts(*this, frame, step, op.components, 1, operator_of(step));
  auto arrays = component_arrays(parts, shape, [&](ElementType e, auto s) { return make(e, s); });
  // By cell, the value of each block so far; empty: no value for the key.
  std::vector<std::vector<Combination::Values>> blocks(static_cast<std::size_t>(cells));
  Points points(*this);
  bool key_lost = false;
  for (std::int64_t i = 0; i < count; ++i) {
    Odometer odometer(space);
    for (std::int64_t p = 0; p < width; ++p, odometer.next()) {
      bits(frame, region.params[0]) = static_cast<std::uint64_t>(i);
      set_poison(frame, region.params[0], false);
      for (std::size_t d = 0; d < space.size(); ++d) {
        bits(frame, region.params[d + 1]) = static_cast<std::uint64_t>(odometer.at()[d]);
        set_poison(frame, region.params[d + 1], false);
      }
      points.at(i * width + p);
      enter(frame, body);
      key_lost = key_lost || is_poisoned(frame, region.yields[0]);
      parts.take_terms();
      const std::int64_t key = integer(frame, region.yields[0]);
      if (key_lost || key < 0 || key >= keys) continue;
      auto& cell = blocks[static_cast<std::size_t>(key * width + p)];
      cell.resize(static_cast<std::size_t>(i / block + 1));
      if (cell.back().empty()) {
        parts.start(cell.back());
      } else {
        parts.add(cell.back());
      }
    }
  }
  for (std::int64_t c = 0; c < cells; ++c) {
    Combination::Values result = parts.tree(std::move(blocks[static_cast<std::size_t>(c)]));
    if (result.empty()) result = parts.neutral();
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (key_lost) parts.lose(k);
      if (parts.needed(k)) parts.store(result, k, arrays[k], c);
    }
  }
  if (key_lost) {
    for (std::size_t k = 0; k < parts.size(); ++k) parts.lose(k);
  }
  parts.finish(arrays, false);
}

// Copies of the needed destinations.
std::vector<Tensor> Interpreter::scatter_destinations(Frame& frame, const Step& step,
                                                      std::size_t leading,
                                                      std::span<const std::int64_t> space) {
  const Node& node = *step.node;
  std::vector<Tensor> arrays(node.operands.size());
  const Tensor* first = nullptr;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    if (!step.results[k]) continue;
    const Tensor& destination = array(frame, node.operands[k]);
    if (first == nullptr) first = &destination;
    const std::span<const std::int64_t> last = std::span(destination.shape).subspan(leading);
    if (destination.shape != first->shape ||
        !std::equal(last.begin(), last.end(), space.begin(), space.end())) {
      abort("scatter has destinations of different shapes");
    }
    arrays[k] = make(destination.element, destination.shape);
    std::copy_n(destination.data.get(), destination.bytes(), arrays[k].data.get());
  }
  return arrays;
}

void Interpreter::run_op(Frame& frame, const Step& step, const Scatter& op) {
  const Node& node = *step.node;
  const Block& body = *step.blocks[0];
  const Region& region = *body.region;
  const std::vector<std::int64_t> space = extents(frame, op.space);
  const std::int64_t count = extent(frame, op.extent), width = points(space);
  const std::size_t leading = type(frame, node.operands[0]).shape.size() - space.size();
  Combination parts(*this, frame, step, op.components, leading, operator_of(step));
  std::vector<Tensor> arrays = scatter_destinations(frame, step, leading, space);
  std::vector<std::int64_t> shape;
  for (const Tensor& array : arrays) shape = array.shape.empty() ? shape : array.shape;
  Combination::Values old(parts.size());
  bool index_lost = false;
  Points points(*this);
  for (std::int64_t i = 0; i < count; ++i) {
    Odometer odometer(space);
    for (std::int64_t p = 0; p < width; ++p, odometer.next()) {
      bits(frame, region.params[0]) = static_cast<std::uint64_t>(i);
      set_poison(frame, region.params[0], false);
      for (std::size_t d = 0; d < space.size(); ++d) {
        bits(frame, region.params[d + 1]) = static_cast<std::uint64_t>(odometer.at()[d]);
        set_poison(frame, region.params[d + 1], false);
      }
      points.at(i * width + p);
      enter(frame, body);
      parts.take_terms();
      std::int64_t at = 0;
      bool inside = true;
      for (std::size_t d = 0; d < leading; ++d) {
        index_lost = index_lost || is_poisoned(frame, region.yields[d]);
        const std::int64_t index = integer(frame, region.yields[d]);
        inside = inside && index >= 0 && index < shape[d];
        at = inside ? at * shape[d] + index : 0;
      }
      if (index_lost || !inside) continue;
      at = at * width + p;
      for (std::size_t k = 0; k < parts.size(); ++k) {
        if (parts.needed(k)) old[k] = arrays[k].at(at).bits;
      }
      if (op.combines) {
        parts.add(old);
      } else {
        parts.start(old);
      }
      for (std::size_t k = 0; k < parts.size(); ++k) {
        if (parts.needed(k)) parts.store(old, k, arrays[k], at);
      }
    }
  }
  for (std::size_t k = 0; index_lost && k < parts.size(); ++k) parts.lose(k);
  parts.finish(arrays, false);
}

}  // namespace dvm::graph
