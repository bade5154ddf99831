// Makes a graph that shows a mistake small.
#pragma once

#include <cstddef>
#include <functional>

#include "ir/graph/graph.hpp"

namespace dvm::passes {

struct ShrinkOptions {
  std::size_t most_attempts = 4000;
  double most_seconds = 60;
};

// `shows` is true of the elaborated module and, after any step, of what is given back; it sees only
// well-formed modules. Steps: results and parameters go; values are replaced by their operands, by
// other values of their type, by constants or by new parameters; branches by a side, loops by a
// step; constants become simpler, sizes constant; what an optional pass makes simpler. Every
// accepted step makes the graph smaller, so it ends.
graph::Module shrink(graph::Module module, const std::function<bool(const graph::Module&)>& shows,
                     const ShrinkOptions& options = {});

}  // namespace dvm::passes
