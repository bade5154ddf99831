// The stable permutation that orders keys.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "backend/engine/sort.hpp"

using namespace dvm;

namespace {

template <class T>
engine::SortKey key_of(ElementType element, const std::vector<T>& values, bool descending = false) {
  return {element, reinterpret_cast<const std::byte*>(values.data()), descending};
}
std::vector<std::int64_t> permutation(std::vector<engine::SortKey> keys, std::size_t count) {
  std::vector<std::int64_t> result(count);
  engine::sort_permutation(keys, static_cast<std::int64_t>(count), result.data());
  return result;
}
using Positions = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("sort: floats are ordered totally, equal ones keep their order") {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               inf = std::numeric_limits<double>::infinity();
  const std::vector<double> values{nan, 0.0, -1.5, inf, -0.0, -inf, 2.5, -nan};
  CHECK(permutation({key_of(ElementType::F64, values)}, 8) == Positions{5, 2, 1, 4, 6, 3, 0, 7});
  CHECK(permutation({key_of(ElementType::F64, values, true)}, 8) ==
        Positions{0, 7, 3, 6, 1, 4, 2, 5});
  const std::vector<float> floats{1.0F, -std::numeric_limits<float>::infinity(), std::nanf(""),
                                  -0.0F, 0.0F};
  CHECK(permutation({key_of(ElementType::F32, floats)}, 5) == Positions{1, 3, 4, 0, 2});
}

TEST_CASE("sort: integers of every kind") {
  const std::vector<std::int8_t> bytes{3, -128, 127, -1, 0};
  CHECK(permutation({key_of(ElementType::I8, bytes)}, 5) == Positions{1, 3, 4, 0, 2});
  CHECK(permutation({key_of(ElementType::I8, bytes, true)}, 5) == Positions{2, 0, 4, 3, 1});
  const std::vector<std::uint64_t> words{~0ULL, 0, 1ULL << 63, 5};
  CHECK(permutation({key_of(ElementType::U64, words)}, 4) == Positions{1, 3, 2, 0});
  const std::vector<std::uint8_t> bools{1, 0, 1, 0};
  CHECK(permutation({key_of(ElementType::Bool, bools)}, 4) == Positions{1, 3, 0, 2});
  CHECK(permutation({key_of(ElementType::I64, std::vector<std::int64_t>{})}, 0).empty());
}

TEST_CASE("sort: several keys are lexicographic and stable") {
  std::mt19937 random(11);
  std::vector<std::int64_t> first(5000);
  std::vector<double> second(5000);
  for (std::size_t k = 0; k < first.size(); ++k) {
    first[k] = static_cast<std::int64_t>(random() % 7) - 3;
    second[k] = static_cast<double>(random() % 50) / 4;
  }
  Positions expected(first.size());
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(), [&](std::int64_t a, std::int64_t b) {
    const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
    return first[x] != first[y] ? first[x] < first[y] : second[x] > second[y];
  });
  CHECK(permutation({key_of(ElementType::I64, first), key_of(ElementType::F64, second, true)},
                    first.size()) == expected);
}
