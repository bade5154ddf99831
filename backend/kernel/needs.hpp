// Which values must be there before a loop starts, and which may fail.
#pragma once

#include <vector>

#include "ir/graph/graph.hpp"

namespace dvm::kernel {

// A node that may fail, itself or in its regions.
bool can_fail(const graph::Function& function, const graph::Node& node);

// What the results of one node need, operand by operand and yield by yield: the state of a loop
// that nothing looks at is not computed, and cannot fail.
class Needed {
 public:
  Needed(const graph::Function& function, graph::NodeId root);

  bool operand(graph::NodeId node, std::size_t index) const { return operands_[node.index][index]; }
  bool yield(graph::RegionId region, std::size_t index) const {
    return yields_[region.index][index];
  }

 private:
  struct Owner {
    graph::NodeId node;
    std::size_t region = 0;
  };
  void need(graph::ValueId value);
  void need_operand(graph::NodeId node, std::size_t index);
  void need_yield(graph::RegionId region, std::size_t index);
  void need_result(graph::NodeId node, std::size_t index);
  void need_state(graph::NodeId node, std::size_t index);
  void need_component(graph::NodeId node, std::size_t index);
  void need_param(graph::ValueId param);
  void need_everything(graph::NodeId node);

  const graph::Function& function_;
  std::vector<std::vector<bool>> operands_, yields_;
  std::vector<bool> values_;
  std::vector<Owner> owners_;              // of regions
  std::vector<graph::RegionId> param_of_;  // by value
  std::vector<std::size_t> position_;      // of params and results, by value
  std::vector<graph::ValueId> open_;
};

// Values defined outside `region` that its yields need, through everything but the sides of
// branches, however often the region runs (the rule of need, ir/graph/demand.hpp); and of what only
// a side of a branch needs, the values that take a loop to make and cannot fail: these would be
// made again at each point that wants them.
std::vector<graph::ValueId> values_to_hoist(const graph::Function& function, graph::RegionId region,
                                            const Needed& needed);

}  // namespace dvm::kernel
