// kmeans: points once more by coordinate, eight in a vector; nearest centres and sums by centre in
// one walk.
#include <limits>

#include "team.hpp"
#include "vector_math.hpp"

namespace {

using bench::Vector;
constexpr int kBlocks = 4;  // vectors of points at a time

struct Nearest {
  Vector<double> distance[kBlocks];
  Vector<int64_t> label[kBlocks];
};

/// `points`: kBlocks blocks of d vectors; centres k × d.
Nearest nearest(const double* points, int64_t d, const double* centres, int64_t k) {
  Nearest best;
  for (int b = 0; b < kBlocks; ++b) {
    best.distance[b] = bench::all(std::numeric_limits<double>::infinity());
    best.label[b] = Vector<int64_t>{};
  }
  for (int64_t c = 0; c < k; ++c) {
    Vector<double> sums[kBlocks] = {};
    for (int64_t q = 0; q < d; ++q) {
      const Vector<double> centre = bench::all(centres[c * d + q]);
#pragma GCC unroll 4
      for (int b = 0; b < kBlocks; ++b) {
        const Vector<double> away = bench::load(points + (b * d + q) * 8) - centre;
        sums[b] = bench::fma(away, away, sums[b]);
      }
    }
#pragma GCC unroll 4
    for (int b = 0; b < kBlocks; ++b) {
      const Vector<int64_t> closer = (Vector<int64_t>)(sums[b] < best.distance[b]);
      best.distance[b] = closer ? sums[b] : best.distance[b];
      best.label[b] = closer ? bench::all(c) : best.label[b];
    }
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto points = program.array<double>("points"), start = program.array<double>("start");
  const auto steps = program.scalar<int64_t>("steps");
  const int64_t n = points.shape[0], d = points.shape[1], k = start.shape[0];
  const int64_t group = kBlocks * 8, groups = (n + group - 1) / group, width = (d + 7) / 8 * 8;
  bench::Array<double> centres({k, d}), turned({groups * group * d});
  bench::Array<int64_t> labels({n});
  auto inertia = bench::single<double>();
  program.result("centres", centres);
  program.result("labels", labels);
  program.result("inertia", inertia);
  const int threads = omp_get_max_threads();
  std::vector<bench::Array<double>> sums, sizes;
  for (int t = 0; t < threads; ++t) {
    sums.emplace_back(bench::Array<double>({k, width}));
    sizes.emplace_back(bench::Array<double>({k}));
  }
  bench::TeamSum team(1);
  return program.serve([&] {
#pragma omp parallel
    {
      const auto thread = static_cast<size_t>(omp_get_thread_num());
      const bench::Range mine = bench::part_of(groups, omp_get_thread_num(), omp_get_num_threads());
      double *sum = sums[thread].data(), *size = sizes[thread].data();
      for (int64_t i = mine.begin * group; i < std::min(n, mine.end * group); ++i)
        for (int64_t q = 0; q < d; ++q) turned[(i / 8 * d + q) * 8 + i % 8] = points[i * d + q];
#pragma omp single
      std::copy(start.data(), start.data() + k * d, centres.data());
      for (int64_t step = 0; step < steps; ++step) {
        std::fill(sum, sum + k * width, 0);
        std::fill(size, size + k, 0);
        for (int64_t g = mine.begin; g < mine.end; ++g) {
          const Nearest found = nearest(turned.data() + g * group * d, d, centres.data(), k);
          for (int64_t p = 0, count = std::min(group, n - g * group); p < count; ++p) {
            const int64_t label = found.label[p / 8][p % 8];
            size[label] += 1;
            // Whole vectors: what lies beyond d columns is added up too, and never looked at.
            for (int64_t q = 0; q < width; q += 8) {
              double* to = sum + label * width + q;
              bench::store(to,
                           bench::load(to) + bench::load(points.data() + (g * group + p) * d + q));
            }
          }
        }
#pragma omp barrier
#pragma omp single
        for (int64_t c = 0; c < k; ++c) {
          double count = 0;
          for (int t = 0; t < threads; ++t) count += sizes[static_cast<size_t>(t)][c];
          for (int64_t q = 0; count > 0 && q < d; ++q) {
            double total = 0;
            for (int t = 0; t < threads; ++t) total += sums[static_cast<size_t>(t)][c * width + q];
            centres[c * d + q] = total / count;
          }
        }
      }
      double part = 0;
      int turn = 0;
      for (int64_t g = mine.begin; g < mine.end; ++g) {
        const Nearest found = nearest(turned.data() + g * group * d, d, centres.data(), k);
        for (int64_t p = 0, count = std::min(group, n - g * group); p < count; ++p) {
          labels[g * group + p] = found.label[p / 8][p % 8];
          part += found.distance[p / 8][p % 8];
        }
      }
      team.sum(turn, &part);
#pragma omp master
      inertia[0] = part;
    }
  });
}
