// Text of the task IR: round trip, refusals, and the verifier.
#include <doctest/doctest.h>

#include <random>

#include "ir/task/text.hpp"
#include "ir/task/verify.hpp"

using namespace dvm;

namespace {

const std::string head = R"(dvt 1
target "a \"cpu\"" avx512
grain workers 8 task 0.0001 least 2e-05 cache 16000000 tile 1000000
entry "main" sizes ["n"] inputs [("limit" f64 "Double"), ("xs" f64[$0, 2 * $0 + 1] "Mat")] results ["y", "k"]
check "index {0} is\nout" at "f.dvm:3:4" path ["`f`, called at f.dvm:9:1", "`g`"] values [i64, f32]
check "plain" at "" path [] values []
kernel @m map scratch 0
kernel @w reduce_whole scratch 8 * $0 + 64
kernel @b reduce_blocks scratch 0
kernel @c reduce_combine scratch 0
kernel @fc filter_count scratch 0
kernel @fw filter_write scratch 0
)";

const std::string every = head + R"(
template @main (%n: i64, %limit: f64, %xs: f64[n, 2 * n + 1]) {
  %k: i64 = constant 3 ()
  %huge: f64 = constant 1e+300 ()
  %sz: i64 = size 2 * n + (n + 1) / 2 ()
  %s: f64 = compute add (%limit, %huge)
  %q: i64 = compute int_div (%n, %k) check 1
  %one: f64 = read (%xs, %k, %k) check 0
  %ok: bool = compute lt (%s, %limit)
  %c: f64 = check (%s, %ok, %n, %limit) check 0
  %m: f64[n] = map [@m] space [n] cost [1.5 0.5 (1), 0.25 0.25 (n * sz)] reuses (%n, %xs {0 2 -1 1})
  %r: f64 = reduce [@w, @b, @c] space [] extent n cost [1 1 (1)] (%n, %s, %m {0 1 0 0})
  %count: i64, %kept: f64[count] = filter [@fc, @fw] space [] extent n cost [] (%n, %m {0 1 0 0})
  %flat: f64[2 * n * n + n] = alias (%xs)
  %both: f64[2 * n] = concat (%m, %m)
  %order: i64[n] = sort up down (%m, %m)
  %e: f64[n], %t: f64, %o: f64[n] = chain 1 keeps [%t, %o] {
    %e = map [@m] space [n] cost [] (%n, %s, %m {0 1 0 0})
    %t = reduce [@w, @b, @c] space [] extent n cost [1 1 (1)] (%n, %e {0 1 0 0}) by blocks
    %o = map [@m] space [n] cost [] (%n, %e {0 1 0 0}, %xs {0 2 -1 1})
  }
  %l: f64[n], %rows: f64[k, n] = loop @main'loop states 1 stacked 1 (%k, %m, %n)
  %u: f64[n] = while @main'condition @main'while states 1 (%l, %n)
  %v: f64[n] = branch @main'while @main'while (%ok, %u, %n)
  %z: f64[n] = call @main'while (%v {awaited}, %n)
  yield %r, %count
}

template @main'loop (%i: i64, %x: f64[n], %n: i64) {
  yield %x, %x
}

template @main'condition (%x: f64[n], %n: i64) {
  %yes: bool = constant true ()
  yield %yes
}

template @main'while (%x: f64[n], %n: i64) {
  yield %x
}
)";

}  // namespace

TEST_CASE("task text: every family reads back to itself") {
  const auto program = task::parse(every);
  if (!program) FAIL(program.error());
  for (const std::string& problem : task::verify(*program)) FAIL(problem);
  const std::string text = task::print(*program);
  CHECK(text == every);
  const auto again = task::parse(text);
  REQUIRE(again);
  CHECK(task::print(*again) == text);
}

TEST_CASE("task text: mistakes are named with their line") {
  const auto error = [](const std::string& text) {
    const auto program = task::parse(text);
    return program ? std::string("accepted") : program.error();
  };
  CHECK(error("dvt 2\n") == "line 1: the text is of another version of the task format");
  CHECK(error(head +
              "template @main (%n: i64) {\n  %a: f64 = compute add (%n, %b)\n  yield %a\n}\n") ==
        "line 14: `%b` is not defined");
  CHECK(error(head + "template @main (%n: i64) {\n  %a: f64 = call @other (%n)\n  yield %a\n}\n") ==
        "line 14: template `@other` is not defined");
  CHECK(error(head +
              "template @main (%n: i64) {\n  %a: i64 = compute neg (%n {awaited})\n  yield %a\n}\n")
            .find("only calls wait for operands") != std::string::npos);
  CHECK(error(head + "template @main (%n: i64, %n: i64) {\n  yield %n\n}\n") ==
        "line 13: `%n` is there twice");
}

TEST_CASE("task text: the verifier sees what would lead the engine astray") {
  const auto problem = [](const std::string& body) {
    const auto program =
        task::parse(head + "template @main (%n: i64, %limit: f64, %xs: f64[n, n]) {\n" + body +
                    "\n  yield %limit, %n\n}\n");
    if (!program) FAIL(program.error());
    const auto problems = task::verify(*program);
    return problems.empty() ? std::string() : problems.front();
  };
  CHECK(problem("") == "");
  CHECK(problem("  %a: f64 = read (%xs, %n)") == "template `@main`: read: one index per dimension");
  CHECK(problem("  %a: f64 = compute add (%n)") ==
        "template `@main`: wrong number of operands or results");
  CHECK(problem("  %a: i64 = compute int_div (%n, %n)") ==
        "template `@main`: a function that may fail needs a check");
  CHECK(problem("  %b: i64 = constant 0 ()\n  %a: i64 = compute int_div (%n, %b)") ==
        "template `@main`: a function that may fail needs a check");
  CHECK(problem("  %b: i64 = constant 2 ()\n  %a: i64 = compute int_div (%n, %b)") == "");
  CHECK(problem("  %a: i64 = compute int_div (%n, %n) check 7") ==
        "template `@main`: a check does not exist");
  CHECK(problem("  %a: f64[n] = map [@w] space [n] cost [] (%n)") ==
        "template `@main`: a kernel of another phase");
  CHECK(problem("  %a: f64[n] = map [@m] space [n] cost [] (%xs {1 1 0 0})") ==
        "template `@main`: an access is not a band");
  CHECK(problem("  %a: f64 = reduce [@w, @b, @c] space [] extent n cost [] (%limit)") ==
        "template `@main`: a kernel's scratch size needs an i64 operand");
  CHECK(problem("  %a: f64 = call @main (%n)") ==
        "template `@main`: `@main` takes or yields another number of values");
}

TEST_CASE("task text: any text is safe") {
  std::mt19937 random(3);
  for (int times = 0; times < 3000; ++times) {
    std::string text = every;
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      if (random() % 2)
        text[at] = every[random() % every.size()];
      else
        text.erase(at, random() % 12);
    }
    const auto program = task::parse(text);
    if (program && task::verify(*program).empty()) {
      const auto again = task::parse(task::print(*program));
      REQUIRE(again);
      CHECK(task::print(*again) == task::print(*program));
    }
  }
}
