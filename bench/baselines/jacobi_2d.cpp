// jacobi_2d: eight sweeps in one walk through the grid, whose rows are padded to whole cache lines.
#include "time_skewing.hpp"
#include "vector_math.hpp"

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto u0 = program.array<double>("u0"), f = program.array<double>("f");
  const auto h = program.scalar<double>("h");
  const auto steps = program.scalar<int64_t>("steps");
  const int64_t n = u0.shape[0], m = u0.shape[1], stride = (m + 7) / 8 * 8;
  bench::Array<double> u({n, m}), start({n, stride}), source({n, stride}), odd({n, stride}),
      even({n, stride});
  program.result("u", u);
  const auto row = [&](double* __restrict__ out, const double* above, const double* here,
                       const double* below, int64_t i, int) {
    if (i == 0 || i == n - 1) {
      std::copy(here, here + m, out);
      return;
    }
    const double* s = source.data() + i * stride;
    out[0] = here[0];
    out[m - 1] = here[m - 1];
    bench::each_vector<double>(1, m - 1, [&](auto access, int64_t j) {
      const auto across = access.get(here + j - 1) + access.get(here + j + 1);
      access.put(out + j,
                 (access.get(above + j) + access.get(below + j) + across + access.get(s + j)) / 4);
    });
  };
  constexpr int levels = 8;
  const bench::Grid grid{n, stride, bench::Edge::kOwn};
  auto rings = bench::rings<double>(grid, levels);
  return program.serve([&] {
#pragma omp parallel
    {
      const auto thread = static_cast<size_t>(omp_get_thread_num());
      const bench::Range mine = bench::part_of(n, omp_get_thread_num(), omp_get_num_threads());
      const double hh = h * h;
      for (int64_t i = mine.begin; i < mine.end; ++i) {
        std::copy(&u0[i * m], &u0[(i + 1) * m], &start[i * stride]);
        for (int64_t j = 0; j < m; ++j) source[i * stride + j] = hh * f[i * m + j];
      }
#pragma omp barrier
      const double* last = bench::sweep_on_team(start.data(), odd.data(), even.data(), grid, steps,
                                                levels, rings[thread].data(), row);
      for (int64_t i = mine.begin; i < mine.end; ++i)
        std::copy(last + i * stride, last + i * stride + m, &u[i * m]);
    }
  });
}
