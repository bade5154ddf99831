// Tables of alignments: 64 rows at a time as one long vector that runs along the other sequence,
// each lane one column behind the lane above it, so that a step needs only the two vectors before
// it. Threads take bands of rows in turn and follow each other along the columns.
#pragma once

#include <omp.h>

#include <atomic>

#include "baseline.hpp"
#include "vector_math.hpp"
#include "waiting.hpp"

namespace bench {

using Cells = Vector<int32_t>;
inline constexpr int kVectorsInBand = 4, kBand = kVectorsInBand * 16;

#ifdef __AVX512F__
inline Cells least(Cells a, Cells b) { return (Cells)_mm512_min_epi32((__m512i)a, (__m512i)b); }
inline Cells most(Cells a, Cells b) { return (Cells)_mm512_max_epi32((__m512i)a, (__m512i)b); }
/// b's last lane, then a's lanes but the last.
inline Cells shifted(Cells a, Cells b) {
  return (Cells)_mm512_alignr_epi32((__m512i)a, (__m512i)b, 15);
}
#else
inline Cells least(Cells a, Cells b) { return a < b ? a : b; }
inline Cells most(Cells a, Cells b) { return a > b ? a : b; }
inline Cells shifted(Cells a, Cells b) {
  return __builtin_shuffle(b, a,
                           Cells{15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30});
}
#endif

/// Fills the table of sequences a (down, n) and b (across, m). `first(i)` is the value of row i in
/// column 0 (and of column i in row 0); cell(diagonal, above, left, same) makes a vector of cells,
/// `same` being -1 where the letters are equal. Cells beyond n or m see letters that are never
/// equal. `seen(cells, row, column)` looks at each vector: lane r is the cell (row + r, column -
/// r), not always inside.
template <class First, class Cell, class Seen>
class EditTable {
 public:
  EditTable(const Array<int32_t>& a, const Array<int32_t>& b, First first, Cell cell)
      : n_(a.size()),
        m_(b.size()),
        first_(first),
        cell_(cell),
        bands_((n_ + kBand - 1) / kBand),
        down_({bands_ * kBand}),
        across_({m_ + 2 * kBand}),
        row_({m_ + 2 + 2 * kBand}),
        progress_(static_cast<size_t>(bands_) + 1) {
    for (int64_t i = 0; i < down_.size(); ++i) down_[i] = i < n_ ? a[i] : -1;
    for (int64_t j = 0; j < across_.size(); ++j) across_[j] = -2;
    for (int64_t j = 0; j < m_; ++j) across_[kBand + m_ - 1 - j] = b[j];  // backwards
  }

  /// On the threads of the parallel region around it.
  void fill(Seen& seen) {
#pragma omp barrier
#pragma omp single
    {
      for (int64_t j = 0; j <= m_; ++j) row_[j] = first_(static_cast<int32_t>(j));
      for (auto& done : progress_) done.value.store(0, std::memory_order_relaxed);
      progress_[0].value.store(m_ + 2 * kBand, std::memory_order_relaxed);
    }
    for (int64_t band = omp_get_thread_num(); band < bands_; band += omp_get_num_threads())
      run(band, seen);
  }

 private:
  struct alignas(64) Progress {
    std::atomic<int64_t> value;
  };
  static constexpr int64_t kStride = 512;  // columns between two looks at the other thread

  void run(int64_t band, Seen& seen) {
    const int64_t top = band * kBand, end = m_ + kBand - 1;
    Cells letters[kVectorsInBand], last[kVectorsInBand], diagonal[kVectorsInBand],
        edge[kVectorsInBand];
    for (int v = 0; v < kVectorsInBand; ++v)
      for (int lane = 0; lane < 16; ++lane) {
        const int64_t r = v * 16 + lane;
        letters[v][lane] = down_[top + r];
        edge[v][lane] = last[v][lane] = first_(static_cast<int32_t>(top + r + 1));
        diagonal[v][lane] = first_(static_cast<int32_t>(top + r));
      }
    auto& above = progress_[static_cast<size_t>(band)].value;
    auto& mine = progress_[static_cast<size_t>(band) + 1].value;
    int64_t t = 0;
    for (; t < kBand && t < end;
         ++t) {  // lanes come in one by one; those still in column 0 keep its values
      if (t % kStride == 0) wait_until(above, std::min(t + kStride, m_) + 1);
      step(t, top, letters, last, diagonal, seen);
      for (int v = 0; v < kVectorsInBand; ++v)
        for (int lane = 0; lane < 16; ++lane)
          if (v * 16 + lane > t) last[v][lane] = edge[v][lane];
    }
    row_[0] = first_(static_cast<int32_t>(top + kBand));
    while (t < end) {
      const int64_t stop = std::min(end, t + kStride);
      wait_until(above, std::min(stop, m_) + 1);
      for (; t < stop; ++t) {
        step(t, top, letters, last, diagonal, seen);
        row_[t - kBand + 2] = last[kVectorsInBand - 1][15];
      }
      mine.store(t - kBand + 2, std::memory_order_release);
    }
    if (end <= kBand) row_[m_] = last[kVectorsInBand - 1][15];
    mine.store(m_ + 2 * kBand, std::memory_order_release);
  }

  /// Lane r gets column t - r + 1 of its row.
  void step(int64_t t, int64_t top, const Cells (&letters)[kVectorsInBand],
            Cells (&last)[kVectorsInBand], Cells (&diagonal)[kVectorsInBand], Seen& seen) {
    const int32_t* facing = across_.data() + kBand + m_ - 1 - t;
    Cells before = all(row_[t + 1]);
#pragma GCC unroll 4
    for (int v = 0; v < kVectorsInBand; ++v) {
      const Cells up = shifted(last[v], before), same = letters[v] == load(facing + v * 16);
      before = last[v];
      last[v] = cell_(diagonal[v], up, last[v], same);
      diagonal[v] = up;
    }
    seen(last, top + 1, t + 1);
  }

  int64_t n_, m_;
  First first_;
  Cell cell_;
  int64_t bands_;
  Array<int32_t> down_, across_, row_;
  std::vector<Progress> progress_;
};

}  // namespace bench
