// The interpreter, operation by operation, against models written independently of it.
#include "ir/graph/interpret.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include "ir/graph/verify.hpp"
#include "tests/unit/ir/graph_text.hpp"

using namespace dvm;
using namespace dvm::graph;

namespace {

Tensor vector_f64(const std::vector<double>& values) {
  Tensor tensor = *Tensor::make(ElementType::F64, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) {
    tensor.set(static_cast<std::int64_t>(i), Scalar::of_float(ElementType::F64, values[i]));
  }
  return tensor;
}

Tensor vector_i64(const std::vector<std::int64_t>& values) {
  Tensor tensor = *Tensor::make(ElementType::I64, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i)
    tensor.set(static_cast<std::int64_t>(i), Scalar::of_i64(values[i]));
  return tensor;
}

Tensor i64(std::int64_t value) { return Tensor::of_scalar(Scalar::of_i64(value)); }
Tensor f64(double value) { return Tensor::of_scalar(Scalar::of_float(ElementType::F64, value)); }
Tensor boolean(bool value) { return Tensor::of_scalar(Scalar::of_bool(value)); }

Result<std::vector<Tensor>, RunError> run(const Module& module, const std::vector<Tensor>& args,
                                          InterpretOptions options = {}) {
  const auto problems = verify(module, true);
  for (const std::string& problem : problems) MESSAGE(problem);
  REQUIRE(problems.empty());
  return interpret(module, FunctionId{0}, args, options);
}

std::vector<Tensor> results(const std::string& text, const std::vector<Tensor>& args) {
  auto result = run(test::parse_ok(text), args);
  if (!result) MESSAGE(result.error().message);
  REQUIRE(result.ok());
  return *result;
}

RunError failure(const std::string& text, const std::vector<Tensor>& args,
                 InterpretOptions options = {}) {
  auto result = run(test::parse_ok(text), args, options);
  REQUIRE_FALSE(result.ok());
  return result.error();
}

std::vector<double> doubles(const Tensor& tensor) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < tensor.count(); ++i) values.push_back(tensor.at(i).as_double());
  return values;
}
std::vector<std::int64_t> integers(const Tensor& tensor) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < tensor.count(); ++i) values.push_back(tensor.at(i).as_i64());
  return values;
}

bool same_bits(double a, double b) {
  return Scalar::of_float(ElementType::F64, a) == Scalar::of_float(ElementType::F64, b);
}

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
  %c: i64[k, 2] = reduce_by_key [k] [n] [2] add (%zero) { (%i: i64, %d: i64)
    %key: i64 = read %ks[%i]
    %w: i64 = add %d, %one
    yield %key, %w
  }
  return %s, %c
})";
  std::string unique = text;
  for (const char* name : {"%i:", "%key:", "%key\n", "%ks[%i]\n    %w", "yield %key, %w"})
    (void)name;
  // Names are unique in a function: the second body gets its own.
  const std::size_t second = unique.find("%c: i64[k, 2]");
  std::string tail = unique.substr(second);
  for (std::size_t at = 0; (at = tail.find("%i", at)) != std::string::npos; at += 3)
    tail.replace(at, 2, "%j");
  for (std::size_t at = 0; (at = tail.find("%key", at)) != std::string::npos; at += 5)
    tail.replace(at, 4, "%kez");
  const Module module = test::parse_ok(unique.substr(0, second) + tail);
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

TEST_CASE("filter counts and keeps") {
  const std::string text = R"(checks { 0: "{0} of {1}" }
graph @main(%n: i64, %xs: i64[n]) -> (i64, i64[k], i64[k]) sizes 1 {
  %zero: i64 = constant 0
  %k: i64, %a: i64[k], %b: i64[k] = filter [n] { (%i: i64)
    %x: i64 = read %xs[%i]
    %c: bool = gt %x, %zero
    %q: i64 = int_div %i, %x check 0
    yield %c, %x, %q
  }
  return %k, %a, %b
})";
  const auto r = results(text, {i64(4), vector_i64({2, 0, 1, -1})});
  CHECK(r[0].at(0).as_i64() == 2);
  CHECK(integers(r[1]) == std::vector<std::int64_t>{2, 1});
  CHECK(integers(r[2]) ==
        std::vector<std::int64_t>{0, 2});  // nothing is divided where nothing is kept
}

TEST_CASE("loop, while, branch and call") {
  const std::string text =
      R"(graph @main(%n: i64, %flag: bool) -> (i64, i64, i64[n], i64, i64) sizes 1 {
  %zero: i64 = constant 0
  %one: i64 = constant 1
  %a: i64, %b: i64, %fibs: i64[n] = loop %n (%zero, %one) stacked 1 { (%t: i64, %x: i64, %y: i64)
    %s: i64 = add %x, %y
    yield %y, %s, %x
  }
  %w: i64 = while (%one) { (%u: i64)
    %c: bool = lt %u, %n
    yield %c
  } do { (%u1: i64)
    %u2: i64 = add %u1, %u1
    yield %u2
  }
  %r: i64 = branch %flag {
    %f: i64 = call @factorial(%n)
    yield %f
  } else {
    yield %w
  }
  return %a, %b, %fibs, %w, %r
}
graph @factorial(%n: i64) -> (i64) {
  %one: i64 = constant 1
  %small: bool = le %n, %one
  %r: i64 = branch %small {
    yield %one
  } else {
    %m: i64 = sub %n, %one
    %f: i64 = call @factorial(%m)
    %p: i64 = mul %n, %f
    yield %p
  }
  return %r
})";
  auto r = results(text, {i64(10), boolean(true)});
  CHECK(r[0].at(0).as_i64() == 55);
  CHECK(r[1].at(0).as_i64() == 89);
  CHECK(integers(r[2]) == std::vector<std::int64_t>{0, 1, 1, 2, 3, 5, 8, 13, 21, 34});
  CHECK(r[3].at(0).as_i64() == 16);
  CHECK(r[4].at(0).as_i64() == 3628800);
  r = results(text, {i64(0), boolean(false)});
  CHECK(r[0].at(0).as_i64() == 0);
  CHECK(r[2].shape == std::vector<std::int64_t>{0});
  CHECK(r[4].at(0).as_i64() == 1);
}

TEST_CASE("recursion that is too deep is an error, not a crash") {
  const std::string text = R"(graph @f(%n: i64) -> (i64) {
  %r: i64 = call @f(%n)
  return %r
})";
  CHECK(failure(text, {i64(1)}).message == "the recursion is too deep");
  InterpretOptions deep;
  deep.max_depth = 1'000'000'000;
  CHECK(failure(text, {i64(1)}, deep).message == "the recursion is too deep");
  const std::string count = R"(graph @f(%n: i64) -> (i64) {
  %zero: i64 = constant 0
  %one: i64 = constant 1
  %c: bool = eq %n, %zero
  %r: i64 = branch %c {
    yield %zero
  } else {
    %m: i64 = sub %n, %one
    %s: i64 = call @f(%m)
    %t: i64 = add %s, %one
    yield %t
  }
  return %r
})";
  CHECK(results(count, {i64(19'000)})[0].at(0).as_i64() == 19'000);
}

TEST_CASE("limits are errors") {
  const std::string text = R"(graph @main(%n: i64) -> (f64[n, n]) {
  %z: f64 = constant 0.0
  %a: f64[n, n] = map [n, n] { (%i: i64, %j: i64)
    yield %z
  }
  return %a
})";
  CHECK(failure(text, {i64(1'000'000)}).message ==
        "there is not enough memory for an array of shape [1000000, 1000000]");
  CHECK(failure(text, {i64(4'000'000'000)}).message == "a size does not fit in 64 bits");
  CHECK(failure(text, {i64(-1)}).message == "a size is negative: -1");
  const std::string endless = R"(graph @main(%c: bool) -> (i64) {
  %z: i64 = constant 0
  %a: i64 = while (%z) { (%x: i64)
    yield %c
  } do { (%y: i64)
    yield %y
  }
  return %a
})";
  InterpretOptions few;
  few.max_steps = 1000;
  CHECK(failure(endless, {boolean(true)}, few).message == "the program takes too many steps");
}

TEST_CASE("of several failures the least check, then the least index, is reported") {
  const std::string text = R"(checks { 0: "first {0}" 1: "second {0}" 2: "index {0}, size {1}" }
graph @main(%n: i64, %is: i64[n], %xs: i64[n]) -> (i64[n], i64[n], i64) sizes 1 {
  %one: i64 = constant 1
  %b: i64[n] = map [n] { (%i: i64)
    %k: i64 = read %is[%i]
    %x: i64 = read %xs[%k] check 2
    yield %x
  }
  %a: i64[n] = map [n] { (%i1: i64)
    %x1: i64 = read %xs[%i1]
    %q: i64 = int_div %one, %x1 check 1
    %r: i64 = int_div %i1, %x1 check 0
    yield %q
  }
  %dead: i64 = int_div %one, %n check 0
  %s: i64 = read %b[%one] check 0
  return %b, %a, %s
})";
  RunError error = failure(text, {i64(4), vector_i64({0, 1, 9, 8}), vector_i64({1, 2, 3, 4})});
  CHECK(error.check == CheckId{2});
  CHECK(error.index == 2);
  CHECK(error.message == "index 9, size 4");
  error = failure(text, {i64(4), vector_i64({0, 1, 9, 8}), vector_i64({1, 2, 0, 0})});
  CHECK(error.check == CheckId{1});  // check 0 is nobody's need, and %s depends on what failed
  CHECK(error.index == 2);
  CHECK(error.message == "second 1");
  error = failure(text, {i64(1), vector_i64({0}), vector_i64({0})});
  CHECK(error.check == CheckId{0});  // %s is needed and can be evaluated
}

TEST_CASE("only what is needed is evaluated") {
  const std::string text = R"(checks { 0: "no" 1: "division" }
graph @main(%n: i64, %flag: bool) -> (i64[3], i64) {
  %zero: i64 = constant 0
  %bad: i64 = int_div %zero, %n check 1
  %worse: i64 = add %bad, %bad
  %unused: i64, %used: i64 = branch %flag {
    yield %bad, %zero
  } else {
    yield %zero, %zero
  }
  %m: i64[3], %o: i64[3] = map [3] { (%i: i64)
    %c: bool = lt %i, %zero
    %v: i64 = branch %c {
      yield %worse
    } else {
      yield %i
    }
    %w: i64 = int_div %i, %n check 0
    yield %v, %w
  }
  %count: i64 = constant 2
  %l: i64, %l2: i64 = loop %count (%zero, %zero) { (%t: i64, %x: i64, %y: i64)
    %x2: i64 = add %x, %t
    %y2: i64 = int_div %x, %n check 0
    yield %x2, %y2
  }
  return %m, %l
})";
  const auto r = results(text, {i64(0), boolean(true)});
  CHECK(integers(r[0]) == std::vector<std::int64_t>{0, 1, 2});
  CHECK(r[1].at(0).as_i64() == 1);
}

TEST_CASE("a value that branches ask for is evaluated once, with what it needs, at its own place") {
  const std::string text = R"(checks { 0: "value {0}" }
graph @main(%n: i64, %xs: i64[n]) -> (i64[n]) sizes 1 {
  %zero: i64 = constant 0
  %big: i64[n] = map [n] { (%i: i64)
    %x: i64 = read %xs[%i]
    %c: bool = ge %x, %zero
    %y: i64 = check %x, %c, %x check 0
    yield %y
  }
  %sum: i64 = reduce [] [n] ordered add (%zero) { (%j: i64)
    %b: i64 = read %big[%j]
    yield %b
  }
  %r: i64[n] = map [n] { (%k: i64)
    %two: i64 = constant 2
    %d: bool = ge %k, %two
    %v: i64 = branch %d {
      %s: i64 = add %sum, %k
      yield %s
    } else {
      yield %zero
    }
    yield %v
  }
  return %r
})";
  auto r = results(text, {i64(4), vector_i64({1, 2, 3, 4})});
  CHECK(integers(r[0]) == std::vector<std::int64_t>{0, 0, 12, 13});
  CHECK(integers(results(text, {i64(2), vector_i64({-1, -2})})[0]) ==
        std::vector<std::int64_t>{0, 0});
  const RunError error = failure(text, {i64(4), vector_i64({1, -2, 3, -4})});
  CHECK(error.index == 1);  // its own iteration, not the asking one
  CHECK(error.message == "value -2");
}

TEST_CASE("long chains that only a branch asks for do not recurse") {
  std::string text = "graph @main(%x: i64, %c: bool) -> (i64) {\n%a0: i64 = add %x, %x\n";
  const int length = 100'000;
  for (int i = 1; i < length; ++i) {
    text += "%a" + std::to_string(i) + ": i64 = add %a" + std::to_string(i - 1) + ", %x\n";
  }
  text += "%r: i64 = branch %c {\nyield %a" + std::to_string(length - 1) +
          "\n} else {\nyield %x\n}\nreturn %r\n}\n";
  CHECK(results(text, {i64(1), boolean(true)})[0].at(0).as_i64() == length + 1);
  CHECK(results(text, {i64(1), boolean(false)})[0].at(0).as_i64() == 1);
}

TEST_CASE("a loop stops at its first failing step") {
  const std::string text = R"(checks { 0: "late {0}" 1: "early {0}" }
graph @main(%n: i64) -> (i64, i64) {
  %zero: i64 = constant 0
  %hundred: i64 = constant 100
  %a: i64, %b: i64 = loop %hundred (%zero, %zero) { (%t: i64, %x: i64, %y: i64)
    %early: bool = lt %t, %n
    %x2: i64 = check %t, %early, %t check 1
    %fifty: i64 = constant 50
    %late: bool = lt %t, %fifty
    %y2: i64 = check %t, %late, %t check 0
    yield %x2, %y2
  }
  return %a, %b
})";
  CHECK(failure(text, {i64(7)}).message == "early 7");
  CHECK(failure(text, {i64(70)}).message == "late 50");
}

TEST_CASE("reshape compares counts") {
  const std::string text = R"(checks { 0: "{0} elements, not {1}" }
graph @main(%n: i64, %k: i64, %xs: f64[n]) -> (f64[k, 2]) sizes 2 {
  %r: f64[k, 2] = reshape %xs check 0
  return %r
})";
  CHECK(results(text, {i64(4), i64(2), vector_f64({1, 2, 3, 4})})[0].shape ==
        std::vector<std::int64_t>{2, 2});
  CHECK(failure(text, {i64(3), i64(2), vector_f64({1, 2, 3})}).message == "3 elements, not 4");
  CHECK(failure(text, {i64(2), i64(-1), vector_f64({1, 2})}).message == "2 elements, not -2");
}

TEST_CASE("messages take values by number and leave other braces alone") {
  const std::vector<Scalar> values = {Scalar::of_i64(-3), Scalar::of_float(ElementType::F64, 0.5)};
  CHECK(render_message({"{1} {0} {2} {} {x} {", {}}, values) == "0.5 -3 {2} {} {x} {");
}

TEST_CASE("elementary functions go through the vector routine that was asked for") {
  const std::string text = R"(graph @main(%x: f64) -> (f64) {
  %y: f64 = tanh %x
  return %y
})";
  const Module module = test::parse_ok(text);
  for (const VectorIsa isa : {VectorIsa::Avx2, VectorIsa::Avx512}) {
    InterpretOptions options;
    options.isa = isa;
    for (double x : {0.1, 0.7, 1.3, 2.9}) {
      auto result = run(module, {f64(x)}, options);
      REQUIRE(result.ok());
      CHECK(same_bits((*result)[0].at(0).as_double(), evaluate(Elementary::Tanh, x, 0.0, isa)));
    }
  }
}

TEST_CASE("states of loops that a failure took do not take the others along") {
  const std::string text = R"(checks { 0: "in the loop {0}" 1: "before the loop" }
graph @main(%n: i64) -> (i64, i64) {
  %zero: i64 = constant 0
  %ten: i64 = constant 10
  %bad: i64 = int_div %ten, %zero check 1
  %a: i64, %b: i64 = loop %ten (%bad, %zero) { (%t: i64, %x: i64, %y: i64)
    %x2: i64 = add %x, %t
    %fine: bool = lt %t, %n
    %y2: i64 = check %t, %fine, %t check 0
    yield %x2, %y2
  }
  return %a, %b
})";
  CHECK(failure(text, {i64(4)}).message == "in the loop 4");
  CHECK(failure(text, {i64(40)}).message == "before the loop");
}

TEST_CASE("while with arrays whose size changes") {
  const std::string text = R"(graph @main(%n: i64, %xs: f64[n]) -> (f64[k]) sizes 1 {
  %two: i64 = constant 2
  %k: i64, %v: f64[k] = while (%n, %xs) { (%c: i64, %w: f64[c])
    %more: bool = gt %c, %two
    yield %more
  } do { (%d: i64, %u: f64[d])
    %e: i64 = int_div %d, %two
    %t: f64[e] = map [e] { (%i: i64)
      %l: f64 = read %u[%i]
      %j: i64 = add %i, %e
      %r: f64 = read %u[%j]
      %s: f64 = add %l, %r
      yield %s
    }
    yield %e, %t
  }
  return %v
})";
  CHECK(doubles(results(text, {i64(9), vector_f64({1, 2, 3, 4, 5, 6, 7, 8, 9})})[0]) ==
        std::vector<double>{16, 20});
}
