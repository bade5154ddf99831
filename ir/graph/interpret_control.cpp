// The interpreter: loop, while, branch, call.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "ir/graph/interpreter.hpp"

namespace dvm::graph {

// The needed states of a loop or while between two steps: taken out of the frame all at once, since
// the next value of one state may be the parameter of another.
class States {
 public:
  States(Interpreter& machine, Frame& frame, const Step& step, std::size_t count)
      : machine_(machine), frame_(frame), step_(step), held_(count) {}

  void take(std::span<const ValueId> from) {
    for (std::size_t k = 0; k < held_.size(); ++k) {
      if (!step_.results[k]) continue;
      held_[k].poisoned = machine_.is_poisoned(frame_, from[k]);
      if (machine_.type(frame_, from[k]).is_scalar()) {
        held_[k].bits = machine_.bits(frame_, from[k]);
      } else {
        held_[k].array = machine_.array(frame_, from[k]);
      }
    }
  }
  void give(std::span<const ValueId> to) const {
    for (std::size_t k = 0; k < held_.size(); ++k) {
      if (!step_.results[k]) continue;
      machine_.set_poison(frame_, to[k], held_[k].poisoned);
      if (machine_.type(frame_, to[k]).is_scalar()) {
        machine_.bits(frame_, to[k]) = held_[k].bits;
      } else {
        machine_.array(frame_, to[k]) = held_[k].array;
      }
    }
  }
  void lose_all() {
    for (Held& held : held_) held.poisoned = true;
  }

 private:
  struct Held {
    std::uint64_t bits = 0;
    Tensor array;
    bool poisoned = false;
  };

  Interpreter& machine_;
  Frame& frame_;
  const Step& step_;
  std::vector<Held> held_;
};

// The stacked results of a loop while it runs.
class Stacks {
 public:
  // nullopt: a size of their shapes has no value because of a failure.
  static std::optional<Stacks> make(Interpreter& machine, Frame& frame, const Step& step,
                                    std::size_t first, std::int64_t count) {
    const std::vector<ValueId>& results = step.node->results;
    Stacks stacks(machine, frame, step, first);
    for (std::size_t k = first; k < results.size(); ++k) {
      if (!step.results[k]) continue;
      const Type& type = machine.type(frame, results[k]);
      std::vector<std::int64_t> shape = {count};
      for (std::size_t d = 1; d < type.shape.size(); ++d) {
        bool known = true;
        type.shape[d].symbols(
            [&](Size::Symbol s) { known = known && !machine.is_poisoned(frame, ValueId{s}); });
        if (!known) return std::nullopt;
        shape.push_back(machine.extent(frame, type.shape[d]));
      }
      stacks.arrays_[k] = machine.make(type.element, std::move(shape));
    }
    return stacks;
  }

  void put(std::int64_t t, std::span<const ValueId> yields) {
    for (std::size_t k = first_; k < arrays_.size(); ++k) {
      if (!step_.results[k]) continue;
      if (machine_.is_poisoned(frame_, yields[k])) {
        lost_[k] = true;
        continue;
      }
      const Tensor part = machine_.as_tensor(frame_, yields[k]);
      const std::vector<std::int64_t>& shape = arrays_[k].shape;
      if (!std::equal(part.shape.begin(), part.shape.end(), shape.begin() + 1, shape.end())) {
        machine_.abort(
            fmt::format("a loop stacks an array of shape [{}]", fmt::join(part.shape, ", ")));
      }
      const std::size_t bytes = part.bytes();
      std::byte* to = arrays_[k].data.get() + static_cast<std::size_t>(t) * bytes;
      if (bytes > 0) std::memcpy(to, part.data.get(), bytes);
    }
  }

  void finish() {
    for (std::size_t k = first_; k < arrays_.size(); ++k) {
      if (!step_.results[k]) continue;
      machine_.array(frame_, step_.node->results[k]) = std::move(arrays_[k]);
      machine_.set_poison(frame_, step_.node->results[k], lost_[k]);
    }
  }

 private:
  Stacks(Interpreter& machine, Frame& frame, const Step& step, std::size_t first)
      : machine_(machine),
        frame_(frame),
        step_(step),
        first_(first),
        arrays_(step.node->results.size()),
        lost_(step.node->results.size(), false) {}

  Interpreter& machine_;
  Frame& frame_;
  const Step& step_;
  std::size_t first_;
  std::vector<Tensor> arrays_;  // by result
  std::vector<bool> lost_;
};

bool Interpreter::loses_any(const Frame& frame, const Block& body) const {
  for (std::size_t k = 0; k < body.yields.size(); ++k)
    if (body.yields[k] && is_poisoned(frame, body.region->yields[k])) return true;
  return false;
}

void Interpreter::run_op(Frame& frame, const Step& step, const Loop& op) {
  const Node& node = *step.node;
  const Block& body = *step.blocks[0];
  const Region& region = *body.region;
  const std::size_t count = node.results.size() - op.stacked;
  auto lose_all = [&] {
    for (std::size_t k = 0; k < node.results.size(); ++k) {
      if (step.results[k]) set_poison(frame, node.results[k], true);
    }
  };
  if (is_poisoned(frame, node.operands[0])) return lose_all();
  const std::int64_t steps = std::max<std::int64_t>(0, integer(frame, node.operands[0]));
  std::optional<Stacks> stacks = Stacks::make(*this, frame, step, count, steps);
  if (!stacks) return lose_all();
  States states(*this, frame, step, count);
  states.take(std::span(node.operands).subspan(1));
  for (std::int64_t t = 0; t < steps; ++t) {
    states.give(std::span(region.params).subspan(1));
    bits(frame, region.params[0]) = static_cast<std::uint64_t>(t);
    set_poison(frame, region.params[0], false);
    const std::uint64_t failures = failures_;
    enter(frame, body);
    if (failures_ != failures || loses_any(frame, body)) return lose_all();
    stacks->put(t, region.yields);
    states.take(region.yields);
  }
  states.give(node.results);
  stacks->finish();
}

void Interpreter::run_op(Frame& frame, const Step& step, const While&) {
  const Node& node = *step.node;
  const Block& condition = *step.blocks[0];
  const Block& body = *step.blocks[1];
  States states(*this, frame, step, node.results.size());
  states.take(node.operands);
  while (true) {
    const std::uint64_t failures = failures_;
    states.give(condition.region->params);
    enter(frame, condition);
    const ValueId holds = condition.region->yields[0];
    bool lost = failures_ != failures || is_poisoned(frame, holds);
    if (!lost && bits(frame, holds) == 0) break;
    if (!lost) {
      if (++steps_ > options_.max_steps) abort("the program takes too many steps");
      states.give(body.region->params);
      enter(frame, body);
      states.take(body.region->yields);
      lost = failures_ != failures || loses_any(frame, body);
    }
    if (!lost) continue;
    states.lose_all();
    break;
  }
  states.give(node.results);
}

void Interpreter::run_op(Frame& frame, const Step& step, const Branch&) {
  const Node& node = *step.node;
  const Block& taken = *step.blocks[bits(frame, node.operands[0]) != 0 ? 0 : 1];
  enter(frame, taken);
  if (tail_call_) return;  // its results are not there yet, and go further out
  for (std::size_t k = 0; k < node.results.size(); ++k) {
    if (step.results[k]) copy(frame, taken.region->yields[k], node.results[k]);
  }
}

void Interpreter::run_op(Frame& frame, const Step& step, const Call& op) {
  if (step.tail) {
    if (calls_ == 0) {  // by the entry itself
      first_call_ = step.node->check;
      ++calls_;
    }
    tail_call_.emplace(plan(op.callee));
    return hand_over(frame, step, *tail_call_);
  }
  const Node& node = *step.node;
  if (calls_ == 0) first_call_ = node.check;
  if (++calls_ > options_.max_depth) too_deep("the recursion is too deep");
  std::optional<Frame> inner(plan(op.callee));
  hand_over(frame, step, *inner);
  enter_function(inner);
  const std::vector<ValueId>& results = inner->plan->function->results();
  for (std::size_t k = 0; k < results.size(); ++k) {
    set_poison(frame, node.results[k], is_poisoned(*inner, results[k]));
    if (type(*inner, results[k]).is_scalar()) {
      bits(frame, node.results[k]) = bits(*inner, results[k]);
    } else {
      array(frame, node.results[k]) = array(*inner, results[k]);
    }
  }
  --calls_;
}

// The arguments of a call, into the frame of what is called.
void Interpreter::hand_over(Frame& from, const Step& call, Frame& to) {
  to.outer_depth = depth_;
  const std::vector<ValueId>& params = to.plan->function->params();
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (type(to, params[i]).is_scalar()) {
      bits(to, params[i]) = bits(from, call.node->operands[i]);
    } else {
      array(to, params[i]) = array(from, call.node->operands[i]);
    }
  }
}

// Runs a function. A tail call replaces its frame, so that it takes no stack.
void Interpreter::enter_function(std::optional<Frame>& frame) {
  enter(*frame, *frame->plan->body);
  while (tail_call_) {
    frame = std::move(tail_call_);
    tail_call_.reset();
    enter(*frame, *frame->plan->body);
  }
}

}  // namespace dvm::graph
