// Who reads a value, and where everything stands in the tree of regions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/graph/graph.hpp"

namespace dvm::passes {

struct Use {
  enum class Kind : std::uint8_t { Operand, Yield, Size };
  Kind kind = Kind::Operand;
  graph::NodeId
      node;  // the reader; for a yield the node that owns the region (none: function result)
  graph::RegionId region;      // the region the reader stands in; for a yield the yielding region
  std::uint32_t position = 0;  // among the operands or yields
};

// One linear walk over a function. Sizes count as uses of their symbols.
class Users {
 public:
  explicit Users(const graph::Function& function);

  std::span<const Use> of(graph::ValueId value) const;
  graph::RegionId region_of(graph::NodeId node) const { return node_region_.at(node.index); }
  graph::RegionId home(graph::ValueId value) const { return value_region_.at(value.index); }
  graph::NodeId owner(graph::RegionId region) const { return owner_.at(region.index); }
  int depth(graph::RegionId region) const { return depth_.at(region.index); }
  graph::RegionId parent(graph::RegionId region) const;  // none for the function's body
  bool encloses(graph::RegionId outer, graph::RegionId inner) const;

 private:
  struct Found {
    graph::ValueId value;
    Use use;
  };
  void visit(const graph::Function& function, graph::RegionId region, std::vector<Found>& found);

  std::vector<std::uint32_t> first_;  // by value: where its uses start
  std::vector<Use> uses_;
  std::vector<graph::RegionId> node_region_, value_region_;
  std::vector<graph::NodeId> owner_;
  std::vector<int> depth_;
};

// Values a region, or a node with all its regions, uses but does not define: each once, in order of
// first use. Symbols of sizes count.
std::vector<graph::ValueId> free_values(const graph::Function& function, graph::RegionId region);
std::vector<graph::ValueId> free_values(const graph::Function& function, graph::NodeId node);

}  // namespace dvm::passes
