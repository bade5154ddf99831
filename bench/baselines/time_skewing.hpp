// Several sweeps of a stencil over the rows of a grid in one walk through memory: sweep t runs one
// row behind sweep t-1, so that only four rows of each sweep in between exist and stay in the
// cache. (Wolf and Lam 1991, "A data locality optimizing algorithm": skewing the time loop.)
#pragma once

#include <omp.h>

#include <algorithm>

#include "baseline.hpp"

namespace bench {

/// What stands beyond the first and last row: the edge row itself, the other end of the grid, or
/// zeros.
enum class Edge { kOwn, kWrap, kZero };

struct Grid {
  int64_t rows, row_size;
  Edge edge;
};

/// Elements of the working space of a thread for walks of at most `levels` sweeps. It starts out as
/// zeros.
inline int64_t ring_size(const Grid& grid, int levels) { return (4 * levels + 1) * grid.row_size; }

/// Does `levels` sweeps for the rows `mine`: from `from` to `to`. row(out, above, here, below, i,
/// level) makes row i of sweep `level`, counted from 1. `ring` is the thread's own, of ring_size
/// for `most` levels. Rows that both neighbours need near a border of `mine` are made twice.
template <class T, class Row>
void skewed_sweeps(const T* from, T* to, const Grid& grid, int levels, Range mine, T* ring,
                   int most, const Row& row) {
  const int64_t rows = grid.rows, size = grid.row_size;
  const auto kept = [&](int level, int64_t i) { return ring + ((level - 1) * 4 + (i & 3)) * size; };
  const auto at = [&](int level, int64_t i) -> const T* {
    if (i < 0 || i >= rows) {
      if (grid.edge == Edge::kZero) return ring + 4 * most * size;
      if (grid.edge == Edge::kOwn) i = i < 0 ? 0 : rows - 1;
    }
    return level == 0 ? from + (i + rows) % rows * size : kept(level, i);
  };
  for (int64_t lead = mine.begin - levels + 1; lead < mine.end + levels - 1; ++lead) {
    for (int level = 1; level <= levels; ++level) {
      const int64_t i = lead - (level - 1), beyond = levels - level;
      if (i < mine.begin - beyond || i >= mine.end + beyond) continue;
      if (grid.edge != Edge::kWrap && (i < 0 || i >= rows)) continue;
      T* out = level == levels ? to + i * size : kept(level, i);
      row(out, at(level - 1, i - 1), at(level - 1, i), at(level - 1, i + 1), i, level);
    }
  }
}

/// All `steps` sweeps on the threads of the parallel region around it, at most `levels` in one
/// walk. Walks write to `odd` and `even` in turn, `odd` first; returns the one that was written
/// last (`start` if there are no steps).
template <class T, class Row>
const T* sweep_on_team(const T* start, T* odd, T* even, const Grid& grid, int64_t steps, int levels,
                       T* ring, const Row& row) {
  const Range mine = part_of(grid.rows, omp_get_thread_num(), omp_get_num_threads());
  const int64_t walks = (steps + levels - 1) / levels;
  const T* from = start;
  for (int64_t walk = 0; walk < walks; ++walk) {
    T* to = walk % 2 == 0 ? odd : even;
    const auto now = static_cast<int>(steps * (walk + 1) / walks - steps * walk / walks);
    skewed_sweeps(from, to, grid, now, mine, ring, levels, row);
    from = to;
#pragma omp barrier
  }
  return from;
}

/// A ring for each thread.
template <class T>
std::vector<Array<T>> rings(const Grid& grid, int levels) {
  std::vector<Array<T>> made;
  for (int t = 0; t < omp_get_max_threads(); ++t)
    made.emplace_back(Array<T>({ring_size(grid, levels)}));
  return made;
}

/// The whole program of an iterated stencil: `steps` sweeps from `start` to `result`.
template <class T, class Row>
void sweep_all(const T* start, T* result, T* spare, const Grid& grid, int64_t steps, int levels,
               std::vector<Array<T>>& rings, const Row& row) {
  if (steps == 0) std::copy(start, start + grid.rows * grid.row_size, result);
  const bool last_is_odd = (steps + levels - 1) / levels % 2 == 1;
#pragma omp parallel
  sweep_on_team(start, last_is_odd ? result : spare, last_is_odd ? spare : result, grid, steps,
                levels, rings[static_cast<size_t>(omp_get_thread_num())].data(), row);
}

}  // namespace bench
