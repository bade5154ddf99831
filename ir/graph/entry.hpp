// What a caller must know of an entry point: inputs with shapes, sizes to solve, names of results.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/graph/graph.hpp"
#include "ir/type/tensor.hpp"

namespace dvm::graph {

// Sizes here are over size parameters (symbol = position among the size params) followed by scalar
// inputs (symbol = size params + position of the input), for inputs like `(bins :: Int)` that are
// sizes too.
struct EntryInput {
  std::string name;
  ElementType element;
  std::vector<Size> shape;
  std::string surface_type;  // for messages: `Vec n Double`
};
struct EntrySignature {
  std::string function;
  std::vector<std::string> size_names;
  std::vector<EntryInput> inputs;
  std::vector<std::string> result_names;
};
EntrySignature entry_signature(const Function& function);

// Solves the size params from the shapes of `inputs` (those that occur linearly), then checks all
// shapes and dtypes. The error is a finished message that says what was expected and what came.
Result<std::vector<std::int64_t>, std::string> solve_sizes(const EntrySignature& entry,
                                                           std::span<const Tensor> inputs);

}  // namespace dvm::graph
