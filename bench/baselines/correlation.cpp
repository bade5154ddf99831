// correlation: columns less their means are packed once for both sides, and one half of the
// symmetric product is made.
#include <cmath>

#include "gemm.hpp"

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto x = program.array<double>("x");
  const int64_t n = x.shape[0], d = x.shape[1];
  using Kernel = bench::Tile<double>;
  constexpr int64_t kDepth = 256, kWide = Kernel::kColumns, kNarrow = Kernel::kRows;
  const int64_t panels = (d + kWide - 1) / kWide, padded = panels * kWide;
  bench::Array<double> r({d, d}), c({padded, padded}), means({padded});
  bench::Array<double> wide({2, padded * kDepth}),
      narrow({2, padded * kDepth});  // two, filled in turn
  program.result("r", r);
  std::vector<bench::Array<double>> totals;
  for (int t = 0; t < omp_get_max_threads(); ++t)
    totals.emplace_back(bench::Array<double>({padded}));
  return program.serve([&] {
#pragma omp parallel
    {
      const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
      const bench::Range rows = bench::part_of(n, thread, threads);
      double* __restrict__ total = totals[static_cast<size_t>(thread)].data();
      std::fill(total, total + padded, 0);
      for (int64_t i = rows.begin; i < rows.end; ++i) {
#pragma omp simd
        for (int64_t j = 0; j < d; ++j) total[j] += x[i * d + j];
      }
#pragma omp for schedule(static)
      for (int64_t i = 0; i < padded; ++i)
        std::fill(c.data() + i * padded, c.data() + (i + 1) * padded, 0);
#pragma omp single
      for (int64_t j = 0; j < d; ++j) {
        means[j] = 0;
        for (int t = 0; t < threads; ++t) means[j] += totals[static_cast<size_t>(t)][j];
        means[j] /= static_cast<double>(n);
      }
      // Tiles of the upper half: panel p of 24 columns beside groups of 8 rows that begin before
      // its end.
      const int64_t groups = padded / kNarrow, each = kWide / kNarrow,
                    tiles = panels * (panels + 1) / 2 * each;
      const bench::Range mine = bench::part_of(tiles, thread, threads);
      for (int64_t q = 0, chunk = 0; q < n; q += kDepth, ++chunk) {
        const int64_t depth = std::min(kDepth, n - q);
        double *right = wide.data() + chunk % 2 * padded * kDepth,
               *left = narrow.data() + chunk % 2 * padded * kDepth;
        const bench::Range part = bench::part_of(depth, thread, threads);
        for (int64_t i = part.begin; i < part.end; ++i) {
          const double* row = x.data() + (q + i) * d;
          for (int64_t p = 0; p < panels; ++p)
            for (int64_t j = 0, width = std::min(kWide, d - p * kWide); j < width; ++j)
              right[(p * depth + i) * kWide + j] = row[p * kWide + j] - means[p * kWide + j];
          for (int64_t g = 0; g < groups; ++g)
            for (int64_t j = 0, width = std::min(kNarrow, d - g * kNarrow); j < width; ++j)
              left[(g * depth + i) * kNarrow + j] = row[g * kNarrow + j] - means[g * kNarrow + j];
        }
#pragma omp barrier
        int64_t tile = 0;
        for (int64_t p = 0; p < panels; ++p)
          for (int64_t g = 0; g < (p + 1) * each; ++g, ++tile)
            if (tile >= mine.begin && tile < mine.end)
              Kernel::add_product(depth, left + g * depth * kNarrow, right + p * depth * kWide,
                                  c.data() + g * kNarrow * padded + p * kWide, padded);
      }
#pragma omp barrier
#pragma omp for schedule(static)
      for (int64_t a = 0; a < d; ++a)
        for (int64_t b = 0; b < d; ++b) {
          const double scale = std::sqrt(c[a * padded + a]) * std::sqrt(c[b * padded + b]);
          r[a * d + b] = scale > 0 ? c[std::min(a, b) * padded + std::max(a, b)] / scale : 0;
        }
    }
  });
}
