// The programs of examples/mechanism, whose tasks are known only at run time: the same task ids and
// bits for 1, 2 and 7 workers, when every finished block is thrown away and computed again, and in
// the interpreter; and values that plain loops give.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <utility>

#include "backend/driver/compile.hpp"
#include "backend/driver/files.hpp"
#include "backend/engine/engine.hpp"
#include "ir/graph/entry.hpp"
#include "ir/graph/interpret.hpp"

using namespace dvm;

namespace {

std::vector<double> numbers(std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<double> values(count);
  for (double& value : values)
    value = static_cast<double>(random() >> 11) / 9007199254740992.0 - 0.5;
  return values;
}

Tensor tensor_of(const std::vector<double>& values) {
  Tensor tensor = *Tensor::make(ElementType::F64, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) {
    tensor.set(static_cast<std::int64_t>(i), Scalar::of_float(ElementType::F64, values[i]));
  }
  return tensor;
}
std::vector<double> values_of(const Tensor& tensor) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < tensor.count(); ++i) values.push_back(tensor.at(i).as_double());
  return values;
}

struct Outcome {
  std::vector<Tensor> results;
  std::vector<std::string> trace;
};

// A program compiled for tasks of a microsecond, so that even these small arrays make many.
class Program {
 public:
  explicit Program(const std::string& name) {
    const std::string path = DVM_SOURCE_FOLDER "/examples/mechanism/" + name + ".dvm";
    const auto settings = driver::choose_settings(compilation_);
    REQUIRE(settings.has_value());
    settings_ = *settings;
    settings_.machine.task_seconds = 1e-6;
    settings_.machine.dispatch_seconds = 1e-8;
    auto compiled = driver::compile(compilation_, path, *driver::read_text(path), settings_);
    INFO(render_text(compilation_.diagnostics, compilation_.sources));
    REQUIRE(compiled.has_value());
    auto loaded = package::load(compiled->package);
    REQUIRE_MESSAGE(loaded.ok(), loaded.error());
    loaded_ = *std::move(loaded);
    auto graph = driver::elaborate(compilation_, path);
    REQUIRE(graph.has_value());
    graph_ = *std::move(graph);
  }

  // Runs every way and compares; gives the results.
  std::vector<Tensor> run(const std::vector<Tensor>& inputs, std::size_t least_tasks) {
    const auto sizes = graph::solve_sizes(loaded_.program.entry, inputs);
    REQUIRE_MESSAGE(sizes.ok(), sizes.error());
    std::vector<Tensor> args;
    for (const std::int64_t size : *sizes) args.push_back(Tensor::of_scalar(Scalar::of_i64(size)));
    args.insert(args.end(), inputs.begin(), inputs.end());
    const Outcome first = run_with(args, 1, false);
    CHECK(first.trace.size() >= least_tasks);
    for (const int workers : {2, 7}) compare(run_with(args, workers, false), first);
    compare(run_with(args, 2, true), first);
    graph::InterpretOptions options;
    options.isa = settings_.target.isa;
    const auto interpreted = graph::interpret(graph_, graph::FunctionId{0}, args, options);
    REQUIRE_MESSAGE(interpreted.ok(), interpreted.error().message);
    compare({*interpreted, first.trace}, first);
    return first.results;
  }

 private:
  Outcome run_with(const std::vector<Tensor>& args, int workers, bool recompute) {
    engine::EngineOptions engine_options;
    engine_options.workers = workers;
    engine::Engine engine(engine_options);
    engine::RunOptions options;
    Outcome outcome;
    options.recompute = recompute;
    options.trace = &outcome.trace;
    auto results = engine.run(loaded_, args, options);
    REQUIRE_MESSAGE(results.ok(), results.error().message);
    outcome.results = *std::move(results);
    return outcome;
  }

  static void compare(const Outcome& got, const Outcome& want) {
    REQUIRE(got.results.size() == want.results.size());
    for (std::size_t i = 0; i < got.results.size(); ++i)
      CHECK(identical(got.results[i], want.results[i]));
    CHECK(got.trace == want.trace);
  }

  driver::CompileOptions options_;
  driver::Compilation compilation_{options_};
  driver::Settings settings_;
  package::Loaded loaded_;
  graph::Module graph_;
};

}  // namespace

TEST_CASE("filter, then a sum over an array whose size is not known before") {
  const auto xs = numbers(30'000);
  const auto results = Program("filter_sum").run({tensor_of(xs)}, 8);
  std::int64_t count = 0;
  double sum = 0;
  for (const double x : xs) {
    if (x > 0) ++count, sum += x;
  }
  CHECK(results[0].at(0).as_i64() == count);
  CHECK(results[1].at(0).as_double() == doctest::Approx(sum).epsilon(1e-12));
}

TEST_CASE("sorting, filters, recursion and loops over arrays inside of bodies") {
  Tensor rows = tensor_of(numbers(60 * 31));
  rows.shape = {60, 31};
  Tensor counts = *Tensor::make(ElementType::I64, {20});
  for (std::int64_t i = 0; i < 20; ++i) counts.set(i, Scalar::of_i64(i * 7 % 13));
  const auto results = Program("bodies").run({rows, counts}, 500);
  for (std::int64_t i = 0; i < 60; ++i) {
    const auto row = values_of(rows);
    std::vector<double> sorted(row.begin() + 31 * i, row.begin() + 31 * (i + 1));
    const double mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / 31;
    double above = 0;
    for (const double x : sorted) above += x > mean ? x : 0;
    CHECK(results[1].at(i).as_double() == doctest::Approx(above).epsilon(1e-12));
    std::sort(sorted.begin(), sorted.end());
    for (std::int64_t j = 0; j < 31; ++j)
      CHECK(results[0].at(31 * i + j).as_double() == sorted[static_cast<std::size_t>(j)]);
  }
  for (std::int64_t i = 0; i < 20; ++i) {
    std::int64_t a = 0, b = 1;
    for (std::int64_t k = counts.at(i).as_i64(); k > 0; --k) b += std::exchange(a, b);
    CHECK(results[2].at(i).as_i64() == a);
    const auto factor = values_of(results[4]);
    const auto l = [&](std::int64_t r, std::int64_t c) {
      return factor[static_cast<std::size_t>(9 * i + 3 * r + c)];
    };
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        double product = 0;
        for (int k = 0; k < 3; ++k) product += l(r, k) * l(c, k);
        const double want = r == c ? static_cast<double>(counts.at(i).as_i64()) + 4
                                   : 1 / (1 + static_cast<double>(r + c));
        CHECK(product == doctest::Approx(want).epsilon(1e-12));
      }
  }
}

// language 4: Independent recursive calls become parallel tasks …
TEST_CASE("parallel merge sort: recursion at other sizes") {
  auto xs = numbers(3'000);
  const auto results = Program("merge_sort").run({tensor_of(xs)}, 64);
  std::sort(xs.begin(), xs.end());
  CHECK(values_of(results[0]) == xs);
}

TEST_CASE("a stencil again and again, the number of steps an input") {
  auto u = numbers(5'000);
  const auto results =
      Program("stencil_steps").run({tensor_of(u), Tensor::of_scalar(Scalar::of_i64(12))}, 24);
  for (int step = 0; step < 12; ++step) {
    const auto before = u;
    for (std::size_t i = 0; i < u.size(); ++i) {
      const double left = before[i == 0 ? 0 : i - 1], right = before[std::min(i + 1, u.size() - 1)];
      u[i] = (left + 2 * before[i] + right) / 4;
    }
  }
  const auto got = values_of(results[0]);
  double worst = 0;
  for (std::size_t i = 0; i < u.size(); ++i) worst = std::max(worst, std::abs(got[i] - u[i]));
  CHECK(worst < 1e-14);
}

TEST_CASE("conjugate gradients until the residual is small") {
  const auto b = numbers(400);
  const double tolerance = 1e-8;
  const auto results =
      Program("cg_until")
          .run({tensor_of(b), Tensor::of_scalar(Scalar::of_float(ElementType::F64, tolerance))},
               100);
  const auto x = values_of(results[0]);
  const auto steps = results[1].at(0).as_i64();
  CHECK(steps > 100);
  CHECK(steps <= 400);
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double left = i == 0 ? 0 : x[i - 1], right = i + 1 == x.size() ? 0 : x[i + 1];
    const double residual = b[i] - (2 * x[i] - left - right);
    squares += residual * residual;
  }
  CHECK(std::sqrt(squares) < 1e-5);
}
