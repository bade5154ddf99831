// prefix_sums: threads take blocks in turn; each sums its block while fetching it into the cache,
// waits for the sum before it, hands on its own, and then writes running sums past the cache.
#include "baseline.hpp"
#include "vector_math.hpp"
#include "waiting.hpp"

namespace {

using bench::Vector;
constexpr int64_t kBlock = 1 << 14;  // elements: 128 KiB, in a core's second-level cache

template <class T>
T sum_of(const T* x, int64_t n) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

template <class T>
Vector<T> shifted(Vector<T> x, int lanes) {
  using Index = Vector<int64_t>;
  Index from;
  for (int64_t lane = 0; lane < 8; ++lane) from[lane] = lane < lanes ? 8 : lane - lanes;
  return __builtin_shuffle(x, Vector<T>{}, from);
}

/// Running sums of x from `before` on.
template <class T>
void run(const T* x, int64_t n, T before, T* to) {
  int64_t i = 0;
  for (; i < n && reinterpret_cast<uintptr_t>(to + i) % 64 != 0; ++i) to[i] = before += x[i];
  for (; i + 8 <= n; i += 8) {
    Vector<T> v = bench::load(x + i);
    v += shifted<T>(v, 1);
    v += shifted<T>(v, 2);
    v += shifted<T>(v, 4);
    v += bench::all(before);
    before = v[7];
#ifdef __AVX512F__
    if constexpr (std::is_same_v<T, double>)
      _mm512_stream_pd(to + i, (__m512d)v);
    else
      _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), (__m512i)v);
#else
    bench::store(to + i, v);
#endif
  }
  for (; i < n; ++i) to[i] = before += x[i];
}

/// The sum of all blocks before one, once its flag says so.
template <class T>
struct alignas(64) Before {
  T sum;
  std::atomic<int> there;
};

template <class T>
void running_sums(const T* x, int64_t n, T* to, std::vector<Before<T>>& before) {
  const int64_t blocks = (n + kBlock - 1) / kBlock;
  for (int64_t b = omp_get_thread_num(); b < blocks; b += omp_get_num_threads()) {
    const int64_t first = b * kBlock, count = std::min(kBlock, n - first);
    const T mine = sum_of(x + first, count);
    auto& start = before[static_cast<size_t>(b)];
    bench::wait_until(start.there, 1);
    before[static_cast<size_t>(b) + 1].sum = start.sum + mine;
    before[static_cast<size_t>(b) + 1].there.store(1, std::memory_order_release);
    run(x + first, count, start.sum, to + first);
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto ints = program.array<int64_t>("ints");
  const auto xs = program.array<double>("xs");
  const int64_t n = xs.size();
  bench::Array<int64_t> isums({n});
  bench::Array<double> xsums({n});
  program.result("isums", isums);
  program.result("xsums", xsums);
  const auto slots = static_cast<size_t>((n + kBlock - 1) / kBlock + 1);
  std::vector<Before<uint64_t>> before_ints(slots);
  std::vector<Before<double>> before_xs(slots);
  return program.serve([&] {
    for (size_t b = 0; b < slots; ++b) before_ints[b].there = before_xs[b].there = b == 0;
    before_ints[0].sum = 0;
    before_xs[0].sum = 0;
#pragma omp parallel
    {
      running_sums(reinterpret_cast<const uint64_t*>(ints.data()), n,
                   reinterpret_cast<uint64_t*>(isums.data()), before_ints);
      running_sums(xs.data(), n, xsums.data(), before_xs);
    }
  });
}
