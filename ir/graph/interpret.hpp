// The reference interpreter: slow and obvious. On the elaborated graph it is the oracle for every
// plan, engine and pass; comparisons are bit for bit.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/graph/graph.hpp"
#include "ir/type/elementary.hpp"
#include "ir/type/tensor.hpp"

namespace dvm::graph {

// A failure of the running program.
struct RunError {
  CheckId check;               // none: a limit (memory, recursion depth), see `message`
  std::int64_t index = 0;      // row-major iteration index inside the failing operation
  std::vector<Scalar> values;  // for the message
  std::string message;         // rendered: CheckInfo::message with the values filled in
};
// Fills {0}, {1}, … of a check's message.
std::string render_message(const CheckInfo& check, std::span<const Scalar> values);

struct InterpretOptions {
  VectorIsa isa = VectorIsa::Avx2;
  std::size_t max_depth = 20'000;  // of calls
};

// `args` are all params of the function, size params first. Only needed values are evaluated.
Result<std::vector<Tensor>, RunError> interpret(const Module& module, FunctionId function,
                                                std::span<const Tensor> args,
                                                const InterpretOptions& options);

}  // namespace dvm::graph
