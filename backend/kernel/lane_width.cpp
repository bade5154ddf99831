// See lane_width.hpp.
#include "backend/kernel/lane_width.hpp"

#include <algorithm>

#include "backend/kernel/op_sizes.hpp"

namespace dvm::kernel {

namespace {

using graph::ScalarFn;

bool is_index_arithmetic(ScalarFn fn) {
  switch (fn) {
    case ScalarFn::Neg:
    case ScalarFn::Add:
    case ScalarFn::Sub:
    case ScalarFn::Mul:
    case ScalarFn::Min:
    case ScalarFn::Max:
    case ScalarFn::IntMod:
      return true;
    default:
      return false;
  }
}

struct WidestData {
  const graph::Function& function;
  const Divergence& divergence;
  std::vector<bool> index_like;
  int bytes = 0;

  void visit(graph::RegionId region) {
    for (graph::NodeId id : function.regions[region].nodes) {
      const graph::Node& node = function.nodes[id];
      for (graph::RegionId nested : node.regions) visit(nested);
      if (index_only(node)) {
        index_like[node.results[0].index] = true;
        continue;
      }
      for (graph::ValueId result : node.results) {
        const graph::Type& type = function.values[result].type;
        if (!divergence.varying(result) || type.element == ElementType::Bool) continue;
        bytes = std::max(bytes, byte_size(type.element));
      }
    }
  }

  bool index_only(const graph::Node& node) const {
    const auto* scalar = std::get_if<graph::ScalarOp>(&node.op);
    if (!scalar || !is_index_arithmetic(scalar->fn)) return false;
    if (function.values[node.results[0]].type.element != ElementType::I64) return false;
    return std::all_of(node.operands.begin(), node.operands.end(), [&](graph::ValueId operand) {
      return index_like[operand.index] || !divergence.varying(operand);
    });
  }
};

}  // namespace

bool contains_lanes(const graph::Function& function, graph::RegionId region) {
  for (graph::NodeId id : function.regions[region].nodes) {
    const graph::Node& node = function.nodes[id];
    const auto* reduce = std::get_if<graph::Reduce>(&node.op);
    if (reduce && reduce->tree == graph::Tree::Lanes) return true;
    for (graph::RegionId nested : node.regions) {
      if (contains_lanes(function, nested)) return true;
    }
  }
  return false;
}

namespace {

// False when something other than an inner sum in lanes would have to run point by point.
bool only_plain_lanes(const graph::Function& function, graph::RegionId region, bool& elementary) {
  for (graph::NodeId id : function.regions[region].nodes) {
    const graph::Node& node = function.nodes[id];
    if (const auto* scalar = std::get_if<graph::ScalarOp>(&node.op)) {
      elementary = elementary || graph::facts(scalar->fn).elementary.has_value();
    }
    if (std::holds_alternative<graph::Branch>(node.op)) {
      for (graph::RegionId side : node.regions) {
        if (!only_plain_lanes(function, side, elementary)) return false;
      }
    } else if (!node.regions.empty()) {
      const auto* reduce = std::get_if<graph::Reduce>(&node.op);
      if (!reduce || reduce->tree != graph::Tree::Lanes || !reduce->space.empty()) return false;
    }
  }
  return true;
}

}  // namespace

bool pays_beside_lanes(const graph::Function& function, graph::RegionId region) {
  bool elementary = false;
  return only_plain_lanes(function, region, elementary) && elementary;
}

bool contains_loop(const graph::Function& function, graph::RegionId region) {
  for (graph::NodeId id : function.regions[region].nodes) {
    const graph::Node& node = function.nodes[id];
    if (!node.regions.empty() && !std::holds_alternative<graph::Branch>(node.op)) return true;
    for (graph::RegionId nested : node.regions) {
      if (contains_loop(function, nested)) return true;
    }
  }
  return false;
}

bool makes_arrays(const graph::Function& function, graph::RegionId region) {
  for (graph::NodeId id : function.regions[region].nodes) {
    const graph::Node& node = function.nodes[id];
    for (graph::ValueId result : node.results) {
      if (!function.values[result].type.is_scalar()) return true;
    }
    for (graph::RegionId nested : node.regions) {
      if (makes_arrays(function, nested)) return true;
    }
  }
  return false;
}

bool has_irregular_sizes(const graph::Function& function, graph::RegionId region,
                         const Divergence& divergence) {
  for (graph::NodeId id : function.regions[region].nodes) {
    const graph::Node& node = function.nodes[id];
    bool irregular = false;
    if (!node.regions.empty()) {
      for_each_size_value(node.op, [&](graph::ValueId value) {
        irregular = irregular || divergence.varying(value);
      });
    }
    for (graph::RegionId nested : node.regions) {
      irregular = irregular || has_irregular_sizes(function, nested, divergence);
    }
    if (irregular) return true;
  }
  return false;
}

int node_count(const graph::Function& function, graph::RegionId region) {
  int count = 0;
  for (graph::NodeId id : function.regions[region].nodes) {
    ++count;
    for (graph::RegionId nested : function.nodes[id].regions) count += node_count(function, nested);
  }
  return count;
}

unsigned lane_width(const graph::Function& function, graph::RegionId region, graph::ValueId lane,
                    const Divergence& divergence, unsigned vector_bytes) {
  WidestData widest{function, divergence, std::vector<bool>(function.values.size(), false)};
  widest.index_like[lane.index] = true;
  widest.visit(region);
  return vector_bytes / static_cast<unsigned>(widest.bytes == 0 ? 8 : widest.bytes);
}

}  // namespace dvm::kernel
