// What chains mean for the arrays of their members, said to people.
#pragma once

#include <unordered_map>

#include "ir/task/program.hpp"
#include "passes/plan/chains.hpp"
#include "passes/remark.hpp"

namespace dvm::passes {

// `chained`: an array is made in the same pass as the first member's; `tile`: nothing outside of
// the chain reads it, so that only the tile at hand exists. `slots`: of the function's values in
// the template.
void say_chains(const graph::Function& function, const std::vector<NodeChain>& chains,
                const task::Template& owner,
                const std::unordered_map<graph::ValueId, task::SlotId>& slots, Remarks& remarks);

}  // namespace dvm::passes
