// Random arguments for a graph function: sizes, scalars and arrays with the values that hurt.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "ir/graph/graph.hpp"
#include "ir/type/tensor.hpp"

namespace dvm::passes {

// All params of the function, size params first, of the shapes that its types state. Sizes are
// small (0 and 1 often, now and then one for all); floats hold both zeros, NaN, infinities,
// denormals and the ends of their range, integers the ends of theirs. nullopt when what was drawn
// gives a negative shape or an array of more than `most_elements`: draw again.
std::optional<std::vector<Tensor>> random_arguments(const graph::Function& function,
                                                    std::mt19937_64& random,
                                                    std::int64_t most_elements);

}  // namespace dvm::passes
