// The interpreter: constants, sizes, scalar functions, reads and checks.
#include "ir/graph/evaluate_scalar.hpp"
#include "ir/graph/interpreter.hpp"

namespace dvm::graph {

void Interpreter::run_op(Frame& frame, const Step& step, const Constant& op) {
  bits(frame, step.node->results[0]) = op.value.bits;
}

void Interpreter::run_op(Frame& frame, const Step& step, const SizeOf& op) {
  bits(frame, step.node->results[0]) = static_cast<std::uint64_t>(size(frame, op.size));
}

void Interpreter::run_op(Frame& frame, const Step& step, const ScalarOp& op) {
  const Node& node = *step.node;
  Scalar args[3];
  const std::size_t count = node.operands.size();
  for (std::size_t i = 0; i < count; ++i) args[i] = {step.args[i], bits(frame, node.operands[i])};
  const auto result = evaluate_scalar(op.fn, {args, count}, step.result, options_.isa);
  if (!result) {
    const bool shift = op.fn == ScalarFn::Shl || op.fn == ScalarFn::Shr;
    return fail(frame, step, {args[shift ? 1 : 0]});
  }
  bits(frame, node.results[0]) = result->bits;
}

void Interpreter::run_op(Frame& frame, const Step& step, const Read&) {
  const Node& node = *step.node;
  const Tensor& from = array(frame, node.operands[0]);
  std::int64_t flat = 0;
  for (std::size_t d = 0; d < from.shape.size(); ++d) {
    const std::int64_t index = integer(frame, node.operands[d + 1]);
    if (index < 0 || index >= from.shape[d]) {
      return fail(frame, step, {Scalar::of_i64(index), Scalar::of_i64(from.shape[d])});
    }
    flat = flat * from.shape[d] + index;
  }
  bits(frame, node.results[0]) = from.at(flat).bits;
}

void Interpreter::run_op(Frame& frame, const Step& step, const Check&) {
  const Node& node = *step.node;
  if (bits(frame, node.operands[1]) != 0) return copy(frame, node.operands[0], node.results[0]);
  std::vector<Scalar> values;
  for (std::size_t i = 2; i < node.operands.size(); ++i)
    values.push_back(scalar(frame, node.operands[i]));
  fail(frame, step, std::move(values));
}

}  // namespace dvm::graph
