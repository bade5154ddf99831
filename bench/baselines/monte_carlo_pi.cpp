// monte_carlo_pi: Philox for eight samples in a vector, two vectors at a time.
#include "baseline.hpp"
#include "vector_math.hpp"

namespace {

using bench::all;
using Words = bench::Vector<uint64_t>;  // eight numbers below 2^32, in 64 bits each
constexpr uint64_t kLow = 0xffffffff;

/// Full products of the lower halves.
inline Words products(Words a, Words b) {
#ifdef __AVX512F__
  return (Words)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#else
  return (a & all(kLow)) * (b & all(kLow));
#endif
}

inline bench::Vector<double> unit(Words high, Words low) {
  return __builtin_convertvector(((high << 32) | low) >> 11, bench::Vector<double>) * 0x1p-53;
}

/// -1 in the lanes whose sample lies inside the circle.
inline bench::Vector<int64_t> inside(Words index, uint32_t k0, uint32_t k1) {
  Words c0 = index & all(kLow), c1 = index >> 32, c2 = {}, c3 = {};
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const Words p = products(c0, all(uint64_t{0xD2511F53})),
                q = products(c2, all(uint64_t{0xCD9E8D57}));
    c0 = (q >> 32) ^ c1 ^ all(uint64_t{k0});
    c1 = q & all(kLow);
    c2 = (p >> 32) ^ c3 ^ all(uint64_t{k1});
    c3 = p & all(kLow);
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  const auto x = unit(c0, c1), y = unit(c2, c3);
  return (bench::Vector<int64_t>)(x * x + y * y < all(1.0));
}

}  // namespace

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto key0 = program.scalar<uint32_t>("key0"), key1 = program.scalar<uint32_t>("key1");
  const auto samples = program.scalar<int64_t>("samples");
  auto hits = bench::single<int64_t>();
  auto estimate = bench::single<double>();
  program.result("hits", hits);
  program.result("estimate", estimate);
  return program.serve([&] {
    int64_t found = 0;
#pragma omp parallel reduction(+ : found)
    {
      const bench::Range mine =
          bench::part_of(samples, omp_get_thread_num(), omp_get_num_threads());
      Words index;
      for (uint64_t lane = 0; lane < 8; ++lane)
        index[lane] = static_cast<uint64_t>(mine.begin) + lane;
      bench::Vector<int64_t> count = {};
      int64_t i = mine.begin;
      for (; i + 16 <= mine.end; i += 16, index += 16)
        count += inside(index, key0, key1) + inside(index + 8, key0, key1);
      for (int lane = 0; lane < 8; ++lane) found -= count[lane];
      for (; i < mine.end; i += 8, index += 8) {
        const auto hit = inside(index, key0, key1);
        for (int lane = 0; lane < 8 && i + lane < mine.end; ++lane) found -= hit[lane];
      }
    }
    hits[0] = found;
    estimate[0] = 4 * static_cast<double>(found) / static_cast<double>(samples);
  });
}
