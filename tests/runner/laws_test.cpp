// Laws over all graphs there are: the .dvg files below tests/ and the graphs of the example
// programs. Text round trip, determinism, verification before and after each pass, and the same
// interpreted result before and after each pass and the whole pipeline.
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <random>
#include <set>

#include "backend/driver/compile.hpp"
#include "backend/driver/options.hpp"
#include "frontend/parse/deep_stack.hpp"
#include "ir/graph/interpret.hpp"
#include "ir/graph/text.hpp"
#include "ir/graph/verify.hpp"
#include "passes/pass_table.hpp"
#include "passes/pipeline.hpp"
#include "passes/runner.hpp"
#include "tests/runner/random_input.hpp"
#include "tests/runner/test_file.hpp"

using namespace dvm;
using graph::Module;

namespace {

int failures = 0;
int graphs = 0;
std::size_t compared = 0, failing = 0, skipped = 0;

void fail(const std::string& where, const std::string& what) {
  fmt::print("FAIL {}: {}\n", where, what);
  ++failures;
}

std::optional<Module> reparse(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  const FileId file = sources.add("text.dvg", text);
  return graph::parse(sources, file, diagnostics);
}

bool text_laws(const std::string& where, const Module& module) {
  const std::string text = graph::print(module);
  if (graph::print(module) != text || graph::print(Module(module)) != text)
    fail(where, "printing is not deterministic");
  const auto again = reparse(text);
  if (!again) {
    fail(where, "printed text does not parse");
    return false;
  }
  if (graph::print(*again) != text) fail(where, "printed text changes when read and printed again");
  if (graph::verify(*again, false) != graph::verify(module, false))
    fail(where, "verification depends on the text");
  return true;
}

using Outcome = Result<std::vector<Tensor>, graph::RunError>;

struct Trial {
  std::vector<Tensor> args;
  Outcome outcome;
};

// Limits are not part of a program's meaning: a pass may make a program cheaper.
bool is_limit(const Outcome& outcome) { return !outcome && !outcome.error().check.valid(); }

Outcome interpret(const Module& module, const std::vector<Tensor>& args) {
  graph::InterpretOptions options;
  options.isa = host_vector_isa();
  options.max_steps = 3'000'000;
  return graph::interpret(module, graph::FunctionId{0}, args, options);
}

std::vector<Trial> make_trials(const Module& module, int count) {
  std::vector<Trial> trials;
  std::mt19937_64 random(20'24);
  const graph::Function& main = module.functions[graph::FunctionId{0}];
  for (int tries = 0; tries < 20 * count && static_cast<int>(trials.size()) < count; ++tries) {
    auto args = test::random_args(main, random, 3000);
    if (!args) continue;
    Outcome outcome = interpret(module, *args);
    if (is_limit(outcome)) {
      ++skipped;
      continue;
    }
    trials.push_back({std::move(*args), std::move(outcome)});
  }
  return trials;
}

void same_meaning(const std::string& where, const Module& after, const std::vector<Trial>& trials) {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Trial& trial = trials[i];
    const Outcome outcome = interpret(after, trial.args);
    if (is_limit(outcome)) {
      ++skipped;
      continue;
    }
    ++compared;
    if (!outcome.ok()) ++failing;
    if (outcome.ok() != trial.outcome.ok()) {
      const auto& error = outcome.ok() ? trial.outcome.error() : outcome.error();
      fail(where, fmt::format("trial {}: {} the pass it fails: {}", i,
                              outcome.ok() ? "only before" : "only after", error.message));
      return;
    }
    if (!outcome.ok()) {
      if (outcome.error().check == trial.outcome.error().check) continue;
      fail(where, fmt::format("trial {}: it fails with `{}` after and with `{}` before", i,
                              outcome.error().message, trial.outcome.error().message));
      return;
    }
    for (std::size_t k = 0; k < outcome->size(); ++k) {
      if (identical((*outcome)[k], (*trial.outcome)[k])) continue;
      fail(where, fmt::format("trial {}: result {} differs", i, k));
      return;
    }
  }
}

void pass_laws(const std::string& where, Module module, int trial_count) {
  if (module.functions.empty()) return;
  // Rounding is decided first: from here on no pass may change a bit.
  if (const auto fixed = passes::run_pass("fix-rounding", module); !fixed)
    return fail(where, fixed.error());
  if (const auto problems = graph::verify(module, true); !problems.empty())
    return fail(where, problems[0]);
  const auto trials = make_trials(module, trial_count);
  for (const passes::GraphPass& pass : passes::pass_table()) {
    if (pass.role == passes::PassRole::Requested) continue;
    Module after = module;
    const std::string place = where + " after " + std::string(pass.name);
    const auto changed = passes::run_pass(pass.name, after);
    if (!changed) {
      fail(place, changed.error());
      continue;
    }
    if (!*changed) continue;
    text_laws(place, after);
    same_meaning(place, after, trials);
  }
  passes::RunOptions options;
  options.verify = true;
  options.elaborated = true;
  const auto ran = passes::run_pipeline(passes::default_pipeline, module, options);
  const std::string place = where + " after the pipeline";
  if (!ran) return fail(place, ran.error().message);
  text_laws(place, module);
  same_meaning(place, module, trials);
}

void file_laws(const std::filesystem::path& path) {
  const test::TestFile file = test::read_test_file(path);
  // Tests of parser and verifier hold graphs that are wrong on purpose.
  if (file.command == "parse" || file.command == "verify") return;
  SourceMap sources;
  Diagnostics diagnostics;
  const FileId id = sources.add(path.filename().string(), file.input);
  const auto module = graph::parse(sources, id, diagnostics);
  if (!module) return fail(path.string(), render_text(diagnostics, sources));
  ++graphs;
  if (!text_laws(path.string(), *module)) return;
  const auto problems = graph::verify(*module, false);
  if (!problems.empty()) return fail(path.string(), problems[0]);
  pass_laws(path.string(), *module, 12);
}

void example_laws(const std::filesystem::path& path) {
  driver::CompileOptions options;
  driver::Compilation compilation{options};
  const auto module = driver::elaborate(compilation, path.string());
  if (!module) {
    const std::string problem = compilation.problem ? compilation.problem->message : "";
    return fail(path.string(), problem + render_text(compilation.diagnostics, compilation.sources));
  }
  ++graphs;
  if (text_laws(path.string(), *module)) pass_laws(path.string(), *module, 6);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> paths(argv + 1, argv + argc);
  if (paths.empty()) {
    fmt::print(stderr,
               "usage: laws_test PATH...  (folders or files: .dvg graphs, .dvm programs)\n");
    return 2;
  }
  for (const auto& path : test::find_files(paths)) {
    const bool graph_file = path.extension() == ".dvg";
    // Of the programs only the examples: the others are tests of errors or modules without entry.
    if (!graph_file && path.parent_path().filename() != "examples") continue;
    dvm::with_deep_stack([&] { graph_file ? file_laws(path) : example_laws(path); });
  }
  fmt::print("{} graphs, {} results compared ({} of them failures), {} limits, {} laws broken\n",
             graphs, compared, failing, skipped, failures);
  return failures == 0 && graphs > 0 ? 0 : 1;
}
