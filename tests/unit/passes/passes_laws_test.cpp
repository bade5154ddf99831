// Laws of all passes on random graphs: well-formed results, the same values bit for bit, the same
// failures, the same text each time. (Those over all files: tests/runner/laws_test.cpp.)
#include <doctest/doctest.h>

#include "ir/graph/text.hpp"
#include "passes/pass_table.hpp"
#include "passes/runner.hpp"
#include "passes/validate.hpp"
#include "tests/random/random_graph.hpp"

namespace dvm::passes {
namespace {

using graph::Module;

Module elaborated(std::uint64_t seed) {
  Module module = test::random_graph(seed);
  const auto result = run_pass("fix-rounding", module);
  REQUIRE_MESSAGE(result.ok(), (result.ok() ? std::string() : result.error()));
  return module;
}

ValidateOptions few_trials() {
  ValidateOptions options;
  options.trials = 4;
  options.most_elements = 300;
  return options;
}

void check_same(Validation& validation, const Module& before, const Module& after,
                std::uint64_t seed, const std::string& what) {
  const auto difference = validation.compare(after);
  if (!difference) return;
  INFO(what, ", seed ", seed, "\n", graph::print(before), "\n", graph::print(after));
  CHECK(difference->text == "");
}

TEST_CASE("every pass keeps the results and failures of random graphs") {
  std::size_t failing = 0, compared = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Module before = elaborated(seed);
    Validation validation(before, few_trials());
    for (const GraphPass& pass : pass_table()) {
      if (pass.role != PassRole::Optimise) continue;
      Module after = before;
      const auto result = run_pass(pass.name, after);
      REQUIRE_MESSAGE(result.ok(), "seed ", seed, ": ",
                      (result.ok() ? std::string() : result.error()));
      check_same(validation, before, after, seed, "pass " + std::string(pass.name));
    }
    failing += validation.failing();
    compared += validation.compared();
  }
  CHECK(failing > 20);
  CHECK(compared > 1200);
}

TEST_CASE("the pipeline without any one optional pass keeps results and failures") {
  for (std::uint64_t seed = 1000; seed < 1030; ++seed) {
    const Module before = elaborated(seed);
    Validation validation(before, few_trials());
    for (const GraphPass& pass : pass_table()) {
      if (pass.role != PassRole::Optimise) continue;
      RunOptions options;
      options.verify = true;
      options.elaborated = true;
      options.disabled = {std::string(pass.name)};
      Module after = before;
      const auto result = run_pipeline(default_pipeline, after, options);
      REQUIRE_MESSAGE(result.ok(), "seed ", seed, ": ",
                      (result.ok() ? std::string() : result.error().message));
      check_same(validation, before, after, seed, "pipeline without " + std::string(pass.name));
    }
  }
}

TEST_CASE("passes give the same text on two runs, and text that reads back") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Module one = elaborated(seed), two = elaborated(seed);
    REQUIRE(run_pipeline(default_pipeline, one, {}).ok());
    REQUIRE(run_pipeline(default_pipeline, two, {}).ok());
    const std::string text = graph::print(one);
    CHECK(text == graph::print(two));
    SourceMap sources;
    Diagnostics problems;
    const FileId file = sources.add("printed.dvg", text);
    const auto back = graph::parse(sources, file, problems);
    REQUIRE_MESSAGE(back.has_value(), render_text(problems, sources));
    CHECK(graph::print(*back) == text);
  }
}

}  // namespace
}  // namespace dvm::passes
