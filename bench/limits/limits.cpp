// What the machine can do, for the bounds in docs/performance.md: bytes a second by where the data
// lie, and operations a second by kind, on all OpenMP threads at once. Prints one JSON object; each
// figure is the best of several runs.
#include <cmath>
#include <string>

#include "baseline.hpp"
#include "vector_math.hpp"

namespace {

using bench::Vector;

/// The least time of one run, among all that fit a third of a second: others may use the machine
/// meanwhile.
template <class Work>
double best_seconds(const Work& work) {
  using Clock = std::chrono::steady_clock;
  double best = 1e30;
  for (const auto begin = Clock::now(); Clock::now() - begin < std::chrono::milliseconds(330);) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

/// Bytes a second of a[i] = b[i] + s c[i] as STREAM counts them (24 a point); `bytes` of data a
/// thread.
double triad(int64_t bytes) {
  const int64_t n = bytes / 24 / 64 * 64,
                repeats = std::max<int64_t>(1, (int64_t{64} << 20) / bytes);
  const int threads = omp_get_max_threads();
  std::vector<bench::Array<double>> a, b, c;
  for (int t = 0; t < threads; ++t) {
    a.emplace_back(bench::Array<double>({n}));
    b.emplace_back(bench::Array<double>({n}));
    c.emplace_back(bench::Array<double>({n}));
  }
  const double seconds = best_seconds([&] {
#pragma omp parallel
    {
      const auto t = static_cast<size_t>(omp_get_thread_num());
      double *to = a[t].data(), *x = b[t].data(), *y = c[t].data();
      for (int64_t r = 0; r < repeats; ++r) {
        for (int64_t i = 0; i < n; i += 8)
          bench::store(to + i, bench::load(x + i) + 0.5 * bench::load(y + i));
        asm volatile("" : : "r"(to), "r"(x), "r"(y) : "memory");
      }
    }
  });
  return 24.0 * static_cast<double>(n * repeats * threads) / seconds;
}

/// Vector operations a second, all lanes counted; twelve independent chains hide the latency of
/// `step`.
template <class T, class Step>
double rate(int64_t repeats, T seed, const Step& step) {
  const double seconds = best_seconds([&] {
#pragma omp parallel
    {
      // Twelve names: GCC keeps an array of vectors in memory when assembly code touches its
      // elements.
      Vector<T> a = bench::all(seed), b = a, c = a, d = a, e = a, f = a, g = a, h = a, i = a, j = a,
                k = a, l = a;
      for (int64_t r = 0; r < repeats; ++r) {
        a = step(a), b = step(b), c = step(c), d = step(d), e = step(e), f = step(f);
        g = step(g), h = step(h), i = step(i), j = step(j), k = step(k), l = step(l);
        asm volatile(""
                     : "+v"(a), "+v"(b), "+v"(c), "+v"(d), "+v"(e), "+v"(f), "+v"(g), "+v"(h),
                       "+v"(i), "+v"(j), "+v"(k), "+v"(l));
      }
    }
  });
  return static_cast<double>(repeats * 12 * bench::kLanes<T> * omp_get_max_threads()) / seconds;
}

/// Additions and multiplications a second, as many of each: they may have units of their own.
double add_and_multiply(int64_t repeats) {
  return 2 * rate<double>(repeats, 1, [](auto v) { return v * bench::all(0.5) + bench::all(0.5); });
}

/// Products of 32-bit numbers in 64 bits, eight to a vector.
double wide_products(int64_t repeats) {
#ifdef __AVX512F__
  return rate<uint64_t>(repeats, 1, [](auto v) {
    return (Vector<uint64_t>)_mm512_mul_epu32((__m512i)v, (__m512i)v);
  });
#else
  return rate<uint64_t>(repeats, 1,
                        [](auto v) { return (v & bench::all(uint64_t{0xffffffff})) * v; });
#endif
}

/// Calls a second of a function of libmvec, over an array that fits the first-level cache.
template <class T, class Function>
double calls(T from, T to, const Function& function) {
  constexpr int64_t kCount = 1024, kRepeats = 60;
  const double seconds = best_seconds([&] {
#pragma omp parallel
    {
      alignas(64) T x[kCount], y[kCount];
      for (int64_t i = 0; i < kCount; ++i) x[i] = from + (to - from) * static_cast<T>(i) / kCount;
      for (int64_t r = 0; r < kRepeats; ++r) {
#pragma omp simd
        for (int64_t i = 0; i < kCount; ++i) y[i] = function(x[i]);
        asm volatile("" : : "r"(x), "r"(y) : "memory");
      }
    }
  });
  return static_cast<double>(kCount * kRepeats * omp_get_max_threads()) / seconds;
}

}  // namespace

int main() {
  std::vector<std::pair<std::string, double>> found = {
      {"bytes_l1", triad(24 << 10)},
      {"bytes_l2", triad(640 << 10)},
      {"bytes_l3", triad(6 << 20)},
      {"bytes_memory", triad(256 << 20)},
      {"fma_f64",
       rate<double>(100'000, 1,
                    [](auto v) { return bench::fma(v, bench::all(0.5), bench::all(0.5)); })},
      {"fma_f32",
       rate<float>(100'000, 1,
                   [](auto v) { return bench::fma(v, bench::all(0.5f), bench::all(0.5f)); })},
      {"add_f64", rate<double>(100'000, 1, [](auto v) { return v + bench::all(0.5); })},
      {"mul_f64", rate<double>(100'000, 1, [](auto v) { return v * bench::all(0.5); })},
      {"flop_f64", add_and_multiply(100'000)},
      {"div_f64", rate<double>(20'000, 1, [](auto v) { return bench::all(1.5) / v; })},
      {"div_f32", rate<float>(20'000, 1, [](auto v) { return bench::all(1.5f) / v; })},
      {"int_32", rate<int32_t>(100'000, 1, [](auto v) { return v + bench::all(3); })},
      {"int_64", rate<int64_t>(100'000, 1, [](auto v) { return v + bench::all(int64_t{3}); })},
      {"int_8", rate<int8_t>(100'000, 1, [](auto v) { return v + bench::all(int8_t{3}); })},
      {"mul_u32", wide_products(100'000)},
      {"sqrt_f64", calls<double>(1, 2, [](double x) { return std::sqrt(x); })},
      {"exp_f64", calls<double>(-5, 5, [](double x) { return exp(x); })},
      {"exp_f32", calls<float>(-5, 0, [](float x) { return expf(x); })},
      {"log_f64", calls<double>(0.1, 9, [](double x) { return log(x); })},
      {"log1p_f64", calls<double>(0.1, 9, [](double x) { return log1p(x); })},
      {"erfc_f64", calls<double>(-4, 4, [](double x) { return erfc(x); })},
      {"sin_f64", calls<double>(-3, 3, [](double x) { return sin(x); })},
  };
  std::cout << "{";
  for (size_t i = 0; i < found.size(); ++i)
    std::cout << (i > 0 ? ", " : "") << '"' << found[i].first << "\": " << found[i].second;
  std::cout << "}" << std::endl;
}
