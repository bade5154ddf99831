// Front end once for the file, graphs and kernels once for each entry, then every run every way.
#include "tests/runner/run_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <sstream>
#include <vector>

#include "backend/driver/compile.hpp"
#include "backend/driver/inputs.hpp"
#include "backend/driver/run_failure.hpp"
#include "backend/driver/show.hpp"
#include "backend/engine/engine.hpp"
#include "ir/graph/entry.hpp"
#include "ir/graph/interpret.hpp"
#include "passes/pipeline.hpp"
#include "passes/plan/check_table.hpp"

namespace dvm::test {
namespace {

struct RunLine {
  std::string text;   // as it was written, from `-- run`
  std::string entry;  // empty: main
  std::vector<std::string> inputs;
};

bool starts_input(std::string_view text) {
  const std::size_t equals = text.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(equals), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' ||
                  c == '\'';
         });
}

// An input reaches to the next word with an equals sign, so that values may have spaces.
RunLine parse_run_line(const std::string& line) {
  RunLine run{line, "", {}};
  std::istringstream words(line.substr(std::string_view("-- run").size()));
  for (std::string word; words >> word;) {
    if (word.starts_with("entry=") && run.inputs.empty()) {
      run.entry = word.substr(6);
    } else if (starts_input(word) || run.inputs.empty()) {
      run.inputs.push_back(word);
    } else {
      run.inputs.back() += ' ' + word;
    }
  }
  return run;
}

std::vector<RunLine> run_lines(const std::string& text) {
  std::vector<RunLine> runs;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && line.starts_with("--");) {
    if (line == "-- run" || line.starts_with("-- run ")) runs.push_back(parse_run_line(line));
  }
  return runs;
}

// What one way of running gave: the tensors, or the whole rendered failure.
struct Outcome {
  std::vector<Tensor> results;
  std::string failure;
  bool operator==(const Outcome& other) const {
    return failure == other.failure &&
           std::equal(results.begin(), results.end(), other.results.begin(), other.results.end(),
                      [](const Tensor& a, const Tensor& b) { return identical(a, b); });
  }
};

std::string shown(const Outcome& outcome, const graph::EntrySignature& entry) {
  std::string text = outcome.failure;
  for (std::size_t i = 0; i < outcome.results.size(); ++i)
    text += driver::show_named(entry.result_names[i], outcome.results[i]) + '\n';
  return text;
}

// As it reaches standard error.
template <class What>
std::string rendered(const What& what) {
  std::istringstream in;
  std::ostringstream out, err;
  driver::report(what, driver::Options{}, driver::Console{in, out, err});
  return err.str();
}

Outcome outcome_of(const Result<std::vector<Tensor>, graph::RunError>& results,
                   const IdVector<graph::CheckId, task::Check>& checks) {
  if (results) return {*results, ""};
  return {{}, rendered(driver::describe(results.error(), checks))};
}

// Threads are kept from run to run.
engine::Engine& engine_with(int workers) {
  static std::map<int, std::unique_ptr<engine::Engine>> engines;
  auto& engine = engines[workers];
  if (!engine) {
    engine::EngineOptions options;
    options.workers = workers;
    engine = std::make_unique<engine::Engine>(options);
  }
  return *engine;
}

// An entry, compiled every way.
struct Prepared {
  std::string messages;      // of compiling this entry; with errors there is nothing else
  graph::Module elaborated;  // for the interpreter
  IdVector<graph::CheckId, task::Check> checks;
  std::vector<std::pair<std::string, package::Loaded>> loaded;  // name of the way
};

class ProgramRuns {
 public:
  explicit ProgramRuns(const CommandInput& input) : runs_(run_lines(input.text)) {
    syntax_ = driver::parse_program(compilation_, input.path(), input.text);
    if (syntax_) typed_ = driver::check_types(compilation_, *syntax_);
  }

  std::string go() {
    std::string text = take_messages();
    if (!typed_) return text;
    for (const RunLine& run : runs_) {
      if (!text.empty() && &run == runs_.data()) text += '\n';
      if (runs_.size() > 1) text += run.text + '\n';
      text += perform(run);
    }
    return text;
  }

 private:
  std::string take_messages() {
    std::string text = render_text(compilation_.diagnostics, compilation_.sources, 100);
    if (compilation_.problem) text += rendered(*compilation_.problem);
    compilation_.diagnostics = {};
    compilation_.problem.reset();
    return text;
  }

  std::optional<package::Loaded> compiled(graph::Module graph,
                                          std::span<const std::string_view> pipeline) {
    if (!driver::run_passes(compilation_, graph, pipeline)) return std::nullopt;
    auto plan = driver::plan_tasks(compilation_, graph, *settings());
    if (!plan) return std::nullopt;
    auto object = driver::make_kernels(compilation_, *plan, *settings());
    if (!object) return std::nullopt;
    auto loaded = package::load(driver::pack(*std::move(plan), *std::move(object)));
    if (!loaded)
      return compilation_.stop({driver::status::internal, "package", loaded.error(), {}});
    return *std::move(loaded);
  }

  const std::optional<driver::Settings>& settings() {
    static const auto chosen = driver::choose_settings(compilation_);
    return chosen;
  }

  Prepared prepare(const std::string& entry) {
    options_.entry = entry;
    Prepared prepared;
    auto graph = driver::lower_entry(compilation_, *typed_);
    if (graph) {
      prepared.elaborated = *graph;
      driver::run_passes(compilation_, prepared.elaborated, passes::elaboration_pipeline);
      prepared.checks = passes::check_table(prepared.elaborated, &compilation_.sources);
      auto plain = compiled(*graph, passes::elaboration_pipeline);
      if (plain) prepared.loaded.emplace_back("unoptimised", *std::move(plain));
      auto optimised = compiled(*std::move(graph), passes::default_pipeline);
      if (optimised) prepared.loaded.emplace_back("optimised", *std::move(optimised));
    }
    prepared.messages = take_messages();
    return prepared;
  }

  std::string perform(const RunLine& run) {
    auto found = prepared_.find(run.entry);
    if (found == prepared_.end()) found = prepared_.emplace(run.entry, prepare(run.entry)).first;
    const Prepared& prepared = found->second;
    if (prepared.loaded.size() < 2) return prepared.messages;
    const auto& function = prepared.elaborated.functions[graph::FunctionId{0}];
    const auto entry = graph::entry_signature(function);
    const auto bound = driver::bind_inputs(entry, run.inputs);
    if (!bound) return rendered(driver::Problem{driver::status::usage, "input", bound.error(), {}});
    std::vector<Tensor> args;
    for (const std::int64_t size : bound->sizes)
      args.push_back(Tensor::of_scalar(Scalar::of_i64(size)));
    args.insert(args.end(), bound->inputs.begin(), bound->inputs.end());
    return prepared.messages + compare(prepared, entry, args);
  }

  std::string compare(const Prepared& prepared, const graph::EntrySignature& entry,
                      const std::vector<Tensor>& args) {
    graph::InterpretOptions options;
    options.isa = settings()->target.isa;
    const Outcome first =
        outcome_of(graph::interpret(prepared.elaborated, graph::FunctionId{0}, args, options),
                   prepared.checks);
    std::string differing;
    for (const auto& [way, loaded] : prepared.loaded) {
      for (const int workers : {1, 2, 7}) {
        const Outcome other =
            outcome_of(engine_with(workers).run(loaded, args), loaded.program.checks);
        if (other == first) continue;
        differing += fmt::format("{}, {} workers:\n{}", way, workers, shown(other, entry));
      }
    }
    if (differing.empty()) return shown(first, entry);
    return fmt::format("{}\ninterpreter:\n{}{}", disagreement_mark, shown(first, entry), differing);
  }

  driver::CompileOptions options_;
  driver::Compilation compilation_{options_};
  std::vector<RunLine> runs_;
  std::unique_ptr<const ast::Program> syntax_;
  std::optional<typed::Program> typed_;
  std::map<std::string, Prepared> prepared_;
};

}  // namespace

std::string run_program(const CommandInput& input) {
  return without_folders(ProgramRuns(input).go(), input);
}

}  // namespace dvm::test
