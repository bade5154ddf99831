// The points of an `each`: instances of a template that do not wait for each other, and the arrays
// whose rows instances make.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "backend/engine/needs.hpp"
#include "backend/engine/run.hpp"

namespace dvm::engine {

// Note [Points of an each]. All points could start at once, but an open point has an instance and
// arrays of its own: so some hundred are open at a time, and a point that ends lets the next one
// start. Inside of points fewer are enough, as the points around them make tasks too. A result's
// rows lie in its memory from the start: what an instance yields is written there, not copied.

void Run::fire_action(Instance& instance, std::uint32_t family, const task::Each& action) {
  const task::Family& what = instance.facts->shape->families[family];
  const TemplateFacts& body = facts_.templates[action.body.index];
  std::vector<std::int64_t> space;
  std::int64_t count = 1;
  bool fits = evaluate(instance, action.space, space);
  for (std::int64_t extent : space) fits = fits && !__builtin_mul_overflow(count, extent, &count);
  if (!fits)
    return fail_results(instance, family, "a size is negative or too large for this machine");
  if (space.empty()) {
    instantiate(body, instance.path, family, 0, instance.depth, operands(instance, what),
                results(instance, family), true);
    return;
  }
  if (!shape_results(instance, family)) return;
  EachRun* each = enlist(new EachRun);
  each->family = &what;
  each->body = &body;
  each->instance = retain(instance.path);
  each->index = family;
  each->depth = instance.depth;
  each->space = std::move(space);
  each->count = count;
  const std::size_t open = static_cast<std::size_t>(std::max(64, 4 * program_.grain.workers)) >>
                           std::min(2 * static_cast<int>(instance.path->each_depth), 16);
  each->most_open = std::max<std::size_t>(open, 4) * what.results.size();
  for (Value* value : operands(instance, what)) each->captures.push_back(retain(value));
  for (Value* array : results(instance, family)) {
    if (!ensure(*array)) return;
    each->stacks.push_back(new_stack(array, count, each->space.size()));
  }
  if (count > 0) return advance(*each);
  // No point: but what the body surely needs must not have failed.
  each->pending = 1;
  for (Value* value : each->captures)
    if (!value->is_complete()) {
      ++each->pending;
      await_complete(value, Event::Each, each);
    }
  events_.push_back({Event::Each, each, 0, nullptr, nullptr});
}

void Run::advance(EachRun& each) {
  while (each.step < each.count && each.open < each.most_open && !stopped()) start_point(each);
  if (each.step == each.count && each.open == 0) end(each);
}

void Run::start_point(EachRun& each) {
  std::vector<Value*> args(each.space.size());
  std::int64_t rest = each.step;
  for (std::size_t d = args.size(); d-- > 0; rest /= each.space[d]) {
    args[d] = new_value(ElementType::I64, true);
    complete_scalar(args[d], Scalar::of_i64(rest % each.space[d]));
  }
  args.insert(args.end(), each.captures.begin(), each.captures.end());
  const task::Template& shape = *each.body->shape;
  std::vector<Value*> rows;
  for (std::size_t k = 0; k < each.stacks.size(); ++k) {
    Value* row = new_value(shape.slots[shape.yields[k]]);
    settle_in(*row, *each.stacks[k], each.step);
    stack_row(*each.stacks[k], row, each.step, each.instance, each.index)->each = &each;
    rows.push_back(row);
    ++each.open;
  }
  instantiate(*each.body, each.instance, each.index, each.step, each.depth, args, rows, true);
  ++each.step;
  release_all(rows);
  for (std::size_t d = 0; d < each.space.size(); ++d) release(args[d]);
}

void Run::end_without_points(EachRun& each) {
  for (std::size_t k = 0; k < each.stacks.size(); ++k) {
    std::vector<bool> wanted(each.stacks.size(), false);
    wanted[k] = true;
    const std::vector<bool> needed = needed_operands(program_, *each.family, wanted);
    const FailureRecord* failure = nullptr;
    for (std::size_t v = 0; v < each.captures.size(); ++v)
      if (needed[v]) failure = earlier(failure, each.captures[v]->failure);
    complete(each.stacks[k]->array, failure);
  }
  end(each);
}

void Run::end(EachRun& each) {
  release_all(each.captures);
  for (Stack* stack : each.stacks) release(stack);
  release(each.instance);
  delete &each;
}

// Note [Stacked values]. Row k of a stacked result is what iteration k yields for it. An array is
// written where it belongs, if the family that makes it can; else it is copied when it is complete;
// scalars are stored at once. The result is complete with its last row.

// `leading`: dimensions of the array that count rows. Its memory has been taken.
Stack* Run::new_stack(Value* array, std::int64_t rows, std::size_t leading) {
  Stack* stack = enlist(new Stack);
  stack->array = retain(array);
  stack->left = rows;
  stack->row_shape.assign(array->shape.begin() + static_cast<std::ptrdiff_t>(leading),
                          array->shape.end());
  stack->row_bytes = rows > 0 ? array->bytes() / static_cast<std::size_t>(rows) : 0;
  if (rows > 0) bind(array);
  return stack;
}

void Run::settle_in(Value& row, Stack& stack, std::int64_t at) {
  if (row.scalar) return;
  row.home = stack.array->storage;
  ++row.home->refs;
  row.home_offset = stack.array->offset + static_cast<std::size_t>(at) * stack.row_bytes;
  row.home_bytes = stack.row_bytes;
}

void Run::start_stacks(Control& control, Instance& instance) {
  const task::Template& owner = *instance.facts->shape;
  for (std::size_t k = control.states.size(); k < control.results.size(); ++k) {
    Value* array = control.results[k];
    std::vector<std::int64_t> shape;
    const bool fits = evaluate(instance, owner.slots[control.family->results[k]].shape, shape) &&
                      shape[0] == control.count && shape_value(array, std::move(shape));
    if (!fits || !ensure(*array)) {
      if (!stopped()) abort("not enough memory for the values of all iterations");
      return;
    }
    control.stacks.push_back(new_stack(array, control.count, 1));
    if (control.behind && control.count > 0) ++control.stacks.back()->left;  // see end_joined
  }
}

StackPart* Run::stack_row(Stack& stack, Value* row, std::int64_t at, Path* instance,
                          std::uint32_t family) {
  StackPart* part = enlist(new StackPart);
  part->stack = &stack;
  ++stack.refs;
  part->row = retain(row);
  part->index = at;
  part->instance = retain(instance);
  part->family = family;
  await_complete(row, Event::Part, part);
  return part;
}

void Run::part_done(StackPart& part) {
  Stack& stack = *part.stack;
  Value& row = *part.row;
  const Value& array = *stack.array;
  const std::size_t at = static_cast<std::size_t>(part.index) * stack.row_bytes;
  if (row.failure) {
    stack.failure = earlier(stack.failure, row.failure);
  } else if (!row.scalar && row.shape != stack.row_shape) {
    stack.failure = earlier(
        stack.failure,
        new_failure(part.instance, part.family,
                    fmt::format("arrays of different sizes are elements of one array: one has the "
                                "shape [{}], another [{}]",
                                fmt::join(stack.row_shape, ", "), fmt::join(row.shape, ", "))));
  } else if (row.scalar || row.storage != array.storage || row.offset != array.offset + at) {
    const void* from = row.scalar ? static_cast<const void*>(&row.bits) : row.data();
    if (stack.row_bytes > 0 && from) std::memcpy(array.data() + at, from, stack.row_bytes);
  }
  if (--stack.left == 0) complete(stack.array, stack.failure);
  EachRun* each = part.each;
  release(part.row);
  release(part.instance);
  release(&stack);
  delete &part;
  if (!each) return;
  --each->open;
  advance(*each);
}

void Run::release(Stack* stack) {
  if (--stack->refs > 0) return;
  release(stack->array);
  delete stack;
}

}  // namespace dvm::engine
