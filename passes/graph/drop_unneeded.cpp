// Removal by liveness of values: nodes without a live result, and the dead parts of the others.
#include "passes/graph/drop_unneeded.hpp"

#include <algorithm>
#include <type_traits>

#include "passes/analysis/liveness.hpp"
#include "passes/analysis/slots.hpp"
#include "passes/graph/rebuild.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

// What of a node is kept, by position.
struct Kept {
  std::vector<std::size_t> operands, results;
  std::vector<std::vector<std::size_t>> params, yields;  // by region
};

std::vector<std::size_t> range(std::size_t first, std::size_t last) {
  std::vector<std::size_t> positions;
  for (std::size_t k = first; k < last; ++k) positions.push_back(k);
  return positions;
}

class DropUnneeded {
 public:
  explicit DropUnneeded(const Function& function)
      : function_(function), live_(live_values(function)) {}

  bool has_work() const {
    for (const Node& node : function_.nodes)
      for (ValueId result : node.results)
        if (!is_live(result)) return true;
    return false;
  }

  bool replace(Rewriter& rewriter, NodeId id) const {
    const Node& node = function_.nodes[id];
    const auto dead = [&](ValueId value) { return !live_[value.index]; };
    const auto count = std::count_if(node.results.begin(), node.results.end(), dead);
    if (count == static_cast<std::ptrdiff_t>(node.results.size())) return true;
    if (count == 0) return false;
    Op op = mapped_sizes(rewriter, node.op);
    const Kept kept = kept_parts(node, op);
    if (kept.results.size() == node.results.size()) return false;
    emit(rewriter, id, std::move(op), kept);
    return true;
  }

 private:
  bool is_live(ValueId value) const { return live_[value.index]; }

  Kept all(const Node& node) const {
    Kept kept{range(0, node.operands.size()), range(0, node.results.size()), {}, {}};
    for (RegionId region : node.regions) {
      kept.params.push_back(range(0, function_.regions[region].params.size()));
      kept.yields.push_back(range(0, function_.regions[region].yields.size()));
    }
    return kept;
  }

  // Result k stands on the yield at `first + k` of every region.
  Kept by_result(const Node& node, std::size_t first, bool operands_too) const {
    Kept kept = all(node);
    kept.results.clear();
    if (operands_too) kept.operands.clear();
    for (auto& yields : kept.yields) yields = range(0, first);
    for (std::size_t k = 0; k < node.results.size(); ++k) {
      if (!is_live(node.results[k])) continue;
      kept.results.push_back(k);
      if (operands_too) kept.operands.push_back(k);
      for (auto& yields : kept.yields) yields.push_back(first + k);
    }
    return kept;
  }

  // A component stays when its result or one of its sides in the operator is needed.
  Kept by_operator(const Node& node, std::size_t shared) const {
    Kept kept = all(node);
    const std::vector<ValueId>& sides = function_.regions[node.regions[1]].params;
    const std::size_t count = node.operands.size();
    kept.results.clear();
    for (std::size_t c = 0; c < count; ++c)
      if (is_live(node.results[c]) || is_live(sides[c]) || is_live(sides[count + c]))
        kept.results.push_back(c);
    kept.operands = kept.yields[1] = kept.params[1] = kept.results;
    kept.yields[0] = range(0, shared);
    for (std::size_t c : kept.results) {
      kept.yields[0].push_back(shared + c);
      kept.params[1].push_back(count + c);
    }
    return kept;
  }

  Kept by_component(const Node& node, std::vector<Component>& components,
                    std::size_t shared) const {
    if (components.empty()) return by_operator(node, shared);
    Kept kept = all(node);
    kept.results.clear();
    kept.operands.clear();
    kept.yields[0] = range(0, shared);
    std::vector<Component> left;
    const std::vector<std::size_t> offsets = term_offsets(components);
    for (std::size_t c = 0; c < components.size(); ++c) {
      if (!is_live(node.results[c])) continue;
      kept.results.push_back(c);
      kept.operands.push_back(c);
      const std::size_t first = shared + offsets[c];
      kept.yields[0].push_back(first);
      if (components[c].fused_product) kept.yields[0].push_back(first + 1);
      left.push_back(components[c]);
    }
    components = std::move(left);
    return kept;
  }

  Kept scatter(const Node& node, Scatter& op) const {
    const std::size_t indices =
        function_.regions[node.regions[0]].yields.size() - node.operands.size();
    if (op.combines && op.components.empty()) return by_operator(node, indices);
    Kept kept = by_result(node, indices, true);
    std::vector<Component> left;
    for (std::size_t k : kept.results)
      if (op.combines) left.push_back(op.components[k]);
    op.components = std::move(left);
    return kept;
  }

  Kept filter(const Node& node) const {
    Kept kept = all(node);
    kept.results = {0};
    kept.yields[0] = {0};
    for (std::size_t k = 1; k < node.results.size(); ++k) {
      if (!is_live(node.results[k])) continue;
      kept.results.push_back(k);
      kept.yields[0].push_back(k);
    }
    return kept;
  }

  // A state stays when its result or its param in some region is needed. `before`: operands and
  // params before the states.
  Kept states(const Node& node, std::size_t before, std::size_t body) const {
    Kept kept = all(node);
    kept.results.clear();
    kept.operands = range(0, before);
    for (auto& params : kept.params) params = range(0, before);
    kept.yields[body].clear();
    const std::size_t count = node.operands.size() - before;
    for (std::size_t k = 0; k < node.results.size(); ++k) {
      bool needed = is_live(node.results[k]);
      if (k < count)
        for (RegionId region : node.regions)
          needed |= is_live(function_.regions[region].params[before + k]);
      if (!needed) continue;
      kept.results.push_back(k);
      kept.yields[body].push_back(k);
      if (k >= count) continue;
      kept.operands.push_back(before + k);
      for (auto& params : kept.params) params.push_back(before + k);
    }
    return kept;
  }

  // Adapts `op` to what is kept.
  Kept kept_parts(const Node& node, Op& op) const {
    return std::visit(
        [&](auto& each) -> Kept {
          using T = std::decay_t<decltype(each)>;
          if constexpr (std::is_same_v<T, Map> || std::is_same_v<T, Branch>) {
            return by_result(node, 0, false);
          } else if constexpr (std::is_same_v<T, Reduce> || std::is_same_v<T, Scan>) {
            return by_component(node, each.components, 0);
          } else if constexpr (std::is_same_v<T, ReduceByKey>) {
            return by_component(node, each.components, 1);
          } else if constexpr (std::is_same_v<T, Scatter>) {
            return scatter(node, each);
          } else if constexpr (std::is_same_v<T, Filter>) {
            return filter(node);
          } else if constexpr (std::is_same_v<T, Loop>) {
            Kept kept = states(node, 1, 0);
            each.stacked =
                static_cast<std::uint32_t>(kept.results.size() - (kept.operands.size() - 1));
            return kept;
          } else if constexpr (std::is_same_v<T, While>) {
            return states(node, 0, 1);
          } else {
            return all(node);
          }
        },
        op);
  }

  static std::vector<ValueId> pick(const std::vector<ValueId>& from,
                                   const std::vector<std::size_t>& positions) {
    std::vector<ValueId> picked;
    for (std::size_t k : positions) picked.push_back(from[k]);
    return picked;
  }

  void emit(Rewriter& rewriter, NodeId id, Op op, const Kept& kept) const {
    const Node& node = function_.nodes[id];
    Builder& builder = rewriter.builder();
    const std::vector<ValueId> operands = mapped(rewriter, pick(node.operands, kept.operands));
    std::vector<RegionId> regions;
    for (std::size_t k = 0; k < node.regions.size(); ++k) {
      const Region& region = function_.regions[node.regions[k]];
      regions.push_back(builder.open_region());
      new_params(rewriter, pick(region.params, kept.params[k]));
      for (NodeId inner : region.nodes)
        if (!replace(rewriter, inner)) rewriter.copy(inner);
      builder.close_region(mapped(rewriter, pick(region.yields, kept.yields[k])));
    }
    builder.set_loc(node.loc);
    const std::vector<ValueId> results = new_results(rewriter, pick(node.results, kept.results));
    builder.add_with_results(std::move(op), operands, std::move(regions), results, node.check);
  }

  const Function& function_;
  std::vector<bool> live_;
};

}  // namespace

void drop_unneeded_in(Module& module, FunctionId id) {
  Function from = std::move(module.functions[id]);
  const DropUnneeded rule(from);
  if (!rule.has_work()) {
    module.functions[id] = std::move(from);
    return;
  }
  module.functions[id] = Rewriter(module, from, [&](Rewriter& rewriter, NodeId node) {
                           return rule.replace(rewriter, node);
                         }).run();
}

void drop_unneeded(Module& module) {
  for (std::uint32_t k = 0; k < module.functions.size(); ++k)
    drop_unneeded_in(module, FunctionId{k});
}

}  // namespace dvm::passes
