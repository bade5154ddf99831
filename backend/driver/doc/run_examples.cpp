// Groups of examples are run as one program; a group that fails is halved until the example is
// found.
#include "backend/driver/doc/run_examples.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backend/driver/doc/example.hpp"
#include "backend/driver/doc/expectation.hpp"
#include "backend/driver/doc/show_value.hpp"
#include "backend/engine/engine.hpp"
#include "frontend/lower/lower.hpp"
#include "ir/graph/interpret.hpp"
#include "passes/pipeline.hpp"

namespace dvm::driver {

namespace {

struct Outcome {
  std::string text;    // the value, or `error: message`
  std::string engine;  // how it differs on the engine, if it does
};

// What running one binding gave: values, or the message of what stopped it.
using Values = Result<std::vector<Tensor>, std::string>;

class ExampleRun {
 public:
  ExampleRun(Compilation& compilation, std::string path, std::string text, FileId file,
             std::vector<Example> examples, const Settings& settings)
      : compilation_(compilation),
        path_(std::move(path)),
        text_(std::move(text)),
        file_(file),
        examples_(std::move(examples)),
        settings_(settings),
        outcomes_(examples_.size()),
        engine_({.workers = 2}),
        module_{compilation.options} {}

  std::optional<ExampleCounts> run() {
    for (std::size_t i = 0; i < examples_.size(); ++i) numbers_.push_back(i);
    // Those that must fail would take their whole group with them.
    const auto failing =
        std::stable_partition(numbers_.begin(), numbers_.end(),
                              [&](std::size_t i) { return !examples_[i].expects_error(); });
    grouped_ = static_cast<std::size_t>(failing - numbers_.begin());
    if (!check()) return std::nullopt;
    evaluate_group(0, grouped_);
    for (std::size_t i = grouped_; i < numbers_.size(); ++i) evaluate_one(numbers_[i]);
    return compare();
  }

 private:
  // Type checks the module. Examples that do not compile have that as their outcome and leave the
  // list; false when something else is wrong.
  bool check();
  bool take_errors();
  std::optional<std::size_t> example_at(Span span) const;
  void leave_out(std::size_t number);

  void evaluate_group(std::size_t first, std::size_t last);
  void evaluate_one(std::size_t number);
  Values run_binding(const std::string& name, typed::TypeRef& type, std::string& engine);
  Values first_problem(const char* stage);
  Values run_engine(graph::Module graph);
  ExampleCounts compare();
  void complain(const Example& example, std::string message, std::vector<std::string> notes);

  Compilation& compilation_;
  const std::string path_, text_;
  const FileId file_;
  const std::vector<Example> examples_;
  const Settings& settings_;
  std::vector<Outcome> outcomes_;
  std::vector<std::size_t> numbers_;  // the examples that compile, those in groups first
  std::size_t grouped_ = 0;
  engine::Engine engine_;
  Compilation module_;  // of the file with its examples
  std::unique_ptr<const ast::Program> syntax_;
  std::optional<typed::Program> typed_;
};

bool ExampleRun::check() {
  for (;;) {
    typed_.reset();
    module_.sources = {};
    module_.diagnostics = {};
    syntax_ = parse_program(module_, path_, with_examples(text_, examples_, numbers_, grouped_));
    if (syntax_) typed_ = check_types(module_, *syntax_);
    if (typed_) return true;
    if (take_errors()) continue;
    for (const Diagnostic& diagnostic : module_.diagnostics.sorted())
      compilation_.diagnostics.add(diagnostic);
    compilation_.sources = std::move(module_.sources);
    return false;
  }
}

// Errors in examples leave them out; false when there are none of these.
bool ExampleRun::take_errors() {
  bool found = false;
  for (const Diagnostic& diagnostic : module_.diagnostics.sorted()) {
    if (diagnostic.severity != Severity::Error) continue;
    const auto number = example_at(diagnostic.span);
    if (!number) continue;
    found = true;
    if (outcomes_[*number].text.empty()) outcomes_[*number].text = "error: " + diagnostic.message;
    leave_out(*number);
  }
  return found;
}

std::optional<std::size_t> ExampleRun::example_at(Span span) const {
  if (!span.valid() || module_.sources.file(span.file).path != path_) return std::nullopt;
  const std::uint32_t line = module_.sources.place(span.file, span.begin).line;
  for (std::size_t i = 0; i < examples_.size(); ++i) {
    const auto& code = examples_[i].code;
    if (line + 1 >= code.front().line && line <= code.back().line) return i;
  }
  return std::nullopt;
}

void ExampleRun::leave_out(std::size_t number) {
  const auto at = std::find(numbers_.begin(), numbers_.end(), number);
  if (at == numbers_.end()) return;
  if (static_cast<std::size_t>(at - numbers_.begin()) < grouped_) --grouped_;
  numbers_.erase(at);
}

void ExampleRun::evaluate_group(std::size_t first, std::size_t last) {
  if (first == last) return;
  typed::TypeRef type;
  std::string engine;
  const bool alone = last - first == 1;
  const Values values =
      run_binding(alone ? example_name(numbers_[first]) : group_name(first, last), type, engine);
  if (!alone && (!values || !engine.empty())) {
    const std::size_t middle = (first + last) / 2;
    evaluate_group(first, middle);
    evaluate_group(middle, last);
    return;
  }
  if (!values) {
    outcomes_[numbers_[first]] = {"error: " + values.error(), engine};
    return;
  }
  const auto texts = show_parts(*typed_, type, *values, last - first);
  for (std::size_t i = first; i < last; ++i) outcomes_[numbers_[i]] = {texts[i - first], engine};
}

void ExampleRun::evaluate_one(std::size_t number) {
  typed::TypeRef type;
  std::string engine;
  const Values values = run_binding(example_name(number), type, engine);
  outcomes_[number] = {values ? show_value(*typed_, type, *values) : "error: " + values.error(),
                       engine};
}

Values ExampleRun::first_problem(const char* stage) {
  if (module_.problem) return Failure{module_.problem->message};
  for (const Diagnostic& diagnostic : module_.diagnostics.sorted())
    if (diagnostic.severity == Severity::Error) return Failure{diagnostic.message};
  return Failure{fmt::format("{} gave nothing", stage)};
}

// The value of a binding of the module; `engine` is what it
// is on the engine, if that is something else.
Values ExampleRun::run_binding(const std::string& name, typed::TypeRef& type, std::string& engine) {
  module_.problem.reset();
  module_.diagnostics = {};
  const std::string& own_module = syntax_->modules.back().name;
  std::optional<typed::BindingId> entry;
  for (std::uint32_t i = 0; i < typed_->bindings.size(); ++i) {
    const typed::Binding& binding = typed_->bindings[typed::BindingId{i}];
    if (binding.kind == typed::BindingKind::Global && binding.module == own_module &&
        binding.name == name)
      entry = typed::BindingId{i};
  }
  if (!entry) return Failure{"`" + name + "` is not there"};
  type = typed_->bindings[*entry].scheme.type;
  auto graph = lower::lower(*typed_, module_.sources, *entry, module_.diagnostics);
  if (!graph) return first_problem("lowering");
  graph::Module lowered = *graph;
  if (!run_passes(module_, *graph, passes::elaboration_pipeline))
    return first_problem("elaboration");
  graph::InterpretOptions options;
  options.isa = settings_.target.isa;
  const auto interpreted = graph::interpret(*graph, graph::FunctionId{0}, {}, options);
  const Values want = interpreted ? Values(*interpreted) : Failure{interpreted.error().message};
  const Values got = run_engine(std::move(lowered));
  const auto say = [&](const Values& values) {
    return values ? show_value(*typed_, type, *values) : "error: " + values.error();
  };
  const bool same =
      want && got ? std::equal(want->begin(), want->end(), got->begin(), got->end(), identical)
                  : want.ok() == got.ok() && want.error() == got.error();
  if (!same) engine = say(got);
  return want;
}

Values ExampleRun::run_engine(graph::Module graph) {
  if (!run_passes(module_, graph, passes::default_pipeline)) return first_problem("passes");
  auto plan = plan_tasks(module_, graph, settings_);
  if (!plan) return first_problem("planning");
  auto object = make_kernels(module_, *plan, settings_);
  if (!object) return first_problem("the back end");
  const auto loaded = package::load(pack(*std::move(plan), *std::move(object)));
  if (!loaded) return Failure{loaded.error()};
  const auto results = engine_.run(*loaded, {});
  return results ? Values(*results) : Failure{results.error().message};
}

void ExampleRun::complain(const Example& example, std::string message,
                          std::vector<std::string> notes) {
  const auto& file = compilation_.sources.file(file_);
  const std::uint32_t begin = file.line_starts.at(example.expected_line - 1);
  const auto line = compilation_.sources.line_text(file_, example.expected_line);
  const std::size_t blanks = line.find_first_not_of("- ");
  Diagnostic diagnostic;
  diagnostic.code = "doc-test";
  diagnostic.message = std::move(message);
  diagnostic.span = {file_, begin + static_cast<std::uint32_t>(blanks),
                     begin + static_cast<std::uint32_t>(line.size())};
  diagnostic.notes = std::move(notes);
  compilation_.diagnostics.add(std::move(diagnostic));
}

ExampleCounts ExampleRun::compare() {
  ExampleCounts counts{examples_.size(), 0};
  for (std::size_t i = 0; i < examples_.size(); ++i) {
    const Outcome& outcome = outcomes_[i];
    if (!outcome.engine.empty()) {
      complain(examples_[i], "the engine's value is not the interpreter's",
               {"the interpreter has " + outcome.text, "the engine has " + outcome.engine});
    } else if (!matches(examples_[i].expected_text(), outcome.text)) {
      complain(examples_[i], "the example gives another value", {"it gives " + outcome.text});
    } else {
      continue;
    }
    ++counts.failures;
  }
  return counts;
}

}  // namespace

std::optional<ExampleCounts> run_examples(Compilation& compilation, const std::string& path,
                                          const Settings& settings) {
  auto text = read_program(compilation, path);
  if (!text) return std::nullopt;
  const FileId file = compilation.sources.add(path, *text);
  const auto comments = parse::doc_comments(compilation.sources, file, compilation.diagnostics);
  if (!comments) return std::nullopt;
  auto examples = testable_examples(*comments, file, compilation.sources, compilation.diagnostics);
  if (compilation.diagnostics.has_errors()) return std::nullopt;
  ExampleRun run(compilation, path, compilation.sources.file(file).text, file, std::move(examples),
                 settings);
  return run.run();
}

}  // namespace dvm::driver
