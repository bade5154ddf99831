// A monotone fixed point: values start as equal in all lanes and are marked as varying until
// nothing changes.
#include "backend/kernel/divergence.hpp"

#include "backend/kernel/op_sizes.hpp"

namespace dvm::kernel {

Divergence::Divergence(const graph::Function& function, std::span<const graph::RegionId> regions,
                       std::span<const graph::ValueId> seeds)
    : function_(function), varying_(function.values.size(), false) {
  for (graph::ValueId seed : seeds) varying_[seed.index] = true;
  do {
    changed_ = false;
    for (graph::RegionId region : regions) visit_region(region);
  } while (changed_);
}

void Divergence::mark(graph::ValueId value, bool varying) {
  if (!varying || varying_[value.index]) return;
  varying_[value.index] = true;
  changed_ = true;
}

bool Divergence::any_yield(graph::RegionId region) const {
  for (graph::ValueId value : function_.regions[region].yields) {
    if (varying(value)) return true;
  }
  return false;
}

void Divergence::visit_region(graph::RegionId region) {
  for (graph::NodeId node : function_.regions[region].nodes) visit_node(function_.nodes[node]);
}

void Divergence::visit_loop(const graph::Node& node) {
  const graph::Region& body = function_.regions[node.regions[0]];
  const std::size_t states = node.operands.size() - 1;
  const bool count_varies = varying(node.operands[0]);
  for (std::size_t i = 0; i < states; ++i) {
    mark(body.params[i + 1],
         count_varies || varying(node.operands[i + 1]) || varying(body.yields[i]));
  }
  visit_region(node.regions[0]);
  for (std::size_t i = 0; i < node.results.size(); ++i) {
    mark(node.results[i],
         count_varies || varying(body.yields[i]) || (i < states && varying(body.params[i + 1])));
  }
}

void Divergence::visit_while(const graph::Node& node) {
  const graph::Region& condition = function_.regions[node.regions[0]];
  const graph::Region& body = function_.regions[node.regions[1]];
  const bool stop_varies = varying(condition.yields[0]);
  for (std::size_t i = 0; i < node.results.size(); ++i) {
    const bool state = stop_varies || varying(node.operands[i]) || varying(body.yields[i]);
    mark(condition.params[i], state);
    mark(body.params[i], state);
    mark(node.results[i], state);
  }
  visit_region(node.regions[0]);
  visit_region(node.regions[1]);
}

// Reduce, scan, by-key reductions: everything varies as soon as anything inside does.
void Divergence::visit_reduction(const graph::Node& node, bool sizes) {
  bool any = sizes;
  for (graph::ValueId operand : node.operands) any = any || varying(operand);
  visit_region(node.regions[0]);
  any = any || any_yield(node.regions[0]);
  if (node.regions.size() > 1) {
    for (graph::ValueId param : function_.regions[node.regions[1]].params) mark(param, any);
    visit_region(node.regions[1]);
    any = any || any_yield(node.regions[1]);
  }
  for (graph::ValueId result : node.results) mark(result, any);
}

void Divergence::visit_node(const graph::Node& node) {
  bool sizes = false;
  for_each_size_value(node.op, [&](graph::ValueId value) { sizes = sizes || varying(value); });
  if (std::holds_alternative<graph::Loop>(node.op)) return visit_loop(node);
  if (std::holds_alternative<graph::While>(node.op)) return visit_while(node);
  if (std::holds_alternative<graph::Branch>(node.op)) {
    visit_region(node.regions[0]);
    visit_region(node.regions[1]);
    for (std::size_t i = 0; i < node.results.size(); ++i) {
      mark(node.results[i], varying(node.operands[0]) ||
                                varying(function_.regions[node.regions[0]].yields[i]) ||
                                varying(function_.regions[node.regions[1]].yields[i]));
    }
    return;
  }
  if (std::holds_alternative<graph::Map>(node.op)) {
    visit_region(node.regions[0]);
    for (std::size_t i = 0; i < node.results.size(); ++i) {
      mark(node.results[i], sizes || varying(function_.regions[node.regions[0]].yields[i]));
    }
    return;
  }
  if (!node.regions.empty()) return visit_reduction(node, sizes);
  bool any = sizes;
  for (graph::ValueId operand : node.operands) any = any || varying(operand);
  for (graph::ValueId result : node.results) mark(result, any);
}

}  // namespace dvm::kernel
