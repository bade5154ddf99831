// Which rows of its array params a one-node function reads, so that a task waits for those tiles
// only.
#pragma once

#include <vector>

#include "ir/task/program.hpp"
#include "passes/plan/outline.hpp"

namespace dvm::passes {

// One per param. Whole for scalars, for arrays that are read otherwise than by affine rows (or
// their clamped form), and for what operators of reductions read.
std::vector<task::Access> accesses(const Outlined& outlined);

}  // namespace dvm::passes
