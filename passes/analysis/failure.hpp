// What can fail, and what cannot.
#pragma once

#include <vector>

#include "ir/graph/graph.hpp"
#include "passes/analysis/ranges.hpp"

namespace dvm::passes {

// Nothing inside can fail, and every read stays in range by what holds at the place where `ranges`
// stands: the node may be evaluated there whether it is needed or not. Calls and `while` may not
// end. Operands from outside are not looked at.
bool is_total(const graph::Function& function, graph::NodeId node, Ranges& ranges);
bool is_total(const graph::Function& function, graph::RegionId region, Ranges& ranges);

// The weaker form for a node that stays where it is, or goes only where its indices are the same:
// its reads without a check are known to be in range.
bool cannot_fail(const graph::Function& function, graph::NodeId node, Ranges& ranges);

// By value: computing it, with everything it depends on, cannot fail where it stands. Such a value
// may be dropped from an expression (`x - x = 0`) without losing a failure, or be needed more
// often.
// With `ends_anyway` a `while` is taken to end.
std::vector<bool> values_without_failure(const graph::Function& function,
                                         const graph::AffineForms& forms, bool ends_anyway = false);

// By node: it is evaluated whenever its region is, since a yield depends on it through operands
// alone. (Nodes that only a branch or a body reads may turn out not to be needed.)
std::vector<bool> always_needed(const graph::Function& function);

}  // namespace dvm::passes
