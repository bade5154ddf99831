// The interpreter's machine: frames of values and one function per operation. Used by
// interpret*.cpp.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/graph/interpret.hpp"
#include "ir/graph/interpret_plan.hpp"

namespace dvm::graph {

// A limit or a mistake of the module: ends the run at once. Caught in `interpret`.
struct Abort {
  RunError error;
};

// An array that cannot be made: its size is negative or too large. It is a failure of the operation
// that gives way to any check that fails. Caught in `run_whole`.
struct Unmade {
  std::string message;
};

// The values of one call.
struct Frame {
  explicit Frame(const FunctionPlan& plan)
      : plan(&plan),
        bits(plan.function->values.size()),
        arrays(plan.array_count),
        ready(plan.lazy_count) {}

  const FunctionPlan* plan;
  std::vector<std::uint64_t> bits;  // scalars, by value
  std::vector<Tensor> arrays;       // by array slot
  std::vector<std::uint8_t> ready;  // by lazy step: ran since its region was entered
  std::vector<std::uint8_t>
      poison;  // by value: has no value because of a failure; empty until there is one
  std::size_t outer_depth = 0;  // of iterating operations around the call
};

class Interpreter {
 public:
  Interpreter(const Module& module, const InterpretOptions& options, Results results);

  // Lowest address the stack may reach; 0: not watched.
  void watch_stack(std::uintptr_t lowest) { lowest_stack_ = lowest; }
  Result<std::vector<Tensor>, RunError> run(FunctionId function, std::span<const Tensor> args);
  // Something has failed, and results that were made together might have said another thing by
  // themselves.
  bool is_unsure() const;

 private:
  const FunctionPlan& plan(FunctionId function);
  void take_args(Frame& frame, std::span<const Tensor> args);

  // --- running blocks
  void enter(Frame& frame, const Block& block);
  void run_step(Frame& frame, const Step& step);
  void run_whole(Frame& frame, const Step& step);
  void run_lazy(Frame& frame, const std::vector<LazyStep*>& steps);
  void enter_function(std::optional<Frame>& frame);
  void hand_over(Frame& from, const Step& call, Frame& to);

  // --- one operation each
  void run_op(Frame& frame, const Step& step, const Constant& op);
  void run_op(Frame& frame, const Step& step, const SizeOf& op);
  void run_op(Frame& frame, const Step& step, const ScalarOp& op);
  void run_op(Frame& frame, const Step& step, const Read& op);
  void run_op(Frame& frame, const Step& step, const Check& op);
  void run_op(Frame& frame, const Step& step, const Map& op);
  void run_op(Frame& frame, const Step& step, const Reduce& op);
  void run_op(Frame& frame, const Step& step, const Scan& op);
  void run_op(Frame& frame, const Step& step, const Scatter& op);
  void run_op(Frame& frame, const Step& step, const ReduceByKey& op);
  void run_op(Frame& frame, const Step& step, const Concat& op);
  void run_op(Frame& frame, const Step& step, const Reshape& op);
  void run_op(Frame& frame, const Step& step, const Sort& op);
  void run_op(Frame& frame, const Step& step, const Filter& op);
  void run_op(Frame& frame, const Step& step, const Loop& op);
  void run_op(Frame& frame, const Step& step, const While& op);
  void run_op(Frame& frame, const Step& step, const Branch& op);
  void run_op(Frame& frame, const Step& step, const Call& op);

  std::vector<Tensor> scatter_destinations(Frame& frame, const Step& step, std::size_t leading,
                                           std::span<const std::int64_t> space);

  // --- values
  const Type& type(const Frame& frame, ValueId value) const {
    return frame.plan->function->values[value].type;
  }
  std::uint64_t& bits(Frame& frame, ValueId value) { return frame.bits[value.index]; }
  std::int64_t integer(const Frame& frame, ValueId value) const {
    return static_cast<std::int64_t>(frame.bits[value.index]);
  }
  Tensor& array(Frame& frame, ValueId value) {
    return frame.arrays[frame.plan->array_slot[value.index]];
  }
  Scalar scalar(const Frame& frame, ValueId value) const {
    return {type(frame, value).element, frame.bits[value.index]};
  }
  void copy(Frame& frame, ValueId from, ValueId to);
  Tensor as_tensor(Frame& frame, ValueId value);
  bool is_poisoned(const Frame& frame, ValueId value) const {
    return !frame.poison.empty() && frame.poison[value.index] != 0;
  }
  void set_poison(Frame& frame, ValueId value, bool poisoned);
  bool loses_any(const Frame& frame, const Block& body) const;  // of the needed yields
  bool any_poisoned(const Frame& frame, std::span<const ValueId> values) const;

  // --- sizes and arrays
  std::int64_t size(const Frame& frame, const Size& size);
  std::int64_t extent(const Frame& frame, const Size& size);  // not negative
  std::vector<std::int64_t> extents(const Frame& frame, std::span<const Size> sizes);
  std::int64_t points(std::span<const std::int64_t> extents);
  Tensor make(ElementType element, std::vector<std::int64_t> shape);

  // --- failures
  void poison_results(Frame& frame, const Step& step);
  void fail(Frame& frame, const Step& step, std::vector<Scalar> values);
  [[noreturn]] void abort(std::string message);
  [[noreturn]] void too_deep(std::string message);

  // Around the points of an iterating operation; only the outermost one counts them.
  struct Points {
    explicit Points(Interpreter& machine) : machine(machine) { ++machine.depth_; }
    ~Points() { --machine.depth_; }
    void at(std::int64_t index) {
      if (machine.depth_ == 1) machine.index_ = index;
    }
    Interpreter& machine;
  };

  friend class Combination;
  friend class States;
  friend class Stacks;

  const Module& module_;
  InterpretOptions options_;
  Results results_;
  std::vector<std::unique_ptr<FunctionPlan>> plans_;  // by FunctionId
  std::uintptr_t lowest_stack_ = 0;
  std::size_t calls_ = 0;
  CheckId first_call_;              // of those that are open
  std::optional<Frame> tail_call_;  // made as the last step of the function that runs
  std::uint64_t steps_ = 0;
  std::size_t depth_ = 0;  // of iterating operations
  std::int64_t index_ = 0;
  std::uint64_t failures_ = 0;     // and steps that were lost to them
  std::optional<RunError> error_;  // the least so far
  std::optional<RunError> limit_;  // the first array that could not be made
};

// Counts through an iteration space in row-major order.
class Odometer {
 public:
  explicit Odometer(std::span<const std::int64_t> extents)
      : extents_(extents.begin(), extents.end()), at_(extents.size()) {}
  const std::vector<std::int64_t>& at() const { return at_; }
  void next() {
    for (std::size_t d = at_.size(); d-- > 0;) {
      if (++at_[d] < extents_[d]) return;
      at_[d] = 0;
    }
  }

 private:
  std::vector<std::int64_t> extents_, at_;
};

}  // namespace dvm::graph
