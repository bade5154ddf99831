// Random arguments for a graph function: sizes, scalars and arrays with the values that hurt.
#pragma once

#include <optional>
#include <random>
#include <vector>

#include "ir/graph/graph.hpp"
#include "ir/type/tensor.hpp"

namespace dvm::test {

// All params of the function; nullopt when the sizes drawn give a negative or too large shape.
std::optional<std::vector<Tensor>> random_args(const graph::Function& function,
                                               std::mt19937_64& random, std::int64_t most_elements);

}  // namespace dvm::test
