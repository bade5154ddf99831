// Reductions and scans whose operator no kernel can hold, as loops over materialised terms.
#pragma once

#include "ir/graph/rewrite.hpp"

namespace dvm::passes {

// Builds the node anew in the place where `to` stands, and maps its results; false: the node is of
// another kind, and nothing was built. The combinations are those that ir/graph/op.hpp promises: in
// order inside a block of 4096 terms, pairs of neighbours across blocks. Blocks run side by side; a
// scan is one loop.
bool reduce_by_loops(graph::Rewriter& to, graph::NodeId id);
bool scan_by_loop(graph::Rewriter& to, graph::NodeId id);

}  // namespace dvm::passes
