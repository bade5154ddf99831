// Sums of short rows in lanes, alone and with elementary functions beside them, against the
// reference interpreter, bit for bit: every length below two groups of lanes and some above.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "ir/graph/interpret.hpp"
#include "tests/unit/kernel/kernel_harness.hpp"

namespace dvm::kernel_test {
namespace {

// Params of the program: n, k, then an array of n x k elements of each type given.
void check_rows(const std::string& text, const std::vector<ElementType>& arrays) {
  const graph::Module module = parse_module(text);
  for (const char* cpu : {"native", "x86-64-v3"}) {
    Compiled compiled(module, cpu);
    graph::InterpretOptions options;
    options.isa = compiled.isa();
    std::vector<std::int64_t> lengths{95, 96, 97, 4095, 4100};
    for (std::int64_t k = 0; k < 66; ++k) lengths.push_back(k);
    for (const std::int64_t k : lengths) {
      for (const std::int64_t n : {1, 37, 64}) {
        if (k > 100 && n > 1) continue;
        CAPTURE(cpu);
        CAPTURE(k);
        CAPTURE(n);
        std::vector<Tensor> args{scalar_i64(n), scalar_i64(k)};
        for (std::size_t i = 0; i < arrays.size(); ++i)
          args.push_back(random_tensor(arrays[i], {n, k}, 7 + i));
        const auto want = graph::interpret(module, graph::FunctionId{0}, args, options);
        REQUIRE(want);
        for (const std::int64_t tile : {1000, 5}) {
          const Outcome got = compiled.run(args, tiles_of(tile));
          REQUIRE(got.error.check == -1);
          for (std::size_t i = 0; i < got.results.size(); ++i)
            CHECK(identical(got.results[i], (*want)[i]));
        }
      }
    }
  }
}

TEST_CASE("rows: sums of every short length, several elements wide") {
  check_rows(R"(
graph @f(%n: i64, %k: i64, %a: f64[n, k], %b: f32[n, k], %c: u8[n, k]) -> (f64[n], f32[n], u8[n]) sizes 2 {
  %z: f64 = constant 0.0
  %o: f32 = constant 1.0
  %u: u8 = constant 0
  %s: f64[n], %t: f32[n], %v: u8[n] = reduce [n] [k] lanes add.fused, min, xor (%z, %o, %u) { (%i: i64, %q: i64)
    %x: f64 = read %a[%i, %q]
    %y: f32 = read %b[%i, %q]
    %w: u8 = read %c[%i, %q]
    yield %x, %x, %y, %w
  }
  return %s, %t, %v
}
)",
             {ElementType::F64, ElementType::F32, ElementType::U8});
}

// A light body is unrolled over the pieces of a row's rest, a heavy one is not.
TEST_CASE("rows: a map of an elementary function of row sums, with light and heavy terms") {
  for (const bool heavy : {false, true}) {
    std::string terms;
    std::string last = "x";
    for (int i = 0; heavy && i < 20; ++i) {
      terms += fmt::format("      %t{}: f64 = add %{}, %x\n", i, last);
      last = fmt::format("t{}", i);
    }
    check_rows(fmt::format(R"(
graph @f(%n: i64, %k: i64, %a: f64[n, k]) -> (f64[n]) sizes 2 {{
  %r: f64[n] = map [n] {{ (%i: i64)
    %z: f64 = constant 0.0
    %s: f64 = reduce [] [k] lanes add (%z) {{ (%q: i64)
      %x: f64 = read %a[%i, %q]
{}      yield %{}
    }}
    %e: f64 = exp %s
    yield %e
  }}
  return %r
}}
)",
                           terms, last),
               {ElementType::F64});
  }
}

// Short rows: several points at once, and what a point is compared with many others by is loaded
// once. Neutral values show for no terms and no others only.
TEST_CASE("rows: the nearest of some others, by sums and by least parts") {
  const std::string text = R"(
checks {
  0: "none"
}
graph @f(%n: i64, %k: i64, %d: i64, %a: f64[n, d], %b: f64[k, d]) -> (i64[n], f64[n], f64[n]) sizes 3 {
  %r: i64[n], %s: f64[n], %t: f64[n] = map [n] { (%i: i64)
    %z: f64 = constant 7.0
    %zero: i64 = constant 0
    %near: f64, %at: i64 = reduce [] [k] ordered (%z, %zero) { (%c: i64)
      %z1: f64 = constant 5.0
      %q: f64 = reduce [] [d] lanes add.fused (%z1) { (%j: i64)
        %x: f64 = read %a[%i, %j]
        %y: f64 = read %b[%c, %j]
        %u: f64 = sub %x, %y
        yield %u, %u
      }
      yield %q, %c
    } combine { (%a1: f64, %a2: i64, %b1: f64, %b2: i64)
      %le: bool = le %a1, %b1
      %v: f64 = select %le, %a1, %b1
      %w: i64 = select %le, %a2, %b2
      yield %v, %w
    }
    %least: f64, %parts: i64 = reduce [] [d] lanes min, add (%z, %zero) { (%h: i64)
      %p: f64 = read %a[%i, %h]
      yield %p, %h
    }
    %some: bool = ge %at, %zero
    %found: i64 = check %at, %some check 0
    %both: i64 = add %found, %parts
    yield %both, %near, %least
  }
  return %r, %s, %t
}
)";
  const graph::Module module = parse_module(text);
  for (const char* cpu : {"native", "x86-64-v3"}) {
    Compiled compiled(module, cpu);
    graph::InterpretOptions options;
    options.isa = compiled.isa();
    for (std::int64_t d = 0; d < 11; ++d) {
      for (const std::int64_t k : {0, 1, 5}) {
        for (const std::int64_t n : {0, 3, 8, 37}) {
          CAPTURE(cpu);
          CAPTURE(d);
          CAPTURE(k);
          CAPTURE(n);
          Tensor a = random_tensor(ElementType::F64, {n, d}, 3);
          if (n > 3 && d > 1) {
            a.set(1, Scalar::of_float(ElementType::F64, std::nan("")));
            a.set(2, Scalar::of_float(ElementType::F64, -0.0));
          }
          const Tensor args[] = {scalar_i64(n), scalar_i64(k), scalar_i64(d), a,
                                 random_tensor(ElementType::F64, {k, d}, 4)};
          const auto want = graph::interpret(module, graph::FunctionId{0}, args, options);
          REQUIRE(want);
          for (const std::int64_t tile : {1000, 9}) {
            const Outcome got = compiled.run(args, tiles_of(tile));
            REQUIRE(got.error.check == -1);
            for (std::size_t i = 0; i < got.results.size(); ++i)
              CHECK(identical(got.results[i], (*want)[i]));
          }
        }
      }
    }
  }
}

// One read of the terms changes with the other, through a size; and the first points are an end of
// the range, taken one by one.
TEST_CASE("rows: short rows read by sizes, in ranges with ends") {
  const graph::Module module = parse_module(R"(
graph @f(%n: i64, %k: i64, %d: i64, %a: f64[n, k]) -> (f64[n]) sizes 3 {
  %r: f64[n] = map [n] { (%i: i64)
    %z: f64 = constant 0.0
    %s: f64 = reduce [] [k] ordered add (%z) { (%c: i64)
      %q: f64 = reduce [] [d] lanes add (%z) { (%j: i64)
        %p: i64 = size c
        %x: f64 = read %a[%i, %p]
        %u: i64 = constant 0
        %v: f64 = read %a[%i, %u]
        %w: f64 = add %x, %v
        yield %w
      }
      yield %q
    }
    %two: i64 = constant 2
    %first: bool = lt %i, %two
    %y: f64 = select %first, %z, %s
    yield %y
  }
  return %r
}
)");
  for (const char* cpu : {"native", "x86-64-v3"}) {
    Compiled compiled(module, cpu);
    graph::InterpretOptions options;
    options.isa = compiled.isa();
    for (const std::int64_t d : {0, 1, 3, 8, 9}) {
      CAPTURE(cpu);
      CAPTURE(d);
      const Tensor args[] = {scalar_i64(37), scalar_i64(5), scalar_i64(d),
                             random_tensor(ElementType::F64, {37, 5}, 3)};
      const auto want = graph::interpret(module, graph::FunctionId{0}, args, options);
      REQUIRE(want);
      const Outcome got = compiled.run(args, tiles_of(1000));
      REQUIRE(got.error.check == -1);
      CHECK(identical(got.results[0], (*want)[0]));
    }
  }
}

}  // namespace
}  // namespace dvm::kernel_test
