// Laws of all passes: well-formed results, the same values bit for bit, the same failure.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/graph/interpret.hpp"
#include "ir/graph/text.hpp"
#include "ir/graph/verify.hpp"
#include "passes/pass_table.hpp"
#include "passes/runner.hpp"
#include "passes_random_program.hpp"

namespace dvm::passes {
namespace {

using graph::FunctionId;
using graph::Module;

// Results as text, or the failed check; empty when a limit stopped the run.
std::string outcome(const Module& module, std::span<const Tensor> arguments) {
  const auto result = graph::interpret(module, FunctionId{0}, arguments, {});
  if (!result.ok()) {
    if (!result.error().check.valid()) return "";
    return "check " + std::to_string(result.error().check.index);
  }
  std::string text;
  for (const Tensor& tensor : result.value()) {
    for (std::int64_t k = 0; k < tensor.count(); ++k) text += to_text(tensor.at(k)) + " ";
    text += "; ";
  }
  return text;
}

std::vector<std::string> outcomes(const Module& module, std::uint64_t seed) {
  std::vector<std::string> all;
  for (std::uint64_t k = 0; k < 3; ++k)
    all.push_back(outcome(module, random_arguments(module, seed + k)));
  return all;
}

// Without the list of checks, whose messages are all the same here.
std::string text_of(const Module& module) {
  const std::string text = graph::print(module);
  return text.substr(text.find("graph @"));
}

void check_same(const Module& before, const Module& after, const std::vector<std::string>& expected,
                std::uint64_t seed, std::string_view what) {
  const std::vector<std::string> found = outcomes(after, seed);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (expected[k].empty() || found[k] == expected[k]) continue;
    INFO("pass ", std::string(what), ", seed ", seed, "\n", text_of(before), "\n", text_of(after));
    CHECK(found[k] == expected[k]);
  }
}

Module elaborated(std::uint64_t seed) {
  Module module = random_program(seed);
  const auto result = run_pass("fix-rounding", module);
  REQUIRE_MESSAGE(result.ok(), (result.ok() ? std::string() : result.error()));
  return module;
}

std::vector<Module> files() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::string(DVM_SOURCE_FOLDER) + "/tests/passes"))
    if (entry.path().extension() == ".dvg") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Module> modules;
  for (const auto& path : paths) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    std::string source = text.str();
    source = source.substr(0, source.find("// ---- expect"));
    SourceMap sources;
    Diagnostics problems;
    const FileId file = sources.add(path.string(), source);
    auto module = graph::parse(sources, file, problems);
    REQUIRE_MESSAGE(module.has_value(), render_text(problems, sources));
    modules.push_back(std::move(*module));
  }
  return modules;
}

TEST_CASE("every pass keeps the results and failures of random programs") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Module before = elaborated(seed);
    const std::vector<std::string> expected = outcomes(before, seed);
    for (const GraphPass& pass : pass_table()) {
      if (pass.role == PassRole::Requested) continue;
      Module after = before;
      const auto result = run_pass(pass.name, after);
      REQUIRE_MESSAGE(result.ok(), "seed ", seed, ": ",
                      (result.ok() ? std::string() : result.error()));
      check_same(before, after, expected, seed, pass.name);
    }
  }
}

TEST_CASE("the pipeline, also without any one optional pass, keeps results and failures") {
  for (std::uint64_t seed = 1000; seed < 1100; ++seed) {
    const Module before = elaborated(seed);
    const std::vector<std::string> expected = outcomes(before, seed);
    for (const GraphPass& pass : pass_table()) {
      RunOptions options;
      options.verify = true;
      options.elaborated = true;
      if (pass.role == PassRole::Optimise) options.disabled = {std::string(pass.name)};
      Module after = before;
      const auto result = run_pipeline(default_pipeline, after, options);
      REQUIRE_MESSAGE(result.ok(), "seed ", seed, ": ",
                      (result.ok() ? std::string() : result.error().message));
      check_same(before, after, expected, seed, "pipeline without " + std::string(pass.name));
    }
  }
}

TEST_CASE("every pass keeps the results of all files, and of what other passes made of them") {
  for (const Module& file : files()) {
    Module before = file;
    REQUIRE(run_pass("fix-rounding", before).ok());
    const std::vector<std::string> expected = outcomes(before, 7);
    for (const GraphPass& first : pass_table()) {
      if (first.role == PassRole::Requested) continue;
      Module after = before;
      const auto result = run_pass(first.name, after);
      REQUIRE_MESSAGE(result.ok(), (result.ok() ? std::string() : result.error()));
      check_same(before, after, expected, 7, first.name);
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
