// nbody: coordinates apart, four bodies at a time against eight others in a vector.
#include <cmath>

#include "team.hpp"
#include "vector_math.hpp"

namespace {

using bench::Vector;
constexpr int kBodies = 4;

inline Vector<double> root(Vector<double> x) {
#ifdef __AVX512F__
  return (Vector<double>)_mm512_sqrt_pd((__m512d)x);
#else
  for (int lane = 0; lane < 8; ++lane) x[lane] = std::sqrt(x[lane]);
  return x;
#endif
}

}  // namespace

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto pos0 = program.array<double>("pos"), vel0 = program.array<double>("vel");
  const auto mass0 = program.array<double>("mass");
  const auto eps = program.scalar<double>("eps"), dt = program.scalar<double>("dt");
  const auto steps = program.scalar<int64_t>("steps");
  const int64_t n = mass0.size(), padded = (n + 7) / 8 * 8;
  bench::Array<double> pos({n, 3}), vel({n, 3}), x({3, padded}), v({3, padded}), a({3, padded}),
      mass({padded});
  auto energy = bench::single<double>();
  program.result("posEnd", pos);
  program.result("velEnd", vel);
  program.result("energy", energy);
  bench::TeamSum team(2);

  // Bodies beyond n have no mass; those i of a last group that do not exist are computed and not
  // kept.
  const auto accelerate = [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; i += kBodies) {
      Vector<double> here[kBodies][3], sums[kBodies][3] = {};
      for (int b = 0; b < kBodies; ++b)
        for (int c = 0; c < 3; ++c) here[b][c] = bench::all(x[c * padded + std::min(i + b, n - 1)]);
      for (int64_t j = 0; j < padded; j += 8) {
        const Vector<double> there[3] = {bench::load(&x[j]), bench::load(&x[padded + j]),
                                         bench::load(&x[2 * padded + j])};
        const Vector<double> m = bench::load(&mass[j]);
#pragma GCC unroll 4
        for (int b = 0; b < kBodies; ++b) {
          const Vector<double> dx = there[0] - here[b][0], dy = there[1] - here[b][1],
                               dz = there[2] - here[b][2];
          const Vector<double> r = root(dx * dx + dy * dy + dz * dz + bench::all(eps * eps));
          const Vector<double> weight = m / (r * r * r);
          sums[b][0] = bench::fma(weight, dx, sums[b][0]);
          sums[b][1] = bench::fma(weight, dy, sums[b][1]);
          sums[b][2] = bench::fma(weight, dz, sums[b][2]);
        }
      }
      for (int64_t b = 0; b < std::min<int64_t>(kBodies, last - i); ++b)
        for (int c = 0; c < 3; ++c) {
          double total = 0;
          for (int lane = 0; lane < 8; ++lane) total += sums[b][c][lane];
          a[c * padded + i + b] = total;
        }
    }
  };
  return program.serve([&] {
#pragma omp parallel
    {
      const bench::Range mine = bench::part_of(n, omp_get_thread_num(), omp_get_num_threads());
#pragma omp single
      std::copy(mass0.data(), mass0.data() + n, mass.data());
      for (int64_t i = mine.begin; i < mine.end; ++i)
        for (int c = 0; c < 3; ++c) {
          x[c * padded + i] = pos0[i * 3 + c];
          v[c * padded + i] = vel0[i * 3 + c];
        }
#pragma omp barrier
      accelerate(mine.begin, mine.end);
      for (int64_t step = 0; step < steps; ++step) {
#pragma omp barrier
        for (int c = 0; c < 3; ++c)
          for (int64_t i = mine.begin; i < mine.end; ++i) {
            const int64_t at = c * padded + i;
            v[at] += dt / 2 * a[at];
            x[at] += dt * v[at];
          }
#pragma omp barrier
        accelerate(mine.begin, mine.end);
        for (int c = 0; c < 3; ++c)
          for (int64_t i = mine.begin; i < mine.end; ++i)
            v[c * padded + i] += dt / 2 * a[c * padded + i];
      }
      double sums[2] = {};
      for (int64_t i = mine.begin; i < mine.end; ++i)
        for (int c = 0; c < 3; ++c) {
          pos[i * 3 + c] = x[c * padded + i];
          vel[i * 3 + c] = v[c * padded + i];
          sums[0] += mass[i] * v[c * padded + i] * v[c * padded + i] / 2;
        }
      for (int64_t i = omp_get_thread_num(); i < n; i += omp_get_num_threads()) {
        double potential = 0;
#pragma omp simd reduction(+ : potential)
        for (int64_t j = i + 1; j < n; ++j) {
          const double dx = x[j] - x[i], dy = x[padded + j] - x[padded + i],
                       dz = x[2 * padded + j] - x[2 * padded + i];
          potential += mass[j] / std::sqrt(dx * dx + dy * dy + dz * dz + eps * eps);
        }
        sums[1] += mass[i] * potential;
      }
      int turn = 0;
      team.sum(turn, sums);
#pragma omp master
      energy[0] = sums[0] - sums[1];
    }
  });
}
