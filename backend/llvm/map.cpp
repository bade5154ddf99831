// Map, as a kernel over a tile and inside bodies.
#include "backend/kernel/lane_width.hpp"
#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

// One point (or one vector of points): evaluates the body and stores what it yields.
void Emitter::map_body(const graph::Node& n, std::span<const std::shared_ptr<ArrayCell>> results) {
  const graph::Region& body = region(n.regions[0]);
  const Cells yields = emit_region(n.regions[0]);
  Cells indices;
  for (graph::ValueId param : body.params) indices.push_back(cells_[param.index]);
  for (std::size_t i = 0; i < results.size(); ++i) {
    store_point(*results[i], indices, yields[i], type(body.yields[i]));
  }
}

void Emitter::map_phase() {
  if (!contract(false, [&] { map_plain(); })) map_plain();
}

void Emitter::map_plain() {
  const graph::Node& n = node(main_);
  const auto& map = std::get<graph::Map>(n.op);
  std::vector<std::shared_ptr<ArrayCell>> results;
  for (std::size_t i = 0; i < n.results.size(); ++i) {
    const graph::Type& t = type(n.results[i]);
    results.push_back(operand_array(param_count() + i, t.element, t.shape.size()));
  }
  Space space = whole_space(map.space, region(n.regions[0]).params, n.regions, n.loc);
  for (std::size_t d = 0; d < map.space.size(); ++d) {
    space.low[d] = tile_bound(false, d);
    space.high[d] = tile_bound(true, d);
  }
  space.poll = true;
  for_points(space, [&] { map_body(n, results); });
}

void Emitter::emit_map(graph::NodeId id) {
  const graph::Node& n = node(id);
  const auto& map = std::get<graph::Map>(n.op);
  std::vector<std::shared_ptr<ArrayCell>> results;
  for (graph::ValueId result : n.results) {
    const bool per_lane = mode_.width > 1 && divergence_ && divergence_->varying(result);
    results.push_back(local_array(type(result), per_lane, n.loc));
  }
  const Space space = whole_space(map.space, region(n.regions[0]).params, n.regions, n.loc);
  for_points(space, [&] { map_body(n, results); });
  for (std::size_t i = 0; i < n.results.size(); ++i) set_cell(n.results[i], array_cell(results[i]));
}

}  // namespace dvm::llvm_backend
