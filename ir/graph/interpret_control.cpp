// The interpreter: loop, while, branch, call.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ir/graph/interpreter.hpp"

namespace dvm::graph {
namespace {

// A value outside of a frame.
struct Held {
  std::uint64_t bits = 0;
  Tensor array;
  bool poisoned = false;
};

}  // namespace

void Interpreter::run_op(Frame& frame, const Step& step, const Loop& op) {
  const Node& node = *step.node;
  const Block& body = *step.blocks[0];
  const Region& region = *body.region;
  const std::size_t states = node.results.size() - op.stacked;
  auto lose_all = [&] {
    for (std::size_t k = 0; k < node.results.size(); ++k) {
      if (step.results[k]) set_poison(frame, node.results[k], true);
    }
  };
  if (is_poisoned(frame, node.operands[0])) return lose_all();
  const std::int64_t count = std::max<std::int64_t>(0, integer(frame, node.operands[0]));
  std::vector<Tensor> stacks(node.results.size());
  std::vector<bool> lost(node.results.size(), false);
  for (std::size_t k = states; k < node.results.size(); ++k) {
    if (!step.results[k]) continue;
    const Type& type = this->type(frame, node.results[k]);
    bool known = true;
    for (const Size& size : type.shape)
      size.symbols([&](Size::Symbol s) { known = known && !is_poisoned(frame, ValueId{s}); });
    if (!known) return lose_all();
    std::vector<std::int64_t> shape = {count};
    for (std::size_t d = 1; d < type.shape.size(); ++d)
      shape.push_back(extent(frame, type.shape[d]));
    stacks[k] = make(type.element, std::move(shape));
  }
  for (std::size_t k = 0; k < states; ++k) {
    if (step.results[k]) copy(frame, node.operands[k + 1], region.params[k + 1]);
  }
  std::vector<Held> next(states);
  for (std::int64_t t = 0; t < count; ++t) {
    bits(frame, region.params[0]) = static_cast<std::uint64_t>(t);
    set_poison(frame, region.params[0], false);
    const std::uint64_t failures = failures_;
    enter(frame, body);
    if (failures_ != failures) return lose_all();
    for (std::size_t k = states; k < node.results.size(); ++k) {
      if (!step.results[k]) continue;
      const ValueId yield = region.yields[k];
      if (is_poisoned(frame, yield)) {
        lost[k] = true;
        continue;
      }
      const Tensor part = as_tensor(frame, yield);
      if (!std::equal(part.shape.begin(), part.shape.end(), stacks[k].shape.begin() + 1,
                      stacks[k].shape.end())) {
        abort(fmt::format("a loop stacks an array of shape [{}]", fmt::join(part.shape, ", ")));
      }
      const std::size_t bytes = part.bytes();
      if (bytes > 0)
        std::memcpy(stacks[k].data.get() + static_cast<std::size_t>(t) * bytes, part.data.get(),
                    bytes);
    }
    // All at once: a yield may be another state's parameter.
    for (std::size_t k = 0; k < states; ++k) {
      if (!step.results[k]) continue;
      const ValueId yield = region.yields[k];
      next[k].poisoned = is_poisoned(frame, yield);
      if (type(frame, yield).is_scalar()) {
        next[k].bits = bits(frame, yield);
      } else {
        next[k].array = array(frame, yield);
      }
    }
    for (std::size_t k = 0; k < states; ++k) {
      if (!step.results[k]) continue;
      const ValueId param = region.params[k + 1];
      set_poison(frame, param, next[k].poisoned);
      if (type(frame, param).is_scalar()) {
        bits(frame, param) = next[k].bits;
      } else {
        array(frame, param) = std::move(next[k].array);
      }
    }
  }
  for (std::size_t k = 0; k < node.results.size(); ++k) {
    if (!step.results[k]) continue;
    if (k < states) {
      copy(frame, region.params[k + 1], node.results[k]);
    } else {
      array(frame, node.results[k]) = std::move(stacks[k]);
      set_poison(frame, node.results[k], lost[k]);
    }
  }
}

void Interpreter::run_op(Frame& frame, const Step& step, const While&) {
  const Node& node = *step.node;
  const Block& condition = *step.blocks[0];
  const Block& body = *step.blocks[1];
  const std::size_t states = node.results.size();
  std::vector<Held> now(states);
  auto hold = [&](const std::vector<ValueId>& from) {
    for (std::size_t k = 0; k < states; ++k) {
      if (!step.results[k]) continue;
      now[k].poisoned = is_poisoned(frame, from[k]);
      if (type(frame, from[k]).is_scalar()) {
        now[k].bits = bits(frame, from[k]);
      } else {
        now[k].array = array(frame, from[k]);
      }
    }
  };
  auto give = [&](const std::vector<ValueId>& to) {
    for (std::size_t k = 0; k < states; ++k) {
      if (!step.results[k]) continue;
      set_poison(frame, to[k], now[k].poisoned);
      if (type(frame, to[k]).is_scalar()) {
        bits(frame, to[k]) = now[k].bits;
      } else {
        array(frame, to[k]) = now[k].array;
      }
    }
  };
  hold(node.operands);
  while (true) {
    const std::uint64_t failures = failures_;
    give(condition.region->params);
    enter(frame, condition);
    const ValueId holds = condition.region->yields[0];
    bool lost = failures_ != failures || is_poisoned(frame, holds);
    if (!lost && bits(frame, holds) == 0) break;
    if (!lost) {
      if (++steps_ > options_.max_steps) abort("the program takes too many steps");
      give(body.region->params);
      enter(frame, body);
      hold(body.region->yields);
      lost = failures_ != failures;
    }
    if (lost) {
      for (Held& held : now) held.poisoned = true;
      break;
    }
  }
  give(node.results);
}

void Interpreter::run_op(Frame& frame, const Step& step, const Branch&) {
  const Node& node = *step.node;
  const Block& taken = *step.blocks[bits(frame, node.operands[0]) != 0 ? 0 : 1];
  enter(frame, taken);
  for (std::size_t k = 0; k < node.results.size(); ++k) {
    if (step.results[k]) copy(frame, taken.region->yields[k], node.results[k]);
  }
}

void Interpreter::run_op(Frame& frame, const Step& step, const Call& op) {
  const Node& node = *step.node;
  if (++calls_ > options_.max_depth) abort("the recursion is too deep");
  Frame inner(plan(op.callee));
  inner.outer_depth = depth_;
  const std::vector<ValueId>& params = inner.plan.function->params();
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (type(inner, params[i]).is_scalar()) {
      bits(inner, params[i]) = bits(frame, node.operands[i]);
    } else {
      array(inner, params[i]) = array(frame, node.operands[i]);
    }
  }
  enter(inner, *inner.plan.body);
  const std::vector<ValueId>& results = inner.plan.function->results();
  for (std::size_t k = 0; k < results.size(); ++k) {
    set_poison(frame, node.results[k], is_poisoned(inner, results[k]));
    if (type(inner, results[k]).is_scalar()) {
      bits(frame, node.results[k]) = bits(inner, results[k]);
    } else {
      array(frame, node.results[k]) = array(inner, results[k]);
    }
  }
  --calls_;
}

}  // namespace dvm::graph
