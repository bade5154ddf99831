// The stable permutation that orders keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ir/type/element.hpp"

namespace dvm::engine {

struct SortKey {
  ElementType element;
  const std::byte* data;
  bool descending;
};

// permutation[i] = position of the element that comes i-th: lexicographic in `keys`, each of
// `count` elements; equal elements keep their order; -0.0 equals 0.0; NaN equals NaN and is
// greater than all else. A descending key has the reversed order.
void sort_permutation(std::span<const SortKey> keys, std::int64_t count, std::int64_t* permutation);

}  // namespace dvm::engine
