// multigrid: each leg of a cycle is one walk over its level, two sweeps down and correction with
// two sweeps up; residuals are restricted row by row and never stored. Small levels are one
// thread's.
#include <cmath>

#include "team.hpp"
#include "time_skewing.hpp"

namespace {

constexpr int kLevels = 3;  // sweeps in a walk, the correction counted as one
constexpr int64_t kSmall =
    100;  // points a side below which a second thread costs more than it does

struct Level {
  int64_t n;
  bench::Array<double> f, before, u;
  std::vector<bench::Array<double>> rings, rows;  // of each thread
  explicit Level(int64_t side) : n(side), f({n, n}), before({n, n}), u({n, n}) {
    rings = bench::rings<double>({n, n, bench::Edge::kZero}, kLevels);
    for (int t = 0; t < omp_get_max_threads(); ++t)
      rows.emplace_back(bench::Array<double>({6, n + 8}));
  }
};

/// Who works: one thread of `count`.
struct Team {
  int thread, count;
  bench::Range part(int64_t rows) const { return bench::part_of(rows, thread, count); }
  void wait() const {
    if (count > 1) {
#pragma omp barrier
    }
  }
};

/// Calls use(j, 4 u - the neighbours of u) along a row.
template <class Use>
void along(const double* above, const double* here, const double* below, int64_t n,
           const Use& use) {
  if (n == 1) return use(0, 4 * here[0] - above[0] - below[0]);
  use(0, 4 * here[0] - above[0] - below[0] - here[1]);
#pragma omp simd
  for (int64_t j = 1; j < n - 1; ++j)
    use(j, 4 * here[j] - above[j] - below[j] - here[j - 1] - here[j + 1]);
  use(n - 1, 4 * here[n - 1] - above[n - 1] - below[n - 1] - here[n - 2]);
}

class Cycles {
 public:
  explicit Cycles(const bench::Array<double>& f) {
    for (int64_t n = f.shape[0]; n >= 1; n = (n - 1) / 2) {
      levels_.emplace_back(n);
      if (n == 1) break;
    }
    levels_[0].f = f;
  }

  const bench::Array<double>& solution() const { return levels_[0].u; }

  void run(size_t at, bool from_zero, Team team) {
    Level& level = levels_[at];
    if (team.count > 1 && level.n < kSmall) {
      if (team.thread == 0) run(at, from_zero, Team{0, 1});
      team.wait();
      return;
    }
    if (level.n == 1) {
      level.u[0] = level.f[0] / 16;
      return;
    }
    const bench::Grid grid{level.n, level.n, bench::Edge::kZero};
    double* ring = level.rings[static_cast<size_t>(team.thread)].data();
    const bench::Range mine = team.part(level.n);
    const auto down = [&](double* out, const double* above, const double* here, const double* below,
                          int64_t i, int sweep) {
      if (from_zero && sweep == 1)
        first_sweep(level, out, i);
      else
        smooth(level, out, above, here, below, i);
    };
    bench::skewed_sweeps(level.u.data(), level.before.data(), grid, 2, mine, ring, kLevels, down);
    team.wait();
    Level& coarse = levels_[at + 1];
    restrict_residual(level, coarse, team);
    team.wait();
    run(at + 1, true, team);
    team.wait();
    const auto up = [&](double* out, const double* above, const double* here, const double* below,
                        int64_t i, int sweep) {
      if (sweep == 1)
        correct(coarse, out, here, i, level.n,
                level.rows[static_cast<size_t>(team.thread)].data() + 1);
      else
        smooth(level, out, above, here, below, i);
    };
    bench::skewed_sweeps(level.before.data(), level.u.data(), grid, 3, mine, ring, kLevels, up);
    team.wait();
  }

  /// The sum of squares of this thread's rows of the finest residual.
  double square_of_residual(Team team) {
    Level& level = levels_[0];
    double* row = level.rows[static_cast<size_t>(team.thread)].data();
    const bench::Range mine = team.part(level.n);
    double sum = 0;
    for (int64_t i = mine.begin; i < mine.end; ++i) {
      residual(level, level.u.data(), i, row, level.rings[static_cast<size_t>(team.thread)].data());
#pragma omp simd reduction(+ : sum)
      for (int64_t j = 0; j < level.n; ++j) sum += row[j] * row[j];
    }
    return sum;
  }

 private:
  static double inverse_square(const Level& level) {
    return static_cast<double>((level.n + 1) * (level.n + 1));
  }

  static void first_sweep(const Level& level, double* __restrict__ out, int64_t i) {
    const double* f = level.f.data() + i * level.n;
    const double weight = 0.8 / (4 * inverse_square(level));
#pragma omp simd
    for (int64_t j = 0; j < level.n; ++j) out[j] = weight * f[j];
  }

  static void smooth(const Level& level, double* __restrict__ out, const double* above,
                     const double* here, const double* below, int64_t i) {
    const double* f = level.f.data() + i * level.n;
    const double scale = inverse_square(level), weight = 0.8 / (4 * scale);
    along(above, here, below, level.n,
          [&](int64_t j, double cross) { out[j] = here[j] + weight * (f[j] - cross * scale); });
  }

  /// Row i of f - A u. The last row of a ring is zeros.
  static void residual(const Level& level, const double* u, int64_t i, double* __restrict__ out,
                       const double* ring) {
    const int64_t n = level.n;
    const double *zeros = ring + 4 * kLevels * n, *here = u + i * n, *f = level.f.data() + i * n;
    const double scale = inverse_square(level);
    along(i > 0 ? here - n : zeros, here, i < n - 1 ? here + n : zeros, n,
          [&](int64_t j, double cross) { out[j] = f[j] - cross * scale; });
  }

  static void restrict_residual(Level& level, Level& coarse, Team team) {
    const bench::Range mine = team.part(coarse.n);
    double* space = level.rows[static_cast<size_t>(team.thread)].data();
    const double* ring = level.rings[static_cast<size_t>(team.thread)].data();
    const auto row = [&](int64_t k) { return space + (k % 3) * (level.n + 8); };
    double* __restrict__ mixed = space + 3 * (level.n + 8);
    if (mine.begin < mine.end)
      residual(level, level.before.data(), 2 * mine.begin, row(2 * mine.begin), ring);
    for (int64_t i = mine.begin; i < mine.end; ++i) {
      for (const int64_t next : {2 * i + 1, 2 * i + 2})
        residual(level, level.before.data(), next, row(next), ring);
      const double *a = row(2 * i), *b = row(2 * i + 1), *c = row(2 * i + 2);
#pragma omp simd
      for (int64_t j = 0; j < level.n; ++j) mixed[j] = (a[j] + 2 * b[j] + c[j]) / 4;
      double* __restrict__ to = coarse.f.data() + i * coarse.n;
#pragma omp simd
      for (int64_t j = 0; j < coarse.n; ++j)
        to[j] = (mixed[2 * j] + 2 * mixed[2 * j + 1] + mixed[2 * j + 2]) / 4;
    }
  }

  /// Adds the bilinear interpolation of the coarse solution to row i; `mean` has room for a value
  /// before it.
  static void correct(const Level& coarse, double* __restrict__ out, const double* here, int64_t i,
                      int64_t n, double* __restrict__ mean) {
    const int64_t k = coarse.n;
    const double* e = coarse.u.data();
    if (i % 2 == 1) {
      std::copy(e + i / 2 * k, e + (i / 2 + 1) * k, mean);
    } else {
      const double *a = e + (i / 2 - 1) * k, *b = e + i / 2 * k;
      const bool above = i > 0, below = i < n - 1;
#pragma omp simd
      for (int64_t j = 0; j < k; ++j) mean[j] = ((above ? a[j] : 0) + (below ? b[j] : 0)) / 2;
    }
    mean[-1] = mean[k] = 0;
#pragma omp simd
    for (int64_t j = 0; j < k; ++j) {
      out[2 * j] = here[2 * j] + (mean[j - 1] + mean[j]) / 2;
      out[2 * j + 1] = here[2 * j + 1] + mean[j];
    }
    out[n - 1] = here[n - 1] + mean[k - 1] / 2;
  }

  std::vector<Level> levels_;
};

}  // namespace

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto f = program.array<double>("f");
  const auto cycles = program.scalar<int64_t>("cycles");
  Cycles work(f);
  auto resnorm = bench::single<double>();
  program.result("u", work.solution());
  program.result("resnorm", resnorm);
  bench::TeamSum sums(1);
  return program.serve([&] {
#pragma omp parallel
    {
      const Team team{omp_get_thread_num(), omp_get_num_threads()};
      for (int64_t cycle = 0; cycle < cycles; ++cycle) work.run(0, cycle == 0, team);
      double square = work.square_of_residual(team);
      int turn = 0;
      sums.sum(turn, &square);
#pragma omp master
      resnorm[0] = std::sqrt(square);
    }
  });
}
