// Finds calls of which some results are asked for and others may fail. See whole_calls.hpp.
#include "passes/plan/whole_calls.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/graph/demand.hpp"
#include "passes/analysis/users.hpp"
#include "passes/graph/rebuild.hpp"
#include "passes/plan/needed_together.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

// By function: it, or one that it calls, holds something that may fail.
std::vector<bool> failing_functions(const Module& module) {
  std::vector<bool> failing(module.functions.size(), false);
  std::vector<std::vector<std::uint32_t>> callers(module.functions.size());
  std::vector<std::uint32_t> open;
  for (std::uint32_t k = 0; k < failing.size(); ++k) {
    for (const Node& node : module.functions[FunctionId{k}].nodes) {
      if (const auto* call = std::get_if<Call>(&node.op))
        callers[call->callee.index].push_back(k);
      else if (node.check.valid())
        failing[k] = true;
    }
    if (failing[k]) open.push_back(k);
  }
  while (!open.empty()) {
    const std::uint32_t callee = open.back();
    open.pop_back();
    for (std::uint32_t caller : callers[callee]) {
      if (failing[caller]) continue;
      failing[caller] = true;
      open.push_back(caller);
    }
  }
  return failing;
}

class WholeCalls {
 public:
  WholeCalls(const Function& function, const std::vector<bool>& failing)
      : function_(function), users_(function_) {
    if (std::none_of(function.nodes.begin(), function.nodes.end(),
                     [&](const Node& node) { return loses(node, failing); }))
      return;
    Demands demands(function_);
    for (std::uint32_t r = 0; r < function_.regions.size(); ++r) {
      const Region& region = function_.regions[RegionId{r}];
      const RegionDemand& demand = demands.region(RegionId{r}, Demands::all(region.yields.size()));
      for (std::size_t k = 0; k < region.nodes.size(); ++k)
        if (const Node& node = function_.nodes[region.nodes[k]]; loses(node, failing))
          look_at(region.nodes[k], node, demand.asked[k]);
    }
  }

  bool any() const { return !parts_.empty(); }

  bool replace(Rewriter& to, NodeId id, CheckId check) const {
    const auto found = parts_.find(id);
    if (found == parts_.end()) return false;
    to.copy(id);
    Builder& b = to.builder();
    b.set_loc(function_.nodes[id].loc);
    const ValueId fine = needed_together(b, mapped(to, found->second.lost));
    for (ValueId result : found->second.dependent)
      to.map(result, b.check(to.mapped(result), fine, {}, check));
    return true;
  }

 private:
  // `lost`: nothing sees that they fail. `dependent`: what is to fail with them.
  struct Parts {
    std::vector<ValueId> lost, dependent;
  };

  static bool loses(const Node& node, const std::vector<bool>& failing) {
    const auto* call = std::get_if<Call>(&node.op);
    return call != nullptr && node.results.size() > 1 && failing[call->callee.index];
  }

  // One that is needed in any case is enough; where there is none, all that a branch may need.
  void look_at(NodeId id, const Node& node, const Mask& asked) {
    Parts parts;
    std::vector<ValueId> sure;
    for (std::size_t k = 0; k < node.results.size(); ++k) {
      const ValueId result = node.results[k];
      const bool needed = !asked.empty() && asked[k];
      if (!needed) parts.lost.push_back(result);
      if (is_size_of_others(node, result) || (!needed && users_.of(result).empty())) continue;
      (needed ? sure : parts.dependent).push_back(result);
    }
    if (!sure.empty()) parts.dependent = {sure.front()};
    if (!parts.lost.empty() && !parts.dependent.empty()) parts_.emplace(id, std::move(parts));
  }

  // Another result that is used has it in its type.
  bool is_size_of_others(const Node& node, ValueId symbol) const {
    return std::any_of(node.results.begin(), node.results.end(), [&](ValueId other) {
      const std::vector<Size>& shape = function_.values[other].type.shape;
      return !users_.of(other).empty() &&
             std::any_of(shape.begin(), shape.end(),
                         [&](const Size& size) { return size.mentions(symbol.index); });
    });
  }

  const Function function_;  // the rewriter works on a copy as well
  const Users users_;
  std::unordered_map<NodeId, Parts> parts_;
};

}  // namespace

void whole_calls(Module& module) {
  const std::vector<bool> failing = failing_functions(module);
  CheckId check;  // never fails itself
  for (std::uint32_t k = 0; k < module.functions.size(); ++k) {
    const FunctionId id{k};
    const auto calls = std::make_unique<WholeCalls>(module.functions[id], failing);
    if (!calls->any()) continue;
    if (!check.valid()) check = module.checks.push({"a result of a call failed", {}});
    rebuild(module, id, [&](Rewriter& to, NodeId node) { return calls->replace(to, node, check); });
  }
}

}  // namespace dvm::passes
