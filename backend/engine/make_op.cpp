// A fired step becomes tasks: one per tile, each waiting for the tiles it reads.
#include <algorithm>

#include "backend/engine/run.hpp"

namespace dvm::engine {

namespace {

constexpr std::size_t edges_per_tile = 24;  // beyond that, waiting for the whole operand is cheaper

std::int64_t row_size(const Value& value) {
  std::int64_t product = 1;
  for (std::size_t d = 1; d < value.shape.size(); ++d) product *= value.shape[d];
  return product;
}

// Iterations of a dimension that a tile covers.
struct Range {
  std::int64_t begin, end;
};
Range range_of(const OpPlan& plan, const IterationDim& dim, std::size_t tile) {
  if (dim.grid < 0) return {0, dim.extent};
  std::size_t below = 1;
  for (std::size_t d = static_cast<std::size_t>(dim.grid) + 1; d < plan.grid.size(); ++d)
    below *= static_cast<std::size_t>(plan.grid[d].tiles());
  const GridDim& grid = plan.grid[static_cast<std::size_t>(dim.grid)];
  const auto at = static_cast<std::int64_t>(tile / below % static_cast<std::size_t>(grid.tiles()));
  const std::int64_t span = grid.tile * grid.unit;
  return {at * span, std::min((at + 1) * span, grid.limit)};
}

}  // namespace

void Run::charge(std::size_t bytes) {
  bookkeeping_ += bytes;
  if (bookkeeping_ > memory_bytes_ / 2) abort("too many tasks are open at once: not enough memory");
}

void Run::poison(Task& task, const FailureRecord* failure) {
  const FailureRecord* known = task.failure.load(std::memory_order_acquire);
  while (true) {
    const FailureRecord* first = earlier(known, failure);
    if (first == known ||
        task.failure.compare_exchange_weak(known, first, std::memory_order_acq_rel))
      return;
  }
}

void Run::make_op(OpPlan plan) {
  Op* op = enlist(new Op);
  op->kernel = plan.kernel;
  op->function = plan.function;
  op->builtin = std::move(plan.builtin);
  op->stages = std::move(plan.stages);
  op->locals = std::move(plan.locals);
  op->local_bytes = plan.local_bytes;
  op->instance = retain(plan.instance);
  op->family = plan.family;
  op->grid = plan.grid;
  op->tiles = 1;
  for (const GridDim& dim : plan.grid) op->tiles *= static_cast<std::size_t>(dim.tiles());
  for (const Input& input : plan.inputs) op->inputs.push_back(retain(input.value));
  op->written = plan.outputs.size();
  for (const Output& output : plan.outputs) {
    op->outputs.push_back(retain(output.value));
    op->layouts.push_back(output.layout);
  }
  for (Value* value : plan.passing) op->outputs.push_back(retain(value));
  charge(sizeof(Op) + op->tiles * sizeof(Task));
  op->remaining.store(static_cast<std::int64_t>(op->tiles));
  op->tasks = std::make_unique<Task[]>(op->tiles);
  for (std::size_t t = 0; t < op->tiles; ++t) op->tasks[t].op = op;
  if (op->tiles == 0)  // nothing to do, but what it needs must not fail
    for (Input& input : plan.inputs) input.access = {};
  op->gate = 1;
  connect(*op, plan);
  for (const Output& output : plan.outputs) {
    Value& value = *output.value;
    if (value.scalar) continue;
    if (op->tiles > 0) value.producer = op;
    if (output.layout == Layout::Leading && value.count() > 0) {
      const bool cut = !plan.grid.empty();
      value.row_elements =
          cut ? plan.grid[0].tile * plan.grid[0].unit * row_size(value) : value.count();
      value.rows = cut ? plan.grid[0].tiles() : 1;
      value.columns = static_cast<std::int64_t>(op->tiles) / value.rows;
    }
    bind(&value);
  }
  if (--op->gate == 0) open_gate(*op);
}

void Run::connect(Op& op, const OpPlan& plan) {
  std::size_t total = 0;
  std::vector<const Input*> banded;
  for (const Input& input : plan.inputs) {
    const Value& value = *input.value;
    if (value.is_complete() && !value.failure) continue;
    std::size_t edges = 0;
    if (connect_band(op, plan, input, true, edges)) {
      banded.push_back(&input);
      total += edges;
    } else if (value.is_complete()) {
      op.gate_failure = earlier(op.gate_failure, value.failure);
    } else {
      ++op.gate;
      await_complete(input.value, Event::Gate, &op);
    }
  }
  op.edges.reserve(total);  // edges are pointed to
  charge(total * sizeof(Edge));
  for (const Input* input : banded) {
    std::size_t edges = 0;
    connect_band(op, plan, *input, false, edges);
  }
}

// Edges from the tiles of a band, or only their number. False: the operand is read whole. What is
// decided follows from shapes alone, not from how far the producer has come.
bool Run::connect_band(Op& op, const OpPlan& plan, const Input& input, bool count_only,
                       std::size_t& edges) {
  const Value& value = *input.value;
  if (input.access.whole || value.rows == 0 || value.scalar || value.shape.empty()) return false;
  const std::int64_t row = row_size(value);
  const IterationDim& dim = plan.iterations[input.access.dim];
  for (std::size_t tile = 0; tile < op.tiles; ++tile) {
    const Range range = range_of(plan, dim, tile);
    if (range.begin >= range.end) continue;
    const std::int64_t last_row = value.shape[0] - 1;
    const auto cut = [&](std::int64_t at) { return std::clamp<std::int64_t>(at, 0, last_row); };
    const std::int64_t low = cut(input.access.factor * range.begin + input.access.low);
    const std::int64_t high = cut(input.access.factor * (range.end - 1) + input.access.high);
    const std::int64_t first = low * row / value.row_elements;
    const std::int64_t last = std::min(((high + 1) * row - 1) / value.row_elements, value.rows - 1);
    edges += static_cast<std::size_t>((last - first + 1) * value.columns);
    if (count_only) {
      if (edges > edges_per_tile * op.tiles) return false;
      continue;
    }
    for (std::int64_t k = first * value.columns; k < (last + 1) * value.columns; ++k) {
      if (value.producer)
        add_edge(op, tile, value.producer->tasks[static_cast<std::size_t>(k)]);
      else if (value.tile_failures)
        if (const FailureRecord* failure = (*value.tile_failures)[static_cast<std::size_t>(k)])
          poison(op.tasks[tile], failure);
    }
  }
  return true;
}

// Tasks push and close their list of successors without the mutex: a closed list means finished.
void Run::add_edge(Op& op, std::size_t consumer, Task& producer) {
  Task& task = op.tasks[consumer];
  op.edges.push_back({nullptr, &task});
  Edge* edge = &op.edges.back();
  task.pending.fetch_add(1, std::memory_order_relaxed);
  Edge* head = producer.successors.load(std::memory_order_acquire);
  while (head != &closed_edge) {
    edge->next = head;
    if (producer.successors.compare_exchange_weak(head, edge, std::memory_order_acq_rel,
                                                  std::memory_order_acquire))
      return;
  }
  if (const FailureRecord* failure = producer.failure.load(std::memory_order_acquire))
    poison(task, failure);
  task.pending.fetch_sub(1, std::memory_order_relaxed);  // the gate still holds the task
}

void Run::open_gate(Op& op) {
  if (op.tiles == 0) return complete_op(op);
  for (std::size_t t = 0; t < op.tiles; ++t) {
    Task& task = op.tasks[t];
    if (op.gate_failure) poison(task, op.gate_failure);
    if (task.pending.fetch_sub(1, std::memory_order_acq_rel) == 1) ready_.push_back(&task);
  }
}

void Run::complete_op(Op& op) {
  const FailureRecord* failure = op.tiles == 0 ? op.gate_failure : nullptr;
  std::shared_ptr<std::vector<const FailureRecord*>> by_tile;
  if (op.failed.load(std::memory_order_acquire)) {
    by_tile = std::make_shared<std::vector<const FailureRecord*>>();
    for (std::size_t t = 0; t < op.tiles; ++t) {
      by_tile->push_back(op.tasks[t].failure.load(std::memory_order_acquire));
      failure = earlier(failure, by_tile->back());
    }
  }
  for (Value* output : op.outputs) {
    output->tile_failures = by_tile;
    complete(output, failure);
    release(output);
  }
  release_all(op.inputs);
  release(op.instance);
  bookkeeping_ -= sizeof(Op) + op.tiles * sizeof(Task) + op.edges.capacity() * sizeof(Edge);
  delete &op;
}

}  // namespace dvm::engine
