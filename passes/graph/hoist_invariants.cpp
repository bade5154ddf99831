// Plans the outermost place of every node in one walk, then copies early what moves.
#include "passes/graph/hoist_invariants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "ir/graph/affine.hpp"
#include "ir/graph/walk.hpp"
#include "passes/analysis/array_remark.hpp"
#include "passes/analysis/failure.hpp"
#include "passes/analysis/users.hpp"
#include "passes/graph/rebuild.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

class HoistInvariants {
 public:
  explicit HoistInvariants(const Function& function)
      : function_(function),
        forms_(function),
        ranges_(function, forms_),
        users_(function),
        safe_(values_without_failure(function, forms_)),
        level_(function.values.size(), 0),
        moves_(function.nodes.size(), false) {
    plan(function.body, 0);
    anchor(function.body);
  }

  bool any() const { return !before_.empty(); }

  void say(Remarks* remarks) const {
    ArrayRemarks to(function_, remarks);
    for (std::uint32_t k = 0; k < function_.nodes.size(); ++k) {
      const NodeId id{k};
      if (!moves_[id.index] || !is_heavy(function_.nodes[id])) continue;
      const ValueId result = function_.nodes[id].results[0];
      const int levels = users_.depth(users_.region_of(id)) - level_[result.index];
      to.add(Remark::Kind::Done, "hoisted", result,
             fmt::format("computed once, before the {} it stood in: nothing in it changes there",
                         levels == 1 ? "body" : fmt::format("{} bodies", levels)));
    }
  }

  bool replace(Rewriter& rewriter, NodeId id) const {
    const Node& node = function_.nodes[id];
    if (auto found = before_.find(id); found != before_.end())
      for (NodeId moved : found->second) rewriter.copy(moved);
    // What moved is there already.
    return moves_[id.index] && rewriter.is_mapped(node.results[0]) && emitted_before(id);
  }

 private:
  // `floor`: nothing leaves this level, since a branch stands around it.
  void plan(RegionId region, int floor) {
    const int depth = users_.depth(region);
    for (ValueId param : function_.regions[region].params) level_[param.index] = depth;
    for (NodeId id : function_.regions[region].nodes) {
      const Node& node = function_.nodes[id];
      const bool branch = std::holds_alternative<Branch>(node.op);
      for (RegionId inner : node.regions) plan(inner, branch ? depth + 1 : floor);
      int level = depth;
      if (depth > floor && (is_heavy(node) || is_plain_scalar(node)))
        level = std::max(floor, level_of(id));
      if (level < depth && is_heavy(node) && may_move(id, level)) {
        demand(id, level);
      }
      const bool follows = is_plain_scalar(node) || moves_[id.index];
      for (ValueId result : node.results) level_[result.index] = follows ? level : depth;
    }
  }

  static bool is_plain_scalar(const Node& node) {
    return !node.check.valid() &&
           (std::holds_alternative<Constant>(node.op) || std::holds_alternative<SizeOf>(node.op) ||
            std::holds_alternative<ScalarOp>(node.op));
  }
  static bool is_heavy(const Node& node) {
    if (std::holds_alternative<Concat>(node.op) || std::holds_alternative<Sort>(node.op))
      return true;
    return !node.regions.empty() && !std::holds_alternative<Branch>(node.op) &&
           !std::holds_alternative<While>(node.op);
  }

  int level_of(NodeId id) const {
    int level = 0;
    if (function_.nodes[id].regions.empty()) {
      auto deepest = [&](ValueId value) { level = std::max(level, level_[value.index]); };
      for (ValueId operand : function_.nodes[id].operands) deepest(operand);
      for_each_size_value(function_.nodes[id].op, deepest);
      return level;
    }
    for (ValueId value : free_values(function_, id)) level = std::max(level, level_[value.index]);
    return level;
  }

  // Cannot fail by what is known at the target level, whatever happens further in.
  bool may_move(NodeId id, int level) {
    for (ValueId value : free_values(function_, id))
      if (!safe_[value.index]) return false;
    std::vector<std::pair<NodeId, std::size_t>> around;
    for (RegionId region = users_.region_of(id); users_.depth(region) > 0;
         region = users_.parent(region)) {
      const NodeId owner = users_.owner(region);
      const std::vector<RegionId>& regions = function_.nodes[owner].regions;
      const auto position = std::find(regions.begin(), regions.end(), region) - regions.begin();
      if (users_.depth(region) <= level) around.emplace_back(owner, position);
    }
    for (auto each = around.rbegin(); each != around.rend(); ++each)
      ranges_.enter(each->first, each->second);
    const bool total = is_total(function_, id, ranges_);
    for (std::size_t k = 0; k < around.size(); ++k) ranges_.leave();
    return total;
  }

  // Marks a node and the scalars inside that it needs at its new place.
  void demand(NodeId id, int level) {
    std::vector<std::pair<NodeId, int>> open{{id, level}};
    while (!open.empty()) {
      const auto [node, to] = open.back();
      open.pop_back();
      if (moves_[node.index]) continue;
      moves_[node.index] = true;
      for (ValueId value : free_values(function_, node)) {
        const NodeId from = function_.values[value].node;
        if (from.valid() && users_.depth(users_.region_of(from)) > to)
          open.emplace_back(from, level_[value.index]);
      }
      for (ValueId result : function_.nodes[node].results) level_[result.index] = to;
    }
  }

  // Every moved node goes before the node around it that stands at its level.
  void anchor(RegionId region) {
    for (NodeId id : function_.regions[region].nodes) {
      for (RegionId inner : function_.nodes[id].regions) anchor(inner);
      if (!moves_[id.index]) continue;
      const int level = level_[function_.nodes[id].results[0].index];
      NodeId around = id;
      while (users_.depth(users_.region_of(around)) > level)
        around = users_.owner(users_.region_of(around));
      if (around != id)
        before_[around].push_back(id);
      else
        moves_[id.index] = false;
    }
  }

  bool emitted_before(NodeId id) const {
    return users_.depth(users_.region_of(id)) > level_[function_.nodes[id].results[0].index];
  }

  const Function& function_;
  AffineForms forms_;
  Ranges ranges_;  // at the top level of the function
  Users users_;
  std::vector<bool> safe_;
  std::vector<int> level_;   // by value: depth of the outermost region it can be made in
  std::vector<bool> moves_;  // by node
  std::unordered_map<NodeId, std::vector<NodeId>> before_;
};

}  // namespace

void hoist_invariants(Module& module, Remarks* remarks) {
  rebuild_each(module, [&](const Function& function) -> Rewriter::Replace {
    auto rule = std::make_shared<HoistInvariants>(function);
    if (!rule->any()) return nullptr;
    if (remarks != nullptr) rule->say(remarks);
    return [rule](Rewriter& rewriter, NodeId node) { return rule->replace(rewriter, node); };
  });
}

}  // namespace dvm::passes
