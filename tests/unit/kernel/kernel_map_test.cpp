// Map kernels against plain loops.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/unit/kernel/kernel_harness.hpp"

namespace dvm::kernel_test {
namespace {

const std::int64_t extents[] = {0, 1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 200};

TEST_CASE("a clamped stencil is the same in every tiling") {
  const graph::Module module = parse_module(R"(
graph @f(%n: i64, %m: i64, %u: f64[n, m]) -> (f64[n, m]) sizes 2 {
  %r: f64[n, m] = map [n, m] { (%i: i64, %j: i64)
    %one: i64 = constant 1
    %zero: i64 = constant 0
    %n1: i64 = size n - 1
    %m1: i64 = size m - 1
    %a: i64 = sub %i, %one
    %up: i64 = max %a, %zero
    %b: i64 = add %i, %one
    %down: i64 = min %b, %n1
    %c: i64 = sub %j, %one
    %left: i64 = max %c, %zero
    %d: i64 = add %j, %one
    %right: i64 = min %d, %m1
    %x0: f64 = read %u[%up, %j]
    %x1: f64 = read %u[%down, %j]
    %x2: f64 = read %u[%i, %left]
    %x3: f64 = read %u[%i, %right]
    %s0: f64 = add %x0, %x1
    %s1: f64 = add %s0, %x2
    %s2: f64 = add %s1, %x3
    yield %s2
  }
  return %r
}
)");
  for (const char* cpu : {"native", "x86-64-v3"}) {
    Compiled compiled(module, cpu);
    for (std::int64_t n : {1, 3, 5}) {
      for (std::int64_t m : extents) {
        const Tensor u = random_tensor(ElementType::F64, {n, m}, 3);
        Tensor want = *Tensor::make(ElementType::F64, {n, m});
        const auto at = [&](std::int64_t i, std::int64_t j) { return u.at(i * m + j).as_double(); };
        for (std::int64_t i = 0; i < n; ++i) {
          for (std::int64_t j = 0; j < m; ++j) {
            const double sum =
                at(std::max<std::int64_t>(i - 1, 0), j) + at(std::min(i + 1, n - 1), j) +
                at(i, std::max<std::int64_t>(j - 1, 0)) + at(i, std::min(j + 1, m - 1));
            want.set(i * m + j, Scalar::of_float(ElementType::F64, sum));
          }
        }
        const Tensor args[] = {scalar_i64(n), scalar_i64(m), u};
        for (std::int64_t tile : {1, 3, 17, 1000}) {
          const Outcome got = compiled.run(args, tiles_of(tile));
          CAPTURE(n);
          CAPTURE(m);
          CAPTURE(tile);
          CHECK(identical(got.results[0], want));
          CHECK(got.error.check == -1);
        }
      }
    }
  }
}

TEST_CASE("elementary functions and a branch with a checked gather") {
  const graph::Module module = parse_module(R"(
checks {
  0: "index {0} outside {1}"
}
graph @f(%n: i64, %m: i64, %x: f64[n], %at: i32[n]) -> (f64[n]) sizes 2 {
  %r: f64[n] = map [n] { (%i: i64)
    %v: f64 = read %x[%i]
    %zero: f64 = constant 0.0
    %c: bool = gt %v, %zero
    %y: f64 = branch %c {
      %k: i32 = read %at[%i]
      %k64: i64 = convert %k
      %g: f64 = read %x[%k64] check 0
      %e: f64 = exp %g
      yield %e
    } else {
      %q: f64 = mul %v, %v
      yield %q
    }
    yield %y
  }
  return %r
}
)");
  Compiled compiled(module);
  for (std::int64_t n : extents) {
    const Tensor x = random_tensor(ElementType::F64, {n}, 5);
    Tensor at = *Tensor::make(ElementType::I32, {n});
    for (std::int64_t i = 0; i < n; ++i)
      at.set(i, Scalar::of_integer(ElementType::I32, (i * 7) % n));
    const Tensor args[] = {scalar_i64(n), scalar_i64(0), x, at};
    const Outcome got = compiled.run(args, tiles_of(23));
    CHECK(got.error.check == -1);
    for (std::int64_t i = 0; i < n; ++i) {
      const double v = x.at(i).as_double();
      const double want =
          v > 0 ? evaluate(Elementary::Exp, x.at((i * 7) % n).as_double(), 0.0, compiled.isa())
                : v * v;
      CHECK(got.results[0].at(i).as_double() == want);
    }
    // The first failing point is reported, points whose branch is not taken are not.
    std::int64_t first = -1;
    for (std::int64_t i = n; i-- > 0;) {
      if (i % 5 == 3) {
        at.set(i, Scalar::of_integer(ElementType::I32, n + i));
        if (x.at(i).as_double() > 0) first = i;
      }
    }
    const Outcome bad = compiled.run(args, tiles_of(23));
    if (first < 0) {
      CHECK(bad.error.check == -1);
    } else {
      CHECK(bad.error.check == 0);
      CHECK(bad.error.index == first);
      CHECK(bad.error.values[0] == n + first);
      CHECK(bad.error.values[1] == n);
    }
  }
}

TEST_CASE("a while loop stops lane by lane") {
  const graph::Module module = parse_module(R"(
graph @f(%m: i64, %n: i64, %re: f64[m], %im: f64[n], %limit: i32) -> (i32[n, m]) sizes 2 {
  %r: i32[n, m] = map [n, m] { (%i: i64, %j: i64)
    %cx: f64 = read %re[%j]
    %cy: f64 = read %im[%i]
    %zero: f64 = constant 0.0
    %none: i32 = constant 0
    %x: f64, %y: f64, %count: i32 = while (%zero, %zero, %none) { (%a: f64, %b: f64, %k: i32)
      %less: bool = lt %k, %limit
      %go: bool = branch %less {
        %aa: f64 = mul %a, %a
        %bb: f64 = mul %b, %b
        %norm: f64 = add %aa, %bb
        %four: f64 = constant 4.0
        %in: bool = le %norm, %four
        yield %in
      } else {
        %no: bool = constant false
        yield %no
      }
      yield %go
    } do { (%a2: f64, %b2: f64, %k2: i32)
      %p: f64 = mul %a2, %a2
      %q: f64 = mul %b2, %b2
      %d: f64 = sub %p, %q
      %nx: f64 = add %d, %cx
      %two: f64 = constant 2.0
      %ta: f64 = mul %two, %a2
      %tab: f64 = mul %ta, %b2
      %ny: f64 = add %tab, %cy
      %one: i32 = constant 1
      %nk: i32 = add %k2, %one
      yield %nx, %ny, %nk
    }
    yield %count
  }
  return %r
}
)");
  for (const char* cpu : {"native", "x86-64-v3"}) {
    Compiled compiled(module, cpu);
    const std::int64_t m = 77, n = 9;
    Tensor re = *Tensor::make(ElementType::F64, {m}), im = *Tensor::make(ElementType::F64, {n});
    for (std::int64_t j = 0; j < m; ++j)
      re.set(j, Scalar::of_float(ElementType::F64, -2.0 + 2.6 * double(j) / 76));
    for (std::int64_t i = 0; i < n; ++i)
      im.set(i, Scalar::of_float(ElementType::F64, -1.2 + 2.4 * double(i) / 8));
    const Tensor args[] = {scalar_i64(m), scalar_i64(n), re, im,
                           Tensor::of_scalar(Scalar::of_integer(ElementType::I32, 50))};
    const Outcome got = compiled.run(args, tiles_of(30));
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < m; ++j) {
        double x = 0, y = 0;
        int count = 0;
        while (count < 50 && x * x + y * y <= 4) {
          const double next = (x * x - y * y) + re.at(j).as_double();
          y = 2 * x * y + im.at(i).as_double();
          x = next;
          ++count;
        }
        CHECK(got.results[0].at(i * m + j).as_i64() == count);
      }
    }
  }
}

}  // namespace
}  // namespace dvm::kernel_test
