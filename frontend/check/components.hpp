// Strongly connected components of a graph given by successor lists (Tarjan 1972, without
// recursion).
#pragma once

#include <vector>

namespace dvm::check {

// Components with those they point to before them; members in ascending order.
std::vector<std::vector<int>> strong_components(const std::vector<std::vector<int>>& successors);

}  // namespace dvm::check
