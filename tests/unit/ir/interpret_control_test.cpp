// The interpreter's control, need, failures and limits.
#include "tests/unit/ir/interpret_run.hpp"

using namespace dvm;
using namespace dvm::graph;
using namespace dvm::test;

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

TEST_CASE("tail calls take no stack") {
  const std::string text = R"(graph @even(%n: i64, %sum: i64) -> (i64) {
  %zero: i64 = constant 0
  %done: bool = eq %n, %zero
  %r: i64 = branch %done {
    yield %sum
  } else {
    %one: i64 = constant 1
    %m: i64 = sub %n, %one
    %more: i64 = add %sum, %n
    %a: i64 = call @odd(%m, %more)
    yield %a
  }
  return %r
}
graph @odd(%n: i64, %sum: i64) -> (i64) {
  %r: i64 = call @even(%n, %sum)
  return %r
})";
  InterpretOptions options;
  options.max_depth = 10;
  const auto done = run(parse_ok(text), {i64(100'000), i64(0)}, options);
  REQUIRE(done.ok());
  CHECK((*done)[0].at(0).as_i64() == 5'000'050'000);
}

TEST_CASE("recursion that is too deep is an error, not a crash") {
  const std::string text = R"(graph @f(%n: i64) -> (i64) {
  %inner: i64 = call @f(%n)
  %r: i64 = add %inner, %n
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

TEST_CASE("a check whose condition fails is reported also where the value it guards failed") {
  const std::string text = R"(checks { 0: "x is not zero" 1: "division" }
graph @main(%x: i64) -> (i64) {
  %0: i64 = constant 0
  %1: bool = ne %x, %0
  %2: i64 = int_div %x, %x check 1
  %3: i64 = check %2, %1 check 0
  return %3
})";
  CHECK(failure(text, {i64(0)}).message == "x is not zero");
  CHECK(results(text, {i64(4)})[0].at(0).as_i64() == 1);
}

TEST_CASE("an array of negative size gives way to the check that guards it") {
  const std::string text = R"(checks { 0: "{0} is negative" }
graph @main(%n: i64) -> (i64[n]) {
  %0: i64 = constant 0
  %1: bool = ge %n, %0
  %2: i64[n] = map [n] { (%i: i64)
    yield %i
  }
  %3: i64[n] = check %2, %1, %n check 0
  return %3
})";
  CHECK(failure(text, {i64(-1)}).message == "-1 is negative");
  const std::string unguarded = R"(graph @main(%n: i64) -> (i64[n]) {
  %0: i64[n] = map [n] { (%i: i64)
    yield %i
  }
  return %0
})";
  CHECK(failure(unguarded, {i64(-1)}).message == "a size is negative: -1");
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

TEST_CASE("a loop stops at the first failing step of each result") {
  const auto text = [](const std::string& y) {
    return R"(checks { 0: "late {0}" 1: "early {0}" }
graph @main(%n: i64) -> (i64, i64) {
  %zero: i64 = constant 0
  %hundred: i64 = constant 100
  %a: i64, %b: i64 = loop %hundred (%zero, %zero) { (%t: i64, %x: i64, %y: i64)
    %early: bool = lt %t, %n
    %x2: i64 = check %t, %early, %t check 1
    %fifty: i64 = constant 50
    %late: bool = lt %t, %fifty
    %y2: i64 = check )" +
           y + R"(, %late, %t check 0
    yield %x2, %y2
  }
  return %a, %b
})";
  };
  CHECK(failure(text("%x"), {i64(7)}).message == "early 7");  // the second state needs the first
  CHECK(failure(text("%x"), {i64(70)}).message == "late 50");
  CHECK(failure(text("%t"), {i64(7)}).message == "late 50");  // each goes as far as it can
  CHECK(failure(text("%t"), {i64(70)}).message == "late 50");
}

// The second result of the loop fails at once, the first never; `%taken` decides whether the branch
// asks for the second.
TEST_CASE("a result of a loop has a value whatever becomes of another, asked for early or late") {
  const auto text =
      [](const std::string& first, const std::string& after) {
        return R"(checks { 0: "after {0}" 1: "in the loop {0}" }
graph @main(%taken: bool) -> (i64, i64) {
  %zero: i64 = constant 0
  %one: i64 = constant 1
  %ten: i64 = constant 10
  %no: bool = constant false
  %a: i64, %b: i64 = while (%zero, %zero) { (%t: i64, %u: i64)
    %more: bool = lt %t, %ten
    yield %more
  } do { (%t1: i64, %u1: i64)
    %t2: i64 = add %t1, %one
    %u2: i64 = check %t2, %no, %t1 check 1
    yield %t2, %u2
  }
)" + first + R"(
  %r: i64 = branch %taken {
    %r1: i64 = add %b, %one
    yield %r1
  } else {
    %r2: i64 = add %a, %one
    yield %r2
  }
)" + after + R"(
  return %r, %q
})";
      };
  const std::string early = "  %q: i64 = add %a, %one";
  const std::string checked = "  %q: i64 = check %a, %no, %a check 0";
  const std::string both = "  %q: i64 = add %a, %b";
  CHECK(results(text(early, ""), {boolean(false)})[0].at(0).as_i64() == 11);
  CHECK(results(text("", early), {boolean(false)})[0].at(0).as_i64() == 11);
  CHECK(failure(text(early, ""), {boolean(true)}).message == "in the loop 0");
  for (const bool taken : {false, true}) {
    CHECK(failure(text(checked, ""), {boolean(taken)}).message == "after 10");
    CHECK(failure(text("", checked), {boolean(taken)}).message == "after 10");
    CHECK(failure(text(both, ""), {boolean(taken)}).message == "in the loop 0");
  }
}

TEST_CASE("a loop stops where something from outside is lost as it does where it fails itself") {
  const auto text = [](const std::string& outside, const std::string& inside) {
    return R"(checks { 0: "late {0}" 1: "lost" }
graph @main(%n: i64) -> (i64) {
  %zero: i64 = constant 0
  %ten: i64 = constant 10
)" + outside +
           R"(
  %a: i64 = loop %ten (%zero) { (%t: i64, %x: i64)
)" + inside +
           R"(
    %fine: bool = lt %t, %n
    %y: i64 = check %t, %fine, %t check 0
    %z: i64 = add %y, %bad
    yield %z
  }
  return %a
})";
  };
  const std::string bad = "%bad: i64 = int_div %ten, %zero check 1";
  CHECK(failure(text(bad, ""), {i64(4)}).message == "lost");
  CHECK(failure(text("", bad), {i64(4)}).message == "lost");
  CHECK(failure(text(bad, ""), {i64(0)}).message == "late 0");
  CHECK(failure(text("", bad), {i64(0)}).message == "late 0");
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
