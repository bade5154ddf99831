// How many lanes a vectorised body should have, and what bodies contain.
#pragma once

#include "backend/kernel/divergence.hpp"

namespace dvm::kernel {

// True when the region or one nested in it reduces in 32 lanes: such a body is run point by point.
bool contains_lanes(const graph::Function& function, graph::RegionId region);
// True when the region reduces in lanes, yet has enough to do beside that (elementary functions) to
// run it for a vector of points: the inner reductions then go point by point.
bool pays_beside_lanes(const graph::Function& function, graph::RegionId region);
// True when the region holds a loop, while, reduction, map or scan.
bool contains_loop(const graph::Function& function, graph::RegionId region);
// Arrays made inside the body: then the loops that make them are the ones to vectorise.
bool makes_arrays(const graph::Function& function, graph::RegionId region);
// True when an inner operation has sizes that differ between lanes.
bool has_irregular_sizes(const graph::Function& function, graph::RegionId region,
                         const Divergence& divergence);
int node_count(const graph::Function& function, graph::RegionId region);

// Lanes so that the widest data of the body fill one vector of `vector_bytes`. Index arithmetic on
// `lane` is not data: it stays a scalar base with a stride.
unsigned lane_width(const graph::Function& function, graph::RegionId region, graph::ValueId lane,
                    const Divergence& divergence, unsigned vector_bytes);

}  // namespace dvm::kernel
