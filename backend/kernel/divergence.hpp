// Which values differ between lanes when a region runs for several values of some params at once.
#pragma once

#include <span>
#include <vector>

#include "ir/graph/graph.hpp"

namespace dvm::kernel {

class Divergence {
 public:
  // `seeds` differ between lanes; everything defined outside `region` and not a seed is the same in
  // all. `extra`: a second region that runs with the first (the operator of a reduction), or none.
  Divergence(const graph::Function& function, std::span<const graph::RegionId> regions,
             std::span<const graph::ValueId> seeds);

  bool varying(graph::ValueId value) const { return varying_[value.index]; }

 private:
  void visit_region(graph::RegionId region);
  void visit_node(const graph::Node& node);
  void visit_loop(const graph::Node& node);
  void visit_while(const graph::Node& node);
  void visit_reduction(const graph::Node& node, bool sizes);
  void mark(graph::ValueId value, bool varying);
  bool any_yield(graph::RegionId region) const;

  const graph::Function& function_;
  std::vector<bool> varying_;
  bool changed_ = false;
};

}  // namespace dvm::kernel
