// The grain rule. See grain.hpp.
#include "ir/task/grain.hpp"

#include <algorithm>
#include <cmath>

namespace dvm::task {

namespace {

constexpr std::int64_t most_tasks = 1 << 16;  // of one family: bounds bookkeeping
constexpr std::int64_t vector_multiple = 64;  // inner tiles end at whole vectors
// Tiles of a product of matrices, nearly square, the best first: an element of an operand is loaded
// and packed once for each tile of the other operand's dimension.
struct Square {
  std::int64_t rows, columns;
};
constexpr Square squares[] = {{256, 240}, {192, 192}, {128, 144}, {96, 96}, {64, 96}, {64, 48}};
// What whole register tiles divide.
constexpr std::int64_t reuse_rows = 16, reuse_columns = 48;
// Register tiles are so many times faster than the estimate, which counts loads for each term.
constexpr double reuse_speed = 8;

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
std::int64_t round_up(std::int64_t a, std::int64_t b) { return divide_up(a, b) * b; }

// The best square that gives enough tasks; where the estimate wants fewer tasks than there are
// squares, several matrices, then rows, go into one.
void reuse_tiles(std::span<const std::int64_t> space, std::int64_t tasks, std::int64_t least_tasks,
                 std::int64_t repeats, std::vector<std::int64_t>& tile) {
  const std::size_t rank = space.size();
  const std::int64_t rows = space[rank - 2], columns = space[rank - 1];
  std::int64_t outer = repeats;
  for (std::size_t d = 0; d + 2 < rank; ++d) outer *= space[d];
  const std::int64_t enough = std::min(tasks, least_tasks);
  std::int64_t row_tiles = 1, column_tiles = 1, count = 1;
  for (const Square& square : squares) {
    row_tiles = divide_up(rows, square.rows);
    column_tiles = divide_up(columns, square.columns);
    count = outer * row_tiles * column_tiles;
    if (count >= enough) break;
  }
  std::int64_t together = std::max<std::int64_t>(1, count / std::max(tasks, least_tasks));
  for (std::size_t d = rank - 2; d-- > 0;) {
    tile[d] = std::min(space[d], together);
    together /= tile[d];
  }
  row_tiles = divide_up(row_tiles, together);
  tile[rank - 2] = std::min(rows, round_up(divide_up(rows, row_tiles), reuse_rows));
  tile[rank - 1] = std::min(columns, round_up(divide_up(columns, column_tiles), reuse_columns));
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
  const bool squares = reuses && space.size() >= 2;
  const double seconds = points * cost * static_cast<double>(repeats);
  const std::int64_t tasks = wanted_tasks(grain, squares ? seconds / reuse_speed : seconds);
  if (tasks == 1) return tile;
  if (squares) {
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
