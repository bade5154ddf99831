// One node as a function of its own: what the code generator compiles.
#pragma once

#include <string>
#include <vector>

#include "ir/graph/graph.hpp"

namespace dvm::passes {

struct Outlined {
  graph::Function function;  // its body is the node (inside a map over no dimension if wrapped)
  std::vector<graph::ValueId>
      params;          // by param: the value of the original function that is passed
  graph::NodeId node;  // in the new function
};

// Values the nodes or regions use from outside, with what the shapes of those mention: i64 scalars
// first, then the others, each in order of definition. Constants and sizes are left out where they
// are only used inside regions: whoever copies the region copies them too (`is_copied`).
std::vector<graph::ValueId> captures(const graph::Function& function, graph::NodeId node);
std::vector<graph::ValueId> captures(const graph::Function& function,
                                     const std::vector<graph::RegionId>& regions);
bool is_copied(const graph::Function& function, graph::ValueId value);
// The copied ones among the values that the region uses from outside, and those their sizes need.
std::vector<graph::ValueId> copied_values(const graph::Function& function, graph::RegionId region);

// By param: the node reads it in sides of branches alone, so it may turn out not to be needed.
std::vector<bool> read_perhaps(const Outlined& outlined);

// `wrap`: the node is a scalar one; it becomes the body of a map over no dimension.
Outlined outline(const graph::Function& from, graph::NodeId node, bool wrap, std::string name);

}  // namespace dvm::passes
