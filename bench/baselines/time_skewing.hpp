// Several sweeps of a stencil over the rows of a grid in one walk through memory: sweep t runs one
// row behind sweep t-1, so that only four rows of each sweep in between exist and stay in the
// cache. (Wolf and Lam 1991, "A data locality optimizing algorithm": skewing the time loop.)
#pragma once

#include <omp.h>

#include <algorithm>

#include "baseline.hpp"

namespace bench {

enum class Edge { kOwn, kWrap };

/// Does `levels` sweeps for the rows `mine` of `rows` rows with `row_size` elements: from `from` to
/// `to`. `row(out, above, here, below, i)` makes row i; with Edge::kOwn the row beyond an edge is
/// the edge row itself. `ring` holds 4 levels row_size elements. Rows that both neighbours need
/// near a border of `mine` are made twice.
template <class T, class Row>
void skewed_sweeps(const T* from, T* to, int64_t rows, int64_t row_size, int levels, Range mine,
                   Edge edge, T* ring, const Row& row) {
  const auto at = [&](int level, int64_t i) {
    if (edge == Edge::kOwn) i = std::clamp<int64_t>(i, 0, rows - 1);
    if (level == 0) return from + ((i + rows) % rows) * row_size;
    return static_cast<const T*>(ring) + ((level - 1) * 4 + (i & 3)) * row_size;
  };
  for (int64_t lead = mine.begin - levels + 1; lead < mine.end + levels - 1; ++lead) {
    for (int level = 1; level <= levels; ++level) {
      const int64_t i = lead - (level - 1), beyond = levels - level;
      if (i < mine.begin - beyond || i >= mine.end + beyond) continue;
      if (edge == Edge::kOwn && (i < 0 || i >= rows)) continue;
      T* out = level == levels ? to + i * row_size : ring + ((level - 1) * 4 + (i & 3)) * row_size;
      row(out, at(level - 1, i - 1), at(level - 1, i), at(level - 1, i + 1), i);
    }
  }
}

/// All `steps` sweeps on all threads, at most `levels` in one walk; `result` and `spare` hold the
/// grid.
template <class T, class Row>
void sweep_all(const T* start, T* result, T* spare, int64_t rows, int64_t row_size, int64_t steps,
               int levels, Edge edge, const Row& row) {
  if (steps == 0) std::copy(start, start + rows * row_size, result);
  const int64_t walks = (steps + levels - 1) / levels;
#pragma omp parallel
  {
    const Range mine = part_of(rows, omp_get_thread_num(), omp_get_num_threads());
    static thread_local Array<T> ring;
    if (ring.shape != std::vector<int64_t>{4 * levels * row_size})
      ring = Array<T>({4 * levels * row_size});
    const T* from = start;
    for (int64_t walk = 0; walk < walks; ++walk) {
      T* to = (walks - walk) % 2 == 1 ? result : spare;
      const auto now = static_cast<int>(steps * (walk + 1) / walks - steps * walk / walks);
      skewed_sweeps(from, to, rows, row_size, now, mine, edge, ring.data(), row);
      from = to;
#pragma omp barrier
    }
  }
}

}  // namespace bench
