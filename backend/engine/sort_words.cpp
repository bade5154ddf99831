// Radix sort by the digits that tell words apart.
//
// Note [Leading digits]. Of n words that are spread over a range, the top log2 n bits of it tell
// most apart, and some more bits nearly all. So only these are sorted by radix, least significant
// digit first; then the few neighbours that agree in them are sorted among themselves, by the same
// function, which takes the bits that differ there. No data makes it quadratic: each level takes
// bits off.
#include "backend/engine/sort_words.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace dvm::engine {

namespace {

constexpr std::size_t few = 24, some = 160;
constexpr int digit_bits = 8, more_bits = 8;
constexpr int most_passes = 8;
using Counts = std::array<std::array<std::uint32_t, 1 << digit_bits>, most_passes>;

template <class Word>
void insertion_sort(Word* words, std::size_t count) {
  for (std::size_t k = 1; k < count; ++k) {
    const Word word = words[k];
    std::size_t at = k;
    for (; at > 0 && words[at - 1] > word; --at) words[at] = words[at - 1];
    words[at] = word;
  }
}

template <class Word>
struct Digits {
  Word low;
  int shift, bits, passes;
  std::size_t of(Word word, int pass) const {
    return static_cast<std::size_t>((word - low) >> (shift + pass * bits)) &
           ((std::size_t{1} << bits) - 1);
  }
};

// The words sorted by these digits are in `words` or in `other`: the answer says which.
template <class Word>
Word* sort_by_digits(Word* words, Word* other, std::size_t count, const Digits<Word>& digits,
                     const std::int32_t* cancel) {
  Counts counts;
  const std::size_t width = std::size_t{1} << digits.bits;
  for (int pass = 0; pass < digits.passes; ++pass)
    std::fill_n(counts[static_cast<std::size_t>(pass)].begin(), width, 0);
  for (std::size_t k = 0; k < count; ++k)
    for (int pass = 0; pass < digits.passes; ++pass)
      ++counts[static_cast<std::size_t>(pass)][digits.of(words[k], pass)];
  for (int pass = 0; pass < digits.passes; ++pass) {
    auto& places = counts[static_cast<std::size_t>(pass)];
    if (places[digits.of(words[0], pass)] == count) continue;
    if (cancelled(cancel)) break;
    std::uint32_t sum = 0;
    for (std::size_t d = 0; d < width; ++d) {
      const std::uint32_t here = places[d];
      places[d] = sum;
      sum += here;
    }
    for (std::size_t k = 0; k < count; ++k) other[places[digits.of(words[k], pass)]++] = words[k];
    std::swap(words, other);
  }
  return words;
}

}  // namespace

template <class Word>
void sort_words(Word* words, Word* other, std::size_t count, int settled,
                const std::int32_t* cancel) {
  if (count <= few) return insertion_sort(words, count);
  if (count <= some) return std::sort(words, words + count);
  Word least = words[0], most = words[0];
  bool sorted = true;
  for (std::size_t k = 1; k < count; ++k) {
    least = std::min(least, words[k]);
    most = std::max(most, words[k]);
    sorted &= words[k - 1] <= words[k];
  }
  if (sorted) return;
  // Counts are 32 bits wide; so many words do not fit a cache anyway.
  if (count > std::size_t{1} << 31) return std::sort(words, words + count);
  const Word low = least >> settled << settled;
  const int bits = static_cast<int>(std::bit_width(static_cast<Word>((most - low) >> settled)));
  const int enough = static_cast<int>(std::bit_width(count)) + more_bits;
  const int passes = (std::min(bits, enough) + digit_bits - 1) / digit_bits;
  if (passes == 0) return;
  const int digit = passes * digit_bits <= bits ? digit_bits : (bits + passes - 1) / passes;
  const int top = std::min(bits, passes * digit), rest = settled + bits - top;
  Word* result = sort_by_digits(words, other, count, {low, rest, digit, passes}, cancel);
  if (result != words) std::memcpy(words, result, count * sizeof(Word));
  if (top == bits) return;
  for (std::size_t begin = 0; begin < count;) {
    const Word leading = (words[begin] - low) >> rest;
    std::size_t end = begin + 1;
    while (end < count && (words[end] - low) >> rest == leading) ++end;
    if (end - begin > 1) {
      if (cancelled(cancel)) return;
      sort_words(words + begin, other + begin, end - begin, settled, cancel);
    }
    begin = end;
  }
}

template void sort_words(std::uint32_t*, std::uint32_t*, std::size_t, int, const std::int32_t*);
template void sort_words(std::uint64_t*, std::uint64_t*, std::size_t, int, const std::int32_t*);

}  // namespace dvm::engine
