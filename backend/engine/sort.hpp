// One sort: whole, or in phases that tasks share.
//
// Note [Sort phases]. A long array is cut into blocks, and its range of values into buckets by
// splitters: words that part a sample evenly. A task takes a block and puts its words in the order
// of their buckets, stably, within the block (`spread_block`); where each bucket begins in the
// result is then the sum of the blocks' counts (`bucket_places`). A task takes a bucket, collects
// its words from all blocks in their order, and sorts them in cache (`finish_bucket`). A word that
// the sample holds several times gets a bucket of its own, however many there are. What is in order
// already, or in the opposite one, is found before (`order_of_part`) and only copied. Everything
// but speed is the same for any splitters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "backend/engine/sort_keys.hpp"

namespace dvm::engine {

// Memory for one call's use, asked for once; null when there is none, and then the call returns
// with nothing done.
using Scratch = std::function<std::byte*(std::size_t bytes)>;

// What is sorted. Of `values` (a single key, no order) the result is the elements in order, else
// the permutation (i64): result[i] = position of the element that comes i-th. With an `order` (a
// permutation) the elements are taken in that order, and stay so where they are equal; the keys
// together have at most 64 bits.
struct SortTask {
  std::span<const SortKey> keys;
  std::int64_t count = 0;
  const std::int64_t* order = nullptr;
  bool values = false;
  const std::int32_t* cancel = nullptr;  // polled
  Scratch scratch;
};
void sort_whole(const SortTask& task, std::byte* result);

// The stable permutation for any number of keys, lexicographically.
void sort_permutation(std::span<const SortKey> keys, std::int64_t count, std::int64_t* permutation);
// Of keys, how many of the last `end` are sorted by together: at most 64 bits.
std::size_t group_begin(std::span<const SortKey> keys, std::size_t end);

// How an array is cut: follows from its length alone.
struct SortShape {
  std::int64_t count = 0, block = 0, blocks = 0, buckets = 0, parts = 0;
  static bool worthwhile(std::int64_t count);  // else it is sorted whole
  explicit SortShape(std::int64_t count);
  std::int64_t part_begin(std::int64_t part) const { return count * part / parts; }
};

// Bit 0: the part and the element after it are in order; bit 1: each is greater than the next.
std::int64_t order_of_part(const SortTask& task, std::int64_t begin, std::int64_t end);

// `plan` has `buckets` words: first what there is to do, then the splitters as a search tree.
// `orders` are those of the parts; none: not known.
void find_splitters(const SortTask& task, const SortShape& shape,
                    std::span<const std::int64_t> orders, std::uint64_t* plan);

// Writes rows of the block: its words by bucket (32 bits wide where the keys are, else 64), for a
// permutation also their places in the block, and where each of the `buckets + 1` begins.
void spread_block(const SortTask& task, const SortShape& shape, const std::uint64_t* plan,
                  std::int64_t block, std::byte* words, std::uint16_t* places,
                  std::uint32_t* begins);

// results[k]: words in buckets before k, for k up to `buckets`.
void bucket_places(const SortShape& shape, const std::uint64_t* plan, const std::uint32_t* begins,
                   std::int64_t* results);

struct SpreadWords {
  const std::uint64_t* plan;
  const std::byte* words;
  const std::uint16_t* places;
  const std::uint32_t* begins;
  const std::int64_t* bucket_begins;
};
void finish_bucket(const SortTask& task, const SortShape& shape, const SpreadWords& spread,
                   std::int64_t bucket, std::byte* result);

}  // namespace dvm::engine
