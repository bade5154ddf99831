// Two facts for each result of a member.
#include "passes/plan/chain_remarks.hpp"

#include <fmt/format.h>

#include <set>

#include "passes/analysis/array_remark.hpp"

namespace dvm::passes {

void say_chains(const graph::Function& function, const std::vector<NodeChain>& chains,
                const task::Template& owner,
                const std::unordered_map<graph::ValueId, task::SlotId>& slots, Remarks& remarks) {
  std::set<task::SlotId> kept;
  for (const task::Family& family : owner.families)
    if (const auto* chain = std::get_if<task::Chain>(&family.action))
      kept.insert(chain->kept.begin(), chain->kept.end());
  ArrayRemarks to(function, &remarks);
  for (const NodeChain& chain : chains) {
    const graph::NodeId first = chain.members[0].node;
    const graph::ValueId leader = function.nodes[first].results[0];
    for (const ChainMember& member : chain.members)
      for (graph::ValueId result : function.nodes[member.node].results) {
        if (member.node != first)
          to.add(Remark::Kind::Done, "chained", result,
                 fmt::format("made in the same pass as {}, tile by tile", to.called(leader)),
                 first);
        if (!kept.contains(slots.at(result)))
          to.add(Remark::Kind::Done, "tile", result,
                 "never whole in memory: only the tile at hand exists, while that pass needs it",
                 first);
      }
  }
}

}  // namespace dvm::passes
