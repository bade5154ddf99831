// What the results of a loop read. A loop's results need what its body needs even when no
// step is made (ir/README.md, Need), so failures there must be found although nothing runs.
#pragma once

#include <vector>

#include "ir/task/program.hpp"

namespace dvm::engine {

// By operand of a loop or while: the marked results cannot be had without it. Of a branch only the
// condition is sure.
std::vector<bool> needed_operands(const task::Program& program, const task::Family& loop,
                                  const std::vector<bool>& results);

// By result of a loop or while: the states it is made from, step after step, through any branch.
// Empty if a state that has failed surely fails the next one and never another.
std::vector<std::vector<bool>> states_behind(const task::Program& program,
                                             const task::Family& loop);

}  // namespace dvm::engine
