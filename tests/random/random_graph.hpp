// Random well-formed graphs.
#pragma once

#include <cstdint>

#include "ir/graph/graph.hpp"

namespace dvm::test {

// A function `main` over vectors and matrices of the sizes n and m and of constants, and functions
// that it calls, with all operations of the graph IR nested in each other: affine and other reads,
// aliasing and guarded ones, checks that fail, integers that overflow. Reductions have no tree yet.
// The same seed gives the same graph on every machine.
graph::Module random_graph(std::uint64_t seed);

}  // namespace dvm::test
