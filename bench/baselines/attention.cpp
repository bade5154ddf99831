// attention: 32 queries at a time against all keys, so that the scores stay in the cache and no t x
// s array exists.
#include <cmath>
#include <limits>

#include "baseline.hpp"
#include "vector_math.hpp"

namespace {

using bench::Vector;
constexpr int64_t kQueries = 32, kRows = 8, kKeys = 32, kLanes = 16;

/// scores[r][0 … 31] = q[r] . keys, for eight queries; `keys` holds d rows of 32 keys.
void score(const float* q, int64_t d, const float* keys, float scale, float* scores,
           int64_t stride) {
  Vector<float> sums[kRows][2] = {};
  for (int64_t c = 0; c < d; ++c) {
    const Vector<float> k0 = bench::load(keys + c * kKeys),
                        k1 = bench::load(keys + c * kKeys + kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const Vector<float> element = bench::all(q[r * d + c]);
      sums[r][0] = bench::fma(element, k0, sums[r][0]);
      sums[r][1] = bench::fma(element, k1, sums[r][1]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    bench::store(scores + r * stride, sums[r][0] * scale);
    bench::store(scores + r * stride + kLanes, sums[r][1] * scale);
  }
}

/// out[r] = sum over keys of weights[r][key] values[key] for eight queries and kVectors vectors of
/// columns.
template <int kVectors>
void mix(const float* weights, int64_t stride, int64_t keys, const float* values, int64_t width,
         float* out) {
  Vector<float> sums[kRows][kVectors] = {};
  for (int64_t key = 0; key < keys; ++key) {
    Vector<float> value[kVectors];
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) value[v] = bench::load(values + key * width + v * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const Vector<float> weight = bench::all(weights[r * stride + key]);
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v) sums[r][v] = bench::fma(weight, value[v], sums[r][v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) bench::store(out + r * width + v * kLanes, sums[r][v]);
}

/// Weights e^(score - largest) in place; returns their sum. `keys` is a multiple of 32.
float soften(float* scores, int64_t keys) {
  float top = -std::numeric_limits<float>::infinity();
#pragma omp simd reduction(max : top)
  for (int64_t j = 0; j < keys; ++j) top = scores[j] > top ? scores[j] : top;
  float total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t j = 0; j < keys; ++j) total += scores[j] = expf(scores[j] - top);
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto q = program.array<float>("q"), k = program.array<float>("k"),
             v = program.array<float>("v");
  const int64_t h = q.shape[0], t = q.shape[1], d = q.shape[2], s = k.shape[1], e = v.shape[2];
  const int64_t panels = (s + kKeys - 1) / kKeys, padded = panels * kKeys;
  const int64_t width = (e + kLanes - 1) / kLanes * kLanes, blocks = (t + kQueries - 1) / kQueries;
  bench::Array<float> o({h, t, e}), keys({h, panels, d, kKeys}), values({h, s, width});
  program.result("o", o);
  std::vector<bench::Array<float>> work;
  const int64_t space = kQueries * (padded + width + d);
  for (int thread = 0; thread < omp_get_max_threads(); ++thread)
    work.emplace_back(bench::Array<float>({space}));
  const float scale = 1 / std::sqrt(static_cast<float>(d));
  return program.serve([&] {
#pragma omp parallel
    {
#pragma omp for collapse(2) schedule(static) nowait
      for (int64_t head = 0; head < h; ++head)
        for (int64_t p = 0; p < panels; ++p)
          for (int64_t key = 0; key < kKeys; ++key)
            for (int64_t c = 0; c < d; ++c)
              keys[((head * panels + p) * d + c) * kKeys + key] =
                  p * kKeys + key < s ? k[(head * s + p * kKeys + key) * d + c] : 0;
#pragma omp for schedule(static)
      for (int64_t row = 0; row < h * s; ++row)
        std::copy(v.data() + row * e, v.data() + (row + 1) * e, values.data() + row * width);
      float* scores = work[static_cast<size_t>(omp_get_thread_num())].data();
      float *mixed = scores + kQueries * padded, *queries = mixed + kQueries * width;
#pragma omp for collapse(2) schedule(dynamic)
      for (int64_t head = 0; head < h; ++head)
        for (int64_t block = 0; block < blocks; ++block) {
          const int64_t first = block * kQueries, count = std::min(kQueries, t - first);
          const float* from = q.data() + (head * t + first) * d;
          std::copy(from, from + count * d, queries);
          for (int64_t p = 0; p < panels; ++p)
            for (int64_t r = 0; r < count; r += kRows)
              score(queries + r * d, d, keys.data() + (head * panels + p) * d * kKeys, scale,
                    scores + r * padded + p * kKeys, padded);
          float totals[kQueries];
          for (int64_t r = 0; r < count; ++r) {
            std::fill(scores + r * padded + s, scores + (r + 1) * padded,
                      -std::numeric_limits<float>::infinity());
            totals[r] = soften(scores + r * padded, padded);
          }
          const float* value = values.data() + head * s * width;
          for (int64_t r = 0; r < count; r += kRows)
            for (int64_t c = 0; c < width; c += 3 * kLanes) {
              const auto vectors = std::min<int64_t>(3, (width - c) / kLanes);
              (vectors == 3   ? mix<3>
               : vectors == 2 ? mix<2>
                              : mix<1>)(scores + r * padded, padded, s, value + c, width,
                                        mixed + r * width + c);
            }
          for (int64_t r = 0; r < count; ++r)
            for (int64_t c = 0; c < e; ++c)
              o[(head * t + first + r) * e + c] = mixed[r * width + c] / totals[r];
        }
    }
  });
}
