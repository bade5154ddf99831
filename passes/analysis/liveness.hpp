// Which values the results of a function need: through the parts of multi-result ops, not whole
// ops.
#pragma once

#include <vector>

#include "ir/graph/graph.hpp"

namespace dvm::passes {

// By value index. A loop state that only feeds itself is not live; neither is a map's array whose
// siblings alone are read.
std::vector<bool> live_values(const graph::Function& function);

}  // namespace dvm::passes
