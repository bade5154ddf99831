// Loops over time that stay inside one parallel region: sums over all threads, and walks that make
// the rows of a grid and use them with their neighbours at once.
#pragma once

#include <omp.h>

#include <vector>

#include "baseline.hpp"

namespace bench {

/// Each thread adds its part; sum() is a barrier after which every thread has the same total.
class TeamSum {
 public:
  explicit TeamSum(int values) : values_(values) {
    for (int side = 0; side < 2; ++side)
      parts_[side] = Array<double>({omp_get_max_threads() * kStride});
    if (values > kStride) fail("too many sums");
  }

  /// Adds up `mine` (as many numbers as said above) in the order of threads, in place. `turn` is
  /// the thread's own count of calls: two sets of numbers in turn, so that nobody overwrites what a
  /// slower thread still reads.
  void sum(int& turn, double* mine) {
    const int side = turn++ % 2;
    double* parts = parts_[side].data();
    for (int v = 0; v < values_; ++v) parts[omp_get_thread_num() * kStride + v] = mine[v];
#pragma omp barrier
    for (int v = 0; v < values_; ++v) {
      mine[v] = 0;
      for (int t = 0; t < omp_get_num_threads(); ++t) mine[v] += parts[t * kStride + v];
    }
  }

 private:
  static constexpr int kStride = 16;  // two cache lines a thread
  int values_;
  Array<double> parts_[2];
};

/// make(i) for all rows `mine`, and use(i) for each once the rows beside it are made, by whichever
/// thread. While one is in the cache the other reads it; only the rows at the borders wait for the
/// other threads.
template <class Make, class Use>
void make_and_use(Range mine, const Make& make, const Use& use) {
  for (int64_t i = mine.begin; i < mine.end; ++i) {
    make(i);
    if (i - 1 > mine.begin) use(i - 1);
  }
#pragma omp barrier
  if (mine.begin < mine.end) use(mine.begin);
  if (mine.begin < mine.end - 1) use(mine.end - 1);
}

/// Calls use(j, above, here, below, left, right) for the points of a row and adds up what it gives;
/// zeros left and right of the row.
template <class Use>
double along_row(const double* above, const double* here, const double* below, int64_t m,
                 const Use& use) {
  if (m == 1) return use(0, above[0], here[0], below[0], 0.0, 0.0);
  double sum = use(0, above[0], here[0], below[0], 0.0, here[1]);
#pragma omp simd reduction(+ : sum)
  for (int64_t j = 1; j < m - 1; ++j)
    sum += use(j, above[j], here[j], below[j], here[j - 1], here[j + 1]);
  return sum + use(m - 1, above[m - 1], here[m - 1], below[m - 1], here[m - 2], 0.0);
}

}  // namespace bench
