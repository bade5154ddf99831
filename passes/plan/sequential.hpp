// Loops that are best left to one kernel.
#pragma once

#include "ir/graph/graph.hpp"

namespace dvm::passes {

// A loop or while on scalars alone: nothing in it is worth a task, so it becomes one kernel instead
// of being expanded step by step.
bool is_sequential(const graph::Function& function, graph::NodeId loop);

}  // namespace dvm::passes
