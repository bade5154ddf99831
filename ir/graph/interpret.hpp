// The reference interpreter: slow and obvious. On the elaborated graph it is the oracle for every
// plan, engine and pass; comparisons are bit for bit.
#pragma once

#include <atomic>
#include <cstdint>
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
  CheckId check;               // none: a limit (memory), see `message`
  std::int64_t index = 0;      // row-major iteration index inside the failing operation
  std::vector<Scalar> values;  // for the message
  std::string message;         // rendered: CheckInfo::message with the values filled in
  std::int64_t calls = 0;      // open where it failed; a tail call takes its caller's place
  CheckId first_call;          // of the outermost one, if it has a check
};
// Fills {0}, {1}, … of a check's message.
std::string render_message(const CheckInfo& check, std::span<const Scalar> values);

class LawTest;

struct InterpretOptions {
  VectorIsa isa = VectorIsa::Avx2;
  std::size_t max_depth = 20'000;  // of calls
  // Evaluations of nodes, for programs that may not end.
  std::uint64_t max_steps = ~std::uint64_t{0};
  // Non-zero: stop with the message `cancelled`.
  const std::atomic<std::int32_t>* cancel = nullptr;
  // Not null: it sees the terms of the reductions it asks for (ir/graph/law_test.hpp).
  LawTest* laws = nullptr;
};

// `args` are all params of the function, size params first. The module must verify (elaborated).
//
// Only needed values are evaluated (rule of need: ir/graph/demand.hpp). A failure leaves the values
// that depend on it without value; everything else that is needed is still evaluated, all points of
// a failing operation too, and the failure with the least (check, index) is reported. A loop stops
// after its first step that loses something a result needs, without that result; each result is
// what it would be if no other were needed. `index` counts the points of the outermost operation.
Result<std::vector<Tensor>, RunError> interpret(const Module& module, FunctionId function,
                                                std::span<const Tensor> args,
                                                const InterpretOptions& options);

}  // namespace dvm::graph
