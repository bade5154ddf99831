// Which loops are iterated stencils, said to people at the arrays that a step makes.
#pragma once

#include "ir/graph/graph.hpp"
#include "passes/remark.hpp"

namespace dvm::passes {

// `stencil`, at the first array that a step gives on.
void say_stencils(const graph::Module& module, Remarks& remarks);

}  // namespace dvm::passes
