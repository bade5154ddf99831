// What a cost model must know of a machine. All figures in SI units.
#pragma once

#include <string>
#include <string_view>

#include "ir/base/result.hpp"

namespace dvm::passes {

struct Machine {
  std::string name = "laptop";
  int workers = 8;
  // One worker, double precision, vectors in use: simple operations (add, multiply) a second.
  double flops_per_second = 8e9;
  // One worker, while all are streaming.
  double bytes_per_second = 5e9;
  // Cache a worker has for itself, and all share.
  double cache_bytes = 1e6;
  double shared_cache_bytes = 16e6;
  // From a task's becoming ready to its first instruction.
  double dispatch_seconds = 0.5e-6;
  // How long a task should run, so that dispatching does not show and there is enough to balance.
  double task_seconds = 100e-6;
  // One way, between nodes; a single node has no network.
  int nodes = 1;
  double network_seconds = 0;
  double network_bytes_per_second = 0;
  double memory_bytes = 8e9;  // of a node

  bool operator==(const Machine&) const = default;
};

// `key = value` lines with the names above, `#` comments; what is not given keeps the value of
// `laptop`. The error names the line.
Result<Machine, std::string> parse_machine(std::string_view text);
// Reads back to the same machine.
std::string print_machine(const Machine& machine);
// A built-in machine (`laptop`), else a file.
Result<Machine, std::string> load_machine(const std::string& name_or_path);

}  // namespace dvm::passes
