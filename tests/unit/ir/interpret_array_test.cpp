// The interpreter's array operations against models written independently of it.
#include <array>
#include <cmath>
#include <optional>
#include <random>

#include "tests/unit/ir/interpret_run.hpp"

using namespace dvm;
using namespace dvm::graph;
using namespace dvm::test;

namespace {

std::vector<double> random_values(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values(count);
  for (double& value : values)
    value = std::ldexp(static_cast<double>(random() >> 11), -60 + static_cast<int>(random() % 20));
  return values;
}

// The tree of a sum, written from the description: recursive over blocks, a plain table of lanes.
double tree_of_blocks(const std::vector<double>& blocks) {
  if (blocks.size() == 1) return blocks[0];
  std::vector<double> pairs;
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    pairs.push_back(i + 1 < blocks.size() ? blocks[i] + blocks[i + 1] : blocks[i]);
  }
  return tree_of_blocks(pairs);
}

double sum_model(const std::vector<double>& x, const std::vector<double>* y, bool lanes) {
  std::vector<double> blocks;
  for (std::size_t begin = 0; begin < x.size(); begin += 4096) {
    const std::size_t end = std::min(x.size(), begin + 4096);
    std::array<std::vector<std::size_t>, 32> terms;
    for (std::size_t t = begin; t < end; ++t) terms[lanes ? (t - begin) % 32 : 0].push_back(t);
    std::array<double, 32> sums;
    sums.fill(-0.0);  // the exact identity of addition
    for (std::size_t l = 0; l < 32; ++l) {
      for (std::size_t t : terms[l])
        sums[l] = y != nullptr ? std::fma(x[t], (*y)[t], sums[l]) : sums[l] + x[t];
    }
    if (lanes) {
      for (std::size_t half : {16, 8, 4, 2, 1}) {
        for (std::size_t l = 0; l < half; ++l) sums[l] += sums[l + half];
      }
    }
    blocks.push_back(sums[0]);
  }
  return blocks.empty() ? 0.0 : tree_of_blocks(blocks);
}

constexpr std::array<std::size_t, 16> extents = {0,  1,   2,    7,    31,   32,   33,    63,
                                                 64, 100, 4095, 4096, 4097, 8193, 12289, 20481};

}  // namespace

TEST_CASE("sums follow the tree: ordered and lanes, plain and fused") {
  for (const bool lanes : {false, true}) {
    for (const bool fused : {false, true}) {
      const std::string word = lanes ? "lanes" : "ordered";
      const std::string text =
          "graph @main(%n: i64, %xs: f64[n], %ys: f64[n]) -> (f64) sizes 1 {\n %z: f64 = constant "
          "0.0\n %s: f64 = reduce [] [n] " +
          word + " add" + (fused ? ".fused" : "") +
          " (%z) { (%i: i64)\n %x: f64 = read %xs[%i]\n %y: f64 = read %ys[%i]\n yield %x" +
          (fused ? ", %y" : "") + " }\n return %s }\n";
      const Module module = test::parse_ok(text);
      for (std::size_t n : extents) {
        CAPTURE(n);
        const auto x = random_values(n, 1), y = random_values(n, 2);
        auto result =
            run(module, {i64(static_cast<std::int64_t>(n)), vector_f64(x), vector_f64(y)});
        REQUIRE(result.ok());
        CHECK(same_bits((*result)[0].at(0).as_double(), sum_model(x, fused ? &y : nullptr, lanes)));
      }
    }
  }
}

TEST_CASE("a generic operator keeps the order of its terms") {
  // First-of-pair keeps the left one, so the result is the first term; the second component counts
  // the calls.
  const std::string text = R"(graph @main(%n: i64, %xs: f64[n]) -> (f64, i64) sizes 1 {
  %z: f64 = constant 7.0
  %c: i64 = constant 0
  %a: f64, %b: i64 = reduce [] [n] ordered (%z, %c) { (%i: i64)
    %x: f64 = read %xs[%i]
    %zero: i64 = constant 0
    yield %x, %zero
  } combine { (%l: f64, %k: i64, %r: f64, %m: i64)
    %one: i64 = constant 1
    %s: i64 = add %k, %m
    %t: i64 = add %s, %one
    yield %l, %t
  }
  return %a, %b
})";
  const Module module = test::parse_ok(text);
  for (std::size_t n : extents) {
    const auto x = random_values(n, 3);
    auto result = run(module, {i64(static_cast<std::int64_t>(n)), vector_f64(x)});
    REQUIRE(result.ok());
    CHECK((*result)[0].at(0).as_double() == (n == 0 ? 7.0 : x[0]));
    CHECK((*result)[1].at(0).as_i64() == (n == 0 ? 0 : static_cast<std::int64_t>(n) - 1));
  }
}

TEST_CASE("minimum propagates NaN and orders zeros, also in lanes") {
  const std::string text = R"(graph @main(%n: i64, %xs: f64[n]) -> (f64, f64) sizes 1 {
  %i0: f64 = constant inf
  %i1: f64 = constant -inf
  %a: f64, %b: f64 = reduce [] [n] lanes min, max (%i0, %i1) { (%i: i64)
    %x: f64 = read %xs[%i]
    yield %x, %x
  }
  return %a, %b
})";
  auto r = results(text, {i64(3), vector_f64({0.0, -0.0, 0.0})});
  CHECK(to_text(r[0].at(0)) == "-0.0");
  CHECK(to_text(r[1].at(0)) == "0.0");
  r = results(text, {i64(40), vector_f64([] {
                       std::vector<double> v(40, 1.0);
                       v[37] = NAN;
                       return v;
                     }())});
  CHECK(to_text(r[0].at(0)) == "nan");
  CHECK(to_text(r[1].at(0)) == "nan");
  r = results(text, {i64(0), vector_f64({})});
  CHECK(to_text(r[0].at(0)) == "inf");
}

TEST_CASE("scans: blocks in order, offsets in order") {
  for (const bool exclusive : {false, true}) {
    const std::string text =
        std::string(
            "graph @main(%n: i64, %xs: f64[n]) -> (f64[n]) sizes 1 {\n %z: f64 = constant 5.0\n "
            "%s: f64[n] = scan [] [n]") +
        (exclusive ? " exclusive" : "") +
        " add (%z) { (%i: i64)\n %x: f64 = read %xs[%i]\n yield %x }\n return %s }";
    const Module module = test::parse_ok(text);
    for (std::size_t n : extents) {
      CAPTURE(n);
      const auto x = random_values(n, 4);
      std::vector<double> inclusive;
      double offset = -0.0, local = 0;
      for (std::size_t t = 0; t < n; ++t) {
        if (t % 4096 == 0) {
          if (t > 0) offset = offset + local;
          local = x[t];
        } else {
          local = local + x[t];
        }
        inclusive.push_back(t < 4096 ? local : offset + local);
      }
      std::vector<double> expected = inclusive;
      if (exclusive && n > 0) {
        expected.insert(expected.begin(), 5.0);
        expected.pop_back();
      }
      auto result = run(module, {i64(static_cast<std::int64_t>(n)), vector_f64(x)});
      REQUIRE(result.ok());
      CHECK(identical((*result)[0], vector_f64(expected)));
    }
  }
}

TEST_CASE("reduce_by_key: key blocks in order, a tree over blocks that skips absent ones") {
  const std::string text =
      R"(graph @main(%n: i64, %k: i64, %ks: i64[n], %xs: f64[n]) -> (f64[k], i64[k, 2]) sizes 2 {
  %z: f64 = constant 0.5
  %zero: i64 = constant 0
  %one: i64 = constant 1
  %s: f64[k] = reduce_by_key [k] [n] [] add (%z) { (%i: i64)
    %key: i64 = read %ks[%i]
    %x: f64 = read %xs[%i]
    yield %key, %x
  }
  %c: i64[k, 2] = reduce_by_key [k] [n] [2] add (%zero) { (%j: i64, %d: i64)
    %other: i64 = read %ks[%j]
    %w: i64 = add %d, %one
    yield %other, %w
  }
  return %s, %c
})";
  const Module module = test::parse_ok(text);
  std::mt19937_64 random(9);
  for (std::int64_t keys : {0, 1, 3, 128, 129, 300}) {
    for (std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{5000}, std::size_t{20000}}) {
      CAPTURE(keys);
      CAPTURE(n);
      const auto x = random_values(n, 5);
      std::vector<std::int64_t> ks(n);
      for (auto& key : ks)
        key = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(keys + 3)) - 1;
      const std::size_t block =
          4096 * static_cast<std::size_t>(std::max<std::int64_t>(1, (32 * keys + 4095) / 4096));
      std::vector<double> expected;
      std::vector<std::int64_t> counts;
      for (std::int64_t key = 0; key < keys; ++key) {
        std::vector<std::optional<double>> level;
        std::int64_t count = 0;
        for (std::size_t begin = 0; begin < n; begin += block) {
          std::optional<double> sum;
          for (std::size_t t = begin; t < std::min(n, begin + block); ++t) {
            if (ks[t] != key) continue;
            sum = sum ? *sum + x[t] : x[t];
            ++count;
          }
          level.push_back(sum);
        }
        while (level.size() > 1) {
          std::vector<std::optional<double>> above;
          for (std::size_t i = 0; i < level.size(); i += 2) {
            std::optional<double> merged = level[i];
            if (i + 1 < level.size() && level[i + 1])
              merged = merged ? *merged + *level[i + 1] : level[i + 1];
            above.push_back(merged);
          }
          level = above;
        }
        expected.push_back(level.empty() || !level[0] ? 0.5 : *level[0]);
        counts.push_back(count);
        counts.push_back(2 * count);
      }
      auto result = run(
          module, {i64(static_cast<std::int64_t>(n)), i64(keys), vector_i64(ks), vector_f64(x)});
      REQUIRE(result.ok());
      CHECK(identical((*result)[0], vector_f64(expected)));
      CHECK(integers((*result)[1]) == counts);
    }
  }
}

TEST_CASE("scatter: last wins, out of range is dropped, or combines in order") {
  const std::string text =
      R"(graph @main(%n: i64, %k: i64, %xs: f64[n], %is: i64[k], %vs: f64[k]) -> (f64[n], f64[n], f64[n]) sizes 2 {
  %a: f64[n] = scatter [k] [] replace (%xs) { (%i: i64)
    %at: i64 = read %is[%i]
    %v: f64 = read %vs[%i]
    yield %at, %v
  }
  %b: f64[n] = scatter [k] [] combine add (%xs) { (%i1: i64)
    %at1: i64 = read %is[%i1]
    %v1: f64 = read %vs[%i1]
    yield %at1, %v1
  }
  %c: f64[n] = scatter [k] [] combine (%xs) { (%i2: i64)
    %at2: i64 = read %is[%i2]
    %v2: f64 = read %vs[%i2]
    yield %at2, %v2
  } combine { (%old: f64, %new: f64)
    %d: f64 = sub %new, %old
    yield %d
  }
  return %a, %b, %c
})";
  const auto r = results(text, {i64(3), i64(5), vector_f64({10, 20, 30}),
                                vector_i64({1, -1, 1, 3, 0}), vector_f64({1, 2, 3, 4, 5})});
  CHECK(doubles(r[0]) == std::vector<double>{5, 3, 30});
  CHECK(doubles(r[1]) == std::vector<double>{15, 24, 30});
  CHECK(doubles(r[2]) == std::vector<double>{-5, 3 - (1 - 20), 30});
}

TEST_CASE("rows: map of arrays, scatter of rows, concat, reshape") {
  const std::string text =
      R"(graph @main(%n: i64, %m: i64, %xs: f64[n], %ys: f64[m]) -> (f64[n, m], f64[n, m], f64[2 * n, m], f64[n * m]) sizes 2 {
  %a: f64[n, m] = map [n] { (%i: i64)
    %x: f64 = read %xs[%i]
    %row: f64[m] = map [m] { (%j: i64)
      %y: f64 = read %ys[%j]
      %p: f64 = mul %x, %y
      yield %p
    }
    yield %row
  }
  %b: f64[n, m] = scatter [n] [m] replace (%a) { (%i1: i64, %j1: i64)
    %one: i64 = constant 1
    %last: i64 = size n - 1
    %up: i64 = sub %last, %i1
    %v: f64 = read %a[%i1, %j1]
    yield %up, %v
  }
  %c: f64[2 * n, m] = concat %a, %b
  %d: f64[n * m] = reshape %b
  return %a, %b, %c, %d
})";
  const auto r = results(text, {i64(2), i64(3), vector_f64({1, 2}), vector_f64({1, 10, 100})});
  CHECK(doubles(r[0]) == std::vector<double>{1, 10, 100, 2, 20, 200});
  CHECK(doubles(r[1]) == std::vector<double>{2, 20, 200, 1, 10, 100});
  CHECK(doubles(r[2]) == std::vector<double>{1, 10, 100, 2, 20, 200, 2, 20, 200, 1, 10, 100});
  CHECK(r[2].shape == std::vector<std::int64_t>{4, 3});
  CHECK(r[3].shape == std::vector<std::int64_t>{6});
  const auto empty = results(text, {i64(0), i64(3), vector_f64({}), vector_f64({1, 10, 100})});
  CHECK(empty[0].shape == std::vector<std::int64_t>{0, 3});
}

TEST_CASE("sort is stable, total and lexicographic") {
  const std::string text =
      R"(graph @main(%n: i64, %xs: f64[n], %ks: i64[n]) -> (i64[n], i64[n], i64[n]) sizes 1 {
  %a: i64[n] = sort %xs
  %b: i64[n] = sort %xs descending
  %c: i64[n] = sort %ks, %xs descending
  return %a, %b, %c
})";
  const auto r = results(text, {i64(6), vector_f64({NAN, 0.0, -0.0, -INFINITY, NAN, 1.0}),
                                vector_i64({1, 0, 0, 1, 1, 0})});
  CHECK(integers(r[0]) == std::vector<std::int64_t>{3, 1, 2, 5, 0, 4});
  CHECK(integers(r[1]) == std::vector<std::int64_t>{0, 4, 5, 1, 2, 3});
  CHECK(integers(r[2]) == std::vector<std::int64_t>{5, 1, 2, 0, 4, 3});
}
