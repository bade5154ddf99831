// How often regions run, by estimate: sizes that are not known count as 1000.
#pragma once

#include <vector>

#include "ir/graph/graph.hpp"

namespace dvm::passes {

// At least 1.
double estimate(const Size& size);
double count_of(const std::vector<Size>& shape);

// A dimension along which a region is repeated, with the param that tells the repetitions apart
// (none for a `while`).
struct RepeatedDim {
  graph::ValueId index;
  double extent;
};
// What repeats a region of a node.
std::vector<RepeatedDim> dims_of(const graph::Function& function, const graph::Node& node,
                                 graph::RegionId region);

}  // namespace dvm::passes
