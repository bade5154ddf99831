// Checks that a module is well formed: scopes, types, shapes, region forms, checks where ops may
// fail.
#pragma once

#include <string>
#include <vector>

#include "ir/graph/graph.hpp"

namespace dvm::graph {

// One sentence per problem, naming function and node; empty when well formed. `elaborated`: every
// reduction must have its tree.
std::vector<std::string> verify(const Module& module, bool elaborated);

}  // namespace dvm::graph
