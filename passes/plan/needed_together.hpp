// Values that must not have failed, though nothing looks at them.
#pragma once

#include <vector>

#include "ir/graph/builder.hpp"

namespace dvm::passes {

// A bool that is true, and that fails where one of the values failed: what a rewriting moves into a
// branch, while the operation it stood in needs it whatever happens, stays needed through this.
graph::ValueId needed_together(graph::Builder& builder, const std::vector<graph::ValueId>& values);

}  // namespace dvm::passes
