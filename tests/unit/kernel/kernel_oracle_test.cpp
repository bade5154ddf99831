// Every phase against the reference interpreter, bit for bit, over extents around all the lengths
// that matter.
#include <doctest/doctest.h>

#include "ir/graph/interpret.hpp"
#include "tests/unit/kernel/kernel_harness.hpp"

namespace dvm::kernel_test {
namespace {

const std::int64_t lengths[] = {0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 4095, 4096, 4097, 9000};

void compare(const graph::Module& module, Compiled& compiled, std::span<const Tensor> args) {
  graph::InterpretOptions options;
  options.isa = compiled.isa();
  const auto want = graph::interpret(module, graph::FunctionId{0}, args, options);
  for (const bool whole : {true, false}) {
    for (const std::int64_t tile : {1000000, 37, 2}) {
      if (tile == 2 && args[0].at(0).as_i64() > 100) continue;
      CAPTURE(whole);
      CAPTURE(tile);
      const Outcome got = compiled.run(args, tiles_of(tile), whole);
      if (!want) {
        REQUIRE(got.error.check == static_cast<std::int64_t>(want.error().check.index));
        for (std::size_t i = 0; i < want.error().values.size() && i < 4; ++i) {
          CHECK(static_cast<std::uint64_t>(got.error.values[i]) == want.error().values[i].bits);
        }
        continue;
      }
      REQUIRE(got.error.check == -1);
      for (std::size_t i = 0; i < got.results.size(); ++i)
        CHECK(identical(got.results[i], (*want)[i]));
    }
  }
}

// Runs a program whose params are n, then one array of n elements for each element type given.
void check_vectors(const std::string& text, std::vector<ElementType> arrays) {
  const graph::Module module = parse_module(text);
  for (const char* cpu : {"native", "x86-64-v3"}) {
    Compiled compiled(module, cpu);
    for (std::int64_t n : lengths) {
      CAPTURE(cpu);
      CAPTURE(n);
      std::vector<Tensor> args{scalar_i64(n)};
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        args.push_back(random_tensor(arrays[i], {n}, 100 + i));
      }
      compare(module, compiled, args);
    }
  }
}

void check_matrices(const std::string& text, ElementType element) {
  const graph::Module module = parse_module(text);
  for (const char* cpu : {"native", "x86-64-v3"}) {
    Compiled compiled(module, cpu);
    const std::int64_t shapes[][3] = {{1, 1, 1},    {5, 7, 6},    {8, 16, 24}, {9, 33, 17},
                                      {3, 0, 5},    {0, 3, 4},    {6, 5, 0},   {13, 40, 65},
                                      {2, 4097, 9}, {17, 64, 31}, {4, 9000, 3}};
    for (const auto& shape : shapes) {
      const std::int64_t n = shape[0], k = shape[1], m = shape[2];
      CAPTURE(cpu);
      CAPTURE(n);
      CAPTURE(k);
      CAPTURE(m);
      const Tensor args[] = {scalar_i64(n), scalar_i64(k), scalar_i64(m),
                             random_tensor(element, {n, k}, 1), random_tensor(element, {k, m}, 2)};
      compare(module, compiled, args);
    }
  }
}

TEST_CASE("fused dot product in lanes") {
  check_vectors(R"(
graph @f(%n: i64, %x: f64[n], %y: f64[n]) -> (f64) sizes 1 {
  %z: f64 = constant 0.0
  %s: f64 = reduce [] [n] lanes add.fused (%z) { (%i: i64)
    %a: f64 = read %x[%i]
    %b: f64 = read %y[%i]
    yield %a, %b
  }
  return %s
}
)",
                {ElementType::F64, ElementType::F64});
}

TEST_CASE("several components of several types in lanes") {
  check_vectors(R"(
graph @f(%n: i64, %x: f32[n], %k: i32[n], %b: u8[n]) -> (f32, i32, u8, f32) sizes 1 {
  %z: f32 = constant 0.0
  %big: f32 = constant inf
  %one: i32 = constant 1
  %none: u8 = constant 0
  %s: f32, %p: i32, %o: u8, %m: f32 = reduce [] [n] lanes add, mul, or, min (%z, %one, %none, %big) { (%i: i64)
    %a: f32 = read %x[%i]
    %q: i32 = read %k[%i]
    %r: u8 = read %b[%i]
    yield %a, %q, %r, %a
  }
  return %s, %p, %o, %m
}
)",
                {ElementType::F32, ElementType::I32, ElementType::U8});
}

TEST_CASE("argmin with an operator of its own, in order") {
  check_vectors(R"(
graph @f(%n: i64, %x: f64[n]) -> (f64, i64) sizes 1 {
  %big: f64 = constant inf
  %minus: i64 = constant -1
  %v: f64, %at: i64 = reduce [] [n] ordered (%big, %minus) { (%i: i64)
    %a: f64 = read %x[%i]
    yield %a, %i
  } combine { (%a1: f64, %i1: i64, %a2: f64, %i2: i64)
    %less: bool = lt %a2, %a1
    %v2: f64 = select %less, %a2, %a1
    %w2: i64 = select %less, %i2, %i1
    yield %v2, %w2
  }
  return %v, %at
}
)",
                {ElementType::F64});
}

TEST_CASE("matrix product in order along k") {
  const auto text = [](const std::string& t) {
    return "graph @f(%n: i64, %k: i64, %m: i64, %a: " + t + "[n, k], %b: " + t + "[k, m]) -> (" +
           t + "[n, m]) sizes 3 {\n  %z: " + t + " = constant 0.0\n  %c: " + t +
           "[n, m] = reduce [n, m] [k] ordered add.fused (%z) { (%i: i64, %j: i64, %q: i64)\n    "
           "%x: " +
           t + " = read %a[%i, %q]\n    %y: " + t +
           " = read %b[%q, %j]\n    yield %x, %y\n  }\n  return %c\n}\n";
  };
  check_matrices(text("f64"), ElementType::F64);
  check_matrices(text("f32"), ElementType::F32);
}

TEST_CASE("column sums and maxima in order") {
  check_matrices(R"(
graph @f(%n: i64, %k: i64, %m: i64, %a: f64[n, k], %b: f64[k, m]) -> (f64[m], f64[m]) sizes 3 {
  %z: f64 = constant 0.0
  %low: f64 = constant -inf
  %s: f64[m], %x: f64[m] = reduce [m] [k] ordered add, max (%z, %low) { (%j: i64, %q: i64)
    %y: f64 = read %b[%q, %j]
    yield %y, %y
  }
  return %s, %x
}
)",
                 ElementType::F64);
}

TEST_CASE("row sums in lanes") {
  check_matrices(R"(
graph @f(%n: i64, %k: i64, %m: i64, %a: f64[n, k], %b: f64[k, m]) -> (f64[n]) sizes 3 {
  %z: f64 = constant 0.0
  %s: f64[n] = reduce [n] [k] lanes add (%z) { (%i: i64, %q: i64)
    %y: f64 = read %a[%i, %q]
    %w: f64 = mul %y, %y
    yield %w
  }
  return %s
}
)",
                 ElementType::F64);
}

TEST_CASE("scans, inclusive and exclusive, built-in and not") {
  for (const std::string kind : {"", "exclusive "}) {
    check_vectors(R"(
graph @f(%n: i64, %x: f64[n], %k: i64[n]) -> (f64[n], i64[n]) sizes 1 {
  %z: f64 = constant 0.0
  %o: i64 = constant 0
  %s: f64[n], %t: i64[n] = scan [] [n] )" +
                      kind + R"(add, add (%z, %o) { (%i: i64)
    %a: f64 = read %x[%i]
    %q: i64 = read %k[%i]
    yield %a, %q
  }
  return %s, %t
}
)",
                  {ElementType::F64, ElementType::I64});
    check_vectors(R"(
graph @f(%n: i64, %x: f64[n]) -> (f64[n]) sizes 1 {
  %z: f64 = constant 1.0
  %s: f64[n] = scan [] [n] )" +
                      kind + R"((%z) { (%i: i64)
    %a: f64 = read %x[%i]
    yield %a
  } combine { (%p: f64, %q: f64)
    %h: f64 = constant 0.5
    %ph: f64 = mul %p, %h
    %r: f64 = add %ph, %q
    yield %r
  }
  return %s
}
)",
                  {ElementType::F64});
  }
}

TEST_CASE("reduction by key") {
  check_vectors(R"(
graph @f(%n: i64, %k: i32[n], %w: f64[n]) -> (i64[6], f64[6]) sizes 1 {
  %o: i64 = constant 0
  %z: f64 = constant 0.0
  %c: i64[6], %s: f64[6] = reduce_by_key [6] [n] [] add, add (%o, %z) { (%i: i64)
    %a: i32 = read %k[%i]
    %key: i64 = convert %a
    %one: i64 = constant 1
    %v: f64 = read %w[%i]
    yield %key, %one, %v
  }
  return %c, %s
}
)",
                {ElementType::I32, ElementType::F64});
}

TEST_CASE("rare keys, rows, and an operator of its own") {
  check_vectors(R"(
graph @f(%n: i64, %w: f64[n]) -> (f64[4, 3], f64[4, 3]) sizes 1 {
  %z: f64 = constant 0.0
  %o: f64 = constant 1.0
  %s: f64[4, 3], %c: f64[4, 3] = reduce_by_key [4] [n] [3] (%z, %o) { (%i: i64, %d: i64)
    %three: i64 = constant 3
    %thousand: i64 = constant 1500
    %key: i64 = int_div %i, %thousand check 0
    %v: f64 = read %w[%i]
    %e: f64 = convert %d
    %u: f64 = add %v, %e
    yield %key, %v, %u
  } combine { (%a1: f64, %a2: f64, %b1: f64, %b2: f64)
    %h: f64 = constant 0.75
    %p: f64 = mul %a1, %h
    %q: f64 = add %p, %b2
    %r: f64 = sub %b1, %a2
    yield %q, %r
  }
  return %s, %c
}
checks {
  0: "never"
}
)",
                {ElementType::F64});
  check_vectors(R"(
graph @f(%n: i64, %w: f64[n]) -> (f64[5, 9]) sizes 1 {
  %z: f64 = constant 0.0
  %s: f64[5, 9] = reduce_by_key [5] [n] [9] add (%z) { (%i: i64, %d: i64)
    %m: i64 = constant 4200
    %key: i64 = int_div %i, %m check 0
    %v: f64 = read %w[%i]
    %e: f64 = convert %d
    %u: f64 = mul %v, %e
    yield %key, %u
  }
  return %s
}
checks {
  0: "never"
}
)",
                {ElementType::F64});
}

TEST_CASE("filter keeps order") {
  check_vectors(R"(
graph @f(%n: i64, %k: i32[n], %w: f64[n]) -> (i64, f64[count], i64[count]) sizes 1 {
  %count: i64, %s: f64[count], %t: i64[count] = filter [n] { (%i: i64)
    %a: i32 = read %k[%i]
    %zero: i32 = constant 0
    %keep: bool = gt %a, %zero
    %v: f64 = read %w[%i]
    yield %keep, %v, %i
  }
  return %count, %s, %t
}
)",
                {ElementType::I32, ElementType::F64});
}

TEST_CASE("scatter, the last one wins, and scatter that adds") {
  for (const std::string mode : {"replace", "combine add"}) {
    check_vectors(R"(
graph @f(%n: i64, %k: i32[n], %w: f64[n], %d: f64[n]) -> (f64[n]) sizes 1 {
  %s: f64[n] = scatter [n] [] )" +
                      mode + R"( (%d) { (%i: i64)
    %a: i32 = read %k[%i]
    %key: i64 = convert %a
    %v: f64 = read %w[%i]
    yield %key, %v
  }
  return %s
}
)",
                  {ElementType::I32, ElementType::F64, ElementType::F64});
  }
}

TEST_CASE("a matrix product inside a body goes in vectors of its own columns") {
  check_vectors(R"(
graph @f(%n: i64, %x: f64[n], %y: f64[n]) -> (f64[n, 3, 41], f64[n]) sizes 1 {
  %big: f64 = constant inf
  %p: f64[n, 3, 41], %s: f64[n] = map [n] { (%i: i64)
    %z: f64 = constant 0.0
    %five: i64 = constant 5
    %c: f64[3, 41] = reduce [3, 41] [7] ordered add.fused (%z) { (%r: i64, %j: i64, %q: i64)
      %l: i64 = mul %r, %q
      %m: i64 = add %l, %i
      %k: i64 = int_mod %m, %n
      %a: f64 = read %x[%k]
      %o: i64 = add %j, %i
      %p2: i64 = int_mod %o, %n
      %b: f64 = read %y[%p2]
      yield %a, %b
    }
    %d: f64[41] = reduce [41] [3] ordered (%big) { (%j2: i64, %q2: i64)
      %e: f64 = read %c[%q2, %j2]
      yield %e
    } combine { (%u: f64, %v: f64)
      %less: bool = lt %v, %u
      %w: f64 = select %less, %v, %u
      yield %w
    }
    %t: f64 = read %d[%five]
    yield %c, %t
  }
  return %p, %s
}
)",
                {ElementType::F64, ElementType::F64});
}

TEST_CASE("arrays in a body behind a check are made once, and needed without points, too") {
  check_vectors(R"(
checks {
  0: "sum {0}"
  1: "too few"
}
graph @f(%n: i64, %x: f64[n]) -> (f64[n]) sizes 1 {
  %y: f64[n] = map [n] { (%i: i64)
    %z: f64 = constant 0.0
    %five: i64 = constant 5
    %s: f64 = reduce [] [37] lanes add (%z) { (%t: i64)
      %q: i64 = add %i, %t
      %m: i64 = int_mod %q, %n
      %v: f64 = read %x[%m]
      yield %v
    }
    %ok: bool = eq %s, %s
    %top: f64 = check %s, %ok, %s check 0
    %w: f64[37] = map [37] { (%j: i64)
      %q2: i64 = add %i, %j
      %m2: i64 = int_mod %q2, %n
      %v2: f64 = read %x[%m2]
      %d: f64 = sub %v2, %top
      yield %d
    }
    %u: f64[37] = map [37] { (%j2: i64)
      %v3: f64 = read %w[%j2]
      %all: f64 = reduce [] [37] lanes add (%z) { (%t2: i64)
        %v4: f64 = read %w[%t2]
        yield %v4
      }
      %p: f64 = div %v3, %all
      yield %p
    }
    %no: bool = ge %n, %five
    %bad: f64 = check %s, %no check 1
    %empty: i64 = sub %n, %n
    %none: f64 = reduce [] [empty] lanes add (%z) { (%t3: i64)
      yield %bad
    }
    %a: f64 = read %u[%five]
    %b: f64 = add %a, %none
    yield %b
  }
  return %y
}
)",
                {ElementType::F64});
}

TEST_CASE("an elementary function of an inner sum goes in vectors, the sum point by point") {
  check_vectors(R"(
checks {
  0: "row end {0} of {1}"
}
graph @f(%n: i64, %k: u8[n], %w: f64[n]) -> (f64[n]) sizes 1 {
  %y: f64[n] = map [n] { (%i: i64)
    %c: u8 = read %k[%i]
    %len: i64 = convert %c
    %z: f64 = constant 0.0
    %scale: f64 = read %w[%i]
    %s: f64 = reduce [] [len] lanes add (%z) { (%t: i64)
      %q: i64 = add %i, %t
      %m: i64 = int_mod %q, %n check 0
      %v: f64 = read %w[%m]
      %u: f64 = mul %v, %scale
      yield %u
    }
    %e: f64 = exp %s
    %pos: bool = gt %scale, %z
    %f: f64 = branch %pos {
      %p: f64 = reduce [] [n] lanes max (%e) { (%t2: i64)
        %v2: f64 = read %w[%t2]
        %d: f64 = sub %v2, %scale
        yield %d
      }
      yield %p
    } else {
      yield %e
    }
    yield %f
  }
  return %y
}
)",
                {ElementType::U8, ElementType::F64});
}

TEST_CASE("a row of sums inside of a map runs in lanes along the row") {
  check_vectors(R"(
checks { 0: "never" }
graph @f(%n: i64, %x: f64[n]) -> (f64[3, n]) sizes 1 {
  %true: bool = constant true
  %z: f64 = constant 0.0
  %r: f64[3, n] = map [3] { (%b: i64)
    %row: f64[n] = reduce [n] [2] ordered add.fused (%z) { (%i: i64, %k: i64)
      %j: i64 = add %i, %k
      %last: i64 = constant 1
      %m: i64 = sub %n, %last
      %inside: i64 = min %j, %m
      %u: f64 = read %x[%inside]
      %v: f64 = read %x[%i]
      yield %u, %v
    }
    %checked: f64[n] = check %row, %true check 0
    yield %checked
  }
  return %r
})",
                {ElementType::F64});
}

TEST_CASE("sparse rows: inner sums of uneven length, gathers that are checked") {
  check_vectors(R"(
checks {
  0: "row end {0} of {1}"
  1: "column {0} of {1}"
  2: "entry {0} of {1}"
}
graph @f(%n: i64, %k: u8[n], %w: f64[n]) -> (f64[n]) sizes 1 {
  %y: f64[n] = map [n] { (%i: i64)
    %c: u8 = read %k[%i]
    %len: i64 = convert %c
    %z: f64 = constant 0.0
    %s: f64 = reduce [] [len] lanes add.fused (%z) { (%t: i64)
      %q: i64 = add %i, %t
      %m: i64 = int_mod %q, %n check 0
      %v: f64 = read %w[%m] check 1
      %u: f64 = read %w[%t] check 2
      yield %v, %u
    }
    yield %s
  }
  return %y
}
)",
                {ElementType::U8, ElementType::F64});
}

}  // namespace
}  // namespace dvm::kernel_test
