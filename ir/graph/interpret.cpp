// The interpreter: entry, frames, running of plans.
#include "ir/graph/interpret.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <functional>

#include "ir/graph/interpreter.hpp"

namespace dvm::graph {
namespace {

constexpr std::size_t stack_bytes = std::size_t{512} << 20;  // reserved, not used until needed
constexpr std::size_t stack_reserve = std::size_t{1} << 20;  // left for what one step calls
constexpr std::size_t shallow_regions = 64;

// Recursion of the program, or deep nesting, becomes recursion of the interpreter.
bool needs_deep_stack(const Module& module) {
  return std::any_of(
      module.functions.begin(), module.functions.end(), [](const Function& function) {
        return function.regions.size() > shallow_regions ||
               std::any_of(function.nodes.begin(), function.nodes.end(),
                           [](const Node& node) { return std::holds_alternative<Call>(node.op); });
      });
}

// Runs `work` on a thread with a large stack; false when there is no memory for one.
bool on_deep_stack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_t thread;
  const bool started = pthread_attr_setstacksize(&attributes, stack_bytes) == 0 &&
                       pthread_create(
                           &thread, &attributes,
                           [](void* argument) -> void* {
                             (*static_cast<const std::function<void()>*>(argument))();
                             return nullptr;
                           },
                           const_cast<std::function<void()>*>(&work)) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) return false;
  pthread_join(thread, nullptr);
  return true;
}

RunError limit(std::string message) {
  RunError error;
  error.message = std::move(message);
  return error;
}

}  // namespace

std::string render_message(const CheckInfo& check, std::span<const Scalar> values) {
  std::string result;
  const std::string& text = check.message;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t end = i + 1;
    std::size_t number = 0;
    while (text[i] == '{' && end < text.size() && end < i + 4 && text[end] >= '0' &&
           text[end] <= '9') {
      number = number * 10 + static_cast<std::size_t>(text[end++] - '0');
    }
    if (text[i] == '{' && end > i + 1 && end < text.size() && text[end] == '}' &&
        number < values.size()) {
      result += to_text(values[number]);
      i = end;
    } else {
      result += text[i];
    }
  }
  return result;
}

Result<std::vector<Tensor>, RunError> interpret(const Module& module, FunctionId function,
                                                std::span<const Tensor> args,
                                                const InterpretOptions& options) {
  Result<std::vector<Tensor>, RunError> result =
      Failure{limit("there is no memory for the stack of the interpreter")};
  const bool deep = needs_deep_stack(module);
  const auto run = [&] {
    Interpreter machine(module, options, Results::Together);
    InterpretOptions again = options;
    again.laws = nullptr;  // the terms have been seen
    Interpreter exact(module, again, Results::ByThemselves);
    if (deep) {
      const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
      machine.watch_stack(here - stack_bytes + stack_reserve);
      exact.watch_stack(here - stack_bytes + stack_reserve);
    }
    result = machine.run(function, args);
    if (machine.is_unsure()) result = exact.run(function, args);
  };
  if (deep) {
    on_deep_stack(run);
  } else {
    run();
  }
  return result;
}

Interpreter::Interpreter(const Module& module, const InterpretOptions& options, Results results)
    : module_(module), options_(options), results_(results), plans_(module.functions.size()) {}

bool Interpreter::is_unsure() const {
  if (!error_ && !limit_) return false;
  return std::any_of(plans_.begin(), plans_.end(),
                     [](const auto& plan) { return plan != nullptr && plan->joined; });
}

Result<std::vector<Tensor>, RunError> Interpreter::run(FunctionId function,
                                                       std::span<const Tensor> args) {
  try {
    std::optional<Frame> frame(plan(function));
    take_args(*frame, args);
    enter_function(frame);
    if (error_ || limit_) return Failure{error_ ? *error_ : *limit_};
    std::vector<Tensor> results;
    for (ValueId result : frame->plan->function->results())
      results.push_back(as_tensor(*frame, result));
    return results;
  } catch (const Abort& abort) {
    return Failure{abort.error};
  } catch (const Unmade& unmade) {
    return Failure{limit(unmade.message)};
  } catch (const std::bad_alloc&) {
    return Failure{limit("there is not enough memory")};
  }
}

const FunctionPlan& Interpreter::plan(FunctionId function) {
  auto& plan = plans_.at(function.index);
  if (!plan) plan = plan_function(module_.functions[function], results_);
  return *plan;
}

void Interpreter::take_args(Frame& frame, std::span<const Tensor> args) {
  const std::vector<ValueId>& params = frame.plan->function->params();
  if (args.size() != params.size()) {
    abort(
        fmt::format("the function takes {} arguments, {} were given", params.size(), args.size()));
  }
  for (std::size_t i = 0; i < args.size(); ++i) {
    const Type& expected = type(frame, params[i]);
    if (args[i].element != expected.element || args[i].shape.size() != expected.shape.size()) {
      abort(fmt::format("argument {} has the wrong type", i));
    }
    if (expected.is_scalar()) {
      bits(frame, params[i]) = args[i].at(0).bits;
    } else {
      array(frame, params[i]) = args[i];
    }
  }
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (extents(frame, type(frame, params[i]).shape) != args[i].shape) {
      abort(fmt::format("argument {} has the wrong shape", i));
    }
  }
}

void Interpreter::abort(std::string message) { throw Abort{limit(std::move(message))}; }

void Interpreter::too_deep(std::string message) {
  RunError error = limit(std::move(message));
  error.calls = static_cast<std::int64_t>(calls_);
  error.first_call = first_call_;
  throw Abort{std::move(error)};
}

// ---------------------------------------------------------------- blocks

void Interpreter::enter(Frame& frame, const Block& block) {
  if (options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed) != 0) {
    abort("cancelled");
  }
  if (lowest_stack_ != 0 &&
      reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < lowest_stack_) {
    too_deep("the recursion is too deep");
  }
  for (const LazyStep& lazy : block.lazy) frame.ready[lazy.id] = 0;
  if (!block.needs.empty()) run_lazy(frame, block.needs);
  for (const Step& step : block.steps) run_step(frame, step);
}

// Leaves results alone that are not the step's to give.
void Interpreter::run_step(Frame& frame, const Step& step) {
  if (step.gives.empty()) return run_whole(frame, step);
  struct Other {
    ValueId value;
    std::uint64_t bits;
    Tensor array;
    bool poisoned;
  };
  std::vector<Other> others;
  for (std::size_t k = 0; k < step.results.size(); ++k) {
    if (!step.results[k] || step.gives[k]) continue;
    const ValueId value = step.node->results[k];
    const bool scalar = type(frame, value).is_scalar();
    others.push_back({value, bits(frame, value), scalar ? Tensor{} : array(frame, value),
                      is_poisoned(frame, value)});
  }
  run_whole(frame, step);
  for (Other& other : others) {
    bits(frame, other.value) = other.bits;
    if (!type(frame, other.value).is_scalar()) array(frame, other.value) = std::move(other.array);
    set_poison(frame, other.value, other.poisoned);
  }
}

void Interpreter::run_whole(Frame& frame, const Step& step) {
  if (++steps_ > options_.max_steps) abort("the program takes too many steps");
  if (!frame.poison.empty()) {
    // States of loops are looked at one by one: some may be there.
    const bool states =
        std::holds_alternative<Loop>(step.node->op) || std::holds_alternative<While>(step.node->op);
    // A check tests its condition whatever became of the value it guards.
    const bool check = std::holds_alternative<Check>(step.node->op);
    const bool lost =
        !states && (check ? any_poisoned(frame, std::span(step.node->operands).subspan(1))
                          : any_poisoned(frame, step.operands));
    for (std::size_t i = 0; i < step.results.size(); ++i) {
      if (step.results[i]) set_poison(frame, step.node->results[i], lost);
    }
    if (lost) {
      ++failures_;
      return;
    }
  }
  try {
    std::visit([&](const auto& op) { run_op(frame, step, op); }, step.node->op);
  } catch (const Unmade& unmade) {
    // What guards the size is a check that comes later and says more.
    poison_results(frame, step);
    ++failures_;
    if (!limit_) limit_ = limit(unmade.message);
  }
}

void Interpreter::run_lazy(Frame& frame, const std::vector<LazyStep*>& steps) {
  std::vector<LazyStep*> open(steps.rbegin(), steps.rend());
  while (!open.empty()) {
    LazyStep& lazy = *open.back();
    if (frame.ready[lazy.id] != 0) {
      open.pop_back();
      continue;
    }
    const std::size_t before = open.size();
    for (LazyStep* need : lazy.needs) {
      if (frame.ready[need->id] == 0) open.push_back(need);
    }
    if (open.size() > before) continue;
    open.pop_back();
    // It belongs to its own region: outside of iterations its points are counted from its own
    // first.
    const std::size_t depth = depth_;
    const std::int64_t index = index_;
    if (!lazy.owner->iterated) depth_ = frame.outer_depth;
    run_step(frame, lazy.step);
    depth_ = depth;
    index_ = index;
    frame.ready[lazy.id] = 1;
  }
}

// ---------------------------------------------------------------- values

void Interpreter::copy(Frame& frame, ValueId from, ValueId to) {
  if (type(frame, to).is_scalar()) {
    bits(frame, to) = bits(frame, from);
  } else {
    array(frame, to) = array(frame, from);
  }
  if (!frame.poison.empty()) frame.poison[to.index] = frame.poison[from.index];
}

Tensor Interpreter::as_tensor(Frame& frame, ValueId value) {
  return type(frame, value).is_scalar() ? Tensor::of_scalar(scalar(frame, value))
                                        : array(frame, value);
}

void Interpreter::set_poison(Frame& frame, ValueId value, bool poisoned) {
  if (frame.poison.empty()) {
    if (!poisoned) return;
    frame.poison.assign(frame.bits.size(), 0);
  }
  frame.poison[value.index] = poisoned ? 1 : 0;
}

bool Interpreter::any_poisoned(const Frame& frame, std::span<const ValueId> values) const {
  return std::any_of(values.begin(), values.end(),
                     [&](ValueId value) { return is_poisoned(frame, value); });
}

std::int64_t Interpreter::size(const Frame& frame, const Size& size) {
  if (const auto symbol = size.as_symbol()) return integer(frame, ValueId{*symbol});
  if (const auto number = size.constant()) return *number;
  const auto value =
      size.evaluate([&](Size::Symbol symbol) { return integer(frame, ValueId{symbol}); });
  if (!value) throw Unmade{"a size does not fit in 64 bits"};
  return *value;
}

std::int64_t Interpreter::extent(const Frame& frame, const Size& size) {
  const std::int64_t value = this->size(frame, size);
  if (value < 0) throw Unmade{fmt::format("a size is negative: {}", value)};
  return value;
}

std::vector<std::int64_t> Interpreter::extents(const Frame& frame, std::span<const Size> sizes) {
  std::vector<std::int64_t> result;
  result.reserve(sizes.size());
  for (const Size& size : sizes) result.push_back(extent(frame, size));
  return result;
}

std::int64_t Interpreter::points(std::span<const std::int64_t> extents) {
  std::int64_t product = 1;
  for (std::int64_t extent : extents) {
    if (extent == 0) return 0;
  }
  for (std::int64_t extent : extents) {
    if (__builtin_mul_overflow(product, extent, &product))
      throw Unmade{"a size does not fit in 64 bits"};
  }
  return product;
}

Tensor Interpreter::make(ElementType element, std::vector<std::int64_t> shape) {
  auto tensor = Tensor::make(element, shape);
  if (!tensor)
    throw Unmade{fmt::format("there is not enough memory for an array of shape [{}]",
                             fmt::join(shape, ", "))};
  return std::move(*tensor);
}

void Interpreter::poison_results(Frame& frame, const Step& step) {
  for (std::size_t i = 0; i < step.results.size(); ++i) {
    if (step.results[i]) set_poison(frame, step.node->results[i], true);
  }
}

void Interpreter::fail(Frame& frame, const Step& step, std::vector<Scalar> values) {
  poison_results(frame, step);
  const CheckId check = step.node->check;
  if (!check.valid()) {
    const auto* scalar = std::get_if<ScalarOp>(&step.node->op);
    const std::string_view word =
        scalar != nullptr ? facts(scalar->fn).mnemonic : facts(step.node->op).mnemonic;
    abort(fmt::format("`{}` fails and has no check id", word));
  }
  ++failures_;
  const std::int64_t index = depth_ == 0 ? 0 : index_;
  if (error_ && std::pair(error_->check, error_->index) <= std::pair(check, index)) return;
  RunError error;
  error.check = check;
  error.index = index;
  error.message = render_message(module_.checks[check], values);
  error.values = std::move(values);
  error.calls = static_cast<std::int64_t>(calls_);
  error.first_call = first_call_;
  error_ = std::move(error);
}

}  // namespace dvm::graph
