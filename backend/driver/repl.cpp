// The loop, and what an expression goes through: types, graph, kernels, engine, text.
#include "backend/driver/repl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "backend/driver/build_id.hpp"
#include "backend/driver/commands.hpp"
#include "backend/driver/line_reader.hpp"
#include "backend/driver/show.hpp"
#include "ir/graph/interpret.hpp"
#include "passes/pipeline.hpp"
#include "passes/plan/check_table.hpp"

namespace dvm::driver {

namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

}  // namespace

Repl::Repl(const Options& options, const Console& console)
    : options_(options), console_(console), session_(options_.compile) {}

void Repl::complain(const std::string& code, const std::string& message,
                    std::vector<std::string> notes) {
  driver::report(Problem{status::program, code, message, std::move(notes)}, options_, console_);
}

int Repl::run() {
  const auto reader =
      make_line_reader(console_, [this](const std::string& before, const std::string& word) {
        return completions(before, word);
      });
  if (console_.interactive) console_.out << "dvmc " << version << ", :help lists the commands\n";
  if (!options_.file.empty()) load(options_.file);
  std::optional<std::string> block;  // what came after `:{`
  while (!done_) {
    expect_interrupt(false);
    const Line line = reader->read(block ? "    | " : "dvmc> ");
    if (line.kind == Line::Kind::End) break;
    if (line.kind == Line::Kind::Interrupted) {
      block.reset();
      continue;
    }
    const std::string word = trimmed(line.text);
    if (word == ":{") {
      block = "";
    } else if (word == ":}" && block) {
      const std::string text = *std::move(block);
      block.reset();
      handle(text);
    } else if (block) {
      *block += (block->empty() ? "" : "\n") + line.text;
    } else {
      handle(line.text);
    }
    console_.out.flush();
    console_.err.flush();
  }
  if (block) complain("open-block", "the input ended before the `:}` of a block");
  if (console_.interactive && !done_) console_.out << '\n';
  return status::ok;
}

void Repl::expect_interrupt(bool for_computation) const {
  if (console_.expect_interrupt != nullptr) console_.expect_interrupt(for_computation);
}

void Repl::handle(const std::string& text) {
  expect_interrupt(true);
  if (trimmed(text).empty()) return;
  if (trimmed(text).starts_with(':')) return command(trimmed(text));
  evaluate(text);
}

void Repl::evaluate(const std::string& text) {
  const auto checked = session_.enter(text);
  const bool value = checked->typed && checked->it;
  const int status = session_.report(*checked, options_, console_);
  if (value && status == status::ok) show_value(*checked, text);
}

void Repl::show_value(Checked& checked, const std::string& text) {
  const typed::Binding& it = checked.typed->bindings[*checked.it];
  if (std::holds_alternative<typed::FunctionType>(it.scheme.type->node)) {
    return complain("function-value", "this is a function, which cannot be shown",
                    {fmt::format("its type is `{}`", type_of(text))});
  }
  if (!settings_) {
    settings_ = choose_settings(checked.compilation);
    if (!settings_) {
      session_.report(checked, options_, console_);
      return;
    }
  }
  std::vector<std::string> names;
  const auto results =
      options_.engine == "interpreter" ? interpret(checked, names) : compute(checked, names);
  if (!results) return;
  for (std::size_t i = 0; i < results->size(); ++i)
    console_.out << show_named(names[i], (*results)[i]) << '\n';
}

namespace {

// What a computation gave, unless it was stopped or failed.
template <class Report>
std::optional<std::vector<Tensor>> finished(
    const Result<std::vector<Tensor>, graph::RunError>& results,
    const IdVector<graph::CheckId, task::Check>& checks, const Console& console, Report report) {
  if (console.cancelled()) {
    console.err << "interrupted\n";
    return std::nullopt;
  }
  if (results) return *results;
  report(describe(results.error(), checks));
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<Tensor>> Repl::interpret(Checked& checked,
                                                   std::vector<std::string>& names) {
  auto graph = lower_binding(checked.compilation, *checked.typed, *checked.it);
  if (!graph || !run_passes(checked.compilation, *graph, passes::elaboration_pipeline)) {
    session_.report(checked, options_, console_);
    return std::nullopt;
  }
  const auto checks = passes::check_table(*graph, &checked.compilation.sources);
  const graph::FunctionId entry{0};
  names = graph::entry_signature(graph->functions[entry]).result_names;
  graph::InterpretOptions interpret_options;
  interpret_options.isa = settings_->target.isa;
  interpret_options.cancel = console_.cancel;
  return finished(
      graph::interpret(*graph, entry, {}, interpret_options), checks, console_,
      [&](RunFailure failure) { session_.report(std::move(failure), options_, console_); });
}

std::optional<std::vector<Tensor>> Repl::compute(Checked& checked,
                                                 std::vector<std::string>& names) {
  Compilation& compilation = checked.compilation;
  const auto compile = [&]() -> std::optional<package::Loaded> {
    auto graph = lower_binding(compilation, *checked.typed, *checked.it);
    if (!graph || !run_passes(compilation, *graph, passes::default_pipeline)) return std::nullopt;
    auto plan = plan_tasks(compilation, *graph, *settings_);
    if (!plan) return std::nullopt;
    auto object = make_kernels(compilation, *plan, *settings_);
    if (!object) return std::nullopt;
    auto loaded = package::load(pack(*std::move(plan), *std::move(object)));
    if (!loaded) return compilation.stop({status::program, "package", loaded.error()});
    return *std::move(loaded);
  };
  const auto loaded = compile();
  if (!loaded) {
    session_.report(checked, options_, console_);
    return std::nullopt;
  }
  if (!engine_) {
    engine::EngineOptions engine_options;
    engine_options.workers = options_.workers;
    engine_ = std::make_unique<engine::Engine>(engine_options);
  }
  names = loaded->program.entry.result_names;
  engine::RunOptions run_options;
  run_options.cancel = console_.cancel;
  return finished(
      engine_->run(*loaded, {}, run_options), loaded->program.checks, console_,
      [&](RunFailure failure) { session_.report(std::move(failure), options_, console_); });
}

int repl_command(const Options& options, const Console& console) {
  return Repl(options, console).run();
}

}  // namespace dvm::driver
