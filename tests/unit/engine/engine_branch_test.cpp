// What failed and is read only in a branch of a body fails the points that take the branch, and
// nothing else.
#include <doctest/doctest.h>

#include "engine_compile.hpp"
#include "ir/task/text.hpp"

using namespace dvm;
using namespace dvm::test;

namespace {

// %bad fails (check 0) where %k is not an index of %x; `rest` reads it in a branch.
Compiled with_failing(const std::string& result, const std::string& rest) {
  const Compiled program = compile(R"(
checks {
  0: "index {0} of {1}"
  1: "later {0}"
}
graph @main(%n: i64, %x: f64[n], %k: i64, %c: bool) -> ()" +
                                   result + R"() sizes 1 {
  %seven: f64 = read %x[%k] check 0
  %bad: f64[n] = map [n] {
    (%i: i64)
    %e: f64 = read %x[%k] check 0
    %f: f64 = read %x[%i]
    %g: f64 = add %e, %f
    yield %g
  }
  %zero: f64 = constant 0.0
)" + rest + "  return %r\n}\n");
  CHECK(task::print(program.loaded.program).find("{perhaps}") != std::string::npos);
  return program;
}

// With a good index, and a bad one where the branch is taken or not: fails only in the last case.
void run_all(const Compiled& program) {
  for (const std::int64_t n : {std::int64_t{5}, std::int64_t{9'000}})
    for (const std::int64_t k : {std::int64_t{1}, n + 3})
      for (const bool taken : {false, true}) {
        CAPTURE(n);
        CAPTURE(k);
        CAPTURE(taken);
        const Outcome outcome =
            check(program, {scalar_of(n), vector_of(random_values(static_cast<std::size_t>(n), 4)),
                            scalar_of(k), Tensor::of_scalar(Scalar::of_bool(taken))});
        CHECK(outcome.error.empty() == (k == 1 || !taken));
      }
}

constexpr const char* chosen = R"(
    %t: f64 = branch %c {
      %v: f64 = read %bad[%j]
      %w: f64 = add %v, %seven
      yield %w
    } else {
      %u: f64 = read %x[%j]
      yield %u
    }
)";

}  // namespace

TEST_CASE("branches in bodies: map") {
  run_all(with_failing("f64[n]", "  %r: f64[n] = map [n] {\n    (%j: i64)\n" + std::string(chosen) +
                                     "    yield %t\n  }\n"));
}

TEST_CASE("branches in bodies: reduce, scan, filter, scatter, reduce_by_key") {
  const std::string body = " {\n    (%j: i64)\n" + std::string(chosen);
  run_all(with_failing(
      "f64", "  %r: f64 = reduce [] [n] lanes add (%zero)" + body + "    yield %t\n  }\n"));
  run_all(with_failing("f64[n]",
                       "  %r: f64[n] = scan [] [n] add (%zero)" + body + "    yield %t\n  }\n"));
  run_all(with_failing("f64[l]", "  %l: i64, %r: f64[l] = filter [n]" + body +
                                     "    %p: bool = gt %t, %t\n    %q: bool = not %p\n"
                                     "    yield %q, %t\n  }\n"));
  run_all(with_failing(
      "f64[n]", "  %r: f64[n] = scatter [n] [] replace (%x)" + body + "    yield %j, %t\n  }\n"));
  run_all(with_failing("f64[3]", "  %r: f64[3] = reduce_by_key [3] [n] [] add (%zero)" + body +
                                     "    %three: i64 = constant 3\n"
                                     "    %key: i64 = min %j, %three\n    yield %key, %t\n  }\n"));
}

TEST_CASE("branches in bodies: inner sums and loops of scalars") {
  run_all(with_failing("f64[n]", R"(
  %r: f64[n] = map [n] {
    (%i.1: i64)
    %three: i64 = constant 3
    %t: f64 = loop %three (%zero) {
      (%s: i64, %a: f64)
      %b: f64 = branch %c {
        %m: f64 = reduce [] [n] ordered add (%zero) {
          (%h: i64)
          %o: f64 = read %bad[%h]
          yield %o
        }
        yield %m
      } else {
        yield %zero
      }
      %d: f64 = add %a, %b
      yield %d
    }
    yield %t
  }
)"));
}

TEST_CASE("branches in bodies: a loop of scalars that is one kernel") {
  run_all(with_failing("f64", R"(
  %r: f64 = loop %n (%zero) {
    (%j: i64, %a: f64)
)" + std::string(chosen) + R"(
    %b: f64 = add %a, %t
    yield %b
  }
)"));
}

TEST_CASE("branches in bodies: only some points take the branch, and the least check counts") {
  const Compiled program = with_failing("f64[n]", R"(
  %r: f64[n] = map [n] {
    (%j: i64)
    %two: i64 = constant 2
    %low: bool = ge %j, %two
    %d: bool = and %low, %c
    %t: f64 = branch %d {
      %v: f64 = read %bad[%j]
      yield %v
    } else {
      %y: f64 = check %zero, %low, %j check 1
      yield %y
    }
    yield %t
  }
)");
  const Tensor x = vector_of(random_values(5, 4)), n = scalar_of(std::int64_t{5});
  const Tensor on = Tensor::of_scalar(Scalar::of_bool(true));
  CHECK(check(program, {n, x, scalar_of(std::int64_t{9}), on}).error == "index 9 of 5");
  const Outcome later = check(program, {n, x, scalar_of(std::int64_t{2}), on});
  CHECK(later.error == "later 0");
  CHECK(later.error_index == 0);
}
