// Validation: random arguments fit the types, a changed meaning is found, limits say nothing.
#include <doctest/doctest.h>

#include <map>

#include "ir/graph/text.hpp"
#include "passes/random_arguments.hpp"
#include "passes/runner.hpp"
#include "passes/validate.hpp"

namespace dvm::passes {
namespace {

graph::Module parsed(const std::string& text) {
  SourceMap sources;
  Diagnostics problems;
  const FileId file = sources.add("test.dvg", text);
  auto module = graph::parse(sources, file, problems);
  REQUIRE_MESSAGE(module.has_value(), render_text(problems, sources));
  return std::move(*module);
}

// The sum of xs[i] `fn` ys[i + shift], an index that is checked.
graph::Module sum_of(const std::string& fn, const std::string& message = "out of range") {
  return parsed("checks {\n  0: \"" + message + "\"\n  1: \"other\"\n}\n" + R"(
graph @main(%n: i64, %xs: f64[n], %ys: f64[n + 1], %shift: i64) -> (total: f64) sizes 1 {
  %zero: f64 = constant 0.0
  %total: f64 = reduce [] [n] ordered add (%zero) { (%i: i64)
    %x: f64 = read %xs[%i]
    %j: i64 = add %i, %shift
    %y: f64 = read %ys[%j] check 0
    %z: f64 = )" +
                fn + R"( %x, %y
    yield %z
  }
  return %total
}
)");
}

TEST_CASE("random arguments have the shapes that the types state, and the values that hurt") {
  const graph::Module module = sum_of("mul");
  const graph::Function& main = module.functions[graph::FunctionId{0}];
  std::mt19937_64 random(7);
  std::map<std::int64_t, int> sizes;
  int nan = 0, infinite = 0, negative_zero = 0, extreme = 0;
  for (int k = 0; k < 400; ++k) {
    const auto args = random_arguments(main, random, 1000);
    REQUIRE(args);
    REQUIRE(args->size() == 4);
    const std::int64_t n = (*args)[0].at(0).as_i64();
    ++sizes[n];
    CHECK((*args)[1].shape == std::vector<std::int64_t>{n});
    CHECK((*args)[2].shape == std::vector<std::int64_t>{n + 1});
    const std::int64_t shift = (*args)[3].at(0).as_i64();
    extreme += shift == INT64_MIN || shift == INT64_MAX;
    for (std::int64_t i = 0; i <= n; ++i) {
      const double y = (*args)[2].at(i).as_double();
      nan += std::isnan(y);
      infinite += std::isinf(y);
      negative_zero += y == 0 && std::signbit(y);
    }
  }
  CHECK(sizes[0] > 20);
  CHECK(sizes[1] > 20);
  CHECK(sizes.size() > 6);
  CHECK(nan > 5);
  CHECK(infinite > 5);
  CHECK(negative_zero > 5);
  CHECK(extreme > 5);
}

TEST_CASE("a size that no argument can have is drawn again") {
  const graph::Module module = parsed(R"(
graph @main(%n: i64, %xs: f64[n - 3]) -> (f64[n - 3]) sizes 1 {
  return %xs
}
)");
  std::mt19937_64 random(7);
  int fitting = 0;
  for (int k = 0; k < 100; ++k)
    fitting += random_arguments(module.functions[graph::FunctionId{0}], random, 1000).has_value();
  CHECK(fitting > 20);
  CHECK(fitting < 100);
}

TEST_CASE("another value, another failure and a lost failure are found") {
  Validation validation(sum_of("mul"), {});
  CHECK(validation.trials().size() == 24);
  CHECK(validation.failing() > 0);
  CHECK(validation.failing() < 24);
  CHECK(!validation.compare(sum_of("mul")));
  CHECK(!validation.compare(sum_of("mul", "another text of the same check")));

  const auto other = validation.compare(sum_of("add"));
  REQUIRE(other);
  CHECK(other->text.starts_with("result `total`: "));
  CHECK(render_arguments(sum_of("add").functions[graph::FunctionId{0}], other->args)
            .starts_with("n = "));

  std::string text = graph::print(sum_of("mul"));
  text.replace(text.find("check 0"), 7, "check 1");
  const auto check = validation.compare(parsed(text));
  REQUIRE(check);
  CHECK(check->text ==
        "it fails with `out of range` (check 0) before, it fails with `other` (check 1) after");

  text = graph::print(sum_of("mul"));
  text.replace(text.find("read %ys[%j]"), 12, "read %ys[%i]");
  const auto lost = validation.compare(parsed(text));
  REQUIRE(lost);
  CHECK(lost->text.find("before") != std::string::npos);
}

TEST_CASE("results are compared bit by bit, their shapes too") {
  auto outcome = [](std::vector<std::int64_t> shape, double last) {
    Tensor tensor = *Tensor::make(ElementType::F64, std::move(shape));
    if (tensor.count() > 0)
      tensor.set(tensor.count() - 1, Scalar::of_float(ElementType::F64, last));
    return Outcome(std::vector<Tensor>{tensor});
  };
  const graph::Module module = sum_of("mul");
  CHECK(!first_difference(module, outcome({2, 3}, 0.0), outcome({2, 3}, 0.0)));
  CHECK(first_difference(module, outcome({2, 3}, 0.0), outcome({2, 3}, -0.0)) ==
        "result `total` at [1, 2]: 0.0 before, -0.0 after");
  CHECK(first_difference(module, outcome({0, 3}, 0.0), outcome({0, 2}, 0.0)) ==
        "result `total`: shape [0, 3] before, [0, 2] after");
  graph::RunError deep;
  deep.message = "too deep";
  const Outcome limit = Failure{deep};
  CHECK(!first_difference(module, limit, outcome({1}, 1.0)));
}

TEST_CASE("the runner validates what a pass changed, once the rounding is decided") {
  std::string said;
  RunOptions options;
  options.validate.emplace();
  options.validated = &said;
  graph::Module module = sum_of("mul");
  REQUIRE(run_pipeline(default_pipeline, module, options).ok());
  CHECK(said.find("on 24 inputs") != std::string::npos);

  graph::Module undecided = parsed(R"(
graph @main(%n: i64, %xs: f64[n]) -> (f64) sizes 1 {
  %zero: f64 = constant 0.0
  %total: f64 = reduce [] [n] unset add (%zero) { (%i: i64)
    %x: f64 = read %xs[%i]
    yield %x
  }
  return %total
}
)");
  constexpr std::string_view simplify[] = {"simplify"};
  const auto refused = run_pipeline(simplify, undecided, options);
  REQUIRE(!refused.ok());
  CHECK(refused.error().message.find("fix-rounding") != std::string::npos);
}

// Wrong: takes subtraction for addition.
void subtract_for_add(graph::Module& module) {
  for (graph::Function& function : module.functions)
    for (graph::Node& node : function.nodes)
      if (auto* scalar = std::get_if<graph::ScalarOp>(&node.op))
        if (scalar->fn == graph::ScalarFn::Sub) scalar->fn = graph::ScalarFn::Add;
}

TEST_CASE("a graph whose meaning a pass changes is made small") {
  graph::Module module = parsed(R"(checks {
  0: "out of range"
}

graph @main(%n: i64, %xs: f64[n], %k: i64, %s: f64) -> (f64, f64[n], i64) sizes 1 {
  %one: i64 = constant 1
  %zero: f64 = constant 0.0
  %total: f64 = reduce [] [n] ordered add (%zero) { (%i: i64)
    %x: f64 = read %xs[%i]
    %y: f64 = mul %x, %s
    yield %y
  }
  %scaled: f64[n] = map [n] { (%i.1: i64)
    %j: i64 = add %i.1, %k
    %x.1: f64 = read %xs[%j] check 0
    %z: f64 = sub %x.1, %total
    %e: f64 = exp %z
    yield %e
  }
  %last: i64 = sub %n, %one
  return %total, %scaled, %last
}
)");
  const std::string before = graph::print(module);
  std::vector<GraphPass> table(pass_table().begin(), pass_table().end());
  table.push_back({"subtract-for-add", "wrong", PassRole::Optimise, subtract_for_add});
  constexpr std::string_view pipeline[] = {"subtract-for-add"};
  RunOptions options;
  options.elaborated = true;
  options.validate.emplace();
  options.table = table;
  const auto failed = run_pipeline(pipeline, module, options);
  REQUIRE(!failed.ok());
  const PipelineError& error = failed.error();
  CHECK(error.pass == "subtract-for-add");
  CHECK(error.message.starts_with("it changes what the program computes: result 0: "));
  CHECK(error.whole == before);
  CHECK(error.made_small == "made small: 3 of 11 operations");
  const graph::Module small = parsed(error.before);
  CHECK(error.before.find("= sub ") != std::string::npos);
  CHECK(error.text.find("= add ") != std::string::npos);
  INFO(error.before);
  CHECK(small.functions[graph::FunctionId{0}].nodes.size() == 3);

  // Nothing is spent on it: the graph is shown as it is.
  options.shrinking.most_attempts = 0;
  graph::Module again = parsed(before);
  const auto whole = run_pipeline(pipeline, again, options);
  REQUIRE(!whole.ok());
  CHECK(whole.error().before == before);
  CHECK(whole.error().made_small.empty());
}

}  // namespace
}  // namespace dvm::passes
