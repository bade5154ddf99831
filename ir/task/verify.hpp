// Checks that a task program is well formed, so that an engine may run it without looking again.
#pragma once

#include <string>
#include <vector>

#include "ir/task/program.hpp"

namespace dvm::task {

// One sentence per problem, naming template and family; empty when well formed.
std::vector<std::string> verify(const Program& program);

}  // namespace dvm::task
