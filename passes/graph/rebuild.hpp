// What passes share when they rebuild a function with graph::Rewriter.
#pragma once

#include <functional>
#include <vector>

#include "ir/graph/rewrite.hpp"

namespace dvm::passes {

// Replaces a function by what the rewriter makes of it, then drops what nobody needs. Meanwhile the
// old one stands in `Rewriter::from()` only.
void rebuild(graph::Module& module, graph::FunctionId function, graph::Rewriter::Replace replace);
// The same for all functions, freed of dead nodes first; `make` gives the rule for one function as
// it stands, or null when there is nothing to do.
void rebuild_each(graph::Module& module,
                  const std::function<graph::Rewriter::Replace(const graph::Function&)>& make);

// Called before and after each region of a node that is being copied.
struct RegionHooks {
  std::function<void(graph::NodeId, std::size_t)> enter, leave;
};
graph::NodeId copy_node(graph::Rewriter& rewriter, graph::NodeId old_node,
                        const RegionHooks& hooks);

std::vector<graph::ValueId> mapped(graph::Rewriter& rewriter,
                                   const std::vector<graph::ValueId>& old_values);
graph::Op mapped_sizes(graph::Rewriter& rewriter, const graph::Op& op);
// New values for old results (types may mention earlier siblings), registered with the rewriter.
std::vector<graph::ValueId> new_results(graph::Rewriter& rewriter,
                                        const std::vector<graph::ValueId>& old_results);
// New params of the current region for old ones, registered with the rewriter.
void new_params(graph::Rewriter& rewriter, const std::vector<graph::ValueId>& old_params);
// Registers an old node's results as being these new values.
void map_results(graph::Rewriter& rewriter, graph::NodeId old_node,
                 const std::vector<graph::ValueId>& new_values);

}  // namespace dvm::passes
