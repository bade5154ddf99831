// The rule of need, region by region: one backward walk over the nodes.
#include "ir/graph/demand.hpp"

#include <algorithm>

#include "ir/graph/walk.hpp"

namespace dvm::graph {
namespace {

// a |= b; true when a changed.
bool merge(Mask& a, const Mask& b) {
  bool changed = false;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (b[i] && !a[i]) a[i] = changed = true;
  }
  return changed;
}

}  // namespace

Demands::Demands(const Function& function)
    : function_(function), region_of_(function.values.size()) {
  for (std::uint32_t i = 0; i < function.regions.size(); ++i) {
    const RegionId id{i};
    for (ValueId param : function.regions[id].params) region_of_[param.index] = id;
    for (NodeId node : function.regions[id].nodes) {
      for (ValueId result : function.nodes[node].results) region_of_[result.index] = id;
    }
  }
}

const RegionDemand& Demands::region(RegionId region, const Mask& yields) {
  const auto key = std::pair(region, yields);
  auto found = known_.find(key);
  if (found == known_.end()) found = known_.emplace(key, analyse(region, yields)).first;
  return found->second;
}

RegionDemand Demands::analyse(RegionId id, const Mask& yields) {
  const Region& region = function_.regions[id];
  RegionDemand demand;
  demand.params.assign(region.params.size(), false);
  demand.results.resize(region.nodes.size());
  demand.asked.resize(region.nodes.size());
  std::map<ValueId, bool> needed;
  auto need = [&](ValueId value) {
    if (!needed.emplace(value, true).second) return;
    if (region_of(value) != id) demand.captures.push_back(value);
  };
  for (std::size_t i = 0; i < region.yields.size(); ++i) {
    if (yields[i]) need(region.yields[i]);
  }
  for (std::size_t i = region.nodes.size(); i-- > 0;) {
    const Node& one = function_.nodes[region.nodes[i]];
    Mask results(one.results.size());
    for (std::size_t k = 0; k < results.size(); ++k) results[k] = needed.contains(one.results[k]);
    if (std::find(results.begin(), results.end(), true) == results.end()) continue;
    const NodeDemand inner = node(one, results);
    demand.results[i] = inner.results;
    demand.asked[i] = std::move(results);
    for (ValueId value : inner.values) need(value);
    if (std::holds_alternative<Branch>(one.op)) continue;
    for (std::size_t r = 0; r < one.regions.size(); ++r) {
      for (ValueId value : this->region(one.regions[r], inner.yields[r]).captures) need(value);
    }
  }
  // The same once more as if every branch took both sides.
  demand.perhaps = demand.captures;
  auto perhaps = [&](ValueId value) {
    if (!needed.emplace(value, true).second) return;
    if (region_of(value) != id) demand.perhaps.push_back(value);
  };
  for (std::size_t i = region.nodes.size(); i-- > 0;) {
    const Node& one = function_.nodes[region.nodes[i]];
    Mask results(one.results.size());
    for (std::size_t k = 0; k < results.size(); ++k) results[k] = needed.contains(one.results[k]);
    if (std::find(results.begin(), results.end(), true) == results.end()) continue;
    const NodeDemand inner = node(one, results);
    for (ValueId value : inner.values) perhaps(value);
    for (std::size_t r = 0; r < one.regions.size(); ++r) {
      for (ValueId value : this->region(one.regions[r], inner.yields[r]).perhaps) perhaps(value);
    }
  }
  for (std::size_t i = 0; i < region.params.size(); ++i)
    demand.params[i] = needed.contains(region.params[i]);
  return demand;
}

NodeDemand Demands::node(const Node& node, const Mask& results) {
  NodeDemand demand;
  demand.results = results;
  for_each_size_value(node.op, [&](ValueId value) { demand.values.push_back(value); });
  // These make arrays whose shape only the type tells when there is no point or step.
  if (std::holds_alternative<Map>(node.op) || std::holds_alternative<Loop>(node.op) ||
      std::holds_alternative<Reshape>(node.op)) {
    const auto* loop = std::get_if<Loop>(&node.op);
    const std::size_t first = loop != nullptr ? node.results.size() - loop->stacked : 0;
    for (std::size_t k = first; k < results.size(); ++k) {
      if (!results[k]) continue;
      for_each_size_value(function_.values[node.results[k]].type,
                          [&](ValueId value) { demand.values.push_back(value); });
    }
  }
  if (std::holds_alternative<Map>(node.op)) {
    demand.yields = {results};
  } else if (const auto* reduce = std::get_if<Reduce>(&node.op)) {
    combining(demand, node, reduce->components, 0);
  } else if (const auto* scan = std::get_if<Scan>(&node.op)) {
    combining(demand, node, scan->components, 0);
  } else if (const auto* keyed = std::get_if<ReduceByKey>(&node.op)) {
    combining(demand, node, keyed->components, 1);
  } else if (const auto* scatter = std::get_if<Scatter>(&node.op)) {
    const std::size_t rank = function_.values[node.operands[0]].type.shape.size();
    combining(demand, node, scatter->components, rank - scatter->space.size());
  } else if (std::holds_alternative<Filter>(node.op)) {
    demand.results[0] = true;
    demand.yields = {demand.results};
  } else if (const auto* loop = std::get_if<Loop>(&node.op)) {
    looping(demand, node, loop->stacked);
  } else if (std::holds_alternative<While>(node.op)) {
    repeating(demand, node);
  } else {
    demand.values.insert(demand.values.end(), node.operands.begin(), node.operands.end());
    if (std::holds_alternative<Branch>(node.op)) demand.yields = {results, results};
    if (std::holds_alternative<Call>(node.op)) demand.results = all(results.size());
  }
  return demand;
}

// `first`: yields before the terms, always needed. An operator region may make components need each
// other.
void Demands::combining(NodeDemand& demand, const Node& node,
                        const std::vector<Component>& components, std::size_t first) {
  const std::size_t count = node.operands.size();
  if (node.regions.size() > 1) {
    Mask used;
    do {
      const Mask& params = region(node.regions[1], demand.results).params;
      used.assign(count, false);
      for (std::size_t i = 0; i < params.size(); ++i)
        used[i % count] = used[i % count] || params[i];
    } while (merge(demand.results, used));
  }
  Mask terms(first, true);
  for (std::size_t i = 0; i < count; ++i) {
    const bool fused = !components.empty() && components[i].fused_product;
    terms.insert(terms.end(), fused ? 2 : 1, demand.results[i]);
    if (demand.results[i]) demand.values.push_back(node.operands[i]);
  }
  demand.yields = {std::move(terms)};
  if (node.regions.size() > 1) demand.yields.push_back(demand.results);
}

void Demands::looping(NodeDemand& demand, const Node& node, std::uint32_t stacked) {
  const std::size_t states = node.results.size() - stacked;
  Mask used(states);
  do {
    const Mask& params =
        region(node.regions[0], demand.results).params;  // the step, then the states
    std::copy(params.begin() + 1, params.end(), used.begin());
  } while (merge(demand.results, used));
  demand.values.push_back(node.operands[0]);
  for (std::size_t i = 0; i < states; ++i) {
    if (demand.results[i]) demand.values.push_back(node.operands[i + 1]);
  }
  demand.yields = {demand.results};
}

void Demands::repeating(NodeDemand& demand, const Node& node) {
  const Mask condition(1, true);
  merge(demand.results, region(node.regions[0], condition).params);
  while (merge(demand.results, region(node.regions[1], demand.results).params)) {
  }
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    if (demand.results[i]) demand.values.push_back(node.operands[i]);
  }
  demand.yields = {condition, demand.results};
}

}  // namespace dvm::graph
