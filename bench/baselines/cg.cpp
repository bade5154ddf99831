// cg: two walks a step. The first makes the direction and sums p.Ap; the second applies A again
// instead of storing it, updates x and r and sums r.r.
#include <cmath>

#include "team.hpp"

namespace {

double laplacian(double above, double here, double below, double left, double right) {
  return 4 * here - above - below - left - right;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto b = program.array<double>("b");
  const auto steps = program.scalar<int64_t>("steps");
  const int64_t n = b.shape[0], m = b.shape[1];
  bench::Array<double> x({n, m}), r({n, m}), p({n + 2, m}),
      resnorm = bench::single<double>();  // p: a row of zeros above and below
  program.result("x", x);
  program.result("resnorm", resnorm);
  bench::TeamSum team(1);
  return program.serve([&] {
#pragma omp parallel
    {
      const bench::Range mine = bench::part_of(n, omp_get_thread_num(), omp_get_num_threads());
      int turn = 0;
      const auto total = [&](double part) {
        team.sum(turn, &part);
        return part;
      };
      const auto row = [&](int64_t i) { return p.data() + (i + 1) * m; };
      double rr = 0, beta = 0;
      for (int64_t i = mine.begin; i < mine.end; ++i) {
        std::fill(x.data() + i * m, x.data() + (i + 1) * m, 0);
        std::copy(b.data() + i * m, b.data() + (i + 1) * m, r.data() + i * m);
        std::fill(row(i), row(i) + m, 0);
        const double* bi = b.data() + i * m;
        rr += bench::along_row(
            bi, bi, bi, m,
            [](int64_t, double, double at, double, double, double) { return at * at; });
      }
      rr = total(rr);
      for (int64_t step = 0; step < steps; ++step) {
        double pap = 0;
        const auto direction = [&](int64_t i) {
          const double* ri = r.data() + i * m;
          double* pi = row(i);
#pragma omp simd
          for (int64_t j = 0; j < m; ++j) pi[j] = ri[j] + beta * pi[j];
        };
        bench::make_and_use(mine, direction, [&](int64_t i) {
          pap += bench::along_row(
              row(i - 1), row(i), row(i + 1), m,
              [](int64_t, double above, double here, double below, double left, double right) {
                return here * laplacian(above, here, below, left, right);
              });
        });
        const double alpha = rr / total(pap);
        double next = 0;
        for (int64_t i = mine.begin; i < mine.end; ++i) {
          double* __restrict__ xi = x.data() + i * m, * __restrict__ ri = r.data() + i * m;
          next += bench::along_row(
              row(i - 1), row(i), row(i + 1), m,
              [&](int64_t j, double above, double here, double below, double left, double right) {
                xi[j] += alpha * here;
                const double rest = ri[j] - alpha * laplacian(above, here, below, left, right);
                ri[j] = rest;
                return rest * rest;
              });
        }
        next = total(next);
        beta = next / rr;
        rr = next;
      }
      double norm = 0;
      bench::make_and_use(
          mine, [&](int64_t i) { std::copy(x.data() + i * m, x.data() + (i + 1) * m, row(i)); },
          [&](int64_t i) {
            const double* bi = b.data() + i * m;
            norm += bench::along_row(
                row(i - 1), row(i), row(i + 1), m,
                [&](int64_t j, double above, double here, double below, double left, double right) {
                  const double rest = bi[j] - laplacian(above, here, below, left, right);
                  return rest * rest;
                });
          });
      norm = total(norm);
#pragma omp master
      resnorm[0] = std::sqrt(norm);
    }
  });
}
