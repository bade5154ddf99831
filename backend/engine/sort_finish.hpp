// The last step of a sort: words that come piece by piece, in order of position, are put in order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "backend/engine/sort.hpp"
#include "backend/engine/sort_words.hpp"

namespace dvm::engine {

inline std::size_t bytes_of(const SortTask& task) {
  return static_cast<std::size_t>(byte_size(task.values ? task.keys[0].element : ElementType::I64));
}

// `each_piece(use)` calls `use(words, count)`; zeros are told apart. Writes the elements.
template <class Word, class Pieces>
void finish_values(const SortTask& task, std::int64_t count, const Pieces& each_piece,
                   std::byte* result) {
  const SortKey& key = task.keys[0];
  const auto size = static_cast<std::size_t>(count);
  auto* words = reinterpret_cast<Word*>(task.scratch(2 * size * sizeof(Word)));
  if (!words) return;
  std::int64_t at = 0;
  if (!is_float(key.element)) {
    each_piece([&](const Word* piece, std::int64_t length) {
      std::copy_n(piece, length, words + at);
      at += length;
    });
    sort_words(words, words + size, size, 0, task.cancel);
    return elements_of(key.element, key.descending, words, count, result);
  }
  // Zeros are equal: they are sorted as such, and keep their order.
  const auto lower = lower_zero<Word>(8 * byte_size(key.element));
  bool differ = false;
  each_piece([&](const Word* piece, std::int64_t length) {
    for (std::int64_t k = 0; k < length; ++k) {
      const bool is_lower = piece[k] == lower;
      differ |= is_lower;
      words[at + k] = piece[k] + Word{is_lower};
    }
    at += length;
  });
  sort_words(words, words + size, size, 0, task.cancel);
  if (differ) {
    Word* zero = std::lower_bound(words, words + size, lower);
    each_piece([&](const Word* piece, std::int64_t length) {
      for (std::int64_t k = 0; k < length; ++k)
        if (piece[k] == lower || piece[k] == lower + 1) *zero++ = piece[k];
    });
  }
  elements_of(key.element, key.descending, words, count, result);
}

// `each_piece(use)` calls `use(words, places, base, count)`: the positions are base + places[k], or
// base + k without places. Writes the positions in the order of their words.
//
// A word's distance from the least one and its number share 64 bits, and those are sorted. Where
// they do not fit, low bits of the distance are left out, and runs that agree in the others are
// sorted again.
template <class Word, class Pieces>
void finish_permutation(const SortTask& task, std::int64_t count, const Pieces& each_piece,
                        std::int64_t* result) {
  const auto size = static_cast<std::size_t>(count);
  auto* words = reinterpret_cast<std::uint64_t*>(task.scratch(4 * size * sizeof(std::uint64_t)));
  if (!words) return;
  auto* positions = reinterpret_cast<std::int64_t*>(words + size);
  std::uint64_t *numbered = words + 2 * size, *other = words + 3 * size;
  std::uint64_t least = ~std::uint64_t{0}, most = 0;
  std::int64_t at = 0;
  each_piece(
      [&](const Word* piece, const std::uint16_t* places, std::int64_t base, std::int64_t length) {
        for (std::int64_t k = 0; k < length; ++k) {
          const std::uint64_t word = piece[k];
          words[at + k] = word;
          least = std::min(least, word);
          most = std::max(most, word);
        }
        for (std::int64_t k = 0; k < length; ++k)
          positions[at + k] = base + (places ? static_cast<std::int64_t>(places[k]) : k);
        at += length;
      });
  const int number_bits = static_cast<int>(std::bit_width(size - 1));
  const int left_out =
      std::max(0, static_cast<int>(std::bit_width(most - least)) + number_bits - 64);
  for (std::size_t k = 0; k < size; ++k)
    numbered[k] = (words[k] - least) >> left_out << number_bits | k;
  sort_words(numbered, other, size, number_bits, task.cancel);
  if (cancelled(task.cancel)) return;
  const std::uint64_t number = (std::uint64_t{1} << number_bits) - 1;
  if (left_out > 0) {
    const auto before = [&](std::uint64_t a, std::uint64_t b) {
      const std::uint64_t x = words[a & number], y = words[b & number];
      return x != y ? x < y : a < b;
    };
    for (std::size_t begin = 0, end = 0; begin < size; begin = end) {
      end = begin + 1;
      while (end < size && (numbered[end] ^ numbered[begin]) <= number) ++end;
      if (end - begin > 1) std::sort(numbered + begin, numbered + end, before);
    }
  }
  if (task.order)
    for (std::size_t k = 0; k < size; ++k) result[k] = task.order[positions[numbered[k] & number]];
  else
    for (std::size_t k = 0; k < size; ++k) result[k] = positions[numbered[k] & number];
}

}  // namespace dvm::engine
