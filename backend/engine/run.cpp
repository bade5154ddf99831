// Execution of tasks: start, compute, notify, complete.
#include "backend/engine/run.hpp"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

namespace dvm::engine {

namespace {

constexpr std::byte rubbish{0xA5};

}  // namespace

Run::Run(const package::Loaded& loaded, const ProgramFacts& facts, const RunOptions& options,
         Pool& pool, int workers, std::size_t memory_bytes)
    : loaded_(loaded),
      program_(loaded.program),
      facts_(facts),
      options_(options),
      pool_(pool),
      memory_bytes_(memory_bytes) {
  for (int k = 0; k < workers; ++k) workers_.push_back(std::make_unique<Worker>());
}

Run::~Run() {
  const std::lock_guard lock(mutex_);
  while (objects_.next != &objects_) delete objects_.next;
  for (const auto& worker : workers_) std::free(worker->scratch);
}

Run::Worker& Run::worker() {
  const int index = tbb::this_task_arena::current_thread_index();
  return *workers_[static_cast<std::size_t>(index) % workers_.size()];
}

void Run::start(std::span<const Tensor> args) {
  Ready ready;
  {
    const std::lock_guard lock(mutex_);
    for (const Scalar& constant : facts_.constants) {
      Value* value = new_value(constant.type, true);
      complete_scalar(value, constant);
      constants_.push_back(value);
    }
    std::vector<Value*> values;
    for (const Tensor& arg : args) {
      Value* value = new_value(arg.element, arg.shape.empty());
      if (value->scalar) {
        complete_scalar(value, arg.at(0));
      } else {
        value->shape = arg.shape;
        value->storage = enlist(new Storage);
        value->storage->pool = &pool_;
        value->storage->bytes = arg.bytes();
        value->storage->borrowed = arg.data;
        value->storage->data = arg.data.get();
        complete(value, nullptr);
      }
      values.push_back(value);
    }
    const task::Template& main = program_.templates[task::TemplateId{0}];
    for (task::SlotId yield : main.yields) results_.push_back(new_value(main.slots[yield]));
    instantiate(facts_.templates[0], nullptr, 0, 0, 0, values, results_);
    release_all(values);
    drain();
    ready.assign(ready_.rbegin(), ready_.rend());
    ready_.clear();
  }
  launch(std::move(ready));
}

void Run::launch(Ready ready) {
  const int from = tbb::this_task_arena::current_thread_index();
  group_.run([this, batch = std::move(ready), from] { work(batch, from); });
}

// Note [Sharing]. A worker keeps its ready tasks on a stack, newest first, so that data just
// written are read while they are in cache. It gives away the older half while the stack holds more
// than a few microseconds of work, by the time its latest tasks took: handing over a task costs
// about one microsecond, and waking another thread several. Which worker runs what never shows in
// results.
void Run::work(Ready stack, int from) {
  using Clock = std::chrono::steady_clock;
  constexpr double worth_sharing = 8e-6;  // seconds
  constexpr std::size_t most_kept = 64;
  Worker& self = worker();
  if (from != tbb::this_task_arena::current_thread_index())
    self.moved.fetch_add(static_cast<std::int64_t>(stack.size()), std::memory_order_relaxed);
  auto before = Clock::now();
  Ready ready;
  while (!stack.empty() && !stopped()) {
    const double fit = worth_sharing / std::max(self.task_seconds, 1e-9);
    const auto kept =
        static_cast<std::size_t>(std::clamp(fit, 1.0, static_cast<double>(most_kept)));
    while (workers_.size() > 1 && stack.size() > kept) {
      const auto half = stack.begin() + static_cast<std::ptrdiff_t>((stack.size() + 1) / 2);
      launch(Ready(stack.begin(), half));
      stack.erase(stack.begin(), half);
      if (stack.empty()) break;
    }
    if (stack.empty()) break;
    Task* task = stack.back();
    stack.pop_back();
    execute(*task, ready);
    stack.insert(stack.end(), ready.rbegin(), ready.rend());
    ready.clear();
    const auto after = Clock::now();
    self.task_seconds +=
        0.2 * (std::chrono::duration<double>(after - before).count() - self.task_seconds);
    before = after;
  }
}

bool Run::stopped() const {
  return aborted_.load(std::memory_order_relaxed) ||
         (options_.cancel && options_.cancel->load(std::memory_order_relaxed) != 0);
}

void Run::abort(std::string message) {
  graph::RunError error;
  error.message = std::move(message);
  abort(std::move(error));
}

void Run::abort(graph::RunError error) {
  const std::lock_guard lock(abort_mutex_);
  if (!aborted_.load()) abort_error_ = std::move(error);
  stop_.store(1);
  aborted_.store(true);
}

void Run::execute(Task& task, Ready& ready) {
  Op& op = *task.op;
  const auto tile = static_cast<std::size_t>(&task - op.tasks.get());
  task.pending.load(std::memory_order_acquire);  // what predecessors did is seen from here on
  const FailureRecord* failure = task.failure.load(std::memory_order_acquire);
  if (!failure) failure = compute(op, tile);
  if (stopped()) return;  // what was computed may be incomplete
  finish_task(op, task, failure, ready);
}

void Run::finish_task(Op& op, Task& task, const FailureRecord* failure, Ready& ready) {
  if (failure) {
    task.failure.store(failure, std::memory_order_release);
    op.failed.store(true, std::memory_order_release);
  }
  Edge* edge = task.successors.exchange(&closed_edge, std::memory_order_acq_rel);
  while (edge) {
    Edge* next = edge->next;
    Task* successor = edge->to;
    if (failure) poison(*successor, failure);
    if (successor->pending.fetch_sub(1, std::memory_order_acq_rel) == 1) ready.push_back(successor);
    edge = next;
  }
  if (op.remaining.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::lock_guard lock(mutex_);
  complete_op(op);
  drain();
  ready.insert(ready.end(), ready_.begin(), ready_.end());
  ready_.clear();
}

bool Run::ensure(Value& value) {
  if (value.scalar || value.storage->data.load(std::memory_order_relaxed)) return true;
  std::byte* block = pool_.allocate(value.storage->bytes);
  if (!block) {
    abort(fmt::format("not enough memory: {} bytes for one array, {} bytes are in use",
                      value.storage->bytes, pool_.live()));
    return false;
  }
  value.storage->data.store(block, std::memory_order_release);
  return true;
}

// Memory is taken when the first task of an operation starts, not when the operation is expanded.
bool Run::prepare(Op& op) {
  if (op.prepared.load(std::memory_order_acquire)) return true;
  const std::lock_guard lock(storage_mutex_);
  if (op.prepared.load(std::memory_order_relaxed)) return true;
  op.views.resize(op.inputs.size() + op.written);
  for (std::size_t k = 0; k < op.views.size(); ++k) {
    Value& value = k < op.inputs.size() ? *op.inputs[k] : *op.outputs[k - op.inputs.size()];
    if (!ensure(value)) return false;
    kernel::View& view = op.views[k];
    view.data = value.scalar ? static_cast<void*>(&value.bits) : value.data();
    std::int64_t stride = 1;
    for (std::size_t d = value.shape.size(); d-- > 0; stride *= value.shape[d])
      view.strides[d] = stride;
  }
  const auto add_scratch = [&](const task::Kernel& kernel, const auto& operand) {
    const auto bytes =
        kernel.scratch.evaluate([&](Size::Symbol symbol) -> std::optional<std::int64_t> {
          return op.inputs[operand(symbol)]->as_i64();
        });
    if (!bytes || *bytes < 0 || static_cast<std::size_t>(*bytes) > memory_bytes_) {
      abort("not enough memory for the local arrays of a task");
      return false;
    }
    op.scratch_bytes =
        std::max(op.scratch_bytes, op.local_bytes + static_cast<std::size_t>(*bytes));
    return true;
  };
  if (op.kernel && !add_scratch(*op.kernel, [](Size::Symbol symbol) { return symbol; }))
    return false;
  for (const OpStage& stage : op.stages)
    if (!add_scratch(*stage.kernel, [&](Size::Symbol symbol) { return stage.views[symbol]; }))
      return false;
  op.prepared.store(true, std::memory_order_release);
  return true;
}

std::byte* Run::scratch(std::size_t bytes) {
  Worker& self = worker();
  if (bytes > self.scratch_bytes || !self.scratch) {
    std::free(self.scratch);
    self.scratch = nullptr;
    self.scratch_bytes = (bytes + 4095) / 4096 * 4096 + 4096;
    if (bytes <= memory_bytes_)
      self.scratch = static_cast<std::byte*>(std::aligned_alloc(4096, self.scratch_bytes));
    if (!self.scratch) {
      self.scratch_bytes = 0;
      abort("not enough memory for the local arrays of a task");
    }
  }
  return self.scratch;
}

const FailureRecord* Run::compute(Op& op, std::size_t tile) {
  if (!prepare(op)) return nullptr;
  std::int64_t low[kernel::max_rank] = {}, high[kernel::max_rank] = {};
  std::size_t rest = tile;
  for (std::size_t d = op.grid.size(); d-- > 0;) {
    const GridDim& dim = op.grid[d];
    const auto at = static_cast<std::int64_t>(rest % static_cast<std::size_t>(dim.tiles()));
    rest /= static_cast<std::size_t>(dim.tiles());
    low[d] = at * dim.tile;
    high[d] = std::min(low[d] + dim.tile, dim.extent);
  }
  static_assert(sizeof(std::atomic<std::int32_t>) == sizeof(std::int32_t));
  const auto* flag =
      reinterpret_cast<const std::int32_t*>(options_.cancel ? options_.cancel : &stop_);
  kernel::ErrorRecord error{-1, 0, {}};
  std::byte* space = op.builtin ? nullptr : scratch(op.scratch_bytes);
  if (!op.builtin && !space) return nullptr;
  const kernel::KernelCall call{op.views.data(), low, high, space, &error, flag};
  for (int times = options_.recompute ? 2 : 1; times > 0; --times) {
    error = {-1, 0, {}};
    if (op.builtin)
      op.builtin->run({op, low[0], high[0], flag, [this](std::size_t bytes) {
                         return scratch(bytes);
                       }});
    else if (!op.stages.empty())
      compute_chain(op, low, high, space, error, flag);
    else
      op.function(&call);
    if (times == 2) overwrite_tile(op, low, high);
  }
  worker().tasks.fetch_add(1, std::memory_order_relaxed);
  if (options_.trace) note(op, tile);
  return error.check < 0 ? nullptr : record(op, error);
}

const FailureRecord* Run::record(const Op& op, const kernel::ErrorRecord& error) {
  const std::lock_guard lock(mutex_);
  auto record = std::make_unique<FailureRecord>();
  record->check = error.check;
  record->index = error.index;
  std::memcpy(record->values, error.values, sizeof error.values);
  record->instance = retain(op.instance);
  record->family = op.family;
  failures_.push_back(std::move(record));
  return failures_.back().get();
}

void Run::note(const Op& op, std::size_t tile) {
  std::string name(op.kernel ? op.kernel->symbol : op.builtin ? op.builtin->name() : "");
  for (const OpStage& stage : op.stages) name += (name.empty() ? "" : "+") + stage.kernel->symbol;
  worker().trace.push_back(fmt::format("{}{} {}[{}]", to_text(op.instance), op.family, name, tile));
}

namespace {

// Fills the box `low … high` of the leading dimensions of an array.
void overwrite_box(const Value& value, std::byte* data,
                   const std::vector<std::pair<std::int64_t, std::int64_t>>& box) {
  std::int64_t run = byte_size(value.element);
  for (std::size_t d = box.size(); d < value.shape.size(); ++d) run *= value.shape[d];
  std::vector<std::int64_t> at;
  for (const auto& [low, high] : box) {
    if (low >= high) return;
    at.push_back(low);
  }
  while (true) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < box.size(); ++d) offset = offset * value.shape[d] + at[d];
    std::memset(data + offset * run, static_cast<int>(rubbish), static_cast<std::size_t>(run));
    std::size_t d = box.size();
    while (d > 0 && ++at[d - 1] == box[d - 1].second) {
      at[d - 1] = box[d - 1].first;
      --d;
    }
    if (d == 0) return;
  }
}

}  // namespace

void Run::overwrite_tile(const Op& op, const std::int64_t* low, const std::int64_t* high) {
  for (std::size_t k = 0; k < op.written; ++k) {
    Value& value = *op.outputs[k];
    if (value.scalar) {
      std::memset(&value.bits, static_cast<int>(rubbish),
                  static_cast<std::size_t>(byte_size(value.element)));
      continue;
    }
    if (op.layouts[k] == Layout::Opaque && op.tiles > 1) continue;
    std::vector<std::pair<std::int64_t, std::int64_t>> box;
    if (op.layouts[k] != Layout::Opaque)
      for (std::size_t d = 0; d < op.grid.size(); ++d) {
        // A unit is one element of the result, or all its iterations are.
        const bool one =
            op.layouts[k] == Layout::BlocksFirst || value.shape[d] == op.grid[d].extent;
        const std::int64_t unit = one ? 1 : op.grid[d].unit;
        box.emplace_back(low[d] * unit,
                         std::min(high[d] * unit, one ? op.grid[d].extent : op.grid[d].limit));
      }
    if (op.layouts[k] == Layout::BlocksFirst) std::rotate(box.begin(), box.end() - 1, box.end());
    overwrite_box(value, op.data(op.inputs.size() + k), box);
  }
}

std::int64_t Run::tasks_done() const {
  std::int64_t sum = 0;
  for (const auto& worker : workers_) sum += worker->tasks.load(std::memory_order_relaxed);
  return sum;
}

std::int64_t Run::tasks_moved() const {
  std::int64_t sum = 0;
  for (const auto& worker : workers_) sum += worker->moved.load(std::memory_order_relaxed);
  return sum;
}

int Run::workers_used() const {
  int used = 0;
  for (const auto& worker : workers_) used += worker->tasks.load(std::memory_order_relaxed) > 0;
  return used;
}

}  // namespace dvm::engine
