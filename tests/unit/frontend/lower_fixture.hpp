// Compiles source text down to the graph and runs it with the interpreter.
#pragma once

#include <string>
#include <vector>

#include "ir/base/diagnostic.hpp"
#include "ir/graph/graph.hpp"
#include "ir/type/tensor.hpp"

namespace dvm::lower_test {

struct Lowered {
  graph::Module module;
  bool ok = false;
  std::string errors;  // rendered
};

// The entry is `main`. The module of the result verifies, or `errors` says why not.
Lowered compile(const std::string& text);

struct Outcome {
  std::vector<Tensor> results;
  std::string error;  // rendered, of a run that failed
};

// Sizes come from the shapes of the inputs.
Outcome run(const Lowered& program, const std::vector<Tensor>& inputs);

Tensor vector(const std::vector<double>& values);
Tensor integers(const std::vector<std::int64_t>& values);
Tensor matrix(std::int64_t rows, std::int64_t columns, const std::vector<double>& values);
Tensor number(double value);
Tensor integer(std::int64_t value);
std::vector<double> doubles(const Tensor& tensor);
std::vector<std::int64_t> ints(const Tensor& tensor);

// How many nodes of the function (regions included) have this mnemonic.
int count_nodes(const graph::Module& module, const std::string& mnemonic);

}  // namespace dvm::lower_test
