// Loops over iteration spaces: outer dimensions point by point, the innermost in lanes.
//
// Note [Ranges]. The innermost range is cut into up to three: an interior in which the index
// conditions of the body are known (split.cpp), run in full vectors and one masked rest, and what
// lies before and after it, run point by point when it is a few elements and in masked vectors
// otherwise.
#include <algorithm>

#include "backend/kernel/lane_width.hpp"
#include "backend/llvm/short_rows.hpp"

namespace dvm::llvm_backend {

namespace {

// The most states that a loop inside has; 0 when there is none.
std::size_t most_states(const graph::Function& function, graph::RegionId region) {
  std::size_t most = 0;
  for (graph::NodeId id : function.regions[region].nodes) {
    const graph::Node& n = function.nodes[id];
    if (std::holds_alternative<graph::While>(n.op) || std::holds_alternative<graph::Loop>(n.op))
      most = std::max(most, n.results.size());
    for (graph::RegionId nested : n.regions) most = std::max(most, most_states(function, nested));
  }
  return most;
}

std::vector<graph::ValueId> lane_seeds(const graph::Function& function, graph::ValueId lane,
                                       std::span<const graph::RegionId> regions) {
  std::vector<graph::ValueId> seeds{lane};
  // The operator of a reduction joins values of lanes.
  for (std::size_t i = 1; i < regions.size(); ++i) {
    const auto& params = function.regions[regions[i]].params;
    seeds.insert(seeds.end(), params.begin(), params.end());
  }
  return seeds;
}

}  // namespace

Emitter::Space Emitter::whole_space(const std::vector<Size>& sizes,
                                    std::span<const graph::ValueId> params,
                                    std::vector<graph::RegionId> regions, graph::LocId loc) {
  Space space;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    space.low.push_back(i64(0));
    space.high.push_back(uniform_size(sizes[d], loc));
    space.params.push_back(params[d]);
  }
  space.sizes = sizes;
  space.regions = std::move(regions);
  return space;
}

unsigned Emitter::choose_width(const Space& space) {
  if (mode_.width > 1 || space.params.empty()) return 1;
  if (const auto size = space.sizes.back().constant(); size && *size <= 1) return 1;
  for (graph::RegionId id : space.regions) {
    if (kernel::makes_arrays(function_, id)) return 1;
    if (kernel::contains_lanes(function_, id) && !kernel::pays_beside_lanes(function_, id))
      return 1;
  }
  const graph::ValueId lane = space.params.back();
  const auto seeds = lane_seeds(function_, lane, space.regions);
  const kernel::Divergence divergence(function_, space.regions, seeds);
  unsigned width = vector_bytes_;
  for (graph::RegionId id : space.regions) {
    if (!kernel::contains_lanes(function_, id) &&
        kernel::has_irregular_sizes(function_, id, divergence)) {
      return 1;
    }
    width = std::min(width, kernel::lane_width(function_, id, lane, divergence, vector_bytes_));
  }
  // Several vectors at a time hide the latency of the elementary functions behind the inner sums,
  // which go point by point.
  if (kernel::contains_lanes(function_, space.regions[0]) && width <= 8) width *= 4;
  // Several vectors at a time hide the latency of a loop-carried chain, if registers hold them.
  if (const std::size_t states = most_states(function_, space.regions[0]); states > 0) {
    if (width <= 16) width *= width <= 8 && states <= 4 ? 4 : 2;
  }
  return width;
}

void Emitter::for_points(const Space& space, const Body& body, unsigned wanted_width) {
  const unsigned width = wanted_width ? wanted_width : choose_width(space);
  const auto plainly = [&] { for_points_from(space, 0, body, width); };
  const auto rows = wanted_width ? std::nullopt : plan_short_rows(space);
  if (!rows) return plainly();
  const auto in_vectors = [&] {
    short_rows_ = &*rows;
    for_points_from(space, 0, body, rows->width);
    short_rows_ = nullptr;
  };
  if_else(rows->all_short, in_vectors, plainly);
}

void Emitter::for_points_from(const Space& space, std::size_t dim, const Body& body,
                              unsigned width) {
  if (dim == space.params.size()) return body();
  const bool last = dim + 1 == space.params.size();
  if (last && width > 1) return lane_loop(space, width, body);
  loop(space.low[dim], space.high[dim], 1, [&](Value i) {
    if (space.poll && dim == 0 && !last) poll_cancel();
    set_cell(space.params[dim], Cell::uniform(ElementType::I64, i));
    for_points_from(space, dim + 1, body, width);
  });
}

void Emitter::masked_step(const Space& space, Value at, Value high, unsigned width,
                          const Body& body) {
  mode_ = {width, nullptr};
  mode_.mask = tail_mask(b_.CreateSub(high, at));
  set_cell(space.params.back(), Cell::affine(ElementType::I64, at, i64(1)));
  body();
}

void Emitter::scalar_range(const Space& space, Value low, Value high, const Body& body) {
  mode_ = {};
  loop(low, high, 1, [&](Value i) {
    set_cell(space.params.back(), Cell::uniform(ElementType::I64, i));
    body();
  });
}

// Full vectors, then one masked rest.
void Emitter::vector_range(const Space& space, Value low, Value high, unsigned width,
                           const Body& body) {
  Value count = b_.CreateSub(high, low);
  Value full = b_.CreateAnd(count, i64(-static_cast<std::int64_t>(width)));
  Value middle = b_.CreateSelect(b_.CreateICmpSGT(count, i64(0)), b_.CreateAdd(low, full), low);
  loop(low, middle, width, [&](Value i) {
    mode_ = {width, nullptr};
    set_cell(space.params.back(), Cell::affine(ElementType::I64, i, i64(1)));
    body();
  });
  if_then(b_.CreateICmpSLT(middle, high), [&] { masked_step(space, middle, high, width, body); });
}

void Emitter::lane_loop(const Space& space, unsigned width, const Body& body) {
  const graph::ValueId lane = space.params.back();
  const auto seeds = lane_seeds(function_, lane, space.regions);
  const kernel::Divergence divergence(function_, space.regions, seeds);
  const Mode outer_mode = mode_;
  const kernel::Divergence* outer_divergence = divergence_;
  const Facts* outer_facts = facts_;
  const auto interior = space.in_order ? std::nullopt : find_interior(space);
  const graph::ValueId outer_lane = lane_;
  divergence_ = &divergence;
  lane_ = lane;
  facts_ = nullptr;
  Value low = space.low.back(), high = space.high.back();
  if (!interior) {
    vector_range(space, low, high, width, body);
  } else {
    facts_ = &interior->facts;
    vector_range(space, interior->low, interior->high, width, body);
    facts_ = nullptr;
    mode_ = outer_mode;
    // Before and after: one loop over the two ranges, so that the code is there once.
    loop(i64(0), i64(2), 1, [&](Value part) {
      Value first = b_.CreateICmpEQ(part, i64(0));
      Value start = b_.CreateSelect(first, low, interior->high);
      Value end = b_.CreateSelect(first, interior->low, high);
      if (interior->thin) {
        scalar_range(space, start, end, body);
      } else {
        loop(start, end, width, [&](Value i) { masked_step(space, i, end, width, body); });
      }
      mode_ = outer_mode;
    });
  }
  divergence_ = outer_divergence;
  lane_ = outer_lane;
  facts_ = outer_facts;
  mode_ = outer_mode;
}

}  // namespace dvm::llvm_backend
