// heat_3d: a few steps in one walk through the planes of the box.
#include "time_skewing.hpp"
#include "vector_math.hpp"

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto u0 = program.array<double>("u0");
  const auto r = program.scalar<double>("r");
  const auto steps = program.scalar<int64_t>("steps");
  const int64_t n = u0.shape[0], m = u0.shape[1], p = u0.shape[2];
  bench::Array<double> u({n, m, p}), spare({n, m, p});
  program.result("u", u);
  const auto plane = [&](double* __restrict__ out, const double* above, const double* here,
                         const double* below, int64_t, int) {
    for (int64_t j = 0; j < m; ++j) {
      const double *row = here + j * p, *north = j > 0 ? row - p : row,
                   *south = j < m - 1 ? row + p : row;
      const double *up = above + j * p, *down = below + j * p;
      double* to = out + j * p;
      const auto point = [&](auto access, int64_t k, int64_t left, int64_t right) {
        const auto at = [&](const double* from) { return access.get(from + k); };
        const auto around = at(up) + at(down) + at(north) + at(south) + access.get(row + left) +
                            access.get(row + right);
        access.put(to + k, at(row) + r * (around - 6 * at(row)));
      };
      point(bench::Single{}, 0, 0, p > 1 ? 1 : 0);
      bench::each_vector<double>(1, p - 1,
                                 [&](auto access, int64_t k) { point(access, k, k - 1, k + 1); });
      if (p > 1) point(bench::Single{}, p - 1, p - 2, p - 1);
    }
  };
  // The ring of planes should fit half of a core's second-level cache.
  const int levels = static_cast<int>(std::clamp<int64_t>((512 << 10) / (4 * m * p * 8), 1, 8));
  const bench::Grid grid{n, m * p, bench::Edge::kOwn};
  auto rings = bench::rings<double>(grid, levels);
  return program.serve([&] {
    bench::sweep_all(u0.data(), u.data(), spare.data(), grid, steps, levels, rings, plane);
  });
}
