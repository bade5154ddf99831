// Keys become unsigned integers in the wanted order; those are sorted, stably, from the last key to
// the first: one key by radix (least significant digit first), as comparison sorts miss the cache
// more.
#include "backend/engine/sort.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <vector>

namespace dvm::engine {

namespace {

struct Entry {
  std::uint64_t key;
  std::int64_t position;
};

std::uint64_t ordered_float(double value) {
  if (value != value) return ~std::uint64_t{0};
  if (value == 0) value = 0;  // -0.0 too
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63;
}

std::uint64_t ordered(const SortKey& key, std::int64_t at) {
  const Scalar value = Scalar::load(key.element, key.data + at * byte_size(key.element));
  std::uint64_t up = value.bits;
  if (key.element == ElementType::F32)
    up = ordered_float(static_cast<double>(value.as_float()));
  else if (is_float(key.element))
    up = ordered_float(value.as_double());
  else if (is_signed(key.element))
    up ^= std::uint64_t{1} << 63;
  return key.descending ? ~up : up;
}

// Stable; digits that are the same everywhere are skipped.
void radix_sort(std::vector<Entry>& entries) {
  constexpr int digits = 8;
  std::vector<std::array<std::size_t, 256>> counts(digits);
  for (auto& digit : counts) digit.fill(0);
  for (const Entry& entry : entries)
    for (int d = 0; d < digits; ++d)
      ++counts[static_cast<std::size_t>(d)][entry.key >> (8 * d) & 255];
  std::vector<Entry> other(entries.size());
  for (int d = 0; d < digits; ++d) {
    auto& count = counts[static_cast<std::size_t>(d)];
    if (!entries.empty() && count[entries[0].key >> (8 * d) & 255] == entries.size()) continue;
    std::size_t sum = 0;
    for (std::size_t& place : count) {
      const std::size_t here = place;
      place = sum;
      sum += here;
    }
    for (const Entry& entry : entries) other[count[entry.key >> (8 * d) & 255]++] = entry;
    entries.swap(other);
  }
}

}  // namespace

void sort_permutation(std::span<const SortKey> keys, std::int64_t count,
                      std::int64_t* permutation) {
  std::vector<Entry> entries(static_cast<std::size_t>(count));
  for (std::int64_t k = 0; k < count; ++k) entries[static_cast<std::size_t>(k)].position = k;
  for (std::size_t k = keys.size(); k-- > 0;) {
    for (Entry& entry : entries) entry.key = ordered(keys[k], entry.position);
    radix_sort(entries);
  }
  for (std::int64_t k = 0; k < count; ++k)
    permutation[k] = entries[static_cast<std::size_t>(k)].position;
}

}  // namespace dvm::engine
