// An error in what a result needs is an error, though nothing looks at it in the end.
#include <doctest/doctest.h>

#include "engine_compile.hpp"

using namespace dvm;
using namespace dvm::test;

namespace {

// `rest` computes %r and fails where %k is not an index of %x, whatever becomes of what is read.
void check_needed(const std::string& result, const std::string& rest) {
  const Compiled program = compile(
      "checks {\n  0: \"index {0} of {1}\"\n}\n"
      "graph @main(%n: i64, %x: f64[n], %k: i64) -> (" +
      result +
      ") sizes 1 {\n  %one: i64 = constant 1\n"
      "  %zero: f64 = constant 0.0\n" +
      rest + "  return %r\n}\n");
  for (const std::int64_t n : {std::int64_t{5}, std::int64_t{9'000}})
    for (const std::int64_t k : {std::int64_t{1}, n + 3}) {
      CAPTURE(n);
      CAPTURE(k);
      const Outcome outcome = check(
          program,
          {scalar_of(n), vector_of(random_values(static_cast<std::size_t>(n), 4)), scalar_of(k)});
      CHECK(outcome.error.empty() == (k == 1));
    }
}

// Steps that make the vector from the scalar before, and read a scalar for the step after.
std::string steps(const std::string& count, const std::string& use) {
  return "  %r: f64[n], %last: f64 = loop %" + count +
         " (%x, %zero) {\n    (%t: i64, %a: f64[n], %u: f64)\n" + use +
         "    %b: f64[n] = map [n] {\n      (%i: i64)\n      %e: f64 = read %a[%i]\n"
         "      %f: f64 = add %e, %v\n      yield %f\n    }\n"
         "    %next: f64 = read %b[%k] check 0\n    yield %b, %next\n  }\n";
}

constexpr const char* surely = "    %v: f64 = add %u, %zero\n";
constexpr const char* perhaps = R"(
    %late: bool = lt %one, %t
    %v: f64 = branch %late {
      yield %u
    } else {
      yield %zero
    }
)";

}  // namespace

TEST_CASE("need: a state behind a result fails it in the last step too") {
  for (const char* use : {surely, perhaps}) {
    check_needed("f64[n]", steps("one", use));
    check_needed("f64[n]", "  %two: i64 = constant 2\n" + steps("two", use));
    check_needed("f64[n]", "  %nine: i64 = constant 9\n" + steps("nine", use));
  }
}

TEST_CASE("need: a state that the next one does not read") {
  const std::string loop = "  %r: f64 = loop %n (%v) {\n    (%t: i64, %u: f64)\n";
  check_needed("f64", "  %v: f64 = read %x[%k] check 0\n" + loop + "    yield %zero\n  }\n");
  check_needed("f64", "  %v: f64 = read %x[%one] check 0\n" + loop +
                          "    %b: f64[n] = map [n] {\n      (%i: i64)\n      yield %v\n    }\n"
                          "    %early: bool = lt %t, %one\n    %w: f64 = branch %early {\n"
                          "      %bad: f64 = read %b[%k] check 0\n      yield %bad\n    } else {\n"
                          "      yield %zero\n    }\n    yield %w\n  }\n");
}

TEST_CASE("need: a state behind the rows that a loop keeps") {
  check_needed("f64[1, n]", R"(
  %last: f64, %r: f64[1, n] = loop %one (%zero) stacked 1 {
    (%t: i64, %u: f64)
    %b: f64[n] = map [n] {
      (%i: i64)
      %e: f64 = read %x[%i]
      %f: f64 = add %e, %u
      yield %f
    }
    %next: f64 = read %b[%k] check 0
    yield %next, %b
  }
)");
}

TEST_CASE("need: a state behind the result of a while") {
  check_needed("f64[n]", R"(
  %begin: i64 = constant 0
  %r: f64[n], %last: f64, %end: i64 = while (%x, %zero, %begin) {
    (%a0: f64[n], %u0: f64, %t0: i64)
    %go: bool = lt %t0, %one
    yield %go
  } do {
    (%a: f64[n], %u: f64, %t: i64)
    %b: f64[n] = map [n] {
      (%i: i64)
      %e: f64 = read %a[%i]
      %f: f64 = add %e, %u
      yield %f
    }
    %next: f64 = read %b[%k] check 0
    %after: i64 = add %t, %one
    yield %b, %next, %after
  }
)");
}

TEST_CASE("need: terms of points that scatter and reduce_by_key drop") {
  const std::string terms = "    %v: f64 = read %x[%k] check 0\n    yield %n, %v\n  }\n";
  check_needed("f64[n]", "  %r: f64[n] = scatter [n] [] replace (%x) {\n    (%i: i64)\n" + terms);
  check_needed("f64[3, 4]",
               "  %y: f64[3, 4] = map [3, 4] {\n    (%p: i64, %q: i64)\n    yield %zero\n  }\n"
               "  %r: f64[3, 4] = scatter [n] [4] replace (%y) {\n    (%i: i64, %j: i64)\n" +
                   terms);
  const std::string term =
      "    %three: i64 = constant 3\n    %v: f64 = read %x[%k] check 0\n"
      "    yield %three, %v\n  }\n";
  check_needed("f64[3]",
               "  %r: f64[3] = reduce_by_key [3] [n] [] add (%zero) {\n    (%i: i64)\n" + term);
  check_needed(
      "f64[3, 2]",
      "  %r: f64[3, 2] = reduce_by_key [3] [n] [2] add (%zero) {\n    (%i: i64, %j: i64)\n" + term);
}

// The second result of @f fails where k is no index; @main takes what `wanted` makes of %a, %b and
// %c.
TEST_CASE("need: a call fails with a result that nobody asks for") {
  const auto text = [](const std::string& wanted) {
    return R"(
checks {
  0: "no element {0}"
}
graph @main(%n: i64, %xs: f64[n], %k: i64, %q: bool) -> (f64) sizes 1 {
  %zero: f64 = constant 0.0
  %a: f64, %b: f64, %c: f64[n] = call @f(%n, %xs, %k)
)" + wanted +
           R"(
  return %r
}
graph @f(%n: i64, %xs: f64[n], %k: i64) -> (f64, f64, f64[n]) sizes 1 {
  %zero: f64 = constant 0.0
  %sum: f64 = reduce [] [n] ordered add (%zero) {
    (%i: i64)
    %x: f64 = read %xs[%i]
    yield %x
  }
  %y: f64 = read %xs[%k] check 0
  %bad: f64[n] = map [n] {
    (%i.1: i64)
    %x.1: f64 = read %xs[%i.1]
    %z: f64 = add %x.1, %y
    yield %z
  }
  return %sum, %y, %bad
}
)";
  };
  const std::string plain = "  %r: f64 = add %a, %zero";
  const std::string array = R"(  %r: f64 = reduce [] [n] ordered add (%zero) {
    (%i: i64)
    %x: f64 = read %c[%i]
    yield %x
  })";
  const std::string branch = R"(  %r: f64 = branch %q {
    yield %a
  } else {
    yield %zero
  })";
  for (const std::string& wanted : {plain, array, branch}) {
    CAPTURE(wanted);
    const Compiled program = compile(text(wanted));
    for (const bool taken : {false, true})
      for (const std::int64_t k : {0, 2, 3}) {
        CAPTURE(k);
        const std::vector<double> xs{1, 2, 3};
        const Outcome outcome =
            check(program, {scalar_of(std::int64_t{3}), vector_of(xs), scalar_of(k),
                            Tensor::of_scalar(Scalar::of_bool(taken))});
        CHECK((outcome.error == "no element 3") == (k == 3 && (taken || wanted != branch)));
      }
  }
}

// The map fails where there is no element k, the reshape where n is not four.
TEST_CASE("need: what a reshape is made of fails before the reshape") {
  const Compiled program = compile(R"(
checks {
  0: "no element {0}"
  1: "not four"
}
graph @main(%n: i64, %xs: f64[n], %k: i64) -> (f64[4]) sizes 1 {
  %a: f64[n] = map [n] {
    (%i: i64)
    %x: f64 = read %xs[%k] check 0
    yield %x
  }
  %r: f64[4] = reshape %a check 1
  return %r
}
)");
  for (const std::int64_t n : {3, 4, 5000})
    for (const std::int64_t k : {std::int64_t{0}, n}) {
      CAPTURE(n);
      CAPTURE(k);
      const Outcome outcome = check(
          program,
          {scalar_of(n), vector_of(random_values(static_cast<std::size_t>(n), 4)), scalar_of(k)});
      CHECK(outcome.error == (k == n   ? "no element " + std::to_string(n)
                              : n != 4 ? "not four"
                                       : ""));
    }
}
