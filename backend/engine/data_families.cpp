// Families that move data without computing: reshape, concat.
#include <algorithm>
#include <cstring>

#include "backend/engine/run.hpp"

namespace dvm::engine {

namespace {

// Copies rows of several arrays, one after the other, into one.
class ConcatRows : public Builtin {
 public:
  // `starts[k]`: first row of part k in the result; one more for the end.
  ConcatRows(std::vector<std::int64_t> starts, std::size_t row_bytes)
      : starts_(std::move(starts)), row_bytes_(row_bytes) {}
  std::string_view name() const override { return "concat"; }
  void run(const Call& call) const override {
    const Op& op = call.op;
    std::byte* to = op.data(op.inputs.size());
    for (std::size_t part = 0; part + 1 < starts_.size(); ++part) {
      const std::int64_t begin = std::max(call.low, starts_[part]),
                         end = std::min(call.high, starts_[part + 1]);
      if (begin >= end || row_bytes_ == 0) continue;
      std::memcpy(to + static_cast<std::size_t>(begin) * row_bytes_,
                  op.data(part) + static_cast<std::size_t>(begin - starts_[part]) * row_bytes_,
                  static_cast<std::size_t>(end - begin) * row_bytes_);
    }
  }

 private:
  std::vector<std::int64_t> starts_;
  std::size_t row_bytes_;
};

}  // namespace

void Run::fire_action(Instance& instance, std::uint32_t family, const task::Alias&) {
  const task::Family& what = instance.facts->shape->families[family];
  Value* from = instance.slots[what.operands[0].index];
  Value* to = instance.slots[what.results[0].index];
  std::vector<std::int64_t> shape;
  if (!evaluate(instance, instance.facts->shape->slots[what.results[0]].shape, shape))
    return fail_results(instance, family,
                        "an array's size is negative or too large for this machine");
  Value counted, wanted;  // both counts, for the message
  counted.bits = static_cast<std::uint64_t>(from->scalar ? 1 : from->count());
  std::int64_t product = 1;
  bool fits = true;
  for (std::int64_t extent : shape) fits &= !__builtin_mul_overflow(product, extent, &product);
  wanted.bits = static_cast<std::uint64_t>(product);
  if (!fits || counted.bits != wanted.bits) {
    if (!what.check.valid())
      return fail_results(instance, family, "a reshaped array has another number of elements");
    const Value* values[] = {&counted, &wanted};
    return fail_behind(to, from, check_failure(instance, family, values));
  }
  if (from->scalar == to->scalar) return alias(to, from, std::move(shape));
  // Between a scalar and an array of one element the element is copied.
  const auto bytes = static_cast<std::size_t>(byte_size(from->element));
  if (from->scalar) {
    if (!shape_value(to, std::move(shape)) || !ensure(*to)) return;
    std::memcpy(to->data(), &from->bits, bytes);
    return complete(to, nullptr);
  }
  if (from->is_complete()) {
    if (!from->failure) std::memcpy(&to->bits, from->data(), bytes);
    return complete(to, from->failure);
  }
  retain(to);
  await_complete(from, Event::Forward, to, 2);
}

void Run::fire_action(Instance& instance, std::uint32_t family, const task::Concat&) {
  if (!shape_results(instance, family)) return;
  const task::Family& what = instance.facts->shape->families[family];
  Value* result = instance.slots[what.results[0].index];
  std::vector<std::int64_t> starts{0};
  const std::vector<Value*> parts = operands(instance, what);
  for (const Value* part : parts) {
    starts.push_back(starts.back() + part->shape[0]);
    if (!std::equal(part->shape.begin() + 1, part->shape.end(), result->shape.begin() + 1,
                    result->shape.end()))
      return fail_results(instance, family, "joined arrays have rows of different sizes");
  }
  if (starts.back() != result->shape[0])
    return fail_results(instance, family,
                        "joined arrays have another number of rows than their result");
  std::size_t row_bytes = static_cast<std::size_t>(byte_size(result->element));
  for (std::size_t d = 1; d < result->shape.size(); ++d)
    row_bytes *= static_cast<std::size_t>(result->shape[d]);
  OpPlan plan;
  plan.instance = instance.path;
  plan.family = family;
  const std::vector<std::int64_t> rows{result->shape[0]};
  const double cost = static_cast<double>(row_bytes) * 0.3e-9;  // reading and writing memory
  const std::int64_t tile = task::tile_extents(program_.grain, rows, cost, false)[0];
  plan.iterations.push_back({0, rows[0]});
  plan.grid.push_back({rows[0], tile, 1, rows[0]});
  for (std::size_t k = 0; k < parts.size(); ++k)
    plan.inputs.push_back({parts[k], {false, 0, 1, -starts[k], -starts[k]}});
  plan.outputs.push_back({result, Layout::Leading});
  plan.builtin = std::make_unique<ConcatRows>(std::move(starts), row_bytes);
  make_op(std::move(plan));
}

}  // namespace dvm::engine
