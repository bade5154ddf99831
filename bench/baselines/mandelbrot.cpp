// mandelbrot: four vectors of points at a time, rows given out one by one.
#include "baseline.hpp"
#include "vector_math.hpp"

namespace {

using bench::Vector;
constexpr int kVectors = 4, kPoints = kVectors * 8;
using Mask = Vector<int64_t>;

bool any(const Mask (&masks)[kVectors]) {
  Mask joined = masks[0];
  for (int v = 1; v < kVectors; ++v) joined |= masks[v];
  int64_t found = 0;
  for (int lane = 0; lane < 8; ++lane) found |= joined[lane];
  return found != 0;
}

/// Counts for kPoints values of re.
void escape(const double* re, double im, int32_t limit, int32_t* counts) {
  Vector<double> x[kVectors] = {}, y[kVectors] = {}, cx[kVectors];
  Mask count[kVectors] = {}, alive[kVectors];
  const Vector<double> cy = bench::all(im), four = bench::all(4.0);
  for (int v = 0; v < kVectors; ++v) cx[v] = bench::load(re + v * 8);
  for (int32_t k = 0; k < limit; ++k) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const Vector<double> xx = x[v] * x[v], yy = y[v] * y[v];
      alive[v] = (Mask)(xx + yy <= four);
      count[v] -= alive[v];
      const Vector<double> xy = (x[v] + x[v]) * y[v];
      x[v] = xx - yy +
             cx[v];  // a point that has left stays outside: it can only become infinite or NaN
      y[v] = xy + cy;
    }
    if (k % 4 == 3 && !any(alive)) break;
  }
  for (int v = 0; v < kVectors; ++v)
    for (int lane = 0; lane < 8; ++lane)
      counts[v * 8 + lane] = static_cast<int32_t>(count[v][lane]);
}

}  // namespace

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto re = program.array<double>("re"), im = program.array<double>("im");
  const auto limit = program.scalar<int32_t>("limit");
  const int64_t m = re.size(), n = im.size();
  bench::Array<int32_t> counts({n, m});
  program.result("counts", counts);
  return program.serve([&] {
#pragma omp parallel for schedule(dynamic, 4)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < m; j += kPoints) {
        alignas(64) double points[kPoints];
        alignas(64) int32_t found[kPoints];
        const int64_t here = std::min<int64_t>(kPoints, m - j);
        for (int64_t p = 0; p < kPoints; ++p) points[p] = p < here ? re[j + p] : 4.0;
        escape(points, im[i], limit, found);
        std::copy(found, found + here, counts.data() + i * m + j);
      }
  });
}
