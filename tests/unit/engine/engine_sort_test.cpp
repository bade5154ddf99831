// The stable permutation that orders keys, and the values in order: whole, in phases, in the
// engine.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "backend/engine/sort.hpp"
#include "engine_compile.hpp"

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

namespace {

// The phases one after the other, as tasks run them.
std::vector<std::byte> in_phases(engine::SortTask task, std::size_t bytes) {
  std::vector<std::byte> memory, result(static_cast<std::size_t>(task.count) * bytes);
  task.scratch = [&](std::size_t wanted) {
    memory.resize(wanted);
    return memory.data();
  };
  const engine::SortShape shape(task.count);
  std::vector<std::int64_t> orders, bucket_begins(static_cast<std::size_t>(shape.buckets + 1));
  if (!task.order)
    for (std::int64_t part = 0; part < shape.parts; ++part)
      orders.push_back(
          engine::order_of_part(task, shape.part_begin(part), shape.part_begin(part + 1)));
  std::vector<std::uint64_t> plan(static_cast<std::size_t>(shape.buckets));
  engine::find_splitters(task, shape, orders, plan.data());
  std::vector<std::byte> words(static_cast<std::size_t>(task.count) * 8);
  std::vector<std::uint16_t> places(static_cast<std::size_t>(task.count));
  std::vector<std::uint32_t> begins(static_cast<std::size_t>(shape.blocks * (shape.buckets + 1)));
  for (std::int64_t block = 0; block < shape.blocks; ++block)
    engine::spread_block(task, shape, plan.data(), block, words.data(),
                         task.values ? nullptr : places.data(), begins.data());
  engine::bucket_places(shape, plan.data(), begins.data(), bucket_begins.data());
  const engine::SpreadWords spread{plan.data(), words.data(), task.values ? nullptr : places.data(),
                                   begins.data(), bucket_begins.data()};
  for (std::int64_t bucket = 0; bucket < shape.buckets; ++bucket)
    engine::finish_bucket(task, shape, spread, bucket, result.data());
  return result;
}

// Against a stable sort by comparison, in both directions: values bit for bit, but that a NaN is a
// NaN.
template <class T>
void check_phases(ElementType element, const std::vector<T>& values) {
  const auto less = [](T a, T b) {
    if (a != a || b != b) return a == a && b != b;
    return a < b;
  };
  for (const bool descending : {false, true}) {
    Positions expected(values.size());
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(), [&](std::int64_t a, std::int64_t b) {
      const T x = values[static_cast<std::size_t>(a)], y = values[static_cast<std::size_t>(b)];
      return descending ? less(y, x) : less(x, y);
    });
    const engine::SortKey key = key_of(element, values, descending);
    engine::SortTask task;
    task.keys = {&key, 1};
    task.count = static_cast<std::int64_t>(values.size());
    const std::vector<std::byte> order = in_phases(task, 8);
    CHECK(std::memcmp(order.data(), expected.data(), order.size()) == 0);
    task.values = true;
    const std::vector<std::byte> sorted = in_phases(task, sizeof(T));
    std::size_t different = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const T wanted = values[static_cast<std::size_t>(expected[k])];
      T found;
      std::memcpy(&found, sorted.data() + k * sizeof(T), sizeof(T));
      if (wanted != wanted)
        different += found == found ? 1 : 0;
      else
        different += std::memcmp(&wanted, &found, sizeof(T)) == 0 ? 0 : 1;
    }
    CHECK(different == 0);
  }
}

// Data of every kind: `make(kind, k, random)`.
template <class Make>
void check_kinds(int kinds, const Make& make) {
  for (const std::size_t count : {std::size_t{32768}, std::size_t{100003}})
    for (int kind = 0; kind < kinds; ++kind) {
      CAPTURE(kind);
      std::mt19937_64 random(7);
      make(kind, count, random);
    }
}

double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

}  // namespace

TEST_CASE("sort: phases agree with a sort by comparison on floats of every kind") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  check_kinds(10, [&](int kind, std::size_t count, std::mt19937_64& random) {
    std::vector<double> values(count);
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint64_t bits = random();
      const double x = unit(bits), place = static_cast<double>(k);
      const double kinds[] = {x,
                              1.0,
                              place,
                              -place,
                              bits % 2 == 0 ? nan : x - 0.5,
                              bits % 3 == 0   ? 0.0
                              : bits % 3 == 1 ? -0.0
                                              : x - 0.5,
                              std::exp2(1000 * (x - 0.5)) * (bits % 2 == 0 ? -1 : 1),
                              static_cast<double>(bits % 10),
                              k == count / 2 ? 1e300 : 1 + x * 0x1p-40,
                              bits % 16 == 0 ? x
                              : k % 2 == 0   ? 0.0
                                             : -0.0};
      values[k] = kinds[kind];
    }
    check_phases(ElementType::F64, values);
    const std::vector<float> floats(values.begin(), values.end());
    check_phases(ElementType::F32, floats);
  });
}

TEST_CASE("sort: phases agree with a sort by comparison on integers") {
  check_kinds(4, [&](int kind, std::size_t count, std::mt19937_64& random) {
    std::vector<std::int64_t> values(count);
    for (std::size_t k = 0; k < count; ++k) {
      const auto bits = static_cast<std::int64_t>(random());
      const std::int64_t kinds[] = {bits, bits % 1000, k < 7 ? bits : bits & 3,
                                    static_cast<std::int64_t>(k * k % 1009)};
      values[k] = kinds[kind];
    }
    check_phases(ElementType::I64, values);
    check_phases(ElementType::U64, std::vector<std::uint64_t>(values.begin(), values.end()));
    check_phases(ElementType::I32, std::vector<std::int32_t>(values.begin(), values.end()));
    check_phases(ElementType::U8, std::vector<std::uint8_t>(values.begin(), values.end()));
    check_phases(ElementType::I16, std::vector<std::int16_t>(values.begin(), values.end()));
  });
}

TEST_CASE("sort: long arrays in the engine, by one key, by many and of values") {
  const test::Compiled program = test::compile(R"(
graph @main(%n: i64, %xs: f64[n], %ks: i64[n]) -> (i64[n], i64[n], f64[n], i64[n]) sizes 1 {
  %p: i64[n] = sort %xs descending
  %q: i64[n] = sort %ks, %xs descending, %ks
  %s: f64[n] = sort values %xs
  %t: i64[n] = sort values %ks descending
  return %p, %q, %s, %t
}
)");
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{40000}}) {
    std::mt19937_64 random(5);
    std::vector<double> values;
    std::vector<std::int64_t> keys;
    for (std::size_t k = 0; k < count; ++k) {
      values.push_back(random() % 5 == 0 ? (random() % 2 == 0 ? -0.0 : 0.0) : unit(random()) - 0.5);
      keys.push_back(static_cast<std::int64_t>(random() % 100));
    }
    test::check(program, {test::scalar_of(static_cast<std::int64_t>(count)),
                          test::vector_of(values), test::vector_of(keys)});
  }
}
