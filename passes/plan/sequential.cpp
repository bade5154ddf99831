// Loops that are best left to one kernel.
#include "passes/plan/sequential.hpp"

#include <vector>

namespace dvm::passes {

using namespace graph;

namespace {

constexpr std::int64_t longest_inner = 64;  // terms of a reduction that is not worth a task

bool is_scalar_node(const Function& function, const Node& node) {
  for (ValueId result : node.results)
    if (!function.values[result].type.is_scalar()) return false;
  if (const auto* reduce = std::get_if<Reduce>(&node.op)) {
    const auto extent = reduce->extent.constant();
    return reduce->space.empty() && extent && *extent <= longest_inner;
  }
  if (const auto* loop = std::get_if<Loop>(&node.op)) return loop->stacked == 0;
  return std::holds_alternative<Constant>(node.op) || std::holds_alternative<SizeOf>(node.op) ||
         std::holds_alternative<ScalarOp>(node.op) || std::holds_alternative<Read>(node.op) ||
         std::holds_alternative<Check>(node.op) || std::holds_alternative<While>(node.op) ||
         std::holds_alternative<Branch>(node.op);
}

}  // namespace

bool is_sequential(const Function& function, NodeId loop) {
  std::vector<NodeId> open{loop};
  while (!open.empty()) {
    const Node& node = function.nodes[open.back()];
    open.pop_back();
    if (!is_scalar_node(function, node)) return false;
    for (RegionId region : node.regions)
      for (NodeId inner : function.regions[region].nodes) open.push_back(inner);
  }
  return true;
}

}  // namespace dvm::passes
