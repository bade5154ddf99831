// In which order the nodes of a region become families when some of them go together.
#pragma once

#include <vector>

#include "passes/plan/chains.hpp"

namespace dvm::passes {

// The region's nodes, those of a chain together, each behind what it needs: indices into `chains`
// where `node` is invalid.
struct Unit {
  graph::NodeId node;
  std::size_t chain = 0;
};
std::vector<Unit> in_order(const graph::Function& function, graph::RegionId region,
                           const std::vector<NodeChain>& chains);

}  // namespace dvm::passes
