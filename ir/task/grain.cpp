// The grain rule. See grain.hpp.
#include "ir/task/grain.hpp"

#include <algorithm>
#include <cmath>

namespace dvm::task {

namespace {

constexpr std::int64_t most_tasks = 1 << 16;  // of one family: bounds bookkeeping
constexpr std::int64_t vector_multiple = 64;  // inner tiles end at whole vectors
constexpr std::int64_t reuse_columns = 256;   // a row of register tiles that stays in cache
constexpr std::int64_t reuse_rows = 16;
constexpr std::int64_t enough_rows = 64;  // fewer read the columns' operand too often from memory

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
std::int64_t round_up(std::int64_t a, std::int64_t b) { return divide_up(a, b) * b; }

// Rows of whole register tiles by reuse_columns columns, as many rows as the grain wants.
void reuse_tiles(std::span<const std::int64_t> space, std::int64_t tasks, std::int64_t least_tasks,
                 std::int64_t repeats, std::vector<std::int64_t>& tile) {
  const std::size_t last = space.size() - 1;
  const std::int64_t columns = std::min(space[last], reuse_columns);
  std::int64_t panels = divide_up(space[last], columns);
  for (std::size_t d = 1; d < last; ++d) panels = std::min(panels * space[d], most_tasks);
  panels = std::min(panels * repeats, most_tasks);
  const std::int64_t most_row_tiles =
      std::max(divide_up(space[0], enough_rows), divide_up(least_tasks, panels));
  const std::int64_t row_tiles =
      std::clamp<std::int64_t>(divide_up(tasks, panels), 1, most_row_tiles);
  tile[0] = std::min(space[0], round_up(divide_up(space[0], row_tiles), reuse_rows));
  for (std::size_t d = 1; d < last; ++d) tile[d] = 1;
  tile[last] = columns;
  // A whole row of panels in one task where the rows alone give enough tasks.
  if (repeats * divide_up(space[0], tile[0]) >= tasks && last == 1) tile[last] = space[last];
}

}  // namespace

std::int64_t wanted_tasks(const Grain& grain, double seconds) {
  const double by_grain = std::ceil(seconds / grain.task_seconds);
  const double by_workers =
      std::min(4.0 * grain.workers, std::floor(seconds / grain.least_seconds));
  const double wanted = std::max({1.0, by_grain, by_workers});
  return static_cast<std::int64_t>(std::min(wanted, static_cast<double>(most_tasks)));
}

std::vector<std::int64_t> tile_extents(const Grain& grain, std::span<const std::int64_t> space,
                                       double cost, bool reuses, std::int64_t repeats) {
  std::vector<std::int64_t> tile(space.begin(), space.end());
  double points = 1;
  for (std::int64_t extent : space) points *= static_cast<double>(extent);
  for (std::int64_t& extent : tile) extent = std::max<std::int64_t>(extent, 1);
  if (space.empty() || points == 0) return tile;
  const std::int64_t tasks = wanted_tasks(grain, points * cost * static_cast<double>(repeats));
  if (tasks == 1) return tile;
  if (reuses && space.size() >= 2) {
    reuse_tiles(space, tasks, std::int64_t{4} * grain.workers, repeats, tile);
    return tile;
  }
  std::int64_t left = divide_up(tasks, repeats);
  for (std::size_t d = 0; d < space.size() && left > 1; ++d) {
    const std::int64_t pieces = std::min(left, space[d]);
    tile[d] = divide_up(space[d], pieces);
    const bool innermost = d + 1 == space.size();
    if (innermost && (reuses || tile[d] >= 8 * vector_multiple))
      tile[d] = std::min(space[d], round_up(tile[d], vector_multiple));
    if (space[d] >= left) break;
    left = divide_up(left, space[d]);
  }
  return tile;
}

}  // namespace dvm::task
