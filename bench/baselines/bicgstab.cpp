// bicgstab: three walks a step. The first makes the direction and v = A p with its product; the
// second s and t = A s with two products; the third x and the residual.
#include <cmath>

#include "team.hpp"

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto b = program.array<double>("b");
  const auto px = program.scalar<double>("px"), py = program.scalar<double>("py");
  const auto decay = program.scalar<double>("decay");
  const auto steps = program.scalar<int64_t>("steps");
  const int64_t n = b.shape[0], m = b.shape[1];
  // p and s have a row of zeros above and below.
  bench::Array<double> x({n, m}), r({n, m}), v({n, m}), t({n, m}), p({n + 2, m}), s({n + 2, m}),
      resnorm = bench::single<double>();
  program.result("x", x);
  program.result("resnorm", resnorm);
  bench::TeamSum team(2);
  const auto apply = [=](double above, double here, double below, double left, double right) {
    return (4 + decay) * here - (1 + py) * above - (1 - py) * below - (1 + px) * left -
           (1 - px) * right;
  };
  return program.serve([&] {
#pragma omp parallel
    {
      const bench::Range mine = bench::part_of(n, omp_get_thread_num(), omp_get_num_threads());
      int turn = 0;
      double sums[2] = {};
      const auto total = [&](double first, double second = 0) {
        sums[0] = first;
        sums[1] = second;
        team.sum(turn, sums);
        return sums[0];
      };
      const auto direction_row = [&](int64_t i) { return p.data() + (i + 1) * m; };
      const auto s_row = [&](int64_t i) { return s.data() + (i + 1) * m; };
      double rho = 0, beta = 0, omega = 0;
      for (int64_t i = mine.begin; i < mine.end; ++i) {
        for (double* zero : {x.data() + i * m, v.data() + i * m, direction_row(i)})
          std::fill(zero, zero + m, 0);
        const double* bi = b.data() + i * m;
        std::copy(bi, bi + m, r.data() + i * m);
        rho += bench::along_row(
            bi, bi, bi, m,
            [](int64_t, double, double at, double, double, double) { return at * at; });
      }
      rho = total(rho);
      for (int64_t step = 0; step < steps; ++step) {
        double product = 0;
        bench::make_and_use(
            mine,
            [&](int64_t i) {
              const double* __restrict__ ri = r.data() + i * m, * __restrict__ vi =
                                                                    v.data() + i * m;
              double* __restrict__ pi = direction_row(i);
#pragma omp simd
              for (int64_t j = 0; j < m; ++j) pi[j] = ri[j] + beta * (pi[j] - omega * vi[j]);
            },
            [&](int64_t i) {
              const double* bi = b.data() + i * m;
              double* __restrict__ vi = v.data() + i * m;
              product += bench::along_row(
                  direction_row(i - 1), direction_row(i), direction_row(i + 1), m,
                  [&](int64_t j, double above, double here, double below, double left,
                      double right) {
                    return bi[j] * (vi[j] = apply(above, here, below, left, right));
                  });
            });
        const double alpha = rho / total(product);
        double ts = 0, tt = 0;
        bench::make_and_use(
            mine,
            [&](int64_t i) {
              const double* __restrict__ ri = r.data() + i * m, * __restrict__ vi =
                                                                    v.data() + i * m;
              double* __restrict__ si = s_row(i);
#pragma omp simd
              for (int64_t j = 0; j < m; ++j) si[j] = ri[j] - alpha * vi[j];
            },
            [&](int64_t i) {
              double* __restrict__ ti = t.data() + i * m;
              const double* si = s_row(i);
              ts +=
                  bench::along_row(s_row(i - 1), si, s_row(i + 1), m,
                                   [&](int64_t j, double above, double here, double below,
                                       double left, double right) {
                                     return here * (ti[j] = apply(above, here, below, left, right));
                                   });
              tt += bench::along_row(
                  ti, ti, ti, m,
                  [](int64_t, double, double at, double, double, double) { return at * at; });
            });
        omega = total(ts, tt) / sums[1];
        double next = 0;
        for (int64_t i = mine.begin; i < mine.end; ++i) {
          double* __restrict__ xi = x.data() + i * m, * __restrict__ ri = r.data() + i * m;
          const double *pi = direction_row(i), *si = s_row(i), *ti = t.data() + i * m,
                       *bi = b.data() + i * m;
          double part = 0;
#pragma omp simd reduction(+ : part)
          for (int64_t j = 0; j < m; ++j) {
            xi[j] = xi[j] + alpha * pi[j] + omega * si[j];
            const double rest = si[j] - omega * ti[j];
            ri[j] = rest;
            part += bi[j] * rest;
          }
          next += part;
        }
        next = total(next);
        beta = next / rho * (alpha / omega);
        rho = next;
      }
      double norm = 0;
      bench::make_and_use(
          mine, [&](int64_t i) { std::copy(x.data() + i * m, x.data() + (i + 1) * m, s_row(i)); },
          [&](int64_t i) {
            const double* bi = b.data() + i * m;
            norm += bench::along_row(
                s_row(i - 1), s_row(i), s_row(i + 1), m,
                [&](int64_t j, double above, double here, double below, double left, double right) {
                  const double rest = bi[j] - apply(above, here, below, left, right);
                  return rest * rest;
                });
          });
      norm = total(norm);
#pragma omp master
      resnorm[0] = std::sqrt(norm);
    }
  });
}
