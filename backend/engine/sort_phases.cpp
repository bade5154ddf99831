// The phases of a sort that tasks share. See sort.hpp, Note [Sort phases].
#include <algorithm>
#include <bit>
#include <utility>

#include "backend/engine/sort_finish.hpp"

namespace dvm::engine {

namespace {

constexpr std::int64_t piece = 512;
constexpr std::int64_t bucket_words = 20'000;  // with what sorting needs, they fit a core's cache
constexpr std::int64_t most_buckets = 1024, most_parts = 16;
constexpr std::int64_t samples_per_bucket = 16;

enum Work : std::uint64_t { Spread, Copy, Reverse };

bool narrow(const SortTask& task) { return key_bits(task.keys) <= 32; }

// Calls fn with a word of the keys' width.
template <class Fn>
void with_word(const SortTask& task, Fn fn) {
  if (narrow(task))
    fn(std::uint32_t{});
  else
    fn(std::uint64_t{});
}

std::uint64_t mixed(std::uint64_t x) {  // the finaliser of splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// The splitters of a sorted sample, in ascending order, fewer than there are buckets; the rest is
// filled up with a word that nothing exceeds. A word that would be chosen twice is parted from what
// is less as well. Zeros of both signs stay together.
void choose_splitters(std::span<const std::uint64_t> sample, std::span<std::uint64_t> splitters,
                      std::uint64_t zero) {
  std::size_t count = 0;
  const auto add = [&](std::uint64_t word) {
    if (count == 0 || splitters[count - 1] < word) splitters[count++] = word;
  };
  const std::size_t wanted = splitters.size();
  for (std::size_t k = 0; k < wanted;) {
    const std::uint64_t word = sample[(k + 1) * sample.size() / (wanted + 1)];
    std::size_t next = k + 1;
    while (next < wanted && sample[(next + 1) * sample.size() / (wanted + 1)] == word) ++next;
    if (next - k > 1 && word > 1) add(word - (word == zero ? 2 : 1));
    add(word);
    k = next;
  }
  std::fill(splitters.begin() + static_cast<std::ptrdiff_t>(count), splitters.end(),
            ~std::uint64_t{0});
}

// The tree below node 1: the left child of k is 2k, all in it are at most as great as the node.
void plant(std::span<const std::uint64_t> splitters, std::uint64_t* tree) {
  const std::size_t buckets = splitters.size() + 1;
  for (std::size_t level = 1; level < buckets; level *= 2)
    for (std::size_t k = 0; k < level; ++k)
      tree[level + k] = splitters[(2 * k + 1) * buckets / (2 * level) - 1];
}

// ids[k]: the bucket of words[k]. Several searches go side by side, each in a register.
template <class Word, std::size_t... lane>
void classify_together(const Word* words, const Word* tree, int levels, std::uint32_t buckets,
                       std::uint16_t* ids, std::index_sequence<lane...>) {
  std::uint64_t at[] = {(lane * 0 + 1)...};
  for (int level = 0; level < levels; ++level)
    ((at[lane] += at[lane] + (tree[at[lane]] < words[lane])), ...);
  ((ids[lane] = static_cast<std::uint16_t>(at[lane] - buckets)), ...);
}
template <class Word>
void classify(const Word* words, std::int64_t count, const Word* tree, std::int64_t buckets,
              std::uint16_t* ids) {
  constexpr std::int64_t together = 4;
  const int levels = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(buckets))) - 1;
  const auto first = static_cast<std::uint32_t>(buckets);
  std::int64_t k = 0;
  for (; k + together <= count; k += together)
    classify_together(words + k, tree, levels, first, ids + k,
                      std::make_index_sequence<together>());
  for (; k < count; ++k)
    classify_together(words + k, tree, levels, first, ids + k, std::make_index_sequence<1>());
}

template <class Word>
void spread_words(const SortTask& task, const SortShape& shape, const std::uint64_t* plan,
                  std::int64_t block, Word* result, std::uint16_t* places, std::uint32_t* begins) {
  const std::int64_t begin = block * shape.block, end = std::min(shape.count, begin + shape.block),
                     length = end - begin;
  const auto buckets = static_cast<std::size_t>(shape.buckets);
  const auto room = static_cast<std::size_t>(length);
  std::byte* memory =
      task.scratch((buckets + 2 * room) * sizeof(Word) + 2 * room * sizeof(std::uint16_t) +
                   buckets * sizeof(std::uint32_t));
  if (!memory) return;
  Word* tree = reinterpret_cast<Word*>(memory);
  Word* words = tree + buckets;
  Word* spread = words + room;
  auto* next = reinterpret_cast<std::uint32_t*>(spread + room);
  auto* ids = reinterpret_cast<std::uint16_t*>(next + buckets);
  std::uint16_t* numbers = ids + room;
  for (std::size_t k = 1; k < buckets; ++k)  // what nothing exceeds stays so
    tree[k] = static_cast<Word>(std::min<std::uint64_t>(plan[k], static_cast<Word>(~Word{0})));
  std::fill_n(next, buckets, 0);
  for (std::int64_t at = 0; at < length; at += piece) {
    const std::int64_t most = std::min(piece, length - at);
    ordered_words(task.keys, task.order, begin + at, begin + at + most,
                  task.values ? Zeros::Apart : Zeros::Equal, words + at);
    classify(words + at, most, tree, shape.buckets, ids + at);
    for (std::int64_t k = at; k < at + most; ++k) ++next[ids[k]];
    if (cancelled(task.cancel)) return;
  }
  std::uint32_t sum = 0;
  for (std::size_t k = 0; k < buckets; ++k) {
    begins[k] = sum;
    sum += next[k];
    next[k] = begins[k];
  }
  begins[buckets] = sum;
  // Scattered in cache first: memory is written in order.
  if (places)
    for (std::int64_t k = 0; k < length; ++k) {
      const std::uint32_t to = next[ids[k]]++;
      spread[to] = words[k];
      numbers[to] = static_cast<std::uint16_t>(k);
    }
  else
    for (std::int64_t k = 0; k < length; ++k) spread[next[ids[k]]++] = words[k];
  std::copy_n(spread, length, result);
  if (places) std::copy_n(numbers, length, places);
}

// The segment of a bucket that a block holds.
struct Segment {
  std::int64_t begin, length;
};
Segment segment(const SortShape& shape, const SpreadWords& spread, std::int64_t bucket,
                std::int64_t block) {
  const std::uint32_t* begins = spread.begins + block * (shape.buckets + 1) + bucket;
  return {block * shape.block + begins[0], static_cast<std::int64_t>(begins[1] - begins[0])};
}

// Calls use(begin, length, block) for the segments of a bucket that are not empty, in order. Those
// ahead are asked for: they lie far apart.
template <class Use>
void each_segment(const SortShape& shape, const SpreadWords& spread, std::size_t word_bytes,
                  std::int64_t bucket, Use use) {
  constexpr std::int64_t ahead = 3, line = 64, most_lines = 16;
  for (std::int64_t block = 0; block < shape.blocks; ++block) {
    if (block + ahead < shape.blocks) {
      const Segment coming = segment(shape, spread, bucket, block + ahead);
      const std::byte* from = spread.words + static_cast<std::size_t>(coming.begin) * word_bytes;
      const std::int64_t lines =
          (coming.length * static_cast<std::int64_t>(word_bytes) + line - 1) / line;
      for (std::int64_t k = 0; k < std::min(lines, most_lines); ++k)
        __builtin_prefetch(from + k * line);
    }
    const Segment here = segment(shape, spread, bucket, block);
    if (here.length > 0) use(here.begin, here.length, block);
  }
}

// What is in order, or in the opposite order without equal ones.
void copy_range(const SortTask& task, bool reverse, std::int64_t begin, std::int64_t end,
                std::byte* result) {
  if (!task.values) {
    auto* to = reinterpret_cast<std::int64_t*>(result);
    for (std::int64_t k = begin; k < end; ++k) to[k] = reverse ? task.count - 1 - k : k;
    return;
  }
  with_word(task, [&]<class Word>(Word) {
    Word words[piece];
    const auto width = static_cast<std::int64_t>(bytes_of(task));
    for (std::int64_t at = begin; at < end; at += piece) {
      const std::int64_t most = std::min(piece, end - at);
      const std::int64_t from = reverse ? task.count - at - most : at;
      ordered_words(task.keys, nullptr, from, from + most, Zeros::Apart, words);
      if (reverse) std::reverse(words, words + most);
      elements_of(task.keys[0].element, task.keys[0].descending, words, most, result + at * width);
    }
  });
}

}  // namespace

bool SortShape::worthwhile(std::int64_t count) { return count >= std::int64_t{1} << 15; }

SortShape::SortShape(std::int64_t length) : count(length) {
  const auto power = [](std::int64_t least) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(least)));
  };
  block = std::clamp<std::int64_t>(power(count / 32), 4096, 32768);
  if (count >= std::int64_t{1} << 26) block = 65536;  // longer segments
  blocks = (count + block - 1) / block;
  buckets = std::clamp<std::int64_t>(power(count / bucket_words), 8, most_buckets);
  parts = std::clamp<std::int64_t>(count / block, 1, most_parts);
}

std::int64_t order_of_part(const SortTask& task, std::int64_t begin, std::int64_t end) {
  std::uint64_t words[piece + 1];
  std::int64_t result = 3;
  for (std::int64_t at = begin; at < end && result != 0; at += piece) {
    const std::int64_t most = std::min({piece + 1, end + 1 - at, task.count - at});
    ordered_words(task.keys, nullptr, at, at + most, Zeros::Equal, words);
    bool ascending = true, descending = true;
    for (std::int64_t k = 1; k < most; ++k) {
      ascending &= words[k - 1] <= words[k];
      descending &= words[k - 1] > words[k];
    }
    result &= (ascending ? 1 : 0) | (descending ? 2 : 0);
    if (cancelled(task.cancel)) break;
  }
  return result;
}

void find_splitters(const SortTask& task, const SortShape& shape,
                    std::span<const std::int64_t> orders, std::uint64_t* plan) {
  std::int64_t order = orders.empty() ? 0 : 3;
  for (std::int64_t one : orders) order &= one;
  plan[0] = order & 1 ? Copy : order & 2 ? Reverse : Spread;
  if (plan[0] != Spread) return;
  const std::int64_t count = std::min(shape.count, shape.buckets * samples_per_bucket);
  const auto size = static_cast<std::size_t>(count);
  const auto inner = static_cast<std::size_t>(shape.buckets - 1);
  auto* sample =
      reinterpret_cast<std::uint64_t*>(task.scratch((2 * size + inner) * sizeof(std::uint64_t)));
  if (!sample) return;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t begin = shape.count * k / count,
                       width = shape.count * (k + 1) / count - begin;
    const auto at = begin + static_cast<std::int64_t>(mixed(static_cast<std::uint64_t>(k)) %
                                                      static_cast<std::uint64_t>(width));
    ordered_words(task.keys, task.order, at, at + 1, Zeros::Equal, sample + k);
  }
  sort_words(sample, sample + size, size, 0, task.cancel);
  const bool floats = task.values && is_float(task.keys[0].element);
  const std::uint64_t zero =
      floats ? lower_zero<std::uint64_t>(key_bits(task.keys)) + 1 : std::uint64_t{0};
  const std::span splitters(sample + 2 * size, inner);
  choose_splitters({sample, size}, splitters, zero);
  plant(splitters, plan);
}

void spread_block(const SortTask& task, const SortShape& shape, const std::uint64_t* plan,
                  std::int64_t block, std::byte* words, std::uint16_t* places,
                  std::uint32_t* begins) {
  if (plan[0] != Spread) return;
  const std::int64_t first = block * shape.block;
  with_word(task, [&]<class Word>(Word) {
    spread_words<Word>(task, shape, plan, block, reinterpret_cast<Word*>(words) + first,
                       places ? places + first : nullptr, begins + block * (shape.buckets + 1));
  });
}

void bucket_places(const SortShape& shape, const std::uint64_t* plan, const std::uint32_t* begins,
                   std::int64_t* results) {
  if (plan[0] != Spread) return;
  std::fill_n(results, shape.buckets + 1, 0);
  for (std::int64_t block = 0; block < shape.blocks; ++block, begins += shape.buckets + 1)
    for (std::int64_t k = 0; k <= shape.buckets; ++k) results[k] += begins[k];
}

void finish_bucket(const SortTask& task, const SortShape& shape, const SpreadWords& spread,
                   std::int64_t bucket, std::byte* result) {
  if (spread.plan[0] != Spread)
    return copy_range(task, spread.plan[0] == Reverse, shape.count * bucket / shape.buckets,
                      shape.count * (bucket + 1) / shape.buckets, result);
  const std::int64_t begin = spread.bucket_begins[bucket],
                     count = spread.bucket_begins[bucket + 1] - begin;
  if (count == 0) return;
  result += static_cast<std::size_t>(begin) * bytes_of(task);
  with_word(task, [&]<class Word>(Word) {
    const auto* words = reinterpret_cast<const Word*>(spread.words);
    const auto segments = [&](auto use) { each_segment(shape, spread, sizeof(Word), bucket, use); };
    if (task.values)
      finish_values<Word>(
          task, count,
          [&](const auto& use) {
            segments([&](std::int64_t at, std::int64_t length, std::int64_t) {
              use(words + at, length);
            });
          },
          result);
    else
      finish_permutation<Word>(
          task, count,
          [&](const auto& use) {
            segments([&](std::int64_t at, std::int64_t length, std::int64_t block) {
              use(words + at, spread.places + at, block * shape.block, length);
            });
          },
          reinterpret_cast<std::int64_t*>(result));
  });
}

}  // namespace dvm::engine
