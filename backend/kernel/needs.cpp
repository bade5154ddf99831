// See needs.hpp.
#include "backend/kernel/needs.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "backend/kernel/op_sizes.hpp"

namespace dvm::kernel {

namespace {

class Hoist {
 public:
  Hoist(const graph::Function& function, const Needed& needed)
      : function_(function), facts_(needed) {}

  void collect(graph::RegionId region) {
    define(region);
    need_region(region, Need::Surely);
  }
  std::vector<graph::ValueId> take() {
    std::vector<graph::ValueId> values;
    for (const auto& [value, need] : outside_) {
      if (need == Need::Surely || !may_fail(value)) values.push_back(value);
    }
    return values;
  }

 private:
  enum class Need { Maybe, Surely };  // only on one side of a branch, or not

  void define(graph::RegionId region) {
    for (graph::ValueId param : function_.regions[region].params) inside_.insert(param);
    for (graph::NodeId id : function_.regions[region].nodes) {
      const graph::Node& node = function_.nodes[id];
      for (graph::ValueId result : node.results) inside_.insert(result);
      for (graph::RegionId nested : node.regions) define(nested);
    }
  }
  void need(graph::ValueId value, Need how) {
    const bool inside = inside_.contains(value);
    if (!inside && how == Need::Maybe && !repeats(value)) return;
    auto& held = (inside ? needed_ : outside_).try_emplace(value, how).first->second;
    held = std::max(held, how);
  }
  void need_region(graph::RegionId id, Need how) {
    const graph::Region& region = function_.regions[id];
    for (std::size_t i = 0; i < region.yields.size(); ++i) {
      if (facts_.yield(id, i)) need(region.yields[i], how);
    }
    for (auto node_id = region.nodes.rbegin(); node_id != region.nodes.rend(); ++node_id) {
      const graph::Node& node = function_.nodes[*node_id];
      std::optional<Need> used;
      for (graph::ValueId result : node.results) {
        const auto found = needed_.find(result);
        if (found != needed_.end()) used = used ? std::max(*used, found->second) : found->second;
      }
      if (!used) continue;
      for (std::size_t k = 0; k < node.operands.size(); ++k) {
        if (facts_.operand(*node_id, k)) need(node.operands[k], *used);
      }
      for_each_size_value(node.op, [&](graph::ValueId value) { need(value, *used); });
      const Need within = std::holds_alternative<graph::Branch>(node.op) ? Need::Maybe : *used;
      for (graph::RegionId nested : node.regions) need_region(nested, within);
    }
  }
  // Whether the value takes a loop: then it is made once for all points, even when only some of
  // them want it, for it would be made again at each of those.
  bool repeats(graph::ValueId value) {
    if (repeating_.contains(value)) return true;
    std::vector<graph::ValueId> open{value};
    std::set<graph::ValueId> seen;
    bool found = false;
    while (!open.empty() && !found) {
      const graph::ValueId next = open.back();
      open.pop_back();
      if (plain_.contains(next) || !seen.insert(next).second) continue;
      const graph::NodeId node_id = function_.values[next].node;
      if (!node_id.valid()) continue;
      const graph::Node& node = function_.nodes[node_id];
      found = repeating_.contains(next) ||
              (!node.regions.empty() && !std::holds_alternative<graph::Branch>(node.op));
      open.insert(open.end(), node.operands.begin(), node.operands.end());
    }
    if (found) {
      repeating_.insert(value);
    } else {
      plain_.insert(seen.begin(), seen.end());
    }
    return found;
  }
  // The value or anything it is computed from may fail. An explicit stack: chains are long.
  bool may_fail(graph::ValueId value) {
    std::vector<graph::ValueId> open{value};
    std::set<graph::ValueId> seen;
    while (!open.empty()) {
      const graph::ValueId next = open.back();
      open.pop_back();
      if (safe_.contains(next) || !seen.insert(next).second) continue;
      const graph::NodeId node_id = function_.values[next].node;
      if (!node_id.valid()) continue;
      const graph::Node& node = function_.nodes[node_id];
      if (can_fail(function_, node)) return true;
      for (graph::ValueId operand : node.operands) open.push_back(operand);
      for_each_size_value(node.op, [&](graph::ValueId symbol) { open.push_back(symbol); });
      for (graph::RegionId nested : node.regions) {
        Hoist inner(function_, facts_);
        inner.collect(nested);
        for (const auto& [outer, need] : inner.outside_) open.push_back(outer);
      }
    }
    safe_.insert(seen.begin(), seen.end());
    return false;
  }

  const graph::Function& function_;
  const Needed& facts_;
  std::set<graph::ValueId> inside_, safe_;
  std::map<graph::ValueId, Need> needed_, outside_;
  std::set<graph::ValueId> repeating_, plain_;  // what `repeats` found
};

}  // namespace

Needed::Needed(const graph::Function& function, graph::NodeId root)
    : function_(function),
      operands_(function.nodes.size()),
      yields_(function.regions.size()),
      values_(function.values.size(), false),
      owners_(function.regions.size()),
      param_of_(function.values.size()),
      position_(function.values.size(), 0) {
  for (std::uint32_t r = 0; r < function.regions.size(); ++r) {
    const graph::Region& region = function.regions[graph::RegionId{r}];
    yields_[r].assign(region.yields.size(), false);
    for (std::size_t i = 0; i < region.params.size(); ++i) {
      param_of_[region.params[i].index] = graph::RegionId{r};
      position_[region.params[i].index] = i;
    }
  }
  for (std::uint32_t id = 0; id < function.nodes.size(); ++id) {
    const graph::Node& node = function.nodes[graph::NodeId{id}];
    operands_[id].assign(node.operands.size(), false);
    for (std::size_t i = 0; i < node.results.size(); ++i) position_[node.results[i].index] = i;
    for (std::size_t r = 0; r < node.regions.size(); ++r)
      owners_[node.regions[r].index] = {graph::NodeId{id}, r};
  }
  need_everything(root);
  while (!open_.empty()) {
    const graph::ValueId value = open_.back();
    open_.pop_back();
    const graph::NodeId maker = function_.values[value].node;
    if (maker.valid()) {
      need_result(maker, position_[value.index]);
    } else if (param_of_[value.index].valid()) {
      need_param(value);
    }
  }
}

void Needed::need(graph::ValueId value) {
  if (values_[value.index]) return;
  values_[value.index] = true;
  open_.push_back(value);
}

void Needed::need_operand(graph::NodeId node, std::size_t index) {
  operands_[node.index][index] = true;
  need(function_.nodes[node].operands[index]);
}

void Needed::need_yield(graph::RegionId region, std::size_t index) {
  yields_[region.index][index] = true;
  need(function_.regions[region].yields[index]);
}

void Needed::need_everything(graph::NodeId id) {
  const graph::Node& node = function_.nodes[id];
  for (std::size_t k = 0; k < node.operands.size(); ++k) need_operand(id, k);
  for (graph::RegionId region : node.regions) {
    for (std::size_t i = 0; i < function_.regions[region].yields.size(); ++i) need_yield(region, i);
  }
  for_each_size_value(node.op, [&](graph::ValueId value) { need(value); });
}

void Needed::need_result(graph::NodeId id, std::size_t index) {
  const graph::Node& node = function_.nodes[id];
  for_each_size_value(node.op, [&](graph::ValueId value) { need(value); });
  if (std::holds_alternative<graph::Branch>(node.op)) {
    need_operand(id, 0);
    need_yield(node.regions[0], index);
    need_yield(node.regions[1], index);
  } else if (std::holds_alternative<graph::Map>(node.op)) {
    need_yield(node.regions[0], index);
  } else if (std::holds_alternative<graph::Loop>(node.op)) {
    need_operand(id, 0);
    need_yield(node.regions[0], index);
    if (index + 1 < node.operands.size()) need_state(id, index);
  } else if (std::holds_alternative<graph::While>(node.op)) {
    need_yield(node.regions[0], 0);
    need_state(id, index);
  } else if (std::holds_alternative<graph::Reduce>(node.op) ||
             std::holds_alternative<graph::Scan>(node.op)) {
    need_component(id, index);
  } else {
    need_everything(id);
  }
}

void Needed::need_state(graph::NodeId id, std::size_t index) {
  const graph::Node& node = function_.nodes[id];
  const bool counted = std::holds_alternative<graph::Loop>(node.op);
  need_operand(id, counted ? index + 1 : index);
  need_yield(node.regions.back(), index);
}

void Needed::need_component(graph::NodeId id, std::size_t index) {
  const graph::Node& node = function_.nodes[id];
  need_operand(id, index);
  const auto* reduce = std::get_if<graph::Reduce>(&node.op);
  const auto& components = reduce ? reduce->components : std::get<graph::Scan>(node.op).components;
  if (components.empty()) {
    need_yield(node.regions[0], index);
    need_yield(node.regions[1], index);
    return;
  }
  std::size_t first = 0;
  for (std::size_t i = 0; i < index; ++i) first += components[i].fused_product ? 2 : 1;
  need_yield(node.regions[0], first);
  if (components[index].fused_product) need_yield(node.regions[0], first + 1);
}

void Needed::need_param(graph::ValueId param) {
  const Owner& owner = owners_[param_of_[param.index].index];
  if (!owner.node.valid()) return;
  const graph::Node& node = function_.nodes[owner.node];
  const std::size_t position = position_[param.index];
  if (std::holds_alternative<graph::Loop>(node.op)) {
    if (position > 0) need_state(owner.node, position - 1);
  } else if (std::holds_alternative<graph::While>(node.op)) {
    need_state(owner.node, position);
  } else if (owner.region == 1 && (std::holds_alternative<graph::Reduce>(node.op) ||
                                   std::holds_alternative<graph::Scan>(node.op))) {
    need_component(owner.node, position % node.operands.size());
  }
}

bool can_fail(const graph::Function& function, const graph::Node& node) {
  if (node.check.valid()) return true;
  for (graph::RegionId region : node.regions) {
    for (graph::NodeId nested : function.regions[region].nodes) {
      if (can_fail(function, function.nodes[nested])) return true;
    }
  }
  return std::holds_alternative<graph::Call>(node.op) ||
         std::holds_alternative<graph::While>(node.op);
}

std::vector<graph::ValueId> values_to_hoist(const graph::Function& function, graph::RegionId region,
                                            const Needed& needed) {
  Hoist hoist(function, needed);
  hoist.collect(region);
  return hoist.take();
}

}  // namespace dvm::kernel
