// Templates to families to tasks: one mechanism for straight-line code, loops, branches, recursion
// and arrays of unknown size. Everything here runs under the run's mutex.
#include <algorithm>
#include <cstring>

#include "backend/engine/run.hpp"

namespace dvm::engine {

// Note [Events]. What becomes possible is put on a stack of events instead of being done at once,
// so that neither recursion of the program nor long chains of dependencies use the machine's stack.
// The order is last in, first out: a call is expanded before its elder siblings, which keeps the
// number of open instances at the depth of the recursion, not its width.

Instance* Run::instantiate(const TemplateFacts& facts, Path* parent, std::uint32_t family,
                           std::int64_t iteration, std::int64_t depth,
                           const std::vector<Value*>& args, const std::vector<Value*>& results,
                           bool independent) {
  const task::Template& shape = *facts.shape;
  Instance* instance = enlist(new Instance);
  charge(sizeof(Instance) + sizeof(Path) + shape.slots.size() * 12 + shape.families.size() * 4);
  instance->facts = &facts;
  instance->depth = depth;
  instance->left = facts.active;
  instance->path = enlist(new Path);
  instance->path->parent = parent ? retain(parent) : nullptr;
  instance->path->family = family;
  instance->path->calls = static_cast<std::int32_t>(depth);
  instance->path->iteration = iteration;
  instance->path->each_depth = parent ? parent->each_depth : std::uint16_t{0};
  instance->path->independent = independent;
  if (independent) ++instance->path->each_depth;
  instance->frame = instance->path;
  instance->slots.assign(shape.slots.size(), nullptr);
  instance->uses = facts.uses;
  instance->pending.assign(shape.families.size(), 0);
  for (std::size_t k = 0; k < args.size(); ++k)
    instance->slots[shape.params[k].index] = retain(args[k]);
  for (std::uint32_t slot = 0; slot < shape.slots.size(); ++slot) {
    Value*& value = instance->slots[slot];
    if (value) continue;
    if (facts.constant[slot] >= 0) {
      value = retain(constants_[static_cast<std::size_t>(facts.constant[slot])]);
    } else if (facts.direct_yield[slot] >= 0) {
      value = retain(results[static_cast<std::size_t>(facts.direct_yield[slot])]);
    } else {
      value = new_value(shape.slots[task::SlotId{slot}]);
    }
  }
  for (std::size_t k = 0; k < shape.yields.size(); ++k) {
    const std::uint32_t slot = shape.yields[k].index;
    if (facts.direct_yield[slot] != static_cast<std::int32_t>(k))
      forward(results[k], instance->slots[slot]);
  }
  for (std::uint32_t f = static_cast<std::uint32_t>(shape.families.size()); f-- > 0;) {
    if (std::holds_alternative<task::ConstantOf>(shape.families[f].action)) continue;
    for (const Condition& condition : facts.families[f].conditions) {
      Value* value = instance->slots[condition.slot];
      if (condition.complete ? value->is_complete() : value->is_bound() || value->is_complete())
        continue;
      ++instance->pending[f];
      if (condition.complete)
        await_complete(value, Event::Condition, instance, f);
      else
        await_bound(value, Event::Condition, instance, f);
    }
    if (instance->pending[f] == 0) events_.push_back({Event::Fire, instance, f, nullptr, nullptr});
  }
  for (std::uint32_t slot = 0; slot < shape.slots.size(); ++slot)
    if (instance->uses[slot] == 0) {
      release(instance->slots[slot]);
      instance->slots[slot] = nullptr;
    }
  if (instance->left > 0) return instance;
  release(instance->path);
  bookkeeping_ -= sizeof(Instance) + shape.slots.size() * 12 + shape.families.size() * 4;
  delete instance;
  return nullptr;
}

void Run::drain() {
  while (!events_.empty() && !stopped()) {
    const Event_ event = events_.back();
    events_.pop_back();
    dispatch(event);
  }
}

void Run::dispatch(const Event_& event) {
  switch (event.event) {
    case Event::Fire:
      return fire(*static_cast<Instance*>(event.target), event.index);
    case Event::Condition: {
      Instance& instance = *static_cast<Instance*>(event.target);
      if (--instance.pending[event.index] == 0) fire(instance, event.index);
      return;
    }
    case Event::Gate: {
      Op& op = *static_cast<Op*>(event.target);
      op.gate_failure = earlier(op.gate_failure, event.failure);
      if (--op.gate == 0) open_gate(op);
      return;
    }
    case Event::Forward: {
      Value* to = static_cast<Value*>(event.target);
      if (event.index == 0) {
        forward(to, event.source);
      } else if (event.index == 2) {  // the one element of an array, as a scalar
        const Value& from = *event.source;
        if (!event.failure)
          std::memcpy(&to->bits, from.data(), static_cast<std::size_t>(byte_size(from.element)));
        complete(to, event.failure);
      } else if (event.index == 3) {  // what a false condition holds up
        complete(to, earlier(to->failure, event.failure));
      } else {
        to->tile_failures = event.source->tile_failures;
        complete(to, event.failure);
      }
      release(to);
      return release(event.source);
    }
    case Event::Control: {
      Control& control = *static_cast<Control*>(event.target);
      if (--control.pending == 0) advance(control);
      return;
    }
    case Event::Counts:
      return write_filtered(*static_cast<FilterStage*>(event.target));
    case Event::Part: {
      StackPart& part = *static_cast<StackPart*>(event.target);
      release(event.source);
      return part_done(part);
    }
    case Event::Each: {
      EachRun& each = *static_cast<EachRun*>(event.target);
      if (--each.pending == 0) end_without_points(each);
      return;
    }
  }
}

void Run::fire(Instance& instance, std::uint32_t family) {
  if (const FailureRecord* failure = failed_condition(instance, family)) {
    fail_results(instance, family, failure);
  } else {
    const task::Family& what = instance.facts->shape->families[family];
    std::visit([&](const auto& action) { fire_action(instance, family, action); }, what.action);
  }
  fired(instance, family);
}

void Run::fired(Instance& instance, std::uint32_t family) {
  for (std::uint32_t slot : instance.facts->families[family].touched)
    if (--instance.uses[slot] == 0) {
      release(instance.slots[slot]);
      instance.slots[slot] = nullptr;
    }
  if (--instance.left > 0) return;
  const task::Template& shape = *instance.facts->shape;
  release(instance.path);
  bookkeeping_ -= sizeof(Instance) + shape.slots.size() * 12 + shape.families.size() * 4;
  delete &instance;
}

const FailureRecord* Run::failed_condition(const Instance& instance, std::uint32_t family) const {
  const FailureRecord* failure = nullptr;
  for (const Condition& condition : instance.facts->families[family].conditions) {
    if (condition.perhaps) continue;
    const Value& value = *instance.slots[condition.slot];
    if (condition.complete || value.scalar || !value.storage)
      failure = earlier(failure, value.failure);
  }
  return failure;
}

std::optional<std::int64_t> Run::evaluate(const Instance& instance, const Size& size) const {
  return size.evaluate([&](Size::Symbol symbol) -> std::optional<std::int64_t> {
    return instance.slots[symbol]->as_i64();
  });
}

bool Run::evaluate(const Instance& instance, const std::vector<Size>& sizes,
                   std::vector<std::int64_t>& out) const {
  for (const Size& size : sizes) {
    const auto value = evaluate(instance, size);
    if (!value || *value < 0) return false;
    out.push_back(*value);
  }
  return true;
}

void Run::fail_results(Instance& instance, std::uint32_t family, const FailureRecord* failure) {
  for (task::SlotId result : instance.facts->shape->families[family].results)
    complete(instance.slots[result.index], failure);
}

void Run::fail_results(Instance& instance, std::uint32_t family, std::string message) {
  fail_results(instance, family, new_failure(instance.path, family, std::move(message)));
}

std::vector<Value*> Run::operands(const Instance& instance, const task::Family& family) const {
  return values_of(instance, family.operands);
}

std::vector<Value*> Run::values_of(const Instance& instance,
                                   const std::vector<task::SlotId>& slots) {
  std::vector<Value*> values;
  for (task::SlotId slot : slots) values.push_back(instance.slots[slot.index]);
  return values;
}

// Shapes of array results (scalars have none). On failure the results are failed already.
bool Run::shape_results(Instance& instance, std::uint32_t family) {
  const task::Template& owner = *instance.facts->shape;
  for (task::SlotId result : owner.families[family].results) {
    Value* value = instance.slots[result.index];
    if (value->scalar) continue;
    std::vector<std::int64_t> shape;
    if (!evaluate(instance, owner.slots[result].shape, shape) ||
        !shape_value(value, std::move(shape))) {
      fail_results(instance, family, "an array's size is negative or too large for this machine");
      return false;
    }
  }
  return true;
}

}  // namespace dvm::engine
