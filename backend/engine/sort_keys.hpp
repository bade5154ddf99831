// Keys of a sort as unsigned words in the wanted order, and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ir/type/element.hpp"

namespace dvm::engine {

// Equal elements keep their order; -0.0 equals 0.0; NaN equals NaN and is greater than all else. A
// descending key has the reversed order.
struct SortKey {
  ElementType element;
  const std::byte* data;
  bool descending;
};

// Bits of the words of these keys together.
int key_bits(std::span<const SortKey> keys);

// How much zeros of both signs are told apart: as words they are neighbours, `negative` and the
// next one, whichever the direction.
enum class Zeros : std::uint8_t { Equal, Apart };
template <class Word>
constexpr Word lower_zero(int bits) {
  return (Word{1} << (bits - 1)) - 1;
}

// words[i] = the word of element begin + i, or of element order[begin + i] when there is an order.
// Several keys, which have no more bits than a word, are one behind the other, the first on top.
// Zeros::Apart takes a single key.
template <class Word>
void ordered_words(std::span<const SortKey> keys, const std::int64_t* order, std::int64_t begin,
                   std::int64_t end, Zeros zeros, Word* words);

// The elements that have these words (told apart): the inverse. Every NaN is the same one.
template <class Word>
void elements_of(ElementType element, bool descending, const Word* words, std::int64_t count,
                 std::byte* elements);

}  // namespace dvm::engine
