// Random well-formed programs and inputs, for laws that must hold for all of them.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "ir/graph/graph.hpp"
#include "ir/type/tensor.hpp"

namespace dvm::passes {

// One function `main` with maps, reductions, scans, loops, branches, filters, scatters and checks,
// nested in each other, over vectors of size n and matrices [n, m]. Reductions have no tree yet.
// The same seed gives the same program.
graph::Module random_program(std::uint64_t seed);

// Arguments for the first function of a module: small sizes (0 now and then), numbers with zeros of
// both signs, NaN, infinities and integers out of range among them. Sizes are solved from params'
// shapes that are plain size params.
std::vector<Tensor> random_arguments(const graph::Module& module, std::uint64_t seed);

}  // namespace dvm::passes
