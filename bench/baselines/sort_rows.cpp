// sort_rows: each row as integers of the same order, by radix from the low byte, leaving out bytes
// that do not differ. Zeros of both signs are equal and keep their order: they are sorted as +0,
// and their signs are put back afterwards.
#include <cmath>
#include <limits>

#include "baseline.hpp"

namespace {

constexpr uint64_t kSign = uint64_t{1} << 63;

uint64_t key_of(double x) {
  uint64_t bits = 0;
  std::memcpy(&bits, &x, 8);
  if (bits == kSign) bits = 0;
  const uint64_t key = (bits & kSign) != 0 ? ~bits : bits | kSign;
  return x != x ? ~uint64_t{0} : key;
}

double value_of(uint64_t key) {
  const uint64_t bits = (key & kSign) != 0 ? key & ~kSign : ~key;
  double x = 0;
  std::memcpy(&x, &bits, 8);
  return x;
}

void sort_row(const double* row, int64_t m, uint64_t* keys, uint64_t* spare,
              std::vector<uint8_t>& negative, double* to) {
  uint32_t counts[8][256] = {};
  negative.clear();
  for (int64_t j = 0; j < m; ++j) {
    const uint64_t key = key_of(row[j]);
    keys[j] = key;
#pragma GCC unroll 8
    for (int byte = 0; byte < 8; ++byte) ++counts[byte][key >> (8 * byte) & 255];
    if (row[j] == 0) negative.push_back(std::signbit(row[j]));
  }
  for (int byte = 0; byte < 8; ++byte) {
    uint32_t* count = counts[byte];
    if (count[keys[0] >> (8 * byte) & 255] == m) continue;
    // From both ends at once: one chain of increments would wait for itself where many keys share a
    // byte.
    uint32_t first[256], last[256], total = 0;
    for (int bucket = 0; bucket < 256; ++bucket) {
      first[bucket] = total;
      total += count[bucket];
      last[bucket] = total;
    }
    const auto bucket_of = [&](int64_t j) { return keys[j] >> (8 * byte) & 255; };
    int64_t low = 0, high = m - 1;
    for (; low < high; ++low, --high) {
      spare[first[bucket_of(low)]++] = keys[low];
      spare[--last[bucket_of(high)]] = keys[high];
    }
    if (low == high) spare[first[bucket_of(low)]] = keys[low];
    std::swap(keys, spare);
  }
  for (int64_t j = 0; j < m; ++j)
    to[j] = keys[j] == ~uint64_t{0} ? std::numeric_limits<double>::quiet_NaN() : value_of(keys[j]);
  if (negative.empty()) return;
  const int64_t first = std::lower_bound(keys, keys + m, kSign) - keys;
  for (size_t z = 0; z < negative.size(); ++z)
    if (negative[z] != 0) to[first + static_cast<int64_t>(z)] = -0.0;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto a = program.array<double>("a");
  const int64_t n = a.shape[0], m = a.shape[1];
  bench::Array<double> sorted({n, m});
  program.result("sorted", sorted);
  return program.serve([&] {
    if (m == 0) return;
#pragma omp parallel
    {
      std::vector<uint64_t> keys(static_cast<size_t>(m)), spare(keys);
      std::vector<uint8_t> negative;
#pragma omp for schedule(dynamic, 8)
      for (int64_t i = 0; i < n; ++i)
        sort_row(a.data() + i * m, m, keys.data(), spare.data(), negative, sorted.data() + i * m);
    }
  });
}
