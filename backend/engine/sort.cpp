// A sort that one task does.
#include "backend/engine/sort.hpp"

#include <memory>
#include <vector>

#include "backend/engine/sort_finish.hpp"

namespace dvm::engine {

namespace {

constexpr std::int64_t piece = 512;

template <class Word>
void sort_as(const SortTask& task, std::byte* result) {
  Word words[piece];
  const auto pieces = [&](Zeros zeros, const auto& use) {
    for (std::int64_t begin = 0; begin < task.count; begin += piece) {
      const std::int64_t end = std::min(task.count, begin + piece);
      ordered_words(task.keys, task.order, begin, end, zeros, words);
      use(begin, end - begin);
    }
  };
  if (task.values)
    finish_values<Word>(
        task, task.count,
        [&](const auto& use) {
          pieces(Zeros::Apart, [&](std::int64_t, std::int64_t length) { use(words, length); });
        },
        result);
  else
    finish_permutation<Word>(
        task, task.count,
        [&](const auto& use) {
          pieces(Zeros::Equal, [&](std::int64_t begin, std::int64_t length) {
            use(words, nullptr, begin, length);
          });
        },
        reinterpret_cast<std::int64_t*>(result));
}

}  // namespace

void sort_whole(const SortTask& task, std::byte* result) {
  if (task.count == 0) return;
  if (key_bits(task.keys) <= 32)
    sort_as<std::uint32_t>(task, result);
  else
    sort_as<std::uint64_t>(task, result);
}

std::size_t group_begin(std::span<const SortKey> keys, std::size_t end) {
  std::size_t begin = end - 1;
  while (begin > 0 && key_bits(keys.subspan(begin - 1, end - begin + 1)) <= 64) --begin;
  return begin;
}

void sort_permutation(std::span<const SortKey> keys, std::int64_t count,
                      std::int64_t* permutation) {
  std::unique_ptr<std::byte[]> memory;
  std::vector<std::int64_t> order;
  for (std::size_t end = keys.size(); end > 0;) {
    const std::size_t begin = group_begin(keys, end);
    const SortTask task{keys.subspan(begin, end - begin),
                        count,
                        order.empty() ? nullptr : order.data(),
                        false,
                        nullptr,
                        [&](std::size_t bytes) {
                          memory = std::make_unique_for_overwrite<std::byte[]>(bytes);
                          return memory.get();
                        }};
    sort_whole(task, reinterpret_cast<std::byte*>(permutation));
    end = begin;
    if (end > 0) order.assign(permutation, permutation + count);
  }
}

}  // namespace dvm::engine
