// Anything may stand inside the body of a parallel operation: every operation there, in the engine
// and in the interpreter, with the same bits and the same failures.
#include <doctest/doctest.h>

#include "engine_compile.hpp"
#include "ir/task/text.hpp"

using namespace dvm;
using namespace dvm::test;

namespace {

Tensor matrix_of(std::int64_t rows, std::int64_t columns, unsigned seed) {
  Tensor tensor = vector_of(random_values(static_cast<std::size_t>(rows * columns), seed));
  tensor.shape = {rows, columns};
  return tensor;
}

// A graph over rows of %a, whose map over [n] has `body` and yields %y of the type.
std::string over_rows(const std::string& type, const std::string& body) {
  const std::string result = type == "f64" ? "f64[n]" : "f64[n, " + type.substr(4);
  return "checks {\n  0: \"index {0} of {1}\"\n  1: \"not positive\"\n}\n"
         "graph @main(%n: i64, %m: i64, %a: f64[n, m], %k: i64[n]) -> (" +
         result + ") sizes 2 {\n  %z: " + result + " = map [n] {\n    (%i: i64)\n" + body +
         "    yield %y\n  }\n  return %z\n}\n";
}

constexpr const char* row = R"(
    %row: f64[m] = map [m] {
      (%c: i64)
      %e: f64 = read %a[%i, %c]
      yield %e
    }
)";
constexpr const char* sum = R"(
    %zero: f64 = constant 0.0
    %y: f64 = reduce [] [kept] unset add (%zero) {
      (%s: i64)
      %t: f64 = read %xs[%s]
      yield %t
    }
)";

Outcome run_rows(const std::string& text, std::int64_t n = 23, std::int64_t m = 17,
                 std::int64_t key = 3) {
  const Compiled program = compile(text);
  CHECK(task::print(program.loaded.program).find(" = each @") != std::string::npos);
  std::vector<std::int64_t> keys;
  for (std::int64_t i = 0; i < n; ++i) keys.push_back(i % (key + 2));
  for (const std::int64_t columns : {std::int64_t{0}, std::int64_t{1}})
    check(program, {scalar_of(std::int64_t{2}), scalar_of(columns), matrix_of(2, columns, 3),
                    vector_of(std::vector<std::int64_t>{0, 0})});
  check(program, {scalar_of(std::int64_t{0}), scalar_of(m), matrix_of(0, m, 3),
                  vector_of(std::vector<std::int64_t>{})});
  return check(program, {scalar_of(n), scalar_of(m), matrix_of(n, m, 5), vector_of(keys)});
}

}  // namespace

TEST_CASE("bodies: sort") {
  const std::string body = std::string(row) + R"(
    %p: i64[m] = sort %row
    %y: f64[m] = map [m] {
      (%j: i64)
      %q: i64 = read %p[%j]
      %v: f64 = read %row[%q]
      yield %v
    }
)";
  const Outcome outcome = run_rows(over_rows("f64[m]", body), 200, 40);
  const double* values = reinterpret_cast<const double*>(outcome.results[0].data.get());
  for (int i = 0; i < 200; ++i)
    for (int j = 1; j < 40; ++j) CHECK(values[40 * i + j - 1] <= values[40 * i + j]);
}

TEST_CASE("bodies: filter, whose count is a size in the body") {
  run_rows(over_rows("f64", std::string(row) + R"(
    %kept: i64, %xs: f64[kept] = filter [m] {
      (%f: i64)
      %nought: f64 = constant 0.0
      %x: f64 = read %row[%f]
      %c.1: bool = gt %x, %nought
      yield %c.1, %x
    }
)" + sum));
}

TEST_CASE("bodies: an array whose size is computed at the point") {
  run_rows(over_rows("f64", std::string(R"(
    %kept: i64 = read %k[%i]
    %xs: f64[kept] = map [kept] {
      (%w: i64)
      %x: f64 = convert %w
      yield %x
    }
)") + sum + R"()"));
}

TEST_CASE("bodies: calls of a recursive function") {
  const std::string fib = R"(
graph @fib(%x: i64) -> (i64) {
  %one: i64 = constant 1
  %two: i64 = constant 2
  %small: bool = le %x, %one
  %r: i64 = branch %small {
    yield %x
  } else {
    %a: i64 = sub %x, %one
    %b: i64 = sub %x, %two
    %c: i64 = call @fib (%a)
    %d: i64 = call @fib (%b)
    %e: i64 = add %c, %d
    yield %e
  }
  return %r
}
)";
  const std::string main = over_rows("f64", R"(
    %x: i64 = read %k[%i]
    %f: i64 = call @fib (%x)
    %y: f64 = convert %f
)");
  run_rows(main + fib, 30, 2, 12);
}

TEST_CASE("bodies: arrays as states of loops, and stacked loops") {
  run_rows(over_rows("f64[m]", std::string(row) + R"(
    %steps: i64 = read %k[%i]
    %y: f64[m] = loop %steps (%row) {
      (%s: i64, %v: f64[m])
      %w: f64[m] = map [m] {
        (%j: i64)
        %half: f64 = constant 0.5
        %u: f64 = read %v[%j]
        %t: f64 = mul %u, %half
        yield %t
      }
      yield %w
    }
)"));
  run_rows(over_rows("f64", R"(
    %kept: i64 = read %k[%i]
    %start: f64 = constant 1.5
    %last: f64, %xs: f64[kept] = loop %kept (%start) stacked 1 {
      (%step: i64, %v: f64)
      %w: f64 = mul %v, %v
      yield %w, %v
    }
)" + std::string(sum)));
}

TEST_CASE("bodies: while over an array") {
  run_rows(over_rows("f64[m]", std::string(row) + R"(
    %low: i64 = constant 0
    %steps: i64 = read %k[%i]
    %count: i64, %y: f64[m] = while (%low, %row) {
      (%s: i64, %v: f64[m])
      %more: bool = lt %s, %steps
      yield %more
    } do {
      (%s.1: i64, %v.1: f64[m])
      %one: i64 = constant 1
      %next: i64 = add %s.1, %one
      %w: f64[m] = map [m] {
        (%j: i64)
        %u: f64 = read %v.1[%j]
        %t: f64 = add %u, %u
        yield %t
      }
      yield %next, %w
    }
)"));
}

TEST_CASE("bodies: scatter, reduce_by_key, concat, reshape") {
  run_rows(over_rows("f64[m]", std::string(row) + R"(
    %y: f64[m] = scatter [m] [] replace (%row) {
      (%s: i64)
      %three: i64 = constant 3
      %at: i64 = mul %s, %three
      %x: f64 = convert %s
      yield %at, %x
    }
)"));
  run_rows(over_rows("f64[3]", std::string(row) + R"(
    %nought: f64 = constant 0.0
    %y: f64[3] = reduce_by_key [3] [m] [] add (%nought) {
      (%s: i64)
      %three: i64 = constant 3
      %key: i64 = int_mod %s, %three check 0
      %x: f64 = read %row[%s]
      yield %key, %x
    }
)"));
  run_rows(over_rows("f64[2, m]", std::string(row) + R"(
    %twice: f64[2 * m] = concat %row, %row
    %y: f64[2, m] = reshape %twice
)"));
}

TEST_CASE("bodies: arrays as results of a branch, with filters on one side") {
  run_rows(over_rows("f64", std::string(row) + R"(
    %w: i64 = read %k[%i]
    %one: i64 = constant 1
    %many: bool = gt %w, %one
    %kept: i64, %xs: f64[kept] = branch %many {
      %count: i64, %x: f64[count] = filter [m] {
        (%f: i64)
        %nought: f64 = constant 0.0
        %v: f64 = read %row[%f]
        %g: bool = gt %v, %nought
        yield %g, %v
      }
      yield %count, %x
    } else {
      yield %m, %row
    }
)" + sum));
}

TEST_CASE("bodies: nested, and matrices at every point") {
  run_rows(over_rows("f64[m, m]", std::string(row) + R"(
    %y: f64[m, m] = map [m] {
      (%r: i64)
      %shifted: f64[m] = map [m] {
        (%j: i64)
        %u: f64 = read %row[%r]
        %v: f64 = read %row[%j]
        %t: f64 = mul %u, %v
        yield %t
      }
      %p: i64[m] = sort %shifted
      %q: f64[m] = map [m] {
        (%j.1: i64)
        %at: i64 = read %p[%j.1]
        %s: f64 = read %shifted[%at]
        yield %s
      }
      yield %q
    }
)"),
           9, 7);
}

TEST_CASE("bodies: failures are those of the interpreter, with the index of the outermost point") {
  // Point 5 fails in the filter (check 1), point 9 in the read (check 0): the smaller check counts.
  const std::string text = over_rows("f64", std::string(row) + R"(
    %w: i64 = read %k[%i]
    %four: i64 = constant 4
    %good: bool = lt %w, %four
    %kept: i64, %xs: f64[kept] = filter [m] {
      (%f: i64)
      %nought: f64 = constant 0.0
      %x: f64 = read %row[%f]
      %c.1: bool = gt %x, %nought
      %d: bool = check %c.1, %good check 1
      yield %d, %x
    }
    %nine: i64 = constant 9
    %e.1: bool = lt %i, %nine
    %far: i64 = select %e.1, %four, %n
    %never: f64 = read %a[%far, %far] check 0
)" + std::string(sum) + R"(
    %y.1: f64 = add %y, %never
    yield %y.1
  }
  return %z
}
)");
  const std::string cut = text.substr(0, text.find("    yield %y\n  }\n  return"));
  const Compiled program = compile(cut);
  std::vector<std::int64_t> keys(20, 1);
  keys[5] = 7;
  const Outcome both = check(program, {scalar_of(std::int64_t{20}), scalar_of(std::int64_t{17}),
                                       matrix_of(20, 17, 5), vector_of(keys)});
  CHECK(both.error == "index 20 of 20");
  CHECK(both.error_index == 9);
  const Outcome one =
      check(program, {scalar_of(std::int64_t{9}), scalar_of(std::int64_t{17}), matrix_of(9, 17, 5),
                      vector_of(std::vector<std::int64_t>(keys.begin(), keys.begin() + 9))});
  CHECK(one.error == "not positive");
  CHECK(one.error_index == 5);
}

namespace {

// The operation over rows' sorted minima, whose term is %t (of row %i) with `indices`.
constexpr const char* least = R"(
    %row: f64[m] = map [m] {
      (%c: i64)
      %e: f64 = read %a[%i, %c]
      yield %e
    }
    %p: i64[m] = sort %row
    %first: i64 = constant 0
    %least: i64 = read %p[%first] check 0
    %t: f64 = read %row[%least]
)";

Outcome run_terms(const std::string& result, const std::string& operation, std::int64_t n = 5000,
                  const std::string& returned = "%r") {
  const Compiled program = compile(
      "checks {\n  0: \"index {0} of {1}\"\n  1: \"negative {0}\"\n}\n"
      "graph @main(%n: i64, %m: i64, %a: f64[n, m], %b: f64[n]) -> (" +
      result + ") sizes 2 {\n  %zero: f64 = constant 0.0\n" + operation + "  return " + returned +
      "\n}\n");
  CHECK(task::print(program.loaded.program).find(" = each @") != std::string::npos);
  check(program, {scalar_of(std::int64_t{0}), scalar_of(std::int64_t{2}), matrix_of(0, 2, 1),
                  vector_of(std::vector<double>{})});
  const Outcome empty = check(program, {scalar_of(std::int64_t{3}), scalar_of(std::int64_t{0}),
                                        matrix_of(3, 0, 1), vector_of(random_values(3, 1))});
  CHECK(empty.error == "index 0 of 0");
  return check(program, {scalar_of(n), scalar_of(std::int64_t{3}), matrix_of(n, 3, 1),
                         vector_of(random_values(static_cast<std::size_t>(n), 2))});
}

}  // namespace

TEST_CASE("bodies: reductions and scans of terms that sort") {
  const std::string terms = "    (%i: i64)\n" + std::string(least) + "    yield %t\n  }\n";
  run_terms("f64", "  %r: f64 = reduce [] [n] lanes add (%zero) {\n" + terms);
  run_terms("f64", "  %r: f64 = reduce [] [n] ordered add (%zero) {\n" + terms);
  run_terms("f64[n]", "  %r: f64[n] = scan [] [n] add (%zero) {\n" + terms);
  run_terms("f64[n]", "  %r: f64[n] = scan [] [n] exclusive add (%zero) {\n" + terms);
  run_terms("f64[4]",
            "  %r: f64[4] = reduce [4] [n] ordered add (%zero) {\n    (%j: i64, %i: i64)\n" +
                std::string(least) +
                "    %f: f64 = convert %j\n    %t.1: f64 = mul %t, %f\n"
                "    yield %t.1\n  }\n");
}

TEST_CASE("bodies: keys and places that are sorted for") {
  const std::string place = std::string(least) + R"(
    %ten: f64 = constant 10.0
    %far: f64 = mul %t, %ten
    %key: i64 = floor %far
)";
  run_terms("f64[8]", "  %r: f64[8] = reduce_by_key [8] [n] [] add (%zero) {\n    (%i: i64)\n" +
                          place + "    yield %key, %t\n  }\n");
  run_terms(
      "f64[8, 2]",
      "  %r: f64[8, 2] = reduce_by_key [8] [n] [2] add (%zero) {\n    (%i: i64, %j: i64)\n" +
          place +
          "    %f: f64 = convert %j\n    %t.1: f64 = mul %t, %f\n    yield %key, %t.1\n  }\n");
  run_terms("f64[n]", "  %r: f64[n] = scatter [n] [] replace (%b) {\n    (%i: i64)\n" + place +
                          "    yield %key, %t\n  }\n");
}

TEST_CASE("bodies: a filter computes values of what it keeps alone") {
  const std::string filter = R"(
  %count: i64, %r: f64[count] = filter [n] {
    (%i: i64)
)" + std::string(least) + R"(
    %nought: f64 = constant 0.0
    %keep: bool = ge %t, %nought
    %v: f64 = check %t, %keep, %t check 1
    %q: i64[m] = sort %row descending
    %w: i64 = read %q[%first] check 0
    %x: f64 = read %row[%w]
    %y: f64 = add %x, %v
    yield %keep, %y
  }
)";
  const Outcome outcome = run_terms("i64, f64[count]", filter, 5000, "%count, %r");
  CHECK(outcome.error.empty());
}

TEST_CASE("bodies: operators that sort follow the tree") {
  const std::string op = R"( combine {
    (%x: f64, %y: f64)
    %s: f64 = add %x, %y
    %two: f64[2] = map [2] {
      (%h: i64)
      %z: i64 = constant 0
      %l: bool = eq %h, %z
      %o: f64 = select %l, %s, %y
      yield %o
    }
    %q: i64[2] = sort %two
    %nil: i64 = constant 0
    %k: i64 = read %q[%nil]
    %kf: f64 = convert %k
    %small: f64 = constant 1.0e-3
    %d: f64 = mul %kf, %small
    %u: f64 = add %s, %d
    yield %u
  }
)";
  const std::string terms = "    (%i: i64)\n" + std::string(least) + "    yield %t\n  }";
  run_terms("f64", "  %r: f64 = reduce [] [n] ordered (%zero) {\n" + terms + op, 13'000);
  run_terms("f64[n]", "  %r: f64[n] = scan [] [n] (%zero) {\n" + terms + op, 9'000);
  run_terms("f64[n]", "  %r: f64[n] = scan [] [n] exclusive (%zero) {\n" + terms + op, 4'097);
}
