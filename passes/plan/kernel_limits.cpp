// What one kernel can hold.
#include "passes/plan/kernel_limits.hpp"

#include <algorithm>
#include <unordered_set>

#include "passes/plan/outline.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

class Limits {
 public:
  explicit Limits(const Function& function) : function_(function) {}

  bool holds(RegionId id) {
    const Region& region = function_.regions[id];
    for (ValueId param : region.params) inside_.insert(param);
    for (NodeId node : region.nodes)
      for (ValueId result : function_.nodes[node].results) inside_.insert(result);
    return std::all_of(region.nodes.begin(), region.nodes.end(),
                       [&](NodeId node) { return holds_node(function_.nodes[node]); });
  }

 private:
  bool is_scalar(ValueId value) const { return function_.values[value].type.is_scalar(); }
  bool all_scalar(const std::vector<ValueId>& values) const {
    return std::all_of(values.begin(), values.end(), [&](ValueId v) { return is_scalar(v); });
  }

  bool holds_node(const Node& node) {
    if (std::holds_alternative<Constant>(node.op) || std::holds_alternative<SizeOf>(node.op) ||
        std::holds_alternative<ScalarOp>(node.op) || std::holds_alternative<Read>(node.op) ||
        std::holds_alternative<Check>(node.op))
      return true;
    const bool makes_arrays = std::holds_alternative<Map>(node.op) ||
                              std::holds_alternative<Reduce>(node.op) ||
                              std::holds_alternative<Scan>(node.op);
    const auto* loop = std::get_if<Loop>(&node.op);
    const bool control = std::holds_alternative<Branch>(node.op) ||
                         std::holds_alternative<While>(node.op) || (loop && loop->stacked == 0);
    if (control ? !all_scalar(node.results) : !makes_arrays) return false;
    for (ValueId result : node.results)
      if (!has_known_size(function_.values[result].type)) return false;
    return std::all_of(node.regions.begin(), node.regions.end(),
                       [&](RegionId region) { return holds(region); });
  }

  // Memory for arrays is taken before the kernel starts: by params of the kernel.
  bool has_known_size(const Type& type) const {
    bool known = true;
    for (const Size& size : type.shape)
      size.symbols([&](Size::Symbol symbol) {
        const ValueId value{symbol};
        known = known && !inside_.contains(value) && !is_copied(function_, value);
      });
    return known;
  }

  const Function& function_;
  std::unordered_set<ValueId> inside_;
};

}  // namespace

bool fits_kernel(const Function& function, RegionId region) {
  return Limits(function).holds(region);
}

bool fits_kernel(const Function& function, NodeId node) {
  const std::vector<RegionId>& regions = function.nodes[node].regions;
  return std::all_of(regions.begin(), regions.end(),
                     [&](RegionId region) { return fits_kernel(function, region); });
}

}  // namespace dvm::passes
