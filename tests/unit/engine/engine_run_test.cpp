// The expander and the execution of tasks on small programs with kernels written here.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <thread>

#include "engine_mock.hpp"

using namespace dvm;
using namespace dvm::test;

namespace {

const std::string head =
    "dvt 1\ntarget \"mock\" avx2\ngrain workers 2 task 0.0001 least 2e-05 cache 1.6e+07 tile 1e+06\n";

// --- a stencil in a counted loop
void stencil(const kernel::KernelCall* call) {
  const std::int64_t n = *i64(call, 0);
  const double* x = f64(call, 1);
  double* z = f64(call, 2);
  for (std::int64_t i = call->low[0]; i < call->high[0]; ++i)
    z[i] = 0.5 * (x[std::max<std::int64_t>(i - 1, 0)] + x[std::min(i + 1, n - 1)]);
}
const std::string stencil_text = head + R"(
entry "main" sizes ["n"] inputs [("steps" i64 "Int"), ("xs" f64[$0] "Vec n Double")] results ["y"]
kernel @stencil map scratch 0
template @main (%n: i64, %steps: i64, %xs: f64[n]) {
  %y: f64[n] = loop @main'loop states 1 stacked 0 (%steps, %xs, %n)
  yield %y
}
template @main'loop (%k: i64, %x: f64[n], %n: i64) {
  %z: f64[n] = map [@stencil] space [n] cost [10 10 (1)] (%n, %x {0 1 -1 1})
  yield %z
}
)";

std::vector<double> smoothed(std::vector<double> x, int steps) {
  const auto n = static_cast<std::int64_t>(x.size());
  for (; steps > 0; --steps) {
    std::vector<double> z(x.size());
    for (std::int64_t i = 0; i < n; ++i)
      z[static_cast<std::size_t>(i)] =
          0.5 * (x[static_cast<std::size_t>(std::max<std::int64_t>(i - 1, 0))] +
                 x[static_cast<std::size_t>(std::min(i + 1, n - 1))]);
    x = z;
  }
  return x;
}

}  // namespace

TEST_CASE("a stencil in a counted loop runs tile by tile, the same for every number of workers") {
  const package::Loaded program = mock(stencil_text, {{"stencil", stencil}});
  const std::vector<double> x = random_values(50'000, 1);
  for (const int steps : {0, 1, 2, 40}) {
    CAPTURE(steps);
    const Outcome outcome = run_everywhere(
        program, {scalar_of(std::int64_t{50'000}), scalar_of(std::int64_t{steps}), vector_of(x)});
    REQUIRE(outcome.results.size() == 1);
    CHECK(identical(outcome.results[0], vector_of(smoothed(x, steps))));
    CHECK(outcome.trace.size() == static_cast<std::size_t>(steps) * 8);
  }
}

TEST_CASE("empty arrays make no tasks") {
  const package::Loaded program = mock(stencil_text, {{"stencil", stencil}});
  const Outcome outcome = run_everywhere(
      program,
      {scalar_of(std::int64_t{0}), scalar_of(std::int64_t{5}), vector_of(std::vector<double>{})});
  REQUIRE(outcome.results.size() == 1);
  CHECK(outcome.results[0].shape == std::vector<std::int64_t>{0});
  CHECK(outcome.trace.empty());
}

TEST_CASE("as many threads run tasks as there are workers") {
  const package::Loaded program =
      mock(stencil_text, {{"stencil", [](const kernel::KernelCall* call) {
                             std::this_thread::sleep_for(std::chrono::milliseconds(5));
                             stencil(call);
                           }}});
  const std::vector<Tensor> args{scalar_of(std::int64_t{50'000}), scalar_of(std::int64_t{40}),
                                 vector_of(random_values(50'000, 1))};
  for (const int workers : {1, 2, 7}) {
    engine::Engine engine({workers, 0});
    engine::RunStats stats;
    const auto result = engine.run(program, args, {}, &stats);
    REQUIRE(result);
    CHECK(stats.workers == workers);
    CHECK(stats.tasks == 320);
  }
}

namespace {

// --- filter, then sum
bool keeps(double value) { return value > 0.25; }
void keep_count(const kernel::KernelCall* call) {
  const std::int64_t n = *i64(call, 0);
  for (std::int64_t c = call->low[0]; c < call->high[0]; ++c) {
    const double* x = f64(call, 1);
    i64(call, 2)[c] = std::count_if(x + c * 4096, x + std::min(n, (c + 1) * 4096), keeps);
  }
}
void keep_write(const kernel::KernelCall* call) {
  const std::int64_t n = *i64(call, 0);
  const double* x = f64(call, 1);
  for (std::int64_t c = call->low[0]; c < call->high[0]; ++c)
    std::copy_if(x + c * 4096, x + std::min(n, (c + 1) * 4096), f64(call, 3) + i64(call, 2)[c],
                 keeps);
}
double block_sum(const double* x, std::int64_t block, std::int64_t n) {
  double sum = -0.0;
  for (std::int64_t i = block * 4096; i < std::min(n, (block + 1) * 4096); ++i) sum += x[i];
  return sum;
}
double tree_sum(std::vector<double> sums) {
  for (std::size_t distance = 1; distance < sums.size(); distance *= 2)
    for (std::size_t k = 0; k + distance < sums.size(); k += 2 * distance)
      sums[k] += sums[k + distance];
  return sums.empty() ? 0 : sums[0];
}
std::vector<double> block_sums(const double* x, std::int64_t n) {
  std::vector<double> sums;
  for (std::int64_t b = 0; b * 4096 < n; ++b) sums.push_back(block_sum(x, b, n));
  return sums;
}
void sum_whole(const kernel::KernelCall* call) {
  *f64(call, 3) = tree_sum(block_sums(f64(call, 2), *i64(call, 0)));
}
void sum_blocks(const kernel::KernelCall* call) {
  for (std::int64_t b = call->low[0]; b < call->high[0]; ++b)
    f64(call, 3)[b] = block_sum(f64(call, 2), b, *i64(call, 0));
}
void sum_combine(const kernel::KernelCall* call) {
  const std::int64_t blocks = (*i64(call, 0) + 4095) / 4096;
  *f64(call, 4) = tree_sum({f64(call, 3), f64(call, 3) + blocks});
}
const std::string filter_text = head + R"(
entry "main" sizes ["n"] inputs [("xs" f64[$0] "Vec n Double")] results ["kept", "sum"]
kernel @keep_count filter_count scratch 0
kernel @keep_write filter_write scratch 0
kernel @sum_whole reduce_whole scratch 0
kernel @sum_blocks reduce_blocks scratch 0
kernel @sum_combine reduce_combine scratch 0
template @main (%n: i64, %xs: f64[n]) {
  %k: i64, %ys: f64[k] = filter [@keep_count, @keep_write] space [] extent n cost [2 2 (1)] (%n, %xs {0 1 0 0})
  %zero: f64 = constant 0.0 ()
  %s: f64 = reduce [@sum_whole, @sum_blocks, @sum_combine] space [] extent k cost [4 4 (1)] (%k, %zero, %ys {0 1 0 0})
  yield %k, %s
}
)";

}  // namespace

TEST_CASE("filter then sum: sizes that only the run knows") {
  const package::Loaded program = mock(filter_text, {{"keep_count", keep_count},
                                                     {"keep_write", keep_write},
                                                     {"sum_whole", sum_whole},
                                                     {"sum_blocks", sum_blocks},
                                                     {"sum_combine", sum_combine}});
  for (const std::size_t n : {0, 1, 4096, 300'001}) {
    CAPTURE(n);
    const std::vector<double> x = random_values(n, 7);
    std::vector<double> kept;
    std::copy_if(x.begin(), x.end(), std::back_inserter(kept), keeps);
    const auto count = static_cast<std::int64_t>(kept.size());
    const Outcome outcome =
        run_everywhere(program, {scalar_of(static_cast<std::int64_t>(n)), vector_of(x)});
    REQUIRE(outcome.results.size() == 2);
    CHECK(outcome.results[0].at(0).as_i64() == count);
    CHECK(outcome.results[1].at(0).as_double() == tree_sum(block_sums(kept.data(), count)));
    const auto is_blocks = [](const std::string& line) {
      return line.find("sum_blocks") != line.npos;
    };
    CHECK((std::count_if(outcome.trace.begin(), outcome.trace.end(), is_blocks) > 1) ==
          (n == 300'001));
  }
}

namespace {

// --- merge sort: a call in a branch
void half(const kernel::KernelCall* call) {  // n, from, xs -> ys
  for (std::int64_t i = call->low[0]; i < call->high[0]; ++i)
    f64(call, 2)[i] = f64(call, 1)[i + *i64(call, 0)];
}
void pick(const kernel::KernelCall* call) {
  for (std::int64_t i = call->low[0]; i < call->high[0]; ++i)
    f64(call, 2)[i] = f64(call, 0)[i64(call, 1)[i]];
}
void merge(const kernel::KernelCall* call) {  // a: i64, b: i64, left, right -> both
  const double *left = f64(call, 2), *right = f64(call, 3);
  const std::int64_t a = *i64(call, 0), b = *i64(call, 1);
  for (std::int64_t i = call->low[0]; i < call->high[0]; ++i) {
    std::int64_t low = std::max<std::int64_t>(0, i - b), high = std::min(i, a);
    while (low < high) {  // elements of `left` among the first i
      const std::int64_t mid = (low + high) / 2;
      if (left[mid] <= right[i - mid - 1])
        low = mid + 1;
      else
        high = mid;
    }
    f64(call, 4)[i] =
        i - low < b && (low >= a || right[i - low] < left[low]) ? right[i - low] : left[low];
  }
}
const std::string sort_text = head + R"(
entry "main" sizes ["n"] inputs [("xs" f64[$0] "Vec n Double")] results ["sorted"]
kernel @half map scratch 0
kernel @pick map scratch 0
kernel @merge map scratch 0
template @main (%n: i64, %xs: f64[n]) {
  %s: f64[n] = call @sort (%n, %xs)
  yield %s
}
template @sort (%n: i64, %xs: f64[n]) {
  %limit: i64 = constant 1000 ()
  %small: bool = compute le (%n, %limit)
  %r: f64[n] = branch @sort'then @sort'else (%small, %n, %xs)
  yield %r
}
template @sort'then (%n: i64, %xs: f64[n]) {
  %order: i64[n] = sort up (%xs)
  %ys: f64[n] = map [@pick] space [n] cost [5 5 (1)] (%xs, %order {0 1 0 0})
  yield %ys
}
template @sort'else (%n: i64, %xs: f64[n]) {
  %a: i64 = size n / 2 ()
  %b: i64 = size n - n / 2 ()
  %zero: i64 = constant 0 ()
  %l: f64[a] = map [@half] space [a] cost [1 1 (1)] (%zero, %xs {0 1 0 0})
  %r: f64[b] = map [@half] space [b] cost [1 1 (1)] (%a, %xs)
  %ls: f64[a] = call @sort (%a, %l)
  %rs: f64[b] = call @sort (%b, %r)
  %ys: f64[n] = map [@merge] space [n] cost [30 30 (1)] (%a, %b, %ls, %rs)
  yield %ys
}
)";

}  // namespace

TEST_CASE("parallel merge sort: recursion in a branch") {
  const package::Loaded program =
      mock(sort_text, {{"half", half}, {"pick", pick}, {"merge", merge}});
  for (const std::size_t n : {0, 1, 1000, 1001, 70'000}) {
    CAPTURE(n);
    std::vector<double> x = random_values(n, 3);
    const Outcome outcome =
        run_everywhere(program, {scalar_of(static_cast<std::int64_t>(n)), vector_of(x)});
    std::sort(x.begin(), x.end());
    REQUIRE(outcome.results.size() == 1);
    CHECK(identical(outcome.results[0], vector_of(x)));
  }
}

TEST_CASE("while: the condition is asked before each step, results may be inputs") {
  const package::Loaded program = mock(head + R"(
entry "main" sizes ["n"] inputs [("limit" f64 "Double"), ("xs" f64[$0] "Vec n Double")] results ["y", "steps"]
kernel @stencil map scratch 0
template @main (%n: i64, %limit: f64, %xs: f64[n]) {
  %zero: i64 = constant 0 ()
  %y: f64[n], %k: i64 = while @main'condition @main'while states 2 (%xs, %zero, %n, %limit)
  yield %y, %k
}
template @main'condition (%x: f64[n], %k: i64, %n: i64, %limit: f64) {
  %i: i64 = constant 0 ()
  %first: f64 = read (%x, %i)
  %go: bool = compute gt (%first, %limit)
  yield %go
}
template @main'while (%x: f64[n], %k: i64, %n: i64, %limit: f64) {
  %one: i64 = constant 1 ()
  %next: i64 = compute add (%k, %one)
  %z: f64[n] = map [@stencil] space [n] cost [10 10 (1)] (%n, %x {0 1 -1 1})
  yield %z, %next
}
)",
                                       {{"stencil", stencil}});
  std::vector<double> x(10'000, 0.0);
  x[0] = 1;
  for (const double limit : {2.0, 0.6, 0.15}) {
    CAPTURE(limit);
    int steps = 0;
    while (smoothed(x, steps)[0] > limit) ++steps;
    const Outcome outcome =
        run_everywhere(program, {scalar_of(std::int64_t{10'000}), scalar_of(limit), vector_of(x)});
    REQUIRE(outcome.results.size() == 2);
    CHECK(identical(outcome.results[0], vector_of(smoothed(x, steps))));
    CHECK(outcome.results[1].at(0).as_i64() == steps);
  }
}

TEST_CASE("stacked values of a loop are rows in order") {
  const package::Loaded program = mock(head + R"(
entry "main" sizes ["n"] inputs [("steps" i64 "Int"), ("xs" f64[$0] "Vec n Double")] results ["rows", "firsts"]
kernel @stencil map scratch 0
template @main (%n: i64, %steps: i64, %xs: f64[n]) {
  %y: f64[n], %rows: f64[steps, n], %firsts: f64[steps] = loop @main'loop states 1 stacked 2 (%steps, %xs, %n)
  yield %rows, %firsts
}
template @main'loop (%k: i64, %x: f64[n], %n: i64) {
  %z: f64[n] = map [@stencil] space [n] cost [10 10 (1)] (%n, %x {0 1 -1 1})
  %i: i64 = constant 0 ()
  %first: f64 = read (%z, %i)
  yield %z, %z, %first
}
)",
                                       {{"stencil", stencil}});
  const std::vector<double> x = random_values(20'000, 5);
  for (const int steps : {0, 1, 7}) {
    const Outcome outcome = run_everywhere(
        program, {scalar_of(std::int64_t{20'000}), scalar_of(std::int64_t{steps}), vector_of(x)});
    REQUIRE(outcome.results.size() == 2);
    CHECK(outcome.results[0].shape == std::vector<std::int64_t>{steps, 20'000});
    for (int k = 0; k < steps; ++k) {
      const std::vector<double> row = smoothed(x, k + 1);
      CHECK(std::memcmp(outcome.results[0].data.get() + k * 160'000, row.data(), 160'000) == 0);
      CHECK(outcome.results[1].at(k).as_double() == row[0]);
    }
  }
}

TEST_CASE("reshape and concat keep rows apart") {
  const package::Loaded program = mock(head + R"(
entry "main" sizes ["n"] inputs [("m" i64 "Int"), ("xs" f64[$0] "Vec n Double")] results ["y"]
check "sizes differ: {0} and {1}" at "f.dvm:1:1" path [] values [i64, i64]
template @main (%n: i64, %m: i64, %xs: f64[n]) {
  %a: f64[2 * n] = concat (%xs, %xs)
  %b: f64[m, 2] = alias (%a) check 0
  yield %b
}
)",
                                       {});
  const std::vector<double> x = random_values(30'000, 2);
  const Outcome good = run_everywhere(
      program, {scalar_of(std::int64_t{30'000}), scalar_of(std::int64_t{30'000}), vector_of(x)});
  REQUIRE(good.results.size() == 1);
  CHECK(std::memcmp(good.results[0].data.get(), x.data(), 240'000) == 0);
  CHECK(std::memcmp(good.results[0].data.get() + 240'000, x.data(), 240'000) == 0);
  const Outcome bad = run_everywhere(
      program, {scalar_of(std::int64_t{30'000}), scalar_of(std::int64_t{7}), vector_of(x)});
  CHECK(bad.error == "sizes differ: 60000 and 14");
}
