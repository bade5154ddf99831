// The canonical text of a node: equal for nodes that compute the same, regions included.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph/graph.hpp"

namespace dvm::passes {

// Keys of the nodes of one function, which may grow meanwhile; a region that a key was asked for
// stays as it is. Each region is written once, however deeply it nests.
class NodeKeys {
 public:
  explicit NodeKeys(const graph::Function& function) : function_(function) {}

  // Bytes, for comparing only. Values from outside the node stand for themselves, values inside are
  // numbered in order, names and places do not count. The node's own check id is left out, those of
  // inner nodes are in.
  std::string key(graph::NodeId node);

 private:
  // A region without what it is applied to: regions of one structure differ in free values only.
  struct Form {
    std::uint64_t structure = 0;
    std::vector<graph::ValueId> free;  // in order of first use
  };
  class Writer;

  const Form& form(graph::RegionId region);

  const graph::Function& function_;
  std::unordered_map<graph::RegionId, Form> forms_;
  std::unordered_map<std::string, std::uint64_t> structures_;  // looked up only
};

}  // namespace dvm::passes
