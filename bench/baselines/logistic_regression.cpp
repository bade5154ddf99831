// logistic_regression: one walk over the data a step; the errors of 128 rows are ready while the
// rows are in the cache.
#include <cmath>

#include "team.hpp"
#include "vector_math.hpp"

namespace {

using bench::Vector;
constexpr int64_t kRows = 128;

/// The eight sums of eight vectors.
Vector<double> sums_of(const Vector<double> (&v)[8]) {
  using Index = Vector<int64_t>;
  Vector<double> pairs[4], fours[2];
  for (int i = 0; i < 4; ++i)
    pairs[i] = __builtin_shuffle(v[2 * i], v[2 * i + 1], Index{0, 8, 2, 10, 4, 12, 6, 14}) +
               __builtin_shuffle(v[2 * i], v[2 * i + 1], Index{1, 9, 3, 11, 5, 13, 7, 15});
  for (int i = 0; i < 2; ++i)
    fours[i] = __builtin_shuffle(pairs[2 * i], pairs[2 * i + 1], Index{0, 1, 8, 9, 4, 5, 12, 13}) +
               __builtin_shuffle(pairs[2 * i], pairs[2 * i + 1], Index{2, 3, 10, 11, 6, 7, 14, 15});
  return __builtin_shuffle(fours[0], fours[1], Index{0, 1, 2, 3, 8, 9, 10, 11}) +
         __builtin_shuffle(fours[0], fours[1], Index{4, 5, 6, 7, 12, 13, 14, 15});
}

/// z[r] = x[r] . w + b for `rows` rows of d elements; w is filled up with zeros to whole vectors.
template <int kVectors>
void scores(const double* x, int64_t rows, int64_t d, const double* w, double b, double* z) {
  Vector<double> weights[kVectors];
  for (int v = 0; v < kVectors; ++v) weights[v] = bench::load(w + v * 8);
  const auto product = [&](const double* row) {
    Vector<double> sum = bench::load(row) * weights[0];
#pragma GCC unroll 8
    for (int v = 1; v < kVectors; ++v) sum = bench::fma(bench::load(row + v * 8), weights[v], sum);
    return sum;
  };
  int64_t r = 0;
  for (; r + 8 <= rows; r += 8) {
    Vector<double> sums[8];
#pragma GCC unroll 8
    for (int q = 0; q < 8; ++q) sums[q] = product(x + (r + q) * d);
    bench::store(z + r, sums_of(sums) + bench::all(b));
  }
  for (; r < rows; ++r) {
    const Vector<double> sum = product(x + r * d);
    z[r] = b;
    for (int lane = 0; lane < 8; ++lane) z[r] += sum[lane];
  }
}

/// slope += sum of errors[r] x[r]; lanes beyond d hold nothing of meaning.
template <int kVectors>
void add_slope(const double* x, int64_t rows, int64_t d, const double* errors, double* slope) {
  Vector<double> sums[kVectors], more[kVectors] = {};
  for (int v = 0; v < kVectors; ++v) sums[v] = bench::load(slope + v * 8);
  int64_t r = 0;
  for (; r + 2 <= rows; r += 2) {
    const Vector<double> one = bench::all(errors[r]), two = bench::all(errors[r + 1]);
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      sums[v] = bench::fma(one, bench::load(x + r * d + v * 8), sums[v]);
      more[v] = bench::fma(two, bench::load(x + (r + 1) * d + v * 8), more[v]);
    }
  }
  for (; r < rows; ++r)
    for (int v = 0; v < kVectors; ++v)
      sums[v] = bench::fma(bench::all(errors[r]), bench::load(x + r * d + v * 8), sums[v]);
  for (int v = 0; v < kVectors; ++v) bench::store(slope + v * 8, sums[v] + more[v]);
}

struct Kernels {
  decltype(&scores<1>) score;
  decltype(&add_slope<1>) add;
};
Kernels kernels_for(int64_t vectors) {
  switch (vectors) {
    case 1:
      return {scores<1>, add_slope<1>};
    case 2:
      return {scores<2>, add_slope<2>};
    case 3:
      return {scores<3>, add_slope<3>};
    case 4:
      return {scores<4>, add_slope<4>};
    case 5:
      return {scores<5>, add_slope<5>};
    case 6:
      return {scores<6>, add_slope<6>};
    default:
      bench::fail("more than 48 columns are not supported");
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto x = program.array<double>("x"), y = program.array<double>("y"),
             w0 = program.array<double>("w0");
  const auto b0 = program.scalar<double>("b0"), rate = program.scalar<double>("rate");
  const auto reg = program.scalar<double>("reg");
  const auto steps = program.scalar<int64_t>("steps");
  const int64_t n = x.shape[0], d = x.shape[1], width = (d + 7) / 8 * 8;
  const Kernels kernels = kernels_for(width / 8);
  bench::Array<double> w({d});
  auto b = bench::single<double>(), loss = bench::single<double>();
  program.result("w", w);
  program.result("b", b);
  program.result("loss", loss);
  constexpr int64_t kMost = 48 + 8;
  std::vector<bench::Array<double>> slopes[2];
  for (auto& side : slopes)
    for (int t = 0; t < omp_get_max_threads(); ++t)
      side.emplace_back(bench::Array<double>({kMost}));
  bench::TeamSum team(1);
  return program.serve([&] {
#pragma omp parallel
    {
      const auto thread = static_cast<size_t>(omp_get_thread_num());
      const bench::Range mine = bench::part_of(n, omp_get_thread_num(), omp_get_num_threads());
      // Each thread has the model and updates it from everybody's sums, in the same order.
      alignas(64) double weights[kMost] = {}, z[kRows];
      double offset = b0;
      std::copy(w0.data(), w0.data() + d, weights);
      for (int64_t step = 0; step < steps; ++step) {
        double* slope = slopes[step % 2][thread].data();
        std::fill(slope, slope + kMost, 0);
        double errors = 0;
        for (int64_t i = mine.begin; i < mine.end; i += kRows) {
          const int64_t rows = std::min(kRows, mine.end - i);
          kernels.score(x.data() + i * d, rows, d, weights, offset, z);
          const double* __restrict__ target = y.data() + i;
          double* __restrict__ score = z;
#pragma omp simd reduction(+ : errors)
          for (int64_t r = 0; r < rows; ++r) {
            score[r] = 1 / (1 + exp(-score[r])) - target[r];
            errors += score[r];
          }
          kernels.add(x.data() + i * d, rows, d, z, slope);
        }
        slope[width] = errors;
#pragma omp barrier
        const auto count = static_cast<double>(n);
        for (int64_t q = 0; q <= width; ++q) {
          double total = 0;
          for (const auto& part : slopes[step % 2]) total += part[q];
          if (q < d) weights[q] -= rate * (total / count + reg * weights[q]);
          if (q == width) offset -= rate * (total / count);
        }
      }
      double losses = 0;
      int turn = 0;
      for (int64_t i = mine.begin; i < mine.end; i += kRows) {
        const int64_t rows = std::min(kRows, mine.end - i);
        kernels.score(x.data() + i * d, rows, d, weights, offset, z);
        const double* __restrict__ target = y.data() + i, * __restrict__ score = z;
#pragma omp simd reduction(+ : losses)
        for (int64_t r = 0; r < rows; ++r) {
          const double size = score[r] < 0 ? -score[r] : score[r];
          losses += (score[r] > 0 ? score[r] : 0) + log1p(exp(-size)) - target[r] * score[r];
        }
      }
      team.sum(turn, &losses);
#pragma omp master
      {
        double square = 0;
        for (int64_t q = 0; q < d; ++q) square += weights[q] * weights[q];
        std::copy(weights, weights + d, w.data());
        b[0] = offset;
        loss[0] = losses / static_cast<double>(n) + reg / 2 * square;
      }
    }
  });
}
