// Passes are run one by one here, so that what each one made is compared.
#include "tests/random/ways.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backend/driver/compile.hpp"
#include "ir/graph/text.hpp"
#include "ir/graph/verify.hpp"
#include "passes/pass_table.hpp"
#include "passes/pipeline.hpp"
#include "passes/shrink.hpp"

namespace dvm::test {

using graph::Module;

namespace {

// After fix-rounding, which is part of the meaning.
std::vector<std::string_view> optional_pipeline(std::string_view without = "") {
  std::vector<std::string_view> names;
  for (std::string_view name : passes::default_pipeline)
    if (name != without && passes::find_pass(name)->role == passes::PassRole::Optimise)
      names.push_back(name);
  return names;
}

std::vector<std::string_view> optional_passes() {
  std::vector<std::string_view> names;
  for (const passes::GraphPass& pass : passes::pass_table())
    if (pass.role == passes::PassRole::Optimise) names.push_back(pass.name);
  return names;
}

// Runs a pass and verifies what it made.
std::optional<Fault> run_pass(std::string_view name, Module& module, const Way& way) {
  try {
    passes::find_pass(name)->run(module);
  } catch (const std::exception& error) {
    return Fault{Fault::Kind::Throws, way, fmt::format("{} throws: {}", name, error.what()), {}};
  }
  const auto problems = graph::verify(module, true);
  if (problems.empty()) return std::nullopt;
  return Fault{Fault::Kind::Malformed, way, fmt::format("after {}: {}", name, problems[0]), {}};
}

// Differences in failures that docs/architecture.md states (section 9): a branch of an operator of
// scatter or reduce_by_key is not exact, and of two results of a loop that fail the engine names
// the one that fails first.
bool is_stated_difference(const Module& module, const passes::Outcome& interpreter,
                          const passes::Outcome& engine) {
  if (engine.ok()) return false;
  bool branches = false, keyed = false, loops = false;
  for (const graph::Function& function : module.functions)
    for (const graph::Node& node : function.nodes) {
      branches = branches || std::holds_alternative<graph::Branch>(node.op);
      const bool several = node.results.size() > 1;
      keyed = keyed ||
              (node.regions.size() > 1 && (std::holds_alternative<graph::Scatter>(node.op) ||
                                           std::holds_alternative<graph::ReduceByKey>(node.op)));
      loops = loops || (several && (std::holds_alternative<graph::Loop>(node.op) ||
                                    std::holds_alternative<graph::While>(node.op)));
    }
  return (branches && keyed) || (loops && !interpreter.ok());
}

}  // namespace

std::string to_text(const Way& way) {
  std::string text =
      way.passes.empty() ? "no passes" : fmt::format("{}", fmt::join(way.passes, ","));
  if (way.workers > 0) text += fmt::format(" on the engine with {} workers", way.workers);
  return text;
}

struct Ways::Trials {
  passes::Validation validation;
  std::set<std::string> seen, compiled;
};

Ways::Ways(const passes::ValidateOptions& validate) : validate_(validate) {}

std::optional<Fault> Ways::check(const Module& elaborated, std::uint64_t turn, bool engine) {
  ++counts_.graphs;
  Trials trials{passes::Validation(elaborated, validate_), {graph::print(elaborated)}, {}};
  const std::vector<std::string_view> names = optional_passes();
  const std::string_view without = names[turn % names.size()];
  const std::string_view alone = names[turn / names.size() % names.size()];
  auto fault = by_prefix(elaborated, trials);
  if (!fault) fault = by_passes(elaborated, {optional_pipeline(without)}, trials);
  if (!fault) fault = by_passes(elaborated, {{alone}}, trials);
  for (int workers = 1; engine && workers <= 2 && !fault; ++workers) {
    fault = by_passes(elaborated, {{}, workers}, trials);
    if (!fault) fault = by_passes(elaborated, {optional_pipeline(), workers}, trials);
    if (!fault) fault = by_passes(elaborated, {optional_pipeline(without), workers}, trials);
  }
  counts_.failing += trials.validation.failing();
  counts_.runs += trials.validation.compared();
  counts_.limits += trials.validation.limits();
  return fault;
}

std::optional<Fault> Ways::check(const Module& elaborated, const Way& way) {
  Trials trials{passes::Validation(elaborated, validate_), {}, {}};
  return by_passes(elaborated, way, trials);
}

std::optional<Fault> Ways::by_prefix(const Module& elaborated, Trials& trials) {
  Module module = elaborated;
  Way way;
  for (std::string_view name : optional_pipeline()) {
    way.passes.push_back(name);
    if (auto fault = run_pass(name, module, way)) return fault;
    if (auto fault = interpreted(module, way, trials)) return fault;
  }
  return std::nullopt;
}

std::optional<Fault> Ways::by_passes(const Module& elaborated, const Way& way, Trials& trials) {
  Module module = elaborated;
  for (std::string_view name : way.passes)
    if (auto fault = run_pass(name, module, way)) return fault;
  return way.workers > 0 ? on_engine(module, way, trials) : interpreted(module, way, trials);
}

std::optional<Fault> Ways::interpreted(const Module& module, const Way& way, Trials& trials) {
  if (!trials.seen.insert(graph::print(module)).second) return std::nullopt;
  auto difference = trials.validation.compare(module);
  if (!difference) return std::nullopt;
  return Fault{Fault::Kind::Differs, way, std::move(difference->text), std::move(difference->args)};
}

std::optional<package::Loaded> Ways::compiled(const Module& module, std::string& problem) {
  ++counts_.compiled;
  SourceMap sources;
  Diagnostics diagnostics;
  if (!target_) {
    auto target = llvm_backend::make_target("native");
    if (!target) {
      problem = target.error();
      return std::nullopt;
    }
    target_ = *std::move(target);
  }
  passes::Machine machine;
  machine.workers = 3;
  machine.task_seconds = 2e-6;  // many tasks from little data
  machine.dispatch_seconds = 0.01e-6;
  auto plan = passes::graph_to_tasks(module, graph::FunctionId{0}, machine,
                                     {target_->cpu, target_->isa}, &sources, diagnostics);
  auto object = plan ? llvm_backend::compile(plan->module, plan->kernels, *target_, diagnostics)
                     : std::nullopt;
  if (!object) {
    problem = render_text(diagnostics, sources);
    return std::nullopt;
  }
  auto loaded = package::load(driver::pack(std::move(*plan), std::move(*object)));
  if (loaded) return *std::move(loaded);
  problem = loaded.error();
  return std::nullopt;
}

std::optional<Fault> Ways::on_engine(const Module& module, const Way& way, Trials& trials) {
  const std::string text = fmt::format("{} {}", way.workers, graph::print(module));
  if (!trials.compiled.insert(text).second) return std::nullopt;
  std::string problem;
  std::optional<package::Loaded> loaded;
  try {
    loaded = compiled(module, problem);
  } catch (const std::exception& error) {
    return Fault{Fault::Kind::Throws, way, fmt::format("compiling throws: {}", error.what()), {}};
  }
  if (!loaded) {
    if (problem.find("not supported yet") == std::string::npos)
      return Fault{Fault::Kind::Malformed, way, "it does not compile: " + problem, {}};
    ++counts_.unsupported;
    return std::nullopt;
  }
  auto& engine = engines_[way.workers];
  if (!engine) engine = std::make_unique<engine::Engine>(engine::EngineOptions{way.workers});
  for (const passes::Trial& trial : trials.validation.trials()) {
    const passes::Outcome outcome = engine->run(*loaded, trial.args);
    ++counts_.runs;
    auto difference = passes::first_difference(module, trial.outcome, outcome);
    if (difference && is_stated_difference(module, trial.outcome, outcome)) {
      ++counts_.stated;
      continue;
    }
    if (difference) return Fault{Fault::Kind::Differs, way, std::move(*difference), trial.args};
  }
  return std::nullopt;
}

Module Ways::shrunk(const Module& elaborated, Fault& fault) {
  const WaysCount before = counts_;
  passes::ValidateOptions more = validate_;
  more.trials = std::max(validate_.trials, 24);
  std::swap(validate_, more);
  const Fault::Kind kind = fault.kind;
  Way way = fault.way;
  auto shows = [&](const Module& candidate) {
    const auto found = check(candidate, way);
    return found && found->kind == kind;
  };
  Module smallest = elaborated;
  if (shows(smallest)) {
    passes::ShrinkOptions options;
    if (way.workers > 0) options.most_attempts = 600;
    smallest = passes::shrink(std::move(smallest), shows, options);
    for (std::size_t k = way.passes.size(); k-- > 0;) {
      const Way longer = way;
      way.passes.erase(way.passes.begin() + static_cast<std::ptrdiff_t>(k));
      if (!shows(smallest)) way = longer;
    }
    smallest = passes::shrink(std::move(smallest), shows, options);
    if (auto found = check(smallest, way)) fault = std::move(*found);
  }
  std::swap(validate_, more);
  counts_ = before;
  return smallest;
}

}  // namespace dvm::test
