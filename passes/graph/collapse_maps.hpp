// collapse-maps makes one map of a map that gives rows of maps.
//
//   %r = map [n] { (i) %row = map [m] { (j) … }; yield %row }   ->   %r = map [n, m] { (i, j) … }
//
// Sound because the points are the same ones in the same order; what stands in the outer body
// beside the inner maps cannot fail and is cheap, since it is now computed at each point. Then
// elements of %r can be computed where they are read, and rows are cut into tiles like any space.
// Runs when fusion has joined what stood side by side in the rows.
#pragma once

#include "ir/graph/graph.hpp"

namespace dvm::passes {

void collapse_maps(graph::Module& module);

}  // namespace dvm::passes
