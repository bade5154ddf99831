// Rebuilding a function from its outputs: what nothing needs is not copied.
#pragma once

#include <functional>
#include <unordered_map>

#include "ir/graph/builder.hpp"

namespace dvm::graph {

// Copies `from` into a fresh function, node by node in order, asking `replace` first. `replace` sees the
// old node and may build anything into `builder()` and register the new values with `map`; it returns
// true when it did, false to have the node copied. Sizes are renamed through the same map.
class Rewriter {
 public:
  using Replace = std::function<bool(Rewriter&, NodeId)>;

  Rewriter(Module& module, const Function& from, Replace replace);
  Function run();  // the new function; unneeded nodes are left out

  const Function& from() const { return from_; }
  Builder& builder() { return builder_; }
  void map(ValueId old_value, ValueId new_value) { mapped_[old_value] = new_value; }
  ValueId mapped(ValueId old_value) const { return mapped_.at(old_value); }
  bool is_mapped(ValueId old_value) const { return mapped_.contains(old_value); }
  Size mapped(const Size& size) const;
  Type mapped(const Type& type) const;
  // Copies one node with its regions (asking `replace` inside the regions).
  NodeId copy(NodeId old_node);
  // Copies a region's nodes into the current region, its params bound to `args`; gives the new yields.
  std::vector<ValueId> inline_region(RegionId old_region, const std::vector<ValueId>& args);
  RegionId copy_region(RegionId old_region);

 private:
  Module& module_;
  const Function& from_;
  Replace replace_;
  Function target_;
  Builder builder_;
  std::unordered_map<ValueId, ValueId> mapped_;
};

}  // namespace dvm::graph
