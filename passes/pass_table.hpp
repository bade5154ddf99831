// All passes on the graph, in one table.
#pragma once

#include <span>
#include <string_view>

#include "passes/pass.hpp"

namespace dvm::passes {

std::span<const GraphPass> pass_table();
const GraphPass* find_pass(std::string_view name);  // null when there is none

}  // namespace dvm::passes
