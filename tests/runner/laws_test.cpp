// Laws over all graphs there are: the .dvg files below tests/ and the graphs of all entries of the
// programs there and in examples/. Text round trip, determinism, verification before and after each
// pass, and the same interpreted result on random inputs after each pass, after the pipeline, after
// the pipeline without each of its passes and with each alone.
#include <fmt/format.h>

#include <cstdio>
#include <set>

#include "backend/driver/compile.hpp"
#include "backend/driver/options.hpp"
#include "frontend/parse/deep_stack.hpp"
#include "ir/graph/text.hpp"
#include "ir/graph/verify.hpp"
#include "passes/pass_table.hpp"
#include "passes/pipeline.hpp"
#include "passes/runner.hpp"
#include "passes/validate.hpp"
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

void count(const passes::Validation& validation) {
  compared += validation.compared();
  failing += validation.failing();
  skipped += validation.limits();
}

// One module after different passes: what has a text that was compared before is not run again.
class Laws {
 public:
  Laws(std::string where, const Module& elaborated, const passes::ValidateOptions& options)
      : where_(std::move(where)), module_(elaborated), validation_(elaborated, options) {
    seen_.insert(graph::print(elaborated));
  }
  ~Laws() { count(validation_); }

  void one_pass(std::string_view name) {
    Module after = module_;
    const auto changed = passes::run_pass(name, after);
    const std::string place = fmt::format("{} after {}", where_, name);
    if (!changed) return fail(place, changed.error());
    compare(place, after);
  }

  // The default pipeline without some passes; `what` says which, for people.
  void pipeline(const std::vector<std::string>& left_out, const std::string& what) {
    passes::RunOptions options;
    options.verify = true;
    options.elaborated = true;
    options.disabled = left_out;
    Module after = module_;
    const auto ran = passes::run_pipeline(passes::default_pipeline, after, options);
    const std::string place = fmt::format("{} after {}", where_, what);
    if (!ran) return fail(place, fmt::format("{}: {}", ran.error().pass, ran.error().message));
    compare(place, after);
  }

 private:
  void compare(const std::string& place, const Module& after) {
    if (!seen_.insert(graph::print(after)).second) return;
    text_laws(place, after);
    if (const auto difference = validation_.compare(after))
      fail(place, fmt::format("{}\n  with {}", difference->text,
                              passes::render_arguments(module_.functions[graph::FunctionId{0}],
                                                       difference->args)));
  }

  std::string where_;
  const Module& module_;
  passes::Validation validation_;
  std::set<std::string> seen_;
};

void pass_laws(const std::string& where, Module module, const passes::ValidateOptions& options) {
  if (module.functions.empty()) return;
  // Rounding is decided first: from here on no pass may change a bit.
  if (const auto fixed = passes::run_pass("fix-rounding", module); !fixed)
    return fail(where, fixed.error());
  if (const auto problems = graph::verify(module, true); !problems.empty())
    return fail(where, problems[0]);
  Laws laws(where, module, options);
  laws.pipeline({}, "the pipeline");
  std::vector<std::string> optional;
  for (const passes::GraphPass& pass : passes::pass_table()) {
    if (pass.role == passes::PassRole::Requested) continue;
    laws.one_pass(pass.name);
    if (pass.role != passes::PassRole::Optimise) continue;
    optional.emplace_back(pass.name);
    laws.pipeline({optional.back()}, fmt::format("the pipeline without {}", pass.name));
  }
  // Each pass alone is the pipeline without all the others, several times where it stands so.
  for (const std::string& alone : optional) {
    std::vector<std::string> others = optional;
    std::erase(others, alone);
    laws.pipeline(others, fmt::format("the pipeline with {} alone", alone));
  }
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
  passes::ValidateOptions validate;
  validate.trials = 12;
  pass_laws(path.string(), *module, validate);
}

// Every entry of a program that has any; tests of messages have none.
void program_laws(const std::filesystem::path& path) {
  driver::CompileOptions options;
  options.include_folders = {(path.parent_path() / "modules").string()};
  driver::Compilation compilation{options};
  const auto syntax =
      driver::parse_program(compilation, path.string(), test::read_test_file(path).input);
  const auto typed = syntax ? driver::check_types(compilation, *syntax) : std::nullopt;
  if (!typed) return;
  for (const typed::BindingId entry : typed->entries) {
    const auto module = driver::lower_binding(compilation, *typed, entry);
    if (!module) continue;
    ++graphs;
    const std::string where =
        fmt::format("{} @{}", path.string(), module->functions[graph::FunctionId{0}].name);
    passes::ValidateOptions validate;
    validate.trials = 6;
    validate.most_steps = 200'000;
    validate.most_elements = 500;
    if (text_laws(where, *module)) pass_laws(where, *module, validate);
  }
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
    dvm::with_deep_stack([&] { graph_file ? file_laws(path) : program_laws(path); });
  }
  fmt::print("{} graphs, {} results compared ({} of them failures), {} limits, {} laws broken\n",
             graphs, compared, failing, skipped, failures);
  return failures == 0 && graphs > 0 ? 0 : 1;
}
