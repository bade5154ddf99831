// Clones chains of scalar operations at the start of the bodies of parallel nodes.
#include "passes/graph/sink_scalars.hpp"

#include <algorithm>
#include <memory>
#include <unordered_set>

#include "passes/analysis/users.hpp"
#include "passes/graph/rebuild.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

// Longer chains are worth a task.
constexpr std::size_t max_chain = 24;

bool is_parallel(const Op& op) {
  return std::holds_alternative<Map>(op) || std::holds_alternative<Reduce>(op) ||
         std::holds_alternative<Scan>(op) || std::holds_alternative<ReduceByKey>(op) ||
         std::holds_alternative<Scatter>(op) || std::holds_alternative<Filter>(op);
}

class SinkScalars {
 public:
  explicit SinkScalars(const Function& function)
      : function_(function), users_(function), place_(function.nodes.size(), 0) {
    number(function.body);
  }

  bool replace(Rewriter& rewriter, NodeId id) const {
    const Node& node = function_.nodes[id];
    if (!is_parallel(node.op) || !at_task_level(id)) return false;
    std::vector<std::vector<NodeId>> chains;
    bool any = false;
    for (RegionId region : node.regions) {
      chains.push_back(chain(region));
      any |= !chains.back().empty();
    }
    if (!any) return false;
    const std::vector<ValueId> operands = mapped(rewriter, node.operands);
    Op op = mapped_sizes(rewriter, node.op);
    std::vector<RegionId> regions;
    for (std::size_t k = 0; k < node.regions.size(); ++k)
      regions.push_back(body(rewriter, node.regions[k], chains[k]));
    rewriter.builder().set_loc(node.loc);
    const std::vector<ValueId> results = new_results(rewriter, node.results);
    rewriter.builder().add_with_results(std::move(op), operands, std::move(regions), results,
                                        node.check);
    return true;
  }

 private:
  void number(RegionId region) {
    for (NodeId id : function_.regions[region].nodes) {
      for (RegionId inner : function_.nodes[id].regions) number(inner);
      place_[id.index] = next_++;
    }
  }

  // Not inside the body of another parallel node: its body is a kernel of its own.
  bool at_task_level(NodeId id) const {
    for (NodeId owner = users_.owner(users_.region_of(id)); owner.valid();
         owner = users_.owner(users_.region_of(owner)))
      if (is_parallel(function_.nodes[owner].op)) return false;
    return true;
  }

  bool sinks(ValueId value) const {
    const Value& entry = function_.values[value];
    if (!entry.node.valid() || !entry.type.is_scalar()) return false;
    const Node& node = function_.nodes[entry.node];
    if (std::holds_alternative<Constant>(node.op) || std::holds_alternative<SizeOf>(node.op))
      return true;
    const auto* scalar = std::get_if<ScalarOp>(&node.op);
    if (scalar == nullptr || node.check.valid() || facts(scalar->fn).elementary) return false;
    // A clone would be another size than the one in the types of what the body reads.
    const std::span<const Use> uses = users_.of(value);
    return std::none_of(uses.begin(), uses.end(),
                        [](const Use& use) { return use.kind == Use::Kind::Size; });
  }

  // The nodes to clone into a region, definitions first.
  std::vector<NodeId> chain(RegionId region) const {
    std::vector<NodeId> order;
    std::unordered_set<NodeId> seen;
    // Yielded directly: the copy costs nothing and spares an operand.
    for (ValueId value : free_values(function_, region)) add(value, order, seen);
    return order;
  }
  void add(ValueId root, std::vector<NodeId>& order, std::unordered_set<NodeId>& seen) const {
    // Gathered first: the whole chain of one value, or nothing when it is long.
    std::vector<NodeId> found;
    std::vector<ValueId> open{root};
    std::unordered_set<NodeId> own;
    while (!open.empty()) {
      const ValueId value = open.back();
      open.pop_back();
      if (!sinks(value)) continue;
      const NodeId id = function_.values[value].node;
      if (seen.contains(id) || !own.insert(id).second) continue;
      found.push_back(id);
      if (found.size() > max_chain) return;
      const std::vector<ValueId>& operands = function_.nodes[id].operands;
      open.insert(open.end(), operands.begin(), operands.end());
    }
    order.insert(order.end(), found.begin(), found.end());
    std::sort(order.begin(), order.end(),
              [&](NodeId a, NodeId b) { return place_[a.index] < place_[b.index]; });
    seen.insert(found.begin(), found.end());
  }

  static RegionId body(Rewriter& rewriter, RegionId old_region, const std::vector<NodeId>& clones) {
    const Function& from = rewriter.from();
    const Region& region = from.regions[old_region];
    const RegionId copy = rewriter.builder().open_region();
    new_params(rewriter, region.params);
    std::vector<std::pair<ValueId, ValueId>> outer;
    for (NodeId id : clones) {
      const ValueId value = from.nodes[id].results[0];
      outer.emplace_back(value, rewriter.mapped(value));
      rewriter.copy(id);
    }
    for (NodeId id : region.nodes) rewriter.copy(id);
    rewriter.builder().close_region(mapped(rewriter, region.yields));
    for (const auto& [value, before] : outer) rewriter.map(value, before);
    return copy;
  }

  const Function& function_;
  Users users_;
  std::vector<std::uint32_t> place_;  // by node: in program order
  std::uint32_t next_ = 0;
};

}  // namespace

void sink_scalars(Module& module) {
  rebuild_each(module, [](const Function& function) -> Rewriter::Replace {
    auto rule = std::make_shared<SinkScalars>(function);
    return [rule](Rewriter& rewriter, NodeId node) { return rule->replace(rewriter, node); };
  });
}

}  // namespace dvm::passes
