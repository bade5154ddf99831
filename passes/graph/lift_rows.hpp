// lift-rows computes once for a row what a body would compute anew at each of its points.
//
//   %r = map [n, m] { (i, j)                      %t = reduce [n] [m] … { (i, k) … }
//     %s = reduce [] [m] … { (k) … i … }     ->   %r = map [n, m] { (i, j)
//     … %s … }                                      %s = read %t[i]; … %s … }
//
// Sound because the sum has the same tree over the same terms wherever it stands, and what moves
// cannot fail, not even where the row has no points. What depends on other indices (columns) moves
// alike; several sums of a row, with the scalars between, become one map over the rows. It pays as
// soon as a point is cheaper to read than the sum to compute. Runs before fusion, which then sees
// arrays that are costly to repeat, and after hoist-invariants, which takes what depends on no
// index.
#pragma once

#include "ir/graph/graph.hpp"
#include "passes/remark.hpp"

namespace dvm::passes {

void lift_rows(graph::Module& module, Remarks* remarks = nullptr);

}  // namespace dvm::passes
