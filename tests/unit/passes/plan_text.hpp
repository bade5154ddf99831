// Graph text planned for tasks, in tests of the planner.
#pragma once

#include <string>

#include "passes/plan/graph_to_tasks.hpp"

namespace dvm::test {

// The plan of the text's first function for the usual machine. A problem of the text, the plan's
// graphs or its tasks fails the test.
passes::TaskPlan plan_of(const std::string& text);

}  // namespace dvm::test
