// Copies nodes into the branches that alone ask for some of their results. See part_results.hpp.
#include "passes/plan/part_results.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/graph/demand.hpp"
#include "passes/analysis/users.hpp"
#include "passes/graph/rebuild.hpp"
#include "passes/plan/sequential.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

constexpr int most_rounds = 8;  // branches in branches

class PartResults {
 public:
  explicit PartResults(const Function& function) : function_(function), demands_(function_) {
    region(function.body, false);
  }

  bool any() const { return !wanted_.empty(); }

  bool replace(Rewriter& to, NodeId id) {
    const Node& node = function_.nodes[id];
    if (!std::holds_alternative<Branch>(node.op) ||
        std::none_of(node.regions.begin(), node.regions.end(),
                     [&](RegionId side) { return wanted_.contains(side); }))
      return false;
    Builder& builder = to.builder();
    const std::vector<ValueId> operands = mapped(to, node.operands);
    std::vector<RegionId> sides;
    for (RegionId side : node.regions) sides.push_back(copy_side(to, side));
    builder.set_loc(node.loc);
    const std::vector<ValueId> results = new_results(to, node.results);
    builder.add_with_results(Branch{}, operands, std::move(sides), results, node.check);
    return true;
  }

 private:
  RegionId copy_side(Rewriter& to, RegionId side) {
    const auto found = wanted_.find(side);
    if (found == wanted_.end()) return to.copy_region(side);
    std::vector<std::pair<ValueId, ValueId>> outer;
    const RegionId copy = to.builder().open_region();
    for (NodeId part : found->second) {
      for (ValueId result : function_.nodes[part].results)
        outer.emplace_back(result, to.mapped(result));
      to.copy(part);
    }
    to.builder().close_region(to.inline_region(side, {}));
    for (const auto& [result, value] : outer) to.map(result, value);
    return copy;
  }

  // `in_kernel`: around it stands the body of an array operation.
  void region(RegionId id, bool in_kernel) {
    const Region& region = function_.regions[id];
    const Mask all = Demands::all(region.yields.size());
    const std::vector<Mask>& needed = demands_.region(id, all).results;
    std::unordered_map<ValueId, NodeId> unsure;  // beside others that are sure
    for (std::size_t k = 0; k < region.nodes.size(); ++k) {
      const Node& node = function_.nodes[region.nodes[k]];
      if (node.results.size() > 1 && !node.regions.empty() && may_fail(node) &&
          (in_kernel || is_alone(region.nodes[k])))
        for (std::size_t r = 0; r < needed[k].size(); ++r)
          if (!needed[k][r]) unsure.emplace(node.results[r], region.nodes[k]);
    }
    for (NodeId node : region.nodes) {
      const Node& one = function_.nodes[node];
      const bool branch = std::holds_alternative<Branch>(one.op);
      const bool control =
          branch || std::holds_alternative<Loop>(one.op) || std::holds_alternative<While>(one.op);
      for (RegionId inner : one.regions) {
        if (branch) want(inner, unsure);
        this->region(inner, in_kernel || !control || is_alone(node));
      }
    }
  }

  void want(RegionId side, const std::unordered_map<ValueId, NodeId>& unsure) {
    if (unsure.empty()) return;
    std::vector<NodeId> parts;
    for (ValueId value : free_values(function_, side))
      if (const auto found = unsure.find(value); found != unsure.end())
        parts.push_back(found->second);
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    if (!parts.empty()) wanted_.emplace(side, std::move(parts));
  }

  // A loop on scalars is one kernel wherever it stands.
  bool is_alone(NodeId node) const {
    const Op& op = function_.nodes[node].op;
    return (std::holds_alternative<Loop>(op) || std::holds_alternative<While>(op)) &&
           is_sequential(function_, node);
  }

  bool may_fail(const Node& node) const {
    std::vector<RegionId> open = node.regions;
    while (!open.empty()) {
      const RegionId next = open.back();
      open.pop_back();
      for (NodeId id : function_.regions[next].nodes) {
        const Node& inner = function_.nodes[id];
        if (inner.check.valid() || std::holds_alternative<Call>(inner.op)) return true;
        open.insert(open.end(), inner.regions.begin(), inner.regions.end());
      }
    }
    return false;
  }

  const Function function_;  // the rewriter works on a copy as well
  Demands demands_;
  std::unordered_map<RegionId, std::vector<NodeId>> wanted_;  // by side of a branch: to be copied
};

}  // namespace

void part_results(Module& module) {
  for (std::uint32_t k = 0; k < module.functions.size(); ++k) {
    const FunctionId id{k};
    for (int round = 0; round < most_rounds; ++round) {
      const auto parts = std::make_shared<PartResults>(module.functions[id]);
      if (!parts->any()) break;
      rebuild(module, id, [parts](Rewriter& to, NodeId node) { return parts->replace(to, node); });
    }
  }
}

}  // namespace dvm::passes
