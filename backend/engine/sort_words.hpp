// Sorts unsigned words that fit a core's cache.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dvm::engine {

// Ascending. `other`: room for as many. `settled`: words that differ in so many low bits alone
// stand in their order already. Stops early, with the words in any order, when `cancel` is not
// zero.
template <class Word>
void sort_words(Word* words, Word* other, std::size_t count, int settled,
                const std::int32_t* cancel);

inline bool cancelled(const std::int32_t* flag) {
  return flag && __atomic_load_n(flag, __ATOMIC_RELAXED) != 0;
}

}  // namespace dvm::engine
