// Scatter: a copy of the destinations, then the updates in order of i.
#include <algorithm>

#include "backend/kernel/needs.hpp"
#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

// Copies a whole array, the last dimension in lanes.
void Emitter::copy_array(const ArrayCell& from, const ArrayCell& to,
                         std::span<const Value> extents) {
  Cells indices(extents.size());
  const unsigned width = native_lanes(from.element);
  const Mode outer = mode_;
  const auto move = [&] {
    store(to, offset_of(to, indices), load(from, offset_of(from, indices), nullptr));
  };
  const std::function<void(std::size_t)> over = [&](std::size_t d) {
    if (d == extents.size()) return move();
    if (d + 1 < extents.size()) {
      loop(i64(0), extents[d], 1, [&](Value i) {
        indices[d] = Cell::uniform(ElementType::I64, i);
        over(d + 1);
      });
      return;
    }
    Value middle = b_.CreateAnd(extents[d], i64(-static_cast<std::int64_t>(width)));
    loop(i64(0), middle, width, [&](Value i) {
      mode_ = {width, nullptr};
      indices[d] = Cell::affine(ElementType::I64, i, i64(1));
      move();
    });
    if_then(b_.CreateICmpSLT(middle, extents[d]), [&] {
      mode_ = {width, nullptr};
      mode_.mask = tail_mask(b_.CreateSub(extents[d], middle));
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
  for (std::size_t i = 0; i < n.results.size(); ++i) {
    results.push_back(operand_array(param_count() + i, type(n.results[i]).element, rank));
    copy_array(*cell(n.operands[i]).array, *results[i], extents);
  }
  const std::vector<graph::ValueId> params(body.params.begin() + 1, body.params.end());
  const Space space = whole_space(scatter.space, params, n.regions, n.loc);
  loop(i64(0), uniform_size(scatter.extent, n.loc), 1, [&](Value i) {
    set_cell(body.params[0], Cell::uniform(ElementType::I64, i));
    for_points(space, [&] {
      prepare(std::span(body.yields).first(leading));
      Cells indices;
      Value inside = nullptr;
      for (std::size_t d = 0; d < leading; ++d) {
        indices.push_back(cell(body.yields[d]));
        Cell as_unsigned = indices[d];
        as_unsigned.element = ElementType::U64;
        const Cell x[] = {as_unsigned, Cell::uniform(ElementType::U64, extents[d])};
        const Cell fits = apply(graph::ScalarFn::Lt, ElementType::Bool, x);
        inside = and_masks(inside, materialise(fits));
      }
      const Mode outer = mode_;
      if (mode_.width > 1) mode_.mask = inside = and_masks(mode_.mask, inside);
      const auto write = [&] {
        const Cells yields = emit_region(n.regions[0]);
        Cells values(yields.begin() + static_cast<std::ptrdiff_t>(leading), yields.end());
        Cells full = indices;
        for (const Cell& index : current_point(space)) full.push_back(index);
        if (scatter.combines) {
          Cells old;
          for (const auto& array : results)
            old.push_back(load(*array, offset_of(*array, full), nullptr));
          values = combine(n, old, values);
        }
        for (std::size_t r = 0; r < results.size(); ++r)
          store(*results[r], offset_of(*results[r], full), values[r]);
      };
      if (inside) {
        if_then(any_lane(inside), write);
      } else {
        write();
      }
      mode_ = outer;
      if (inside && terms_may_fail(n)) {
        Value outside = b_.CreateNot(inside);
        if (mode_.width > 1) mode_.mask = outside = and_masks(mode_.mask, outside);
        if_then(any_lane(outside), [&] { emit_region(n.regions[0]); });
        mode_ = outer;
      }
    });
  });
}

}  // namespace dvm::llvm_backend
