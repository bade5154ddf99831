// Failures, limits and cancellation.
#include <doctest/doctest.h>

#include <thread>

#include "engine_mock.hpp"

using namespace dvm;
using namespace dvm::test;

namespace {

const std::string head =
    "dvt 1\ntarget \"mock\" avx2\ngrain workers 2 task 0.0001 least 2e-05 cache 1.6e+07 tile 1e+06\n"
    "entry \"main\" sizes [\"n\"] inputs [(\"limit\" f64 \"Double\"), (\"xs\" f64[$0] \"Vec n "
    "Double\")] results [\"y\"]\n"
    "check \"first: {0}\" at \"f.dvm:1:1\" path [] values [f64]\n"
    "check \"second: {0}\" at \"f.dvm:2:1\" path [] values [f64]\n";

void fail_at(const kernel::KernelCall* call, std::int64_t check, std::int64_t index, double value) {
  if (call->error->check >= 0 && call->error->index <= index) return;
  call->error->check = check;
  call->error->index = index;
  __builtin_memcpy(&call->error->values[0], &value, sizeof value);
}
// limit, xs -> ys: fails where a value is above the limit, and below its negative.
template <int check>
void guarded(const kernel::KernelCall* call) {
  for (std::int64_t i = call->low[0]; i < call->high[0]; ++i) {
    const double value = f64(call, 1)[i];
    if (value > *f64(call, 0)) fail_at(call, check, i, value);
    f64(call, 2)[i] = value;
  }
}

const std::map<std::string, kernel::KernelFunction> kernels{{"first", guarded<0>},
                                                            {"second", guarded<1>}};
const std::string declared = "kernel @first map scratch 0\nkernel @second map scratch 0\n";

std::vector<double> spikes(std::vector<std::size_t> at) {
  std::vector<double> values(50'000, 0.0);
  for (std::size_t k : at) values[k] = static_cast<double>(k);
  return values;
}
std::vector<Tensor> args(const std::vector<double>& x) {
  return {scalar_of(static_cast<std::int64_t>(x.size())), scalar_of(0.5), vector_of(x)};
}

}  // namespace

TEST_CASE("of several failures the one with the least check, then the least index is reported") {
  // The second check's family runs first and fails at smaller indices; both are needed.
  const package::Loaded program = mock(head + declared + R"(
template @main (%n: i64, %limit: f64, %xs: f64[n]) {
  %a: f64[n] = map [@second] space [n] cost [10 10 (1)] (%limit, %xs {0 1 0 0})
  %b: f64[n] = map [@first] space [n] cost [10 10 (1)] (%limit, %xs {0 1 0 0})
  %c: f64[2 * n] = concat (%a, %b)
  yield %c
}
)",
                                       kernels);
  const Outcome outcome = run_everywhere(program, args(spikes({49'000, 31'000, 31'001})));
  CHECK(outcome.error == "first: 31000.0");
  CHECK(outcome.error_index == 31'000);
}

TEST_CASE("failures in what no result needs are not reported") {
  const package::Loaded program = mock(head + declared + R"(
template @main (%n: i64, %limit: f64, %xs: f64[n]) {
  %a: f64[n] = map [@first] space [n] cost [10 10 (1)] (%limit, %xs {0 1 0 0})
  %no: bool = constant false ()
  %y: f64[n] = branch @main'then @main'else (%no, %a, %xs, %n)
  yield %y
}
template @main'then (%a: f64[n], %xs: f64[n], %n: i64) {
  yield %a
}
template @main'else (%a: f64[n], %xs: f64[n], %n: i64) {
  yield %xs
}
)",
                                       kernels);
  const std::vector<double> x = spikes({5});
  const Outcome outcome = run_everywhere(program, args(x));
  CHECK(outcome.error.empty());
  REQUIRE(outcome.results.size() == 1);
  CHECK(identical(outcome.results[0], vector_of(x)));
}

TEST_CASE("in a loop the earliest iteration's failure is reported") {
  const package::Loaded program =
      mock(head + declared + "kernel @shift map scratch 0\n" + R"(
template @main (%n: i64, %limit: f64, %xs: f64[n]) {
  %count: i64 = constant 6 ()
  %y: f64[n] = loop @main'loop states 1 stacked 0 (%count, %xs, %n, %limit)
  yield %y
}
template @main'loop (%k: i64, %x: f64[n], %n: i64, %limit: f64) {
  %s: f64[n] = map [@shift] space [n] cost [10 10 (1)] (%n, %x {0 1 -9000 0})
  %z: f64[n] = map [@second] space [n] cost [10 10 (1)] (%limit, %s {0 1 0 0})
  yield %z
}
)",
           [] {
             auto all = kernels;
             all["shift"] = [](const kernel::KernelCall* call) {
               for (std::int64_t i = call->low[0]; i < call->high[0]; ++i)
                 f64(call, 2)[i] = f64(call, 1)[i >= 9000 ? i - 9000 : 0] + 0.1;
             };
             return all;
           }());
  // Every step adds 0.1; a spike travels to higher indices. 0.45 fails in the first step at its
  // place.
  std::vector<double> x(50'000, 0.0);
  x[30'000] = 0.45;
  const Outcome outcome = run_everywhere(program, args(x));
  CHECK(outcome.error_index == 39'000);
  CHECK(outcome.error == "second: 0.55");
}

TEST_CASE("a loop without steps needs what its body needs, and nothing more") {
  const auto program = [](const std::string& used) {
    return mock(head + declared + R"(
template @main (%n: i64, %limit: f64, %xs: f64[n]) {
  %count: i64 = constant 0 ()
  %bad: f64[n] = map [@first] space [n] cost [10 10 (1)] (%limit, %xs {0 1 0 0})
  %y: f64[n] = loop @main'loop states 1 stacked 0 (%count, %xs, %bad, %n, %limit)
  yield %y
}
template @main'loop (%k: i64, %x: f64[n], %bad: f64[n], %n: i64, %limit: f64) {
  %no: bool = constant false ()
  %b: f64[n] = branch @main'bad @main'good (%no, %x, %bad, %n)
  %z: f64[n] = map [@second] space [n] cost [10 10 (1)] (%limit, %)" +
                    used + R"( {0 1 0 0})
  yield %z
}
template @main'bad (%x: f64[n], %bad: f64[n], %n: i64) {
  yield %bad
}
template @main'good (%x: f64[n], %bad: f64[n], %n: i64) {
  yield %x
}
)",
                kernels);
  };
  const std::vector<double> x = spikes({5});
  CHECK(run_everywhere(program("bad"), args(x)).error == "first: 5.0");
  const Outcome outcome = run_everywhere(program("b"), args(x));
  CHECK(outcome.error.empty());
  REQUIRE(outcome.results.size() == 1);
  CHECK(identical(outcome.results[0], vector_of(x)));
}

TEST_CASE("a condition that fails makes the results fail, scalars as well") {
  const package::Loaded program =
      mock(head + "check \"division of {0} by zero\" at \"f.dvm:3:1\" path [] values [i64]\n" +
               declared + R"(
template @main (%n: i64, %limit: f64, %xs: f64[n]) {
  %zero: i64 = constant 0 ()
  %q: i64 = compute int_div (%n, %zero) check 2
  %go: bool = compute gt (%q, %zero)
  %y: f64[n] = branch @main'then @main'then (%go, %xs, %n)
  yield %y
}
template @main'then (%xs: f64[n], %n: i64) {
  yield %xs
}
)",
           kernels);
  CHECK(run_everywhere(program, args(spikes({5}))).error == "division of 50000 by zero");
}

TEST_CASE("endless recursion ends with a message") {
  const package::Loaded program = mock(head + declared + R"(
template @main (%n: i64, %limit: f64, %xs: f64[n]) {
  %z: f64[n] = call @main (%n, %limit, %xs)
  %y: f64[n] = alias (%z)
  yield %y
}
)",
                                       kernels);
  engine::Engine engine({2, 0});
  engine::RunOptions options;
  options.deepest_call = 100'000;
  const auto result = engine.run(program, args(spikes({5})), options);
  REQUIRE(!result);
  CHECK(result.error().message == "recursion is deeper than 100000 calls");
  CHECK(!result.error().check.valid());
}

TEST_CASE("arrays that do not fit end with a message") {
  const package::Loaded program = mock(head + declared + R"(
template @main (%n: i64, %limit: f64, %xs: f64[n]) {
  %y: f64[n] = map [@first] space [n] cost [10 10 (1)] (%limit, %xs {0 1 0 0})
  yield %y
}
)",
                                       kernels);
  engine::Engine engine({2, 100'000});
  const auto result = engine.run(program, args(std::vector<double>(50'000, 0.0)));
  REQUIRE(!result);
  CHECK(result.error().message.starts_with("not enough memory"));
}

TEST_CASE("cancellation stops a loop that would not end") {
  const package::Loaded program = mock(head + declared + R"(
template @main (%n: i64, %limit: f64, %xs: f64[n]) {
  %y: f64[n] = while @main'condition @main'while states 1 (%xs, %n, %limit)
  yield %y
}
template @main'condition (%x: f64[n], %n: i64, %limit: f64) {
  %yes: bool = constant true ()
  yield %yes
}
template @main'while (%x: f64[n], %n: i64, %limit: f64) {
  %z: f64[n] = map [@first] space [n] cost [10 10 (1)] (%limit, %x {0 1 0 0})
  yield %z
}
)",
                                       kernels);
  engine::Engine engine({2, 0});
  std::atomic<std::int32_t> cancel{0};
  engine::RunOptions options;
  options.cancel = &cancel;
  int ticks = 0;
  options.progress_after = 0.05;
  options.progress = [&](const engine::Progress& progress) {
    ++ticks;
    CHECK(progress.tasks > 0);
    cancel = 1;
  };
  const auto result = engine.run(program, args(std::vector<double>(50'000, 0.0)), options);
  REQUIRE(!result);
  CHECK(result.error().message == engine::cancelled_message);
  CHECK(ticks >= 1);
  // The engine is as good as new.
  cancel = 0;
  const package::Loaded straight = mock(head + declared + R"(
template @main (%n: i64, %limit: f64, %xs: f64[n]) {
  yield %xs
}
)",
                                        kernels);
  CHECK(engine.run(straight, args(std::vector<double>(50'000, 0.0))));
}
