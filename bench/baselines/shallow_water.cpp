// shallow_water: row by row, speeds of a row and fluxes between two rows made once and handed on to
// the next row.
#include <cmath>

#include "baseline.hpp"

namespace {

/// A row of cells with their speeds, one cell longer than the grid: the first one again.
struct Row {
  const double *h, *hu, *hv;
  double *u, *v, *c;
};
/// Fluxes of depth and both momenta through the sides of a row.
struct Flux {
  double *h, *along, *across;
};

void speeds(const Row& row, int64_t count, double g) {
#pragma omp simd
  for (int64_t j = 0; j < count; ++j) {
    row.u[j] = row.hu[j] / row.h[j];
    row.v[j] = row.hv[j] / row.h[j];
    row.c[j] = std::sqrt(g * row.h[j]);
  }
}

struct Cells {
  const double *h, *along, *across, *speed, *wave;
};

/// HLL fluxes between left[j] and right[j].
void hll(Cells left, Cells right, int64_t count, double g, const Flux& to) {
  double* __restrict__ flux_h = to.h;
  double* __restrict__ flux_along = to.along;
  double* __restrict__ flux_across = to.across;
#pragma omp simd
  for (int64_t j = 0; j < count; ++j) {
    const double ul = left.speed[j], ur = right.speed[j], cl = left.wave[j], cr = right.wave[j];
    const double sl = ul - cl < ur - cr ? ul - cl : ur - cr,
                 sr = ul + cl > ur + cr ? ul + cl : ur + cr;
    const double hl = left.h[j], hr = right.h[j], pl = left.along[j], pr = right.along[j];
    const double ql = left.across[j], qr = right.across[j];
    const double fl = pl * ul + g * hl * hl / 2, fr = pr * ur + g * hr * hr / 2, gl = ql * ul,
                 gr = qr * ur;
    const double scale = 1 / (sr - sl), both = sl * sr;
    const double h = scale * (sr * pl - sl * pr + both * (hr - hl));
    const double along = scale * (sr * fl - sl * fr + both * (pr - pl));
    const double across = scale * (sr * gl - sl * gr + both * (qr - ql));
    flux_h[j] = sl >= 0 ? pl : sr <= 0 ? pr : h;
    flux_along[j] = sl >= 0 ? fl : sr <= 0 ? fr : along;
    flux_across[j] = sl >= 0 ? gl : sr <= 0 ? gr : across;
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto h0 = program.array<double>("h0"), hu0 = program.array<double>("hu0"),
             hv0 = program.array<double>("hv0");
  const auto g = program.scalar<double>("g"), dx = program.scalar<double>("dx"),
             dt = program.scalar<double>("dt");
  const auto steps = program.scalar<int64_t>("steps");
  const int64_t n = h0.shape[0], m = h0.shape[1], stride = m + 8;
  bench::Array<double> h({n, m}), hu({n, m}), hv({n, m});
  bench::Array<double> state[2] = {bench::Array<double>({3, n, stride}),
                                   bench::Array<double>({3, n, stride})};
  program.result("h", h);
  program.result("hu", hu);
  program.result("hv", hv);
  std::vector<bench::Array<double>> work;
  for (int t = 0; t < omp_get_max_threads(); ++t)
    work.emplace_back(bench::Array<double>({15, stride}));
  return program.serve([&] {
#pragma omp parallel
    {
      const bench::Range mine = bench::part_of(n, omp_get_thread_num(), omp_get_num_threads());
      double* space = work[static_cast<size_t>(omp_get_thread_num())].data();
      const auto buffer = [&](int64_t k) { return space + k * stride; };
      const auto wrap = [&](double* row) { row[m] = row[0]; };
      for (int64_t i = mine.begin; i < mine.end; ++i)
        for (int64_t part = 0; part < 3; ++part) {
          double* to = state[0].data() + (part * n + i) * stride;
          const double* from = (part == 0 ? h0 : part == 1 ? hu0 : hv0).data() + i * m;
          std::copy(from, from + m, to);
          wrap(to);
        }
#pragma omp barrier
      const double ratio = dt / dx;
      for (int64_t step = 0; step < steps; ++step) {
        const double* old = state[step % 2].data();
        double* made = state[1 - step % 2].data();
        const auto row_of = [&](int64_t i) {  // rows i and i + 1 use different buffers
          const double* at = old + ((i + n) % n) * stride;
          const int64_t side = (i & 1) * 3;
          return Row{at,           at + n * stride,  at + 2 * n * stride,
                     buffer(side), buffer(side + 1), buffer(side + 2)};
        };
        const auto between = [&](const Row& one, const Row& next, const Flux& to) {
          hll({one.h, one.hv, one.hu, one.v, one.c}, {next.h, next.hv, next.hu, next.v, next.c}, m,
              g, to);
        };
        const auto below_of = [&](int64_t i) {
          const int64_t side = 6 + (i & 1) * 3;
          return Flux{buffer(side), buffer(side + 1), buffer(side + 2)};
        };
        // fx[j + 1] is the flux through the right side of cell j, fx[0] that of the last cell.
        const Flux fx = {buffer(12), buffer(13), buffer(14)};
        if (mine.begin < mine.end) {
          speeds(row_of(mine.begin - 1), m + 1, g);
          speeds(row_of(mine.begin), m + 1, g);
          between(row_of(mine.begin - 1), row_of(mine.begin), below_of(mine.begin - 1));
        }
        for (int64_t i = mine.begin; i < mine.end; ++i) {
          const Row row = row_of(i), next = row_of(i + 1);
          const Flux before = below_of(i - 1), after = below_of(i);
          hll({row.h, row.hu, row.hv, row.u, row.c},
              {row.h + 1, row.hu + 1, row.hv + 1, row.u + 1, row.c + 1}, m, g,
              {fx.h + 1, fx.along + 1, fx.across + 1});
          for (double* flux : {fx.h, fx.along, fx.across}) flux[0] = flux[m];
          speeds(next, m + 1, g);
          between(row, next, after);
          double* __restrict__ to_h = made + i * stride;
          double* __restrict__ to_hu = to_h + n * stride;
          double* __restrict__ to_hv = to_hu + n * stride;
#pragma omp simd
          for (int64_t j = 0; j < m; ++j) {
            to_h[j] = row.h[j] - ratio * ((fx.h[j + 1] - fx.h[j]) + (after.h[j] - before.h[j]));
            to_hu[j] = row.hu[j] - ratio * ((fx.along[j + 1] - fx.along[j]) +
                                            (after.across[j] - before.across[j]));
            to_hv[j] = row.hv[j] - ratio * ((fx.across[j + 1] - fx.across[j]) +
                                            (after.along[j] - before.along[j]));
          }
          for (double* row_made : {to_h, to_hu, to_hv}) wrap(row_made);
        }
#pragma omp barrier
      }
      for (int64_t i = mine.begin; i < mine.end; ++i)
        for (int64_t part = 0; part < 3; ++part) {
          const double* from = state[steps % 2].data() + (part * n + i) * stride;
          std::copy(from, from + m, (part == 0 ? h : part == 1 ? hu : hv).data() + i * m);
        }
    }
  });
}
