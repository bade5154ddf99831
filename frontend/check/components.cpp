// Strongly connected components, without recursion.
#include "frontend/check/components.hpp"

#include <algorithm>

namespace dvm::check {

std::vector<std::vector<int>> strong_components(const std::vector<std::vector<int>>& successors) {
  std::size_t count = successors.size();
  std::vector<int> order(count, -1), low(count, 0);
  std::vector<bool> on_stack(count, false);
  std::vector<int> stack;
  std::vector<std::pair<int, std::size_t>> work;  // node, next successor
  std::vector<std::vector<int>> result;
  int next = 0;
  for (std::size_t root = 0; root < count; ++root) {
    if (order[root] >= 0) continue;
    work.emplace_back(static_cast<int>(root), 0);
    while (!work.empty()) {
      auto [node, edge] = work.back();
      auto at = static_cast<std::size_t>(node);
      if (edge == 0) {
        order[at] = low[at] = next++;
        stack.push_back(node);
        on_stack[at] = true;
      }
      if (edge < successors[at].size()) {
        ++work.back().second;
        auto target = static_cast<std::size_t>(successors[at][edge]);
        if (order[target] < 0)
          work.emplace_back(static_cast<int>(target), 0);
        else if (on_stack[target])
          low[at] = std::min(low[at], order[target]);
        continue;
      }
      work.pop_back();
      if (!work.empty()) {
        auto parent = static_cast<std::size_t>(work.back().first);
        low[parent] = std::min(low[parent], low[at]);
      }
      if (low[at] != order[at]) continue;
      std::vector<int> group;
      int member = -1;
      do {
        member = stack.back();
        stack.pop_back();
        on_stack[static_cast<std::size_t>(member)] = false;
        group.push_back(member);
      } while (member != node);
      std::sort(group.begin(), group.end());
      result.push_back(std::move(group));
    }
  }
  return result;
}

}  // namespace dvm::check
