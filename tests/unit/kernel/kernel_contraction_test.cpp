// Contractions through packed panels against the reference interpreter, bit for bit: all
// transpositions, both trees, prologues and epilogues, over extents around every length that
// matters.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ir/graph/contraction.hpp"
#include "ir/graph/interpret.hpp"
#include "tests/unit/kernel/kernel_harness.hpp"

namespace dvm::kernel_test {
namespace {

struct Shape {
  std::int64_t n, k, m;
};
const std::vector<Shape> small = {{1, 1, 1},    {3, 0, 5},      {0, 3, 4},     {6, 5, 0},
                                  {5, 7, 6},    {8, 16, 16},    {9, 33, 17},   {16, 31, 65},
                                  {4, 40, 24},  {20, 300, 30},  {17, 64, 97},  {9, 1100, 20},
                                  {8, 2048, 8}, {12, 4097, 18}, {9, 12500, 17}};
const std::vector<Shape> large = {{300, 17, 260}, {132, 2050, 98}};

bool is_contraction(const graph::Module& module) {
  const graph::Function& function = module.functions[graph::FunctionId{0}];
  return graph::contraction_of(function, function.values[function.results()[0]].node).has_value();
}

// Params of the program: n, k, m, then whatever `make` adds.
using MakeArgs = std::function<std::vector<Tensor>(const Shape&)>;

void check(const std::string& text, const MakeArgs& make, const std::vector<Shape>& shapes) {
  const graph::Module module = parse_module(text);
  REQUIRE(is_contraction(module));
  for (const char* cpu : {"native", "x86-64-v3"}) {
    Compiled compiled(module, cpu);
    for (const Shape& shape : shapes) {
      CAPTURE(text);
      CAPTURE(cpu);
      CAPTURE(shape.n);
      CAPTURE(shape.k);
      CAPTURE(shape.m);
      std::vector<Tensor> args{scalar_i64(shape.n), scalar_i64(shape.k), scalar_i64(shape.m)};
      for (Tensor& tensor : make(shape)) args.push_back(std::move(tensor));
      graph::InterpretOptions options;
      options.isa = compiled.isa();
      const auto want = graph::interpret(module, graph::FunctionId{0}, args, options);
      REQUIRE(want);
      for (const bool whole : {true, false}) {
        for (const std::int64_t tile : {1000000, 37}) {
          CAPTURE(whole);
          CAPTURE(tile);
          const Outcome got = compiled.run(args, tiles_of(tile), whole);
          REQUIRE(got.error.check == -1);
          for (std::size_t i = 0; i < got.results.size(); ++i)
            REQUIRE(identical(got.results[i], (*want)[i]));
        }
      }
    }
  }
}

// A product of matrices, of which either may be read across.
std::string product(const std::string& type, bool across_a, bool across_b,
                    const std::string& tree) {
  return fmt::format(R"(
graph @f(%n: i64, %k: i64, %m: i64, %a: {0}[{1}], %b: {0}[{2}]) -> ({0}[n, m]) sizes 3 {{
  %z: {0} = constant 0.0
  %c: {0}[n, m] = reduce [n, m] [k] {3} add.fused (%z) {{ (%i: i64, %j: i64, %q: i64)
    %x: {0} = read %a[{4}]
    %y: {0} = read %b[{5}]
    yield %x, %y
  }}
  return %c
}}
)",
                     type, across_a ? "k, n" : "n, k", across_b ? "m, k" : "k, m", tree,
                     across_a ? "%q, %i" : "%i, %q", across_b ? "%j, %q" : "%q, %j");
}

MakeArgs matrices(ElementType element, bool across_a, bool across_b) {
  return [=](const Shape& s) {
    const auto shape = [](std::int64_t rows, std::int64_t columns, bool across) {
      return across ? std::vector<std::int64_t>{columns, rows}
                    : std::vector<std::int64_t>{rows, columns};
    };
    return std::vector<Tensor>{random_tensor(element, shape(s.n, s.k, across_a), 1),
                               random_tensor(element, shape(s.k, s.m, across_b), 2)};
  };
}

TEST_CASE("contraction: products of matrices, either read across, in order and in lanes") {
  for (const bool across_a : {false, true}) {
    for (const bool across_b : {false, true}) {
      const bool wide = across_a == across_b;
      const ElementType element = wide ? ElementType::F64 : ElementType::F32;
      for (const char* tree : {"ordered", "lanes"})
        check(product(wide ? "f64" : "f32", across_a, across_b, tree),
              matrices(element, across_a, across_b), small);
    }
  }
}

TEST_CASE("contraction: more than one piece of the result") {
  for (const char* tree : {"ordered", "lanes"})
    check(product("f32", false, true, tree), matrices(ElementType::F32, false, true), large);
}

TEST_CASE("contraction: what is made of one side is made when it is packed") {
  for (const char* tree : {"ordered", "lanes"}) {
    check(
        fmt::format(R"(
graph @f(%n: i64, %k: i64, %m: i64, %a: i32[k, n], %b: f32[k, m], %w: f64[k], %s: f64[n]) -> (f64[n, m]) sizes 3 {{
  %z: f64 = constant 0.0
  %c: f64[n, m] = reduce [n, m] [k] {} add.fused (%z) {{ (%i: i64, %j: i64, %q: i64)
    %x: i32 = read %a[%q, %i]
    %xf: f64 = convert %x
    %mean: f64 = read %s[%i]
    %centred: f64 = sub %xf, %mean
    %y: f32 = read %b[%q, %j]
    %e: f32 = exp %y
    %yf: f64 = convert %e
    %u: f64 = read %w[%q]
    %v: f64 = mul %yf, %u
    yield %centred, %v
  }}
  return %c
}}
)",
                    tree),
        [](const Shape& s) {
          return std::vector<Tensor>{random_tensor(ElementType::I32, {s.k, s.n}, 1),
                                     random_tensor(ElementType::F32, {s.k, s.m}, 2),
                                     random_tensor(ElementType::F64, {s.k}, 3),
                                     random_tensor(ElementType::F64, {s.n}, 4)};
        },
        small);
  }
}

TEST_CASE("contraction: rows that are looked up") {
  check(
      R"(
graph @f(%n: i64, %k: i64, %m: i64, %a: f32[n, k], %b: f32[k, m], %at: i64[n]) -> (f32[n, m]) sizes 3 {
  %z: f32 = constant 0.0
  %c: f32[n, m] = reduce [n, m] [k] ordered add.fused (%z) { (%i: i64, %j: i64, %q: i64)
    %r: i64 = read %at[%i]
    %x: f32 = read %a[%r, %q]
    %y: f32 = read %b[%q, %j]
    yield %x, %y
  }
  return %c
}
)",
      [](const Shape& s) {
        Tensor at = random_tensor(ElementType::I64, {s.n}, 3);
        for (std::int64_t i = 0; i < s.n; ++i) at.set(i, Scalar::of_i64((i * 7 + 3) % s.n));
        return std::vector<Tensor>{random_tensor(ElementType::F32, {s.n, s.k}, 1),
                                   random_tensor(ElementType::F32, {s.k, s.m}, 2), at};
      },
      small);
}

TEST_CASE("contraction: distances, of several kinds at once") {
  for (const char* tree : {"ordered", "lanes"}) {
    check(fmt::format(R"(
graph @f(%n: i64, %k: i64, %m: i64, %a: f64[n, k], %b: f64[m, k]) -> (f64[n, m], f64[n, m]) sizes 3 {{
  %z: f64 = constant 0.0
  %c: f64[n, m], %d: f64[n, m] = reduce [n, m] [k] {} add, max (%z, %z) {{ (%i: i64, %j: i64, %q: i64)
    %x: f64 = read %a[%i, %q]
    %y: f64 = read %b[%j, %q]
    %v: f64 = sub %x, %y
    %w: f64 = abs %v
    yield %w, %w
  }}
  return %c, %d
}}
)",
                      tree),
          matrices(ElementType::F64, false, true), small);
  }
}

TEST_CASE("contraction: shortest paths, and bits") {
  check(R"(
graph @f(%n: i64, %k: i64, %m: i64, %a: i64[n, k], %b: i64[k, m]) -> (i64[n, m]) sizes 3 {
  %z: i64 = constant 1000000
  %c: i64[n, m] = reduce [n, m] [k] ordered min (%z) { (%i: i64, %j: i64, %q: i64)
    %x: i64 = read %a[%i, %q]
    %y: i64 = read %b[%q, %j]
    %v: i64 = add %x, %y
    %w: i64 = add %v, %q
    yield %w
  }
  return %c
}
)",
        matrices(ElementType::I64, false, false), small);
  check(R"(
graph @f(%n: i64, %k: i64, %m: i64, %a: u8[n, k], %b: u8[m, k]) -> (u8[n, m], bool[n, m]) sizes 3 {
  %z: u8 = constant 0
  %no: bool = constant false
  %c: u8[n, m], %d: bool[n, m] = reduce [n, m] [k] lanes xor, or (%z, %no) { (%i: i64, %j: i64, %q: i64)
    %x: u8 = read %a[%i, %q]
    %y: u8 = read %b[%j, %q]
    %v: u8 = and %x, %y
    %w: bool = eq %x, %y
    yield %v, %w
  }
  return %c, %d
}
)",
        matrices(ElementType::U8, false, true), small);
}

TEST_CASE("contraction: matrices of matrices") {
  check(
      R"(
graph @f(%n: i64, %k: i64, %m: i64, %a: f32[3, n, k], %b: f32[3, k, m]) -> (f32[3, n, m]) sizes 3 {
  %z: f32 = constant 0.0
  %c: f32[3, n, m] = reduce [3, n, m] [k] ordered add.fused (%z) { (%h: i64, %i: i64, %j: i64, %q: i64)
    %x: f32 = read %a[%h, %i, %q]
    %y: f32 = read %b[%h, %q, %j]
    yield %x, %y
  }
  return %c
}
)",
      [](const Shape& s) {
        return std::vector<Tensor>{random_tensor(ElementType::F32, {3, s.n, s.k}, 1),
                                   random_tensor(ElementType::F32, {3, s.k, s.m}, 2)};
      },
      small);
}

TEST_CASE("contraction: a map of sums does the rest when a sum is there") {
  for (const char* tree : {"ordered", "lanes"}) {
    check(
        fmt::format(R"(
graph @f(%n: i64, %k: i64, %m: i64, %a: f32[n, k], %b: f32[m, k], %bias: f32[m], %s: f32[n]) -> (f32[n, m], bool[n, m]) sizes 3 {{
  %c: f32[n, m], %d: bool[n, m] = map [n, m] {{ (%i: i64, %j: i64)
    %z: f32 = constant 0.0
    %scale: f32 = read %s[%i]
    %p: f32 = reduce [] [k] {} add.fused (%z) {{ (%q: i64)
      %x: f32 = read %a[%i, %q]
      %xs: f32 = mul %x, %scale
      %y: f32 = read %b[%j, %q]
      yield %xs, %y
    }}
    %o: f32 = read %bias[%j]
    %t: f32 = add %p, %o
    %u: f32 = max %t, %z
    %big: bool = gt %t, %scale
    %v: f32 = branch %big {{
      %e: f32 = exp %scale
      %r: f32 = add %e, %u
      yield %r
    }} else {{
      yield %u
    }}
    yield %v, %big
  }}
  return %c, %d
}}
)",
                    tree),
        [](const Shape& s) {
          return std::vector<Tensor>{random_tensor(ElementType::F32, {s.n, s.k}, 1),
                                     random_tensor(ElementType::F32, {s.m, s.k}, 2),
                                     random_tensor(ElementType::F32, {s.m}, 3),
                                     random_tensor(ElementType::F32, {s.n}, 4)};
        },
        small);
  }
}

}  // namespace
}  // namespace dvm::kernel_test
