// Families on scalars are evaluated where they become ready: no task, no kernel.
#include <cstring>

#include "backend/engine/run.hpp"
#include "ir/graph/evaluate_scalar.hpp"

namespace dvm::engine {

namespace {

Scalar scalar_of(const Value& value) { return Scalar::load(value.element, &value.bits); }

}  // namespace

// A failed check with up to four values, as kernels report them.
const FailureRecord* Run::check_failure(Instance& instance, std::uint32_t family,
                                        std::span<const Value* const> values) {
  auto record = std::make_unique<FailureRecord>();
  record->check = instance.facts->shape->families[family].check.index;
  for (std::size_t k = 0; k < std::min<std::size_t>(values.size(), 4); ++k)
    std::memcpy(&record->values[k], &values[k]->bits, sizeof values[k]->bits);
  record->instance = retain(instance.path);
  record->family = family;
  failures_.push_back(std::move(record));
  return failures_.back().get();
}

void Run::fire_action(Instance&, std::uint32_t, const task::ConstantOf&) {}

void Run::fire_action(Instance& instance, std::uint32_t family, const task::SizeValue& action) {
  const auto value = evaluate(instance, action.size);
  if (!value) return fail_results(instance, family, "a size is too large for 64 bits");
  Value* result = instance.slots[instance.facts->shape->families[family].results[0].index];
  complete_scalar(result, Scalar::of_i64(*value));
}

void Run::fire_action(Instance& instance, std::uint32_t family, const task::Compute& action) {
  const task::Family& what = instance.facts->shape->families[family];
  Scalar args[3];
  std::size_t count = 0;
  for (task::SlotId operand : what.operands)
    args[count++] = scalar_of(*instance.slots[operand.index]);
  Value* result = instance.slots[what.results[0].index];
  const auto value = graph::evaluate_scalar(action.fn, std::span<const Scalar>(args, count),
                                            result->element, program_.target.isa);
  if (value) return complete_scalar(result, *value);
  // A division reports its dividend, a shift its count.
  const bool division =
      action.fn == graph::ScalarFn::IntDiv || action.fn == graph::ScalarFn::IntMod ||
      action.fn == graph::ScalarFn::IntQuot || action.fn == graph::ScalarFn::IntRem;
  const Value* shown = instance.slots[what.operands[division ? 0 : 1].index];
  complete(result, check_failure(instance, family, std::span(&shown, 1)));
}

void Run::fire_action(Instance& instance, std::uint32_t family, const task::ReadElement&) {
  const task::Family& what = instance.facts->shape->families[family];
  Value& array = *instance.slots[what.operands[0].index];
  Value* result = instance.slots[what.results[0].index];
  if (array.scalar) return complete_scalar(result, scalar_of(array));
  std::int64_t flat = 0;
  for (std::size_t d = 0; d < array.shape.size(); ++d) {
    const Value& index = *instance.slots[what.operands[d + 1].index];
    if (index.as_i64() < 0 || index.as_i64() >= array.shape[d]) {
      if (!what.check.valid())
        return fail_results(instance, family, "an unchecked index is out of range");
      const std::int64_t extent = array.shape[d];
      const FailureRecord* failure = nullptr;
      Value shown;
      shown.bits = static_cast<std::uint64_t>(extent);
      const Value* values[] = {&index, &shown};
      failure = check_failure(instance, family, values);
      return complete(result, failure);
    }
    flat = flat * array.shape[d] + index.as_i64();
  }
  const std::byte* data = array.data();
  complete_scalar(result, Scalar::load(array.element, data + flat * byte_size(array.element)));
}

void Run::fire_action(Instance& instance, std::uint32_t family, const task::CheckValue&) {
  const task::Family& what = instance.facts->shape->families[family];
  Value* result = instance.slots[what.results[0].index];
  Value* value = instance.slots[what.operands[0].index];
  if (instance.slots[what.operands[1].index]->bits != 0) return forward(result, value);
  std::vector<const Value*> values;
  for (std::size_t k = 2; k < what.operands.size(); ++k)
    values.push_back(instance.slots[what.operands[k].index]);
  fail_behind(result, value, check_failure(instance, family, values));
}

void Run::fail_behind(Value* result, Value* value, const FailureRecord* failure) {
  if (value->is_complete()) return complete(result, earlier(value->failure, failure));
  result->failure = failure;
  retain(result);
  await_complete(value, Event::Forward, result, 3);
}

}  // namespace dvm::engine
