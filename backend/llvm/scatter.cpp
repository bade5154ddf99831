// Scatter: a copy of the destinations' rows, then the updates of these in order of i.
#include <algorithm>

#include "backend/kernel/needs.hpp"
#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

// Of a destination with these extents.
struct Emitter::Rows {
  std::span<const Value> extents;
  Value low, high;
};

// Copies rows of an array, the last dimension in lanes.
void Emitter::copy_rows(const ArrayCell& from, const ArrayCell& to, const Rows& rows) {
  const std::span<const Value> extents = rows.extents;
  Cells indices(extents.size());
  const unsigned width = native_lanes(from.element);
  const Mode outer = mode_;
  const auto move = [&] {
    store(to, offset_of(to, indices), load(from, offset_of(from, indices), nullptr));
  };
  const std::function<void(std::size_t)> over = [&](std::size_t d) {
    if (d == extents.size()) return move();
    Value begin = d == 0 ? rows.low : i64(0), end = d == 0 ? rows.high : extents[d];
    if (d + 1 < extents.size()) {
      loop(begin, end, 1, [&](Value i) {
        indices[d] = Cell::uniform(ElementType::I64, i);
        over(d + 1);
      });
      return;
    }
    Value length = b_.CreateSub(end, begin);
    Value middle =
        b_.CreateAdd(begin, b_.CreateAnd(length, i64(-static_cast<std::int64_t>(width))));
    loop(begin, middle, width, [&](Value i) {
      mode_ = {width, nullptr};
      indices[d] = Cell::affine(ElementType::I64, i, i64(1));
      move();
    });
    if_then(b_.CreateICmpSLT(middle, end), [&] {
      mode_ = {width, nullptr};
      mode_.mask = tail_mask(b_.CreateSub(end, middle));
      indices[d] = Cell::affine(ElementType::I64, middle, i64(1));
      move();
    });
    mode_ = outer;
  };
  over(0);
}

// Terms of points that are dropped are looked at all the same, where one of them may be an error.
bool Emitter::terms_may_fail(const graph::Node& n) const {
  const std::vector<graph::NodeId>& nodes = function_.regions[n.regions[0]].nodes;
  return std::any_of(nodes.begin(), nodes.end(), [&](graph::NodeId id) {
    return kernel::can_fail(function_, function_.nodes[id]);
  });
}

// Whether the point is one of the destination's, and in this task's rows.
Value Emitter::inside_rows(std::span<const Cell> indices, const Rows& rows) {
  Value inside = nullptr;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    Cell distance = indices[d];
    if (d == 0) distance = add(distance, Cell::uniform(ElementType::I64, b_.CreateNeg(rows.low)));
    distance.element = ElementType::U64;
    Value length = d == 0 ? b_.CreateSub(rows.high, rows.low) : rows.extents[d];
    const Cell x[] = {distance, Cell::uniform(ElementType::U64, length)};
    inside = and_masks(inside, materialise(apply(graph::ScalarFn::Lt, ElementType::Bool, x)));
  }
  return inside;
}

// Note [Scatter rows]. A task has rows of the destination: it copies them, then walks over all
// points in order and writes those that are its own, so that of two points the later one wins
// whatever the tasks. Single elements are stored without a branch, as nothing foresees which points
// are a task's: the others go to a place that nobody reads.
void Emitter::scatter_phase() {
  const graph::Node& n = node(main_);
  const auto& scatter = std::get<graph::Scatter>(n.op);
  const graph::Region& body = region(n.regions[0]);
  const graph::Type& destination = type(n.operands[0]);
  const std::size_t rank = destination.shape.size();
  const std::size_t leading = rank - scatter.space.size();
  std::vector<std::shared_ptr<ArrayCell>> results;
  std::vector<Value> extents;
  for (const Size& size : destination.shape) extents.push_back(uniform_size(size, n.loc));
  const Rows rows{extents, tile_bound(false, 0), tile_bound(true, 0)};
  for (std::size_t i = 0; i < n.results.size(); ++i) {
    results.push_back(operand_array(param_count() + i, type(n.results[i]).element, rank));
    copy_rows(*cell(n.operands[i]).array, *results[i], rows);
  }
  const std::vector<graph::ValueId> params(body.params.begin() + 1, body.params.end());
  const Space space = whole_space(scatter.space, params, n.regions, n.loc);
  const bool single = !scatter.combines && scatter.space.empty() && !terms_may_fail(n);
  const auto point = [&] {
    prepare(std::span(body.yields).first(leading));
    Cells indices;
    for (std::size_t d = 0; d < leading; ++d) indices.push_back(cell(body.yields[d]));
    Value inside = inside_rows(indices, rows);
    if (single) return store_single(n, results, indices, inside);
    const Mode outer = mode_;
    if (mode_.width > 1) mode_.mask = inside = and_masks(mode_.mask, inside);
    for (const Cell& index : current_point(space)) indices.push_back(index);
    if_then(any_lane(inside), [&] { scatter_point(n, results, indices); });
    mode_ = outer;
    if (!terms_may_fail(n)) return;
    Value outside = b_.CreateNot(inside);
    if (mode_.width > 1) mode_.mask = outside = and_masks(mode_.mask, outside);
    if_then(any_lane(outside), [&] { emit_region(n.regions[0]); });
    mode_ = outer;
  };
  Value extent = uniform_size(scatter.extent, n.loc);
  loop(i64(0), extent, graph::reduction_block, [&](Value first) {
    poll_cancel();
    loop(first, smin(b_.CreateAdd(first, i64(graph::reduction_block)), extent), 1, [&](Value i) {
      set_cell(body.params[0], Cell::uniform(ElementType::I64, i));
      for_points(space, point);
    });
  });
}

// Writes the values of the current point, or combines them with those there.
void Emitter::scatter_point(const graph::Node& n, Arrays results, const Cells& indices) {
  const Cells yields = emit_region(n.regions[0]);
  Cells values(yields.end() - static_cast<std::ptrdiff_t>(results.size()), yields.end());
  if (std::get<graph::Scatter>(n.op).combines) {
    Cells old;
    for (const auto& array : results)
      old.push_back(load(*array, offset_of(*array, indices), nullptr));
    values = combine(n, old, values);
  }
  for (std::size_t r = 0; r < results.size(); ++r)
    store(*results[r], offset_of(*results[r], indices), values[r]);
}

void Emitter::store_single(const graph::Node& n, Arrays results, const Cells& indices,
                           Value inside) {
  const Cells yields = emit_region(n.regions[0]);
  for (std::size_t r = 0; r < results.size(); ++r) {
    const ArrayCell& array = *results[r];
    llvm::Type* scalar = memory_type(array.element);
    Value place = b_.CreateGEP(scalar, array.data, offset_of(array, indices).value);
    Value to = b_.CreateSelect(inside, place, entry_alloca(scalar));
    const Cell& value = yields[yields.size() - results.size() + r];
    b_.CreateAlignedStore(to_memory(array.element, materialise(value)), to, llvm::Align(1));
  }
}

}  // namespace dvm::llvm_backend
