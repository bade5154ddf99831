// The local engine: expands a task program into tasks and runs them on this machine's cores.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/package/loaded.hpp"
#include "ir/base/result.hpp"
#include "ir/graph/interpret.hpp"
#include "ir/type/tensor.hpp"

namespace dvm::engine {

class Pool;

struct EngineOptions {
  int workers = 0;  // threads that run tasks, the caller's included; 0: one per core
  std::size_t memory_bytes =
      0;  // limit of arrays and bookkeeping; 0: nine tenths of the machine's memory
};

struct Progress {
  double seconds = 0;
  std::int64_t tasks = 0;
};

struct RunOptions {
  const std::atomic<std::int32_t>* cancel =
      nullptr;  // non-zero: stop soon; the run ends with `cancelled`
  std::function<void(const Progress&)>
      progress;               // called from another thread, a few times a second
  double progress_after = 2;  // seconds
  std::int64_t deepest_call = 1'000'000;
  // For tests. recompute: every finished tile is overwritten and computed again before anyone reads
  // it.
  bool recompute = false;
  std::vector<std::string>* trace =
      nullptr;  // receives one line per task: path, kernel, tile; sorted
};

struct RunStats {
  double seconds = 0;
  std::int64_t tasks = 0;
  std::int64_t moved = 0;  // tasks run by another worker than the one that made them ready
  int workers = 0;         // threads that ran at least one task
  std::size_t peak_bytes = 0;
};

// Runs programs one after the other, keeping threads and memory. Not for use from two threads at
// once.
class Engine {
 public:
  explicit Engine(const EngineOptions& options = {});
  ~Engine();
  int workers() const { return workers_; }

  // `args`: size params, then inputs, of the entry's types (`solve_sizes` has checked them). Inputs
  // are borrowed, not copied. The error has no check for limits and cancellation.
  Result<std::vector<Tensor>, graph::RunError> run(const package::Loaded& program,
                                                   std::span<const Tensor> args,
                                                   const RunOptions& options = {},
                                                   RunStats* stats = nullptr);

 private:
  int workers_;
  std::size_t memory_bytes_;
  std::shared_ptr<Pool> pool_;
};

inline constexpr std::string_view cancelled_message = "cancelled";

}  // namespace dvm::engine
