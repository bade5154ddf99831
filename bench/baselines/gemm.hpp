// Matrix products as GotoBLAS does them: both sides packed, a tile of 8 rows by 3 vectors in
// registers. (Goto and van de Geijn 2008, "Anatomy of high-performance matrix multiplication".)
#pragma once

#include <omp.h>

#include <algorithm>

#include "baseline.hpp"
#include "vector_math.hpp"

namespace bench {

template <class T>
struct Tile {
  static constexpr int kRows = 8, kVectors = 3, kColumns = kVectors * kLanes<T>;
  static constexpr int64_t kDepth = 256, kBlockRows = 128;

  /// c += (`a`: depth columns of kRows elements) times (`b`: depth rows of kColumns elements),
  /// kRows by kColumns.
  static void add_product(int64_t depth, const T* __restrict__ a, const T* __restrict__ b,
                          T* __restrict__ c, int64_t stride) {
    Vector<T> sums[kRows][kVectors] = {};
    for (int64_t q = 0; q < depth; ++q, a += kRows, b += kColumns) {
      Vector<T> right[kVectors];
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v) right[v] = load(b + v * kLanes<T>);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        const Vector<T> left = all(a[r]);
#pragma GCC unroll 3
        for (int v = 0; v < kVectors; ++v) sums[r][v] = fma(left, right[v], sums[r][v]);
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v) {
        T* at = c + r * stride + v * kLanes<T>;
        store(at, load<T>(at) + sums[r][v]);
      }
  }

  /// The same where only `rows` by `columns` of the tile lie in c.
  static void add_part(int64_t depth, const T* a, const T* b, T* c, int64_t stride, int64_t rows,
                       int64_t columns) {
    if (rows == kRows && columns == kColumns) return add_product(depth, a, b, c, stride);
    alignas(64) T whole[kRows * kColumns] = {};
    add_product(depth, a, b, whole, kColumns);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t j = 0; j < columns; ++j) c[r * stride + j] += whole[r * kColumns + j];
  }
};

/// Panels of `width` columns of b (depth rows), the last one filled up with zeros.
template <class T>
void pack_columns(const T* b, int64_t stride, int64_t depth, int64_t columns, int64_t width,
                  T* to) {
  for (int64_t q = 0; q < depth; ++q) {
    std::copy(b + q * stride, b + q * stride + columns, to + q * width);
    std::fill(to + q * width + columns, to + (q + 1) * width, T{});
  }
}

/// A panel of rows of a (`depth` columns), column by column.
template <class T>
void pack_rows(const T* a, int64_t stride, int64_t rows, int64_t depth, T* to) {
  constexpr int kRows = Tile<T>::kRows;
  if (rows < kRows) std::fill(to, to + depth * kRows, T{});
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t q = 0; q < depth; ++q) to[q * kRows + r] = a[r * stride + q];
}

/// c = a b for row-major matrices (n × k, k × m) on all threads. Keeps its packing space between
/// calls.
template <class T>
class Gemm {
 public:
  using Kernel = Tile<T>;
  Gemm(int64_t n, int64_t k, int64_t m)
      : n_(n),
        k_(k),
        m_(m),
        panels_((m + Kernel::kColumns - 1) / Kernel::kColumns),
        right_({Kernel::kDepth * panels_ * Kernel::kColumns}) {
    for (int t = 0; t < omp_get_max_threads(); ++t)
      left_.emplace_back(Array<T>({Kernel::kBlockRows * Kernel::kDepth}));
  }

  void operator()(const T* a, const T* b, T* c) {
#pragma omp parallel
    {
      const int threads = omp_get_num_threads();
      const int64_t groups = (n_ + Kernel::kRows - 1) / Kernel::kRows;
      const Range mine = part_of(groups, omp_get_thread_num(), threads);
      const int64_t first = mine.begin * Kernel::kRows,
                    last = std::min(n_, mine.end * Kernel::kRows);
      std::fill(c + first * m_, c + std::max(first, last) * m_, T{});
      T* left = left_[static_cast<size_t>(omp_get_thread_num())].data();
      for (int64_t q = 0; q < k_; q += Kernel::kDepth) {
        const int64_t depth = std::min(Kernel::kDepth, k_ - q);
#pragma omp barrier
#pragma omp for schedule(static)
        for (int64_t p = 0; p < panels_; ++p) {
          const int64_t column = p * Kernel::kColumns;
          pack_columns(b + q * m_ + column, m_, depth,
                       std::min<int64_t>(Kernel::kColumns, m_ - column), Kernel::kColumns,
                       right_.data() + p * depth * Kernel::kColumns);
        }
        for (int64_t i = first; i < last; i += Kernel::kBlockRows)
          block(a + i * k_ + q, c + i * m_, std::min(Kernel::kBlockRows, last - i), depth, left);
      }
    }
  }

 private:
  void block(const T* a, T* c, int64_t rows, int64_t depth, T* left) {
    for (int64_t r = 0; r < rows; r += Kernel::kRows)
      pack_rows(a + r * k_, k_, std::min<int64_t>(Kernel::kRows, rows - r), depth,
                left + r * depth);
    for (int64_t p = 0; p < panels_; ++p) {
      const int64_t column = p * Kernel::kColumns;
      for (int64_t r = 0; r < rows; r += Kernel::kRows)
        Kernel::add_part(depth, left + r * depth, right_.data() + p * depth * Kernel::kColumns,
                         c + r * m_ + column, m_, std::min<int64_t>(Kernel::kRows, rows - r),
                         std::min<int64_t>(Kernel::kColumns, m_ - column));
    }
  }

  int64_t n_, k_, m_, panels_;
  Array<T> right_;
  std::vector<Array<T>> left_;
};

}  // namespace bench
