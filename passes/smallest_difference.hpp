// The smallest graph found that a pass changes the meaning of.
#pragma once

#include <optional>

#include "ir/graph/graph.hpp"
#include "passes/pass.hpp"
#include "passes/shrink.hpp"
#include "passes/validate.hpp"

namespace dvm::passes {

struct SmallDifference {
  graph::Module before, after;
  Difference difference;
};

// `before` is elaborated, and `pass` was seen to change what it computes. The graph is made small
// while the pass still does, for new random arguments each time; nullopt when it does not on those.
std::optional<SmallDifference> smallest_difference(const graph::Module& before,
                                                   const GraphPass& pass,
                                                   const ValidateOptions& validate,
                                                   const ShrinkOptions& shrinking = {});

}  // namespace dvm::passes
