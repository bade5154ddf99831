// run: program or package, inputs, engine, results.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "backend/driver/commands.hpp"
#include "backend/driver/compile.hpp"
#include "backend/driver/inputs.hpp"
#include "backend/driver/outputs.hpp"
#include "backend/driver/progress.hpp"
#include "backend/driver/run_failure.hpp"
#include "backend/driver/show.hpp"
#include "backend/driver/times.hpp"
#include "ir/graph/interpret.hpp"
#include "passes/plan/check_table.hpp"

namespace dvm::driver {

namespace {

// One failure for each law and place in the program, however many calls lead there.
std::vector<RunFailure> broken_laws(const graph::LawTest& laws, const graph::Module& program,
                                    const SourceMap& sources) {
  std::vector<RunFailure> failures;
  std::set<std::pair<std::string, std::string>> told;  // place, code
  for (const graph::BrokenLaw& broken : laws.broken()) {
    RunFailure failure = describe(broken, program, sources);
    if (told.emplace(failure.place, failure.code).second) failures.push_back(std::move(failure));
  }
  return failures;
}

// Everything about one run; each step gives the exit status it ends with, or nothing to go on.
class Run {
 public:
  Run(const Options& options, const Console& console) : options_(options), console_(console) {}

  int go() {
    if (!options_.output.empty()) {
      auto target = parse_output(options_.output);
      if (!target) return usage("output", target.error());
      target_ = *std::move(target);
    }
    return options_.engine == "interpreter" || options_.check_laws ? interpret() : run_locally();
  }

 private:
  int usage(const std::string& code, const std::string& message) const {
    return report(Problem{status::usage, code, message}, options_, console_);
  }

  int interpret();
  int run_locally();
  std::optional<int> bind(const graph::EntrySignature& entry);
  std::optional<int> finish_one(const Result<std::vector<Tensor>, graph::RunError>& results,
                                const IdVector<graph::CheckId, task::Check>& checks,
                                std::vector<RunFailure> failures = {});
  int write_results(const graph::EntrySignature& entry);

  const Options& options_;
  const Console& console_;
  std::optional<OutputTarget> target_;
  std::vector<Tensor> arguments_;  // sizes, then inputs
  std::vector<Tensor> results_;
  RunTimes times_;
};

std::optional<int> Run::bind(const graph::EntrySignature& entry) {
  if (target_) {
    if (const auto wrong = check_output(*target_, entry.result_names))
      return usage("output", *wrong);
  }
  const Compilation::Clock clock;
  auto bound = bind_inputs(entry, options_.inputs);
  if (!bound) return usage("input", bound.error());
  for (const std::int64_t size : bound->sizes)
    arguments_.push_back(Tensor::of_scalar(Scalar::of_i64(size)));
  std::move(bound->inputs.begin(), bound->inputs.end(), std::back_inserter(arguments_));
  times_.inputs = clock.seconds();
  return std::nullopt;
}

std::optional<int> Run::finish_one(const Result<std::vector<Tensor>, graph::RunError>& results,
                                   const IdVector<graph::CheckId, task::Check>& checks,
                                   std::vector<RunFailure> failures) {
  if (console_.cancelled()) {
    console_.err << "dvmc: cancelled\n";
    return status::cancelled;
  }
  if (!results) failures.push_back(describe(results.error(), checks));
  if (!failures.empty()) return report(failures, options_, console_);
  results_ = *results;
  return std::nullopt;
}

int Run::interpret() {
  if (options_.file.ends_with(".dvmp"))
    return usage("engine", "a package has no graph for the interpreter: give it the program");
  Compilation compilation{options_.compile};
  const auto settings = choose_settings(compilation);
  std::vector<graph::LocId> stated;
  const auto program = settings ? elaborate(compilation, options_.file, &stated) : std::nullopt;
  const int compiled = report(compilation, options_, console_);
  if (!program || compiled != status::ok) return compiled;
  const auto checks = passes::check_table(*program, &compilation.sources);
  times_.compile = compilation.total_seconds();
  times_.stages = compilation.seconds;
  const graph::FunctionId main{0};
  const auto entry = graph::entry_signature(program->functions[main]);
  if (const auto status = bind(entry)) return *status;
  graph::InterpretOptions interpret_options;
  interpret_options.isa = settings->target.isa;
  interpret_options.cancel = console_.cancel;
  graph::LawTest laws(stated);
  if (options_.check_laws) interpret_options.laws = &laws;
  for (int i = 0; i < options_.repeat; ++i) {
    const Compilation::Clock clock;
    const auto results = graph::interpret(*program, main, arguments_, interpret_options);
    times_.runs.push_back(clock.seconds());
    const auto status =
        finish_one(results, checks, broken_laws(laws, *program, compilation.sources));
    if (status) return *status;
  }
  return write_results(entry);
}

int Run::run_locally() {
  Compilation compilation{options_.compile};
  const auto loaded = load_or_compile(compilation, options_.file, times_);
  const int compiled = report(compilation, options_, console_);
  if (!loaded || compiled != status::ok) return compiled;
  if (const auto status = bind(loaded->program.entry)) return *status;
  engine::EngineOptions engine_options;
  engine_options.workers = options_.workers;
  engine::Engine engine(engine_options);
  for (int i = 0; i < options_.repeat; ++i) {
    results_.clear();  // gives its memory back before the next run wants as much
    engine::RunStats stats;
    engine::RunOptions run_options;
    run_options.cancel = console_.cancel;
    ProgressLine progress(console_);
    run_options.progress = progress.callback();
    const Compilation::Clock clock;
    const auto results = engine.run(*loaded, arguments_, run_options, &stats);
    times_.runs.push_back(clock.seconds());
    times_.tasks = stats.tasks;
    times_.workers = stats.workers;
    times_.peak_bytes = stats.peak_bytes;
    const auto status = finish_one(results, loaded->program.checks);
    if (status) return *status;
  }
  return write_results(loaded->program.entry);
}

int Run::write_results(const graph::EntrySignature& entry) {
  if (target_) {
    if (const auto error = write_outputs(*target_, entry.result_names, results_))
      return usage("output", *error);
  }
  if (!target_ || options_.show) {
    for (std::size_t i = 0; i < results_.size(); ++i) {
      console_.out << show_named(entry.result_names[i], results_[i]) << '\n';
    }
  }
  if (!options_.time.empty()) console_.err << render(times_, options_.time);
  return status::ok;
}

}  // namespace

int run_command(const Options& options, const Console& console) {
  return Run(options, console).go();
}

}  // namespace dvm::driver
