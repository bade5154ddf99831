// Which values a region needs when some of its yields are needed.
//
// The rule of need: a needed node needs its operands, the values its sizes mention, and what the
// needed yields of its regions need, whatever the extents and counts are; only the two regions of a
// branch are different: the one that is taken needs its part when it is taken. Results of map,
// reduce, scan, scatter, reduce_by_key, filter, loop and while are needed one by one; a call needs
// all its arguments and computes all results.
#pragma once

#include <map>
#include <vector>

#include "ir/graph/graph.hpp"

namespace dvm::graph {

using Mask = std::vector<bool>;

// What a node needs when the results in a mask are needed.
struct NodeDemand {
  Mask results;                 // the same, closed: results that are computed along with them
  std::vector<ValueId> values;  // operands and size symbols
  std::vector<Mask> yields;     // by region
};

struct RegionDemand {
  std::vector<Mask>
      results;              // by node of the region; empty: not needed (here: perhaps in a branch)
  std::vector<Mask> asked;  // by node: the results that something reads; the others come along
  Mask params;  // which are used, perhaps only in a branch: they must be there when it is taken
  std::vector<ValueId> captures;  // values of enclosing regions, each once, branch regions left out
  std::vector<ValueId> perhaps;   // the same with branch regions
};

class Demands {
 public:
  explicit Demands(const Function& function);

  // References stay valid.
  const RegionDemand& region(RegionId region, const Mask& yields);
  NodeDemand node(const Node& node, const Mask& results);
  RegionId region_of(ValueId value) const { return region_of_[value.index]; }
  static Mask all(std::size_t count) { return Mask(count, true); }

 private:
  RegionDemand analyse(RegionId region, const Mask& yields);
  void combining(NodeDemand& demand, const Node& node, const std::vector<Component>& components,
                 std::size_t first);
  void looping(NodeDemand& demand, const Node& node, std::uint32_t stacked);
  void repeating(NodeDemand& demand, const Node& node);

  const Function& function_;
  std::vector<RegionId> region_of_;  // by value
  std::map<std::pair<RegionId, Mask>, RegionDemand> known_;
};

}  // namespace dvm::graph
