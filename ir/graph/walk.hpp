// What a node depends on besides its operands, and which nodes the results of a function need.
#pragma once

#include <functional>
#include <vector>

#include "ir/graph/graph.hpp"

namespace dvm::graph {

// The sizes an operation holds: spaces, extents, keys, the size of a `size` node.
void for_each_size(Op& op, const std::function<void(Size&)>& visit);
void for_each_size(const Op& op, const std::function<void(const Size&)>& visit);

// Values that the sizes of the operation mention.
void for_each_size_value(const Op& op, const std::function<void(ValueId)>& visit);
void for_each_size_value(const Type& type, const std::function<void(ValueId)>& visit);

// Nodes (in any region) that the results of the function need: by operands, by sizes of operations
// and of types, and by the yields of the regions of needed nodes. Node by node: one needed result
// makes the whole node needed. Indexed by NodeId.
std::vector<bool> needed_nodes(const Function& function);

}  // namespace dvm::graph
