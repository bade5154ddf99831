// Programs from .dvt text with kernels written here, so that the engine is tested without a
// compiler.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backend/engine/engine.hpp"

namespace dvm::test {

package::Loaded mock(const std::string& text,
                     const std::map<std::string, kernel::KernelFunction>& kernels);

Tensor vector_of(const std::vector<double>& values);
Tensor vector_of(const std::vector<std::int64_t>& values);
inline Tensor scalar_of(std::int64_t value) { return Tensor::of_scalar(Scalar::of_i64(value)); }
inline Tensor scalar_of(double value) {
  return Tensor::of_scalar(Scalar::of_float(ElementType::F64, value));
}
std::vector<double> random_values(std::size_t count, unsigned seed);

// Runs with 1, 2 and 7 workers and with recomputed tiles; checks that results and task ids are the
// same each time, and gives the results. With an error: the error's message instead.
struct Outcome {
  std::vector<Tensor> results;
  std::string error;
  std::int64_t error_index = -1;
  std::vector<std::string> trace;
};
Outcome run_everywhere(const package::Loaded& program, const std::vector<Tensor>& args);

// Operand k of a call as numbers.
inline double* f64(const kernel::KernelCall* call, int k) {
  return static_cast<double*>(call->operands[k].data);
}
inline std::int64_t* i64(const kernel::KernelCall* call, int k) {
  return static_cast<std::int64_t*>(call->operands[k].data);
}

}  // namespace dvm::test
