// Chains: operations cut into tiles together give the interpreter's bits, however many tiles.
#include <doctest/doctest.h>

#include <cmath>

#include "engine_compile.hpp"

using namespace dvm;
using namespace dvm::test;

namespace {

std::vector<double> numbers(std::int64_t count) {
  std::vector<double> values;
  for (std::int64_t k = 0; k < count; ++k) values.push_back(std::sin(static_cast<double>(k) * 0.7));
  return values;
}
Tensor matrix_of(std::int64_t rows, std::int64_t columns) {
  Tensor tensor = vector_of(numbers(rows * columns));
  tensor.shape = {rows, columns};
  return tensor;
}
// Of the last run, names joined by + in a task's name show a chain.
bool chained(const Outcome& outcome) { return mentions(outcome, "+"); }

}  // namespace

TEST_CASE("a map, what is made of it, and sums of both go in one walk") {
  const Compiled program = compile(R"(
graph @main(%n: i64, %xs: f64[n]) -> (f64[n], f64, f64) sizes 1 {
  %zero: f64 = constant 0.0
  %y: f64[n] = map [n] { (%i: i64)
    %x: f64 = read %xs[%i]
    %s: f64 = mul %x, %x
    yield %s
  }
  %z: f64[n] = map [n] { (%i.1: i64)
    %a: f64 = read %y[%i.1]
    %r: f64 = sqrt %a
    yield %r
  }
  %p: f64 = reduce [] [n] lanes add (%zero) { (%i.2: i64)
    %b: f64 = read %y[%i.2]
    yield %b
  }
  %q: f64 = reduce [] [n] lanes max (%zero) { (%i.3: i64)
    %c: f64 = read %z[%i.3]
    yield %c
  }
  return %z, %p, %q
}
)");
  for (std::int64_t n : {0, 1, 7, 4095, 4096, 4097, 50'001}) {
    CAPTURE(n);
    const Outcome outcome = check(program, {scalar_of(n), vector_of(numbers(n))});
    // One block has no second worker to give: then the map goes alone.
    if (n < 10 || n > 10'000) CHECK(chained(outcome) == (n > 0));
  }
}

TEST_CASE("a softmax of each row of a product keeps only a tile of rows") {
  const Compiled program = compile(R"(
graph @main(%n: i64, %m: i64, %d: i64, %a: f64[n, d], %b: f64[m, d]) -> (f64[n, m]) sizes 3 {
  %zero: f64 = constant 0.0
  %p: f64[n, m] = reduce [n, m] [d] ordered add.fused (%zero) { (%i: i64, %j: i64, %k: i64)
    %x: f64 = read %a[%i, %k]
    %y: f64 = read %b[%j, %k]
    yield %x, %y
  }
  %w: f64[n, m] = map [n] { (%i.1: i64)
    %low: f64 = constant -inf
    %zero.1: f64 = constant 0.0
    %top: f64 = reduce [] [m] lanes max (%low) { (%j.1: i64)
      %v: f64 = read %p[%i.1, %j.1]
      yield %v
    }
    %e: f64[m] = map [m] { (%j.2: i64)
      %u: f64 = read %p[%i.1, %j.2]
      %t: f64 = sub %u, %top
      %g: f64 = exp %t
      yield %g
    }
    %s: f64 = reduce [] [m] lanes add (%zero.1) { (%j.3: i64)
      %h: f64 = read %e[%j.3]
      yield %h
    }
    %o: f64[m] = map [m] { (%j.4: i64)
      %q: f64 = read %e[%j.4]
      %r: f64 = div %q, %s
      yield %r
    }
    yield %o
  }
  return %w
}
)");
  for (std::int64_t n : {0, 1, 5, 33, 130})
    for (std::int64_t m : {1, 3, 70}) {
      CAPTURE(n);
      CAPTURE(m);
      const std::int64_t d = 9;
      const Outcome outcome = check(
          program, {scalar_of(n), scalar_of(m), scalar_of(d), matrix_of(n, d), matrix_of(m, d)});
      if (n == 130) CHECK(chained(outcome));
    }
}

TEST_CASE("sums by keys go with the keys that they need") {
  const Compiled program = compile(R"(
graph @main(%n: i64, %k: i64, %raw: i64[n], %xs: f64[n, 2]) -> (f64[k, 2], i64[k]) sizes 1 {
  %zero: f64 = constant 0.0
  %none: i64 = constant 0
  %mine: i64[n] = map [n] { (%i: i64)
    %one: i64 = constant 1
    %x: i64 = read %raw[%i]
    %t: i64 = sub %x, %one
    yield %t
  }
  %sums: f64[k, 2] = reduce_by_key [k] [n] [2] add (%zero) { (%i.1: i64, %j: i64)
    %key: i64 = read %mine[%i.1]
    %v: f64 = read %xs[%i.1, %j]
    yield %key, %v
  }
  %counts: i64[k] = reduce_by_key [k] [n] [] add (%none) { (%i.2: i64)
    %one.1: i64 = constant 1
    %key.1: i64 = read %mine[%i.2]
    yield %key.1, %one.1
  }
  return %sums, %counts
}
)");
  for (std::int64_t n : {1, 4096, 30'000})
    for (std::int64_t k : {1, 4, 300}) {
      CAPTURE(n);
      CAPTURE(k);
      std::vector<std::int64_t> keys;
      for (std::int64_t i = 0; i < n; ++i) keys.push_back(i * i % (k + 2));  // some out of range
      const Outcome outcome =
          check(program, {scalar_of(n), scalar_of(k), vector_of(keys), matrix_of(n, 2)});
      if (n != 4096 && k < 300) CHECK(chained(outcome));
    }
}

TEST_CASE("a failure in a chain is the one that the interpreter reports") {
  const Compiled program = compile(R"(
checks {
  0: "not below the limit: {0}"
}
graph @main(%n: i64, %limit: f64, %xs: f64[n]) -> (f64) sizes 1 {
  %zero: f64 = constant 0.0
  %y: f64[n] = map [n] { (%i: i64)
    %x: f64 = read %xs[%i]
    %ok: bool = lt %x, %limit
    %v: f64 = check %x, %ok, %x check 0
    yield %v
  }
  %p: f64 = reduce [] [n] lanes add (%zero) { (%i.1: i64)
    %b: f64 = read %y[%i.1]
    yield %b
  }
  return %p
}
)");
  const Tensor values = vector_of(numbers(30'000));
  const std::int64_t n = 30'000;
  CHECK(check(program, {scalar_of(n), scalar_of(0.999999), values}).error != "");
  CHECK(check(program, {scalar_of(n), scalar_of(2.0), values}).error == "");
}
