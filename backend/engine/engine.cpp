// The engine's face: threads, memory, progress, results.
#include "backend/engine/engine.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>
#include <unordered_map>

#include "backend/engine/run.hpp"

namespace dvm::engine {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::size_t machine_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0
             ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(size) / 10 * 9
             : std::size_t{1} << 33;
}

// Calls back now and then from a thread of its own until destroyed.
class Ticker {
 public:
  Ticker(const RunOptions& options, const Run& run, Clock::time_point start) {
    if (!options.progress) return;
    thread_ = std::thread([this, &options, &run, start] {
      std::unique_lock lock(mutex_);
      auto next = start + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(options.progress_after));
      while (!done_.wait_until(lock, next, [this] { return ended_; })) {
        options.progress({seconds_since(start), run.tasks_done()});
        next = Clock::now() + std::chrono::milliseconds(250);
      }
    });
  }
  ~Ticker() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    done_.notify_all();
    thread_.join();
  }

 private:
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable done_;
  bool ended_ = false;
};

}  // namespace

Engine::Engine(const EngineOptions& options)
    : workers_(options.workers > 0
                   ? options.workers
                   : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))),
      memory_bytes_(options.memory_bytes ? options.memory_bytes : machine_memory()),
      pool_(std::make_shared<Pool>(memory_bytes_)) {}

Engine::~Engine() = default;

Result<std::vector<Tensor>, graph::RunError> Engine::run(const package::Loaded& program,
                                                         std::span<const Tensor> args,
                                                         const RunOptions& options,
                                                         RunStats* stats) {
  const auto start = Clock::now();
  try {
    // An arena alone gets no more threads than the machine has cores: the limit must allow them.
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(std::max(workers_, 1)));
    tbb::task_arena arena(workers_);
    const ProgramFacts facts = facts_of(program.program);
    pool_->reset_peak();
    Run run(program, facts, options, *pool_, workers_, memory_bytes_);
    {
      const Ticker ticker(options, run, start);
      arena.execute([&] {
        run.start(args);
        run.wait();
      });
    }
    auto result = run.finish(pool_);
    if (stats)
      *stats = {seconds_since(start), run.tasks_done(), run.tasks_moved(), run.workers_used(),
                pool_->peak()};
    return result;
  } catch (const std::bad_alloc&) {
    graph::RunError error;
    error.message = "not enough memory";
    return Failure{std::move(error)};
  }
}

Result<std::vector<Tensor>, graph::RunError> Run::finish(const std::shared_ptr<Pool>& pool) {
  const auto limit = [](std::string message) {
    graph::RunError error;
    error.message = std::move(message);
    return Failure{std::move(error)};
  };
  const std::lock_guard lock(mutex_);
  if (aborted_.load()) return Failure{abort_error_};
  if (stopped()) return limit(std::string(cancelled_message));
  if (options_.trace) {
    for (const auto& worker : workers_)
      options_.trace->insert(options_.trace->end(), worker->trace.begin(), worker->trace.end());
    std::sort(options_.trace->begin(), options_.trace->end());
  }
  const FailureRecord* failure = nullptr;
  for (const Value* value : results_) {
    if (!value->is_complete()) return limit("the engine lost a task: this is a bug in dvmc");
    failure = earlier(failure, value->failure);
  }
  if (failure) return Failure{error_of(*failure)};
  std::vector<Tensor> tensors;
  std::unordered_map<Storage*, std::shared_ptr<std::byte>> taken;
  for (Value* value : results_) {
    if (value->scalar) {
      tensors.push_back(Tensor::of_scalar(Scalar::load(value->element, &value->bits)));
      continue;
    }
    Storage& storage = *value->storage;
    std::shared_ptr<std::byte>& data = taken[&storage];
    if (!data && storage.borrowed) data = storage.borrowed;
    if (!data) {
      const std::lock_guard storage_lock(storage_mutex_);
      if (!ensure(*value)) return Failure{abort_error_};
      std::byte* block = storage.data.exchange(nullptr);
      data = std::shared_ptr<std::byte>(
          block, [pool, bytes = storage.bytes](std::byte* p) { pool->release(p, bytes); });
    }
    tensors.push_back({value->element, value->shape, data});
  }
  return tensors;
}

}  // namespace dvm::engine
