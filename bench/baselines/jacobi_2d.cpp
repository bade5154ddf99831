// jacobi_2d: eight sweeps in one walk through the grid.
#include "time_skewing.hpp"

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto u0 = program.array<double>("u0"), f = program.array<double>("f");
  const auto h = program.scalar<double>("h");
  const auto steps = program.scalar<int64_t>("steps");
  const int64_t n = u0.shape[0], m = u0.shape[1];
  bench::Array<double> u({n, m}), spare({n, m});
  program.result("u", u);
  const auto row = [&, source = f.data()](double* __restrict__ out, const double* above,
                                          const double* here, const double* below, int64_t i, int) {
    if (i == 0 || i == n - 1) {
      std::copy(here, here + m, out);
      return;
    }
    const double *fi = source + i * m, hh = h * h;
    out[0] = here[0];
    out[m - 1] = here[m - 1];
#pragma omp simd
    for (int64_t j = 1; j < m - 1; ++j)
      out[j] = (above[j] + below[j] + here[j - 1] + here[j + 1] + hh * fi[j]) / 4;
  };
  constexpr int levels = 8;
  const bench::Grid grid{n, m, bench::Edge::kOwn};
  auto rings = bench::rings<double>(grid, levels);
  return program.serve([&] {
    bench::sweep_all(u0.data(), u.data(), spare.data(), grid, steps, levels, rings, row);
  });
}
