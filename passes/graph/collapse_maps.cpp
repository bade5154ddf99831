// Looks at each map from outside; nests of several levels take a round each.
#include "passes/graph/collapse_maps.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "passes/analysis/users.hpp"
#include "passes/cost/cost.hpp"
#include "passes/graph/rebuild.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

constexpr int max_levels = 8;
// Beside the inner maps: nodes, and what one of them may cost.
constexpr std::size_t max_beside = 24;
constexpr double max_operations = 3;

class CollapseMaps {
 public:
  explicit CollapseMaps(const Function& function) : function_(function), users_(function) {
    visit(function.body);
  }

  bool any() const { return !nests_.empty(); }

  bool replace(Rewriter& rewriter, NodeId id) const {
    const auto nest = nests_.find(id);
    if (nest == nests_.end()) return false;
    collapse(rewriter, id, nest->second);
    return true;
  }

 private:
  using Nest = std::vector<NodeId>;  // the inner maps

  void visit(RegionId region) {
    for (NodeId id : function_.regions[region].nodes) {
      if (const Nest nest = nest_of(id); !nest.empty()) {
        nests_[id] = nest;
        continue;
      }
      for (RegionId inner : function_.nodes[id].regions) visit(inner);
    }
  }

  Nest nest_of(NodeId id) const {
    const Node& node = function_.nodes[id];
    if (!std::holds_alternative<Map>(node.op)) return {};
    const Region& body = function_.regions[node.regions[0]];
    Nest nest;
    for (ValueId yield : body.yields) {
      const NodeId from = function_.values[yield].node;
      if (!from.valid() || users_.region_of(from) != node.regions[0]) return {};
      const auto* inner = std::get_if<Map>(&function_.nodes[from].op);
      if (inner == nullptr) return {};
      if (std::find(nest.begin(), nest.end(), from) == nest.end()) nest.push_back(from);
    }
    if (nest.empty()) return {};
    const std::vector<Size>& space = std::get<Map>(function_.nodes[nest[0]].op).space;
    for (NodeId inner : nest)
      if (std::get<Map>(function_.nodes[inner].op).space != space || !is_only_yielded(inner) ||
          makes_arrays(function_.nodes[inner].regions[0]))
        return {};
    std::size_t beside = 0;
    for (NodeId other : body.nodes)
      if (std::find(nest.begin(), nest.end(), other) == nest.end() &&
          (!is_cheap(other) || ++beside > max_beside))
        return {};
    return nest;
  }

  bool is_only_yielded(NodeId inner) const {
    for (ValueId result : function_.nodes[inner].results)
      for (const Use& use : users_.of(result))
        if (use.kind != Use::Kind::Yield || use.region != users_.region_of(inner)) return false;
    return true;
  }

  // Arrays that are not rows of numbers: then points are better left in rows.
  bool makes_arrays(RegionId region) const {
    for (NodeId id : function_.regions[region].nodes) {
      const Op& op = function_.nodes[id].op;
      if (std::holds_alternative<Sort>(op) || std::holds_alternative<Filter>(op) ||
          std::holds_alternative<Call>(op) || std::holds_alternative<Concat>(op) ||
          std::holds_alternative<Scatter>(op) || std::holds_alternative<ReduceByKey>(op))
        return true;
      for (RegionId inner : function_.nodes[id].regions)
        if (makes_arrays(inner)) return true;
    }
    return false;
  }

  bool is_cheap(NodeId id) const {
    const Node& node = function_.nodes[id];
    if (node.check.valid()) return false;
    if (const auto* scalar = std::get_if<ScalarOp>(&node.op))
      return operations(scalar->fn, function_.values[node.results[0]].type.element) <=
             max_operations;
    return std::holds_alternative<Constant>(node.op) || std::holds_alternative<SizeOf>(node.op) ||
           std::holds_alternative<Read>(node.op);
  }

  void collapse(Rewriter& rewriter, NodeId id, const Nest& nest) const {
    Builder& builder = rewriter.builder();
    const Node& node = function_.nodes[id];
    const Region& body = function_.regions[node.regions[0]];
    const Node& first = function_.nodes[nest[0]];
    Map op = std::get<Map>(mapped_sizes(rewriter, node.op));
    const RegionId region = builder.open_region();
    new_params(rewriter, body.params);
    for (NodeId other : body.nodes)
      if (std::find(nest.begin(), nest.end(), other) == nest.end()) rewriter.visit(other);
    const std::vector<Size> inner_space = std::get<Map>(mapped_sizes(rewriter, first.op)).space;
    op.space.insert(op.space.end(), inner_space.begin(), inner_space.end());
    const std::size_t outer = builder.function().regions[region].params.size();
    new_params(rewriter, function_.regions[first.regions[0]].params);
    const std::vector<ValueId>& params = builder.function().regions[region].params;
    const std::vector<ValueId> indices(params.begin() + static_cast<std::ptrdiff_t>(outer),
                                       params.end());
    for (NodeId inner : nest) {
      const Node& row = function_.nodes[inner];
      const std::vector<ValueId> yields = rewriter.inline_region(row.regions[0], indices);
      for (std::size_t k = 0; k < yields.size(); ++k) rewriter.map(row.results[k], yields[k]);
    }
    builder.close_region(mapped(rewriter, body.yields));
    builder.set_loc(first.loc);
    const std::vector<ValueId> results = new_results(rewriter, node.results);
    builder.add_with_results(std::move(op), {}, {region}, results, node.check);
  }

  const Function& function_;
  Users users_;
  std::unordered_map<NodeId, Nest> nests_;
};

}  // namespace

void collapse_maps(Module& module) {
  bool found = true;
  for (int level = 0; found && level < max_levels; ++level) {
    found = false;
    rebuild_each(module, [&](const Function& function) -> Rewriter::Replace {
      auto rule = std::make_shared<CollapseMaps>(function);
      if (!rule->any()) return nullptr;
      found = true;
      return [rule](Rewriter& rewriter, NodeId node) { return rule->replace(rewriter, node); };
    });
  }
}

}  // namespace dvm::passes
