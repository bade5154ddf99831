// sink-scalars recomputes cheap scalars in the bodies that use them.
//
//   %alpha = div %rr, %pap                      map [i < n] {
//   map [i < n] { … mul %alpha, %v … }    ->      %alpha = div %rr, %pap; … mul %alpha, %v … }
//
// Sound because a pure value may be computed twice. A kernel computes what does not depend on its
// indices once, at no measurable cost, while a scalar of its own would need a task between two
// parallel steps. Elementary functions and whatever may fail stay. Runs last: share-values would
// undo it.
#pragma once

#include "ir/graph/graph.hpp"

namespace dvm::passes {

void sink_scalars(graph::Module& module);

}  // namespace dvm::passes
