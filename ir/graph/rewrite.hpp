// Rebuilding a function from its outputs: what nothing needs is not copied.
#pragma once

#include <functional>
#include <vector>

#include "ir/graph/builder.hpp"

namespace dvm::graph {

// Copies `from` into a fresh function, node by node in order, asking `replace` first. `replace`
// sees the old node and may build anything into `builder()` and register the new values with `map`;
// it returns true when it did, false to have the node copied. Sizes are renamed through the same
// map; a symbol whose new value is itself a size expression is replaced by that expression
// (Builder::as_size).
//
// Only needed nodes are visited. What is no longer needed after the replacements is dropped at the
// end of `run` by a plain copy, so ids of the builder and of `mapped` hold during the run only.
class Rewriter {
 public:
  using Replace = std::function<bool(Rewriter&, NodeId)>;

  // `from` stays where it is and as it is until the run is over: it is no function of `module` when
  // `replace` adds functions.
  Rewriter(Module& module, const Function& from, Replace replace);
  Rewriter(const Rewriter&) = delete;
  Rewriter& operator=(const Rewriter&) = delete;
  Function run();  // the new function; unneeded nodes are left out

  const Function& from() const { return from_; }
  Builder& builder() { return builder_; }
  // The new value also takes over the old one's name when it has none.
  void map(ValueId old_value, ValueId new_value);
  ValueId mapped(ValueId old_value) const;
  bool is_mapped(ValueId old_value) const { return mapped_.at(old_value.index).valid(); }
  Size mapped(const Size& size);
  Type mapped(const Type& type);
  // Copies one node with its regions (asking `replace` inside the regions).
  NodeId copy(NodeId old_node);
  // Copies a region's nodes into the current region, its params bound to `args`; gives the new
  // yields.
  std::vector<ValueId> inline_region(RegionId old_region, const std::vector<ValueId>& args);
  RegionId copy_region(RegionId old_region);
  // One node of a region that is taken apart by hand: asks `replace`, unless nothing needs the
  // node.
  void visit(NodeId old_node);

 private:
  void visit_nodes(const Region& region);

  Module& module_;
  const Function& from_;
  std::vector<bool> needed_;  // nodes of `from`
  Replace replace_;
  Function target_;
  Builder builder_;
  std::vector<ValueId> mapped_;  // by old value
};

// Copies `from` without what its results do not need, with dense ids in program order.
Function without_unneeded(Module& module, const Function& from);

}  // namespace dvm::graph
