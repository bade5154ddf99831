// hoist-checks lets a body read a checked array instead of checking the same at every point.
//
//   map [n] { (%i)  %j = check %i, %ok check 3; %x = read %a[%j]; … }
//   ->   %none = eq n, 0; %fine = or %ok, %none; %b = check %a, %fine check 3
//        map [n] { (%i)  %x = read %b[%i]; … }
//
// Sound because the check and a read of the same region are needed at the same points: the points
// that failed with the check now fail with what they read, and where there is no point the array
// does not fail. Of several failures the least check id counts, and an array that fails is seen before its readers
// run, so no check around may come before this one. Condition and message must not fail themselves,
// as they are computed further out now. Runs before hoist-invariants and fuse-maps look at bodies,
// since a body that cannot fail may be moved, cut and packed (ir/graph/contraction), and again after
// fusion, which makes checks of arrays checks of indices.
#pragma once

#include "ir/graph/graph.hpp"
#include "passes/remark.hpp"

namespace dvm::passes {

void hoist_checks(graph::Module& module, Remarks* remarks = nullptr);

}  // namespace dvm::passes
