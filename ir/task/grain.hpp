// How large tasks are: a plain rule on sizes, estimated time and the machine file. The number of
// workers of a run never enters, so that the plan, and with it every task id, is the same for all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dvm::task {

struct Grain {
  int workers = 1;               // of the machine file
  double task_seconds = 100e-6;  // what a task should take
  double least_seconds = 20e-6;  // below this splitting costs more than it gives
  double cache_bytes = 16e6;     // shared by the workers of a node
  double tile_bytes = 1e6;       // what the stages of a chain may hand on in one task
  bool operator==(const Grain&) const = default;
};

// Tiles for a space: the tile's extent in each dimension, at least 1. `cost` is the seconds of one
// point. Tasks take about task_seconds; long families are cut into at least four tasks a worker.
// Dimension 0 is cut first (rows stay contiguous), the next ones only when it is short. `reuses`:
// points of the last dimension go side by side, so it is cut at whole vectors; with two dimensions
// or more, the last two are cut into squares of whole register tiles, because each operand is then
// read fewer times, and the others point by point where squares alone give enough tasks. `repeats`:
// the space is run that many times, as tasks of their own (blocks of a reduction).
std::vector<std::int64_t> tile_extents(const Grain& grain, std::span<const std::int64_t> space,
                                       double cost, bool reuses, std::int64_t repeats = 1);

// How many tasks the rule wants for `seconds` of work.
std::int64_t wanted_tasks(const Grain& grain, double seconds);

}  // namespace dvm::task
