// hoist-invariants moves arrays, reductions and loops out of bodies whose indices and states they
// do not use.
//
//   map [i < n] { %s = reduce [] [j < m] … %w …; … }   ->   %s = reduce [] [j < m] … %w …; map [i <
//   n] { … }
//
// Sound because only what cannot fail moves: an empty body would not have evaluated it. Nothing
// leaves a branch, where it might not be needed. Scalars move only where something moved needs
// them; by themselves they are hoisted in kernels at no cost. Runs before fusion, so that bodies
// are inlined without what does not belong to them.
#pragma once

#include "ir/graph/graph.hpp"
#include "passes/remark.hpp"

namespace dvm::passes {

void hoist_invariants(graph::Module& module, Remarks* remarks = nullptr);

}  // namespace dvm::passes
