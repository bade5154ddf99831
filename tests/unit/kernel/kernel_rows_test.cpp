// Sums of short rows in lanes, alone and with elementary functions beside them, against the
// reference interpreter, bit for bit: every length below two groups of lanes and some above.
#include <doctest/doctest.h>
#include <fmt/format.h>

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

}  // namespace
}  // namespace dvm::kernel_test
