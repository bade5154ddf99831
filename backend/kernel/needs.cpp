// See needs.hpp.
#include "backend/kernel/needs.hpp"

#include <set>

#include "backend/kernel/op_sizes.hpp"

namespace dvm::kernel {

namespace {

class Hoist {
 public:
  explicit Hoist(const graph::Function& function) : function_(function) {}

  void collect(graph::RegionId region) {
    define(region);
    need_region(region);
  }
  std::vector<graph::ValueId> take() {
    std::vector<graph::ValueId> values;
    for (graph::ValueId value : outside_) {
      if (!may_fail(value)) values.push_back(value);
    }
    return values;
  }

 private:
  void define(graph::RegionId region) {
    for (graph::ValueId param : function_.regions[region].params) inside_.insert(param);
    for (graph::NodeId id : function_.regions[region].nodes) {
      const graph::Node& node = function_.nodes[id];
      for (graph::ValueId result : node.results) inside_.insert(result);
      for (graph::RegionId nested : node.regions) define(nested);
    }
  }
  void need(graph::ValueId value) {
    if (inside_.contains(value)) {
      needed_.insert(value);
    } else {
      outside_.insert(value);
    }
  }
  void need_region(graph::RegionId id) {
    const graph::Region& region = function_.regions[id];
    for (graph::ValueId value : region.yields) need(value);
    for (auto node_id = region.nodes.rbegin(); node_id != region.nodes.rend(); ++node_id) {
      const graph::Node& node = function_.nodes[*node_id];
      bool used = false;
      for (graph::ValueId result : node.results) used = used || needed_.contains(result);
      if (!used) continue;
      for (graph::ValueId operand : node.operands) need(operand);
      for_each_size_value(node.op, [&](graph::ValueId value) { need(value); });
      if (std::holds_alternative<graph::Branch>(node.op)) continue;
      for (graph::RegionId nested : node.regions) need_region(nested);
    }
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
        Hoist inner(function_);
        inner.collect(nested);
        for (graph::ValueId outer : inner.outside_) open.push_back(outer);
      }
    }
    safe_.insert(seen.begin(), seen.end());
    return false;
  }

  const graph::Function& function_;
  std::set<graph::ValueId> inside_, needed_, outside_, safe_;
};

}  // namespace

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

std::vector<graph::ValueId> values_to_hoist(const graph::Function& function,
                                            graph::RegionId region) {
  Hoist hoist(function);
  hoist.collect(region);
  return hoist.take();
}

}  // namespace dvm::kernel
