// A topological order by a queue: of what waits for nothing, the earliest in the program comes
// next.
#include "passes/plan/unit_order.hpp"

#include <queue>
#include <unordered_map>

#include "passes/analysis/users.hpp"

namespace dvm::passes {

using namespace graph;

std::vector<Unit> in_order(const Function& function, RegionId region,
                           const std::vector<NodeChain>& chains) {
  // A unit stands where its last node does; the least of those that wait for nothing comes next.
  const std::vector<NodeId>& nodes = function.regions[region].nodes;
  std::unordered_map<NodeId, std::size_t> chain_of, unit_of;
  for (std::size_t c = 0; c < chains.size(); ++c)
    for (const ChainMember& member : chains[c].members) chain_of[member.node] = c;
  std::vector<Unit> units;
  std::vector<std::size_t> unit_of_chain(chains.size());
  for (NodeId id : nodes) {
    const auto chain = chain_of.find(id);
    if (chain == chain_of.end()) {
      unit_of[id] = units.size();
      units.push_back({id, 0});
    } else if (chains[chain->second].members.back().node == id) {
      unit_of_chain[chain->second] = units.size();
      units.push_back({NodeId{}, chain->second});
    }
  }
  for (const auto& [id, chain] : chain_of) unit_of[id] = unit_of_chain[chain];
  std::vector<std::vector<std::size_t>> behind(units.size());
  std::vector<std::size_t> waits(units.size(), 0);
  for (NodeId id : nodes)
    for (ValueId value : free_values(function, id)) {
      const NodeId from = function.values[value].node;
      const auto known = from.valid() ? unit_of.find(from) : unit_of.end();
      if (known == unit_of.end() || known->second == unit_of.at(id)) continue;
      behind[known->second].push_back(unit_of.at(id));
      ++waits[unit_of.at(id)];
    }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t u = 0; u < units.size(); ++u)
    if (waits[u] == 0) ready.push(u);
  std::vector<Unit> order;
  while (!ready.empty()) {
    const std::size_t next = ready.top();
    ready.pop();
    order.push_back(units[next]);
    for (std::size_t u : behind[next])
      if (--waits[u] == 0) ready.push(u);
  }
  return order;
}

}  // namespace dvm::passes
