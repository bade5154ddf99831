// sink-checks moves the check of an array behind the operations that read its elements.
//
//   %c = check %a, %ok check 0                %y = map [n] { … read %a[%i] … }
//   %y = map [n] { … read %c[%i] … }    ->    %z = check %y, %ok check 0
//
// Sound because a result that needs the array in any case fails with it either way, with the same
// check: what the reader's own checks may add comes later in the program, and its reads without a
// check are in range whether the condition holds or not. Runs before fuse-maps, which computes
// elements of an array where they are read, but not through a check on the whole. Only where all
// that reads the array is of this kind and a map makes it; from there on it sinks as far as it can.
#pragma once

#include "ir/graph/graph.hpp"

namespace dvm::passes {

void sink_checks(graph::Module& module);

}  // namespace dvm::passes
