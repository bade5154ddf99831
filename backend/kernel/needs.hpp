// Which values must be there before a loop starts, and which may fail.
#pragma once

#include <vector>

#include "ir/graph/graph.hpp"

namespace dvm::kernel {

// A node that may fail, itself or in its regions.
bool can_fail(const graph::Function& function, const graph::Node& node);

// Values defined outside `region` that its yields need, through everything but the sides of
// branches. Where a failure could happen that one run of the region would not cause, the value is
// left out: it is then computed where it is used.
std::vector<graph::ValueId> values_to_hoist(const graph::Function& function,
                                            graph::RegionId region);

}  // namespace dvm::kernel
