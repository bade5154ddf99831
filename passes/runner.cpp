// The ritual around every pass, written once.
#include "passes/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "ir/base/thread_time.hpp"
#include "ir/graph/text.hpp"
#include "ir/graph/verify.hpp"
#include "passes/pass_table.hpp"
#include "passes/smallest_difference.hpp"

namespace dvm::passes {

namespace {

std::size_t count_nodes(const graph::Module& module) {
  std::size_t count = 0;
  for (const graph::Function& function : module.functions)
    for (const graph::Region& region : function.regions) count += region.nodes.size();
  return count;
}

bool is_elaborated(const graph::Module& module) {
  for (const graph::Function& function : module.functions)
    for (const graph::Node& node : function.nodes)
      if (const auto* reduce = std::get_if<graph::Reduce>(&node.op))
        if (reduce->tree == graph::Tree::Unset) return false;
  return true;
}

// All problems, one a line; empty when well formed.
std::string problems_of(const graph::Module& module, bool elaborated) {
  return fmt::format("{}", fmt::join(graph::verify(module, elaborated), "\n"));
}

std::optional<std::string> write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (out) return std::nullopt;
  return fmt::format("cannot write `{}`", path.string());
}

class Run {
 public:
  Run(graph::Module& module, const RunOptions& options) : module_(module), options_(options) {}

  const GraphPass* find(std::string_view name) const {
    for (const GraphPass& pass : options_.table)
      if (pass.name == name) return &pass;
    return nullptr;
  }

  std::optional<PipelineError> prepare(std::span<const std::string_view> pipeline) {
    for (std::string_view name : pipeline)
      if (find(name) == nullptr) return error(name, fmt::format("there is no pass `{}`", name));
    for (const std::string& name : options_.disabled) {
      const GraphPass* pass = find(name);
      if (pass == nullptr) return error(name, fmt::format("there is no pass `{}`", name));
      if (pass->role != PassRole::Optimise)
        return error(name,
                     fmt::format("pass `{}` cannot be disabled: it is part of the meaning", name));
    }
    if (!options_.dump_folder.empty()) {
      std::error_code failed;
      std::filesystem::create_directories(options_.dump_folder, failed);
      if (failed) return error("", fmt::format("cannot make folder `{}`", options_.dump_folder));
    }
    elaborated_ = options_.elaborated;
    if (options_.validate && !elaborated_ &&
        std::find(pipeline.begin(), pipeline.end(), "fix-rounding") == pipeline.end())
      return error("",
                   "the rounding of this graph is not decided yet, so there is nothing to "
                   "compare with: let `fix-rounding` run first");
    if (options_.validate && elaborated_) validation_.emplace(module_, *options_.validate);
    if (needs_text()) text_ = graph::print(module_);
    return std::nullopt;
  }

  std::optional<PipelineError> step(const GraphPass& pass) {
    PassReport report;
    report.pass = pass.name;
    report.position = reports_.size() + 1;
    report.nodes_before = report.nodes_after = count_nodes(module_);
    const auto& disabled = options_.disabled;
    const bool off = std::find(disabled.begin(), disabled.end(), pass.name) != disabled.end();
    const bool optional = pass.role == PassRole::Optimise;
    const bool over = optional && options_.bisect && optional_runs_ >= *options_.bisect;
    if (!off && !over) {
      if (optional) ++optional_runs_;
      if (options_.remarks != nullptr) options_.remarks->begin(pass.name, report.position);
      if (options_.validate) before_ = module_;
      const std::int64_t start = thread_microseconds();
      pass.run(module_, options_.remarks);
      report.microseconds = thread_microseconds() - start;
      report.ran = true;
      report.nodes_after = count_nodes(module_);
      if (pass.name == "fix-rounding") elaborated_ = true;
      if (auto failed = look_at(pass, report)) return failed;
    }
    reports_.push_back(report);
    return std::nullopt;
  }

  std::vector<PassReport> take() {
    if (options_.validated != nullptr && validation_) *options_.validated = validation_->summary();
    return std::move(reports_);
  }

 private:
  bool needs_text() const {
    return options_.verify || options_.validate || options_.after || !options_.dump_folder.empty();
  }
  static PipelineError error(std::string_view pass, std::string message) {
    return {std::string(pass), std::move(message), "", "", "", "", ""};
  }

  // A pass that decides the rounding begins anew: what it gives is the meaning from then on.
  std::optional<PipelineError> validate(const GraphPass& pass, const std::string& text) {
    if (pass.role != PassRole::Optimise) {
      if (elaborated_) validation_.emplace(module_, *options_.validate);
      return std::nullopt;
    }
    if (!validation_) return std::nullopt;
    auto difference = validation_->compare(module_);
    if (!difference) return std::nullopt;
    const auto changes = [&](const Difference& found, const graph::Module& before,
                             const std::string& after) {
      PipelineError failed =
          error(pass.name, "it changes what the program computes: " + found.text);
      failed.text = after;
      failed.before = graph::print(before);
      failed.input = render_arguments(before.functions[graph::FunctionId{0}], found.args);
      return failed;
    };
    const auto small = smallest_difference(before_, pass, *options_.validate, options_.shrinking);
    const std::size_t nodes = count_nodes(before_);
    if (!small || count_nodes(small->before) >= nodes) return changes(*difference, before_, text);
    PipelineError failed = changes(small->difference, small->before, graph::print(small->after));
    failed.whole = text_;
    failed.made_small =
        fmt::format("made small: {} of {} operations", count_nodes(small->before), nodes);
    return failed;
  }

  // Verifies, notices changes, validates, dumps.
  std::optional<PipelineError> look_at(const GraphPass& pass, PassReport& report) {
    if (!needs_text()) return std::nullopt;
    if (options_.verify || options_.validate) {
      std::string problems = problems_of(module_, elaborated_);
      if (!problems.empty())
        return PipelineError{std::string(report.pass),
                             std::move(problems),
                             graph::print(module_),
                             text_,
                             "",
                             "",
                             ""};
    }
    std::string text = graph::print(module_);
    report.changed = text != text_;
    if (options_.validate && (report.changed || pass.role != PassRole::Optimise))
      if (auto failed = validate(pass, text)) return failed;
    text_ = std::move(text);
    if (!report.changed) return std::nullopt;
    if (options_.after) options_.after(report, text_);
    if (options_.dump_folder.empty()) return std::nullopt;
    const std::string name = fmt::format("{:02}-{}.dvg", report.position, report.pass);
    if (auto failed = write_file(std::filesystem::path(options_.dump_folder) / name, text_))
      return error(report.pass, std::move(*failed));
    return std::nullopt;
  }

  graph::Module& module_;
  const RunOptions& options_;
  std::vector<PassReport> reports_;
  std::size_t optional_runs_ = 0;
  bool elaborated_ = false;
  std::optional<Validation> validation_;
  std::string text_;      // before the next pass, when somebody asks for texts
  graph::Module before_;  // the same, when validating
};

}  // namespace

Result<std::vector<PassReport>, PipelineError> run_pipeline(
    std::span<const std::string_view> pipeline, graph::Module& module, const RunOptions& options) {
  Run run(module, options);
  if (auto failed = run.prepare(pipeline)) return Failure{std::move(*failed)};
  for (std::string_view name : pipeline)
    if (auto failed = run.step(*run.find(name))) return Failure{std::move(*failed)};
  return run.take();
}

Result<bool, std::string> run_pass(std::string_view name, graph::Module& module) {
  const GraphPass* pass = find_pass(name);
  if (pass == nullptr) return Failure{fmt::format("there is no pass `{}`", name)};
  const bool elaborated = is_elaborated(module);
  if (std::string problems = problems_of(module, elaborated); !problems.empty())
    return Failure{fmt::format("before pass `{}`:\n{}", name, problems)};
  const std::string before = graph::print(module);
  pass->run(module);
  std::string after = graph::print(module);
  if (std::string problems = problems_of(module, elaborated || name == "fix-rounding");
      !problems.empty())
    return Failure{fmt::format("after pass `{}`:\n{}\n{}", name, problems, after)};
  return before != after;
}

std::string render_times(std::span<const PassReport> reports) {
  std::string text =
      fmt::format("{:>4}  {:<18} {:>10} {:>8} {:>8}\n", "", "pass", "us", "nodes", "after");
  std::int64_t total = 0;
  for (const PassReport& report : reports) {
    total += report.microseconds;
    if (report.ran)
      text += fmt::format("{:>4}  {:<18} {:>10} {:>8} {:>8}\n", report.position, report.pass,
                          report.microseconds, report.nodes_before, report.nodes_after);
    else
      text += fmt::format("{:>4}  {:<18} {:>10}\n", report.position, report.pass, "left out");
  }
  return text + fmt::format("{:>4}  {:<18} {:>10}\n", "", "sum", total);
}

}  // namespace dvm::passes
