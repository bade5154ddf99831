// Sums inside of bodies that stay one after another because their lengths differ, said to people.
#pragma once

#include "ir/graph/graph.hpp"
#include "passes/remark.hpp"

namespace dvm::passes {

// `irregular`, at the first array that the operation around such sums gives.
void say_irregular(const graph::Module& module, Remarks& remarks);

}  // namespace dvm::passes
