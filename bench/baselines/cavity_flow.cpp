// cavity_flow: speeds and source row by row, pressure sweeps ten to a walk, everything inside one
// parallel region.
#include "time_skewing.hpp"
#include "vector_math.hpp"

namespace {

/// Left and right neighbours of point j of a row of m numbers, with their negatives beyond the
/// walls.
struct Mirrored {
  const double* row;
  int64_t m;
  double left(int64_t j) const { return j > 0 ? row[j - 1] : -row[0]; }
  double right(int64_t j) const { return j < m - 1 ? row[j + 1] : -row[m - 1]; }
};

struct Flow {
  int64_t n, m;
  double nu, lid, dt, per_h;  // per_h: 1/h

  /// Row i of u with those beyond the walls; `space` holds the latter.
  const double* u_row(const double* u, int64_t i, double* space) const {
    if (i >= 0 && i < n) return u + i * (m + 1);
    const double* edge = i < 0 ? u : u + (n - 1) * (m + 1);
    for (int64_t j = 0; j <= m; ++j) space[j] = i < 0 ? -edge[j] : 2 * lid - edge[j];
    return space;
  }

  /// Products of speeds at the lower corners of row i of cells, 0 … m.
  void corners(const double* u, const double* v, int64_t i, double* space,
               double* __restrict__ uv) const {
    const double *below = u_row(u, i - 1, space), *here = u_row(u, i, space), *vi = v + i * m;
    const auto product = [&](int64_t j, double left, double right) {
      uv[j] = (below[j] + here[j]) / 2 * ((left + right) / 2);
    };
    product(0, -vi[0], vi[0]);
#pragma omp simd
    for (int64_t j = 1; j < m; ++j) product(j, vi[j - 1], vi[j]);
    product(m, vi[m - 1], -vi[m - 1]);
  }

  void star_u(const double* u, int64_t i, const double* uv, const double* uv_above, double* space,
              double* __restrict__ to) const {
    const double *below = i == 0 ? u_row(u, -1, space) : u + (i - 1) * (m + 1),
                 *here = u + i * (m + 1);
    const double* above = i == n - 1 ? u_row(u, n, space + m + 9) : here + m + 1;
    to[0] = here[0];
    to[m] = here[m];
#pragma omp simd
    for (int64_t j = 1; j < m; ++j) {
      const double left = (here[j - 1] + here[j]) / 2, right = (here[j] + here[j + 1]) / 2;
      const double friction =
          nu * (below[j] + above[j] + here[j - 1] + here[j + 1] - 4 * here[j]) * (per_h * per_h);
      to[j] = here[j] + dt * (friction - (right * right - left * left) * per_h -
                              (uv_above[j] - uv[j]) * per_h);
    }
  }

  /// Inner rows, 1 … n-1.
  void star_v(const double* v, int64_t i, const double* uv, double* __restrict__ to) const {
    const double *here = v + i * m, *below = here - m, *above = here + m;
    const auto point = [&](int64_t j, double left, double right) {
      const double down = (below[j] + here[j]) / 2, up = (here[j] + above[j]) / 2;
      const double friction =
          nu * (below[j] + above[j] + left + right - 4 * here[j]) * (per_h * per_h);
      to[j] =
          here[j] + dt * (friction - (uv[j + 1] - uv[j]) * per_h - (up * up - down * down) * per_h);
    };
    const Mirrored row{here, m};
    point(0, row.left(0), row.right(0));
#pragma omp simd
    for (int64_t j = 1; j < m - 1; ++j) point(j, here[j - 1], here[j + 1]);
    if (m > 1) point(m - 1, row.left(m - 1), row.right(m - 1));
  }
};

}  // namespace

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto u0 = program.array<double>("u0"), v0 = program.array<double>("v0"),
             p0 = program.array<double>("p0");
  const int64_t n = p0.shape[0], m = p0.shape[1];
  const auto h = program.scalar<double>("h"), dt = program.scalar<double>("dt");
  const Flow flow{n, m, program.scalar<double>("nu"), program.scalar<double>("lid"), dt, 1 / h};
  const auto steps = program.scalar<int64_t>("steps"), sweeps = program.scalar<int64_t>("sweeps");
  bench::Array<double> u({n, m + 1}), v({n + 1, m}), p({n, m}), us({n, m + 1}), vs({n + 1, m}),
      source({n, m});
  bench::Array<double> pressure[2] = {bench::Array<double>({n, m}), bench::Array<double>({n, m})};
  program.result("u", u);
  program.result("v", v);
  program.result("p", p);
  constexpr int levels = 10;
  const bench::Grid grid{n, m, bench::Edge::kOwn};
  auto rings = bench::rings<double>(grid, levels);
  std::vector<bench::Array<double>> rows;
  for (int t = 0; t < omp_get_max_threads(); ++t)
    rows.emplace_back(bench::Array<double>({4, m + 9}));
  const auto relax = [&](double* __restrict__ out, const double* above, const double* here,
                         const double* below, int64_t i, int) {
    const double* d = source.data() + i * m;
    const auto point = [&](auto access, int64_t j, int64_t left, int64_t right) {
      const auto across = access.get(here + left) + access.get(here + right);
      access.put(out + j,
                 (across + access.get(above + j) + access.get(below + j) - access.get(d + j)) / 4);
    };
    point(bench::Single{}, 0, 0, m > 1 ? 1 : 0);
    bench::each_vector<double>(1, m - 1,
                               [&](auto access, int64_t j) { point(access, j, j - 1, j + 1); });
    if (m > 1) point(bench::Single{}, m - 1, m - 2, m - 1);
  };
  return program.serve([&] {
#pragma omp parallel
    {
      const auto thread = static_cast<size_t>(omp_get_thread_num());
      const bench::Range mine = bench::part_of(n, omp_get_thread_num(), omp_get_num_threads());
      const bool last = mine.end == n &&
                        mine.begin < n;  // the top wall's row of v goes with the last row of cells
      double *space = rows[thread].data(), *uv[2] = {space + 2 * (m + 9), space + 3 * (m + 9)};
      std::copy(&u0[mine.begin * (m + 1)], &u0[mine.end * (m + 1)], &u[mine.begin * (m + 1)]);
      std::copy(&v0[mine.begin * m], &v0[(mine.end + last) * m], &v[mine.begin * m]);
      std::copy(&p0[mine.begin * m], &p0[mine.end * m], &pressure[0][mine.begin * m]);
      double *now = pressure[0].data(), *other = pressure[1].data();
#pragma omp barrier
      for (int64_t step = 0; step < steps; ++step) {
        if (mine.begin < mine.end)
          flow.corners(u.data(), v.data(), mine.begin, space, uv[mine.begin % 2]);
        for (int64_t i = mine.begin; i < mine.end; ++i) {
          const double *lower = uv[i % 2], *upper = uv[1 - i % 2];
          flow.corners(u.data(), v.data(), i + 1, space, uv[1 - i % 2]);
          flow.star_u(u.data(), i, lower, upper, space, us.data() + i * (m + 1));
          if (i > 0)
            flow.star_v(v.data(), i, lower, vs.data() + i * m);
          else
            std::copy(v.data(), v.data() + m, vs.data());
        }
        if (last) std::copy(&v[n * m], &v[(n + 1) * m], &vs[n * m]);
#pragma omp barrier
        for (int64_t i = mine.begin; i < mine.end; ++i) {
          const double *ui = &us[i * (m + 1)], *vi = &vs[i * m];
          double* __restrict__ to = &source[i * m];
#pragma omp simd
          for (int64_t j = 0; j < m; ++j)
            to[j] = (ui[j + 1] - ui[j] + vi[j + m] - vi[j]) * (h / dt);
        }
#pragma omp barrier
        const double* ready = bench::sweep_on_team<double>(now, other, now, grid, sweeps, levels,
                                                           rings[thread].data(), relax);
        if (ready == other) std::swap(now, other);
        for (int64_t i = mine.begin; i < mine.end; ++i) {
          const double *pi = now + i * m, *ui = &us[i * (m + 1)], *vi = &vs[i * m];
          double* __restrict__ to_u = &u[i * (m + 1)], * __restrict__ to_v = &v[i * m];
#pragma omp simd
          for (int64_t j = 1; j < m; ++j) to_u[j] = ui[j] - (dt / h) * (pi[j] - pi[j - 1]);
          if (i == 0) continue;
#pragma omp simd
          for (int64_t j = 0; j < m; ++j) to_v[j] = vi[j] - (dt / h) * (pi[j] - pi[j - m]);
        }
#pragma omp barrier
      }
      std::copy(now + mine.begin * m, now + mine.end * m, &p[mine.begin * m]);
    }
  });
}
