// Which operands, yields, region params and results of a node belong together, for every op.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "ir/graph/graph.hpp"

namespace dvm::passes {

// What needs what inside one node with regions. `always` is needed as soon as any result is; the
// k-th result also needs per_result[k] (may be shorter than the results); a needed param its
// values.
struct Slots {
  std::vector<graph::ValueId> always;
  std::vector<std::vector<graph::ValueId>> per_result;
  std::vector<std::pair<graph::ValueId, std::vector<graph::ValueId>>> per_param;
};
Slots slots(const graph::Function& function, const graph::Node& node);

// The same op with every size replaced.
graph::Op with_sizes(graph::Op op, const std::function<Size(const Size&)>& replacement);

// Position of each component's first term among the yields of a reduce body: fused products yield
// two.
std::vector<std::size_t> term_offsets(const std::vector<graph::Component>& components);

}  // namespace dvm::passes
