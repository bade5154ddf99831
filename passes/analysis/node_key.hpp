// The canonical text of a node: equal for nodes that compute the same, regions included.
#pragma once

#include <string>

#include "ir/graph/graph.hpp"

namespace dvm::passes {

// Bytes, for comparing only. Values from outside the node stand for themselves, values inside are
// numbered in order, names and places do not count. The node's own check id is left out, those of
// inner nodes are in.
std::string node_key(const graph::Function& function, graph::NodeId node);

}  // namespace dvm::passes
