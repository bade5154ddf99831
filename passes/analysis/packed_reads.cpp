// Asks each node once whether it is a contraction.
#include "passes/analysis/packed_reads.hpp"

#include <algorithm>

namespace dvm::passes {

using namespace graph;

std::optional<ValueId> PackedReads::shared_index(NodeId owner, const std::set<ValueId>& used) {
  auto known = contractions_.find(owner);
  if (known == contractions_.end())
    known = contractions_.emplace(owner, contraction_of(function_, owner)).first;
  const std::optional<Contraction>& what = known->second;
  if (!what || !used.contains(what->term)) return std::nullopt;
  if (used.contains(what->row) == used.contains(what->column)) return std::nullopt;
  return used.contains(what->row) ? what->column : what->row;
}

bool PackedReads::can_pack(NodeId map, const std::function<bool(ValueId)>& is_fused) {
  return packs_[map] = can_pack_region(function_.nodes[map].regions[0], is_fused);
}

bool PackedReads::can_pack_region(RegionId region,
                                  const std::function<bool(ValueId)>& is_fused) const {
  const std::vector<NodeId>& nodes = function_.regions[region].nodes;
  return std::all_of(nodes.begin(), nodes.end(), [&](NodeId id) {
    const Node& node = function_.nodes[id];
    if (node.check.valid()) return false;
    if (std::holds_alternative<Read>(node.op) && is_fused(node.operands[0])) {
      const auto maker = packs_.find(function_.values[node.operands[0]].node);
      return maker != packs_.end() && maker->second;
    }
    if (node.regions.empty()) return true;
    return std::holds_alternative<Branch>(node.op) &&
           std::all_of(node.regions.begin(), node.regions.end(),
                       [&](RegionId side) { return can_pack_region(side, is_fused); });
  });
}

}  // namespace dvm::passes
