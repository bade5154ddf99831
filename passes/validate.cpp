// Trials and their comparison.
#include "passes/validate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "passes/random_arguments.hpp"

namespace dvm::passes {
namespace {

std::string failure_text(const graph::RunError& error) {
  return fmt::format("it fails with `{}` (check {})", error.message, error.check.index);
}

std::string place(const Tensor& tensor, std::int64_t flat) {
  if (tensor.shape.empty()) return "";
  std::vector<std::int64_t> index(tensor.shape.size());
  for (std::size_t d = index.size(); d-- > 0;) {
    index[d] = flat % tensor.shape[d];
    flat /= tensor.shape[d];
  }
  return fmt::format(" at [{}]", fmt::join(index, ", "));
}

std::optional<std::string> difference_of(const std::string& name, const Tensor& before,
                                         const Tensor& after) {
  if (identical(before, after)) return std::nullopt;
  if (before.element != after.element)
    return fmt::format("{}: {} before, {} after", name, facts(before.element).name,
                       facts(after.element).name);
  if (before.shape != after.shape)
    return fmt::format("{}: shape [{}] before, [{}] after", name, fmt::join(before.shape, ", "),
                       fmt::join(after.shape, ", "));
  for (std::int64_t k = 0; k < before.count(); ++k) {
    if (before.at(k) == after.at(k)) continue;
    return fmt::format("{}{}: {} before, {} after", name, place(before, k), to_text(before.at(k)),
                       to_text(after.at(k)));
  }
  return fmt::format("{}: differs in its bytes", name);
}

// Nested lists, as `dvmc run` reads them.
void render(const Tensor& tensor, std::size_t dim, std::int64_t& at, std::size_t& left,
            std::string& text) {
  if (dim == tensor.shape.size()) {
    if (left > 0) --left;
    text += to_text(tensor.at(at++));
    return;
  }
  text += '[';
  for (std::int64_t k = 0; k < tensor.shape[dim]; ++k) {
    if (k > 0) text += ", ";
    if (left == 0) {
      text += "…";
      break;
    }
    render(tensor, dim + 1, at, left, text);
  }
  text += ']';
}

}  // namespace

std::optional<std::string> first_difference(const graph::Module& module, const Outcome& before,
                                            const Outcome& after) {
  if (is_limit(before) || is_limit(after)) return std::nullopt;
  if (!before.ok() && !after.ok()) {
    if (before.error().check == after.error().check) return std::nullopt;
    return failure_text(before.error()) + " before, " + failure_text(after.error()) + " after";
  }
  if (!before.ok()) return failure_text(before.error()) + " before, and gives results after";
  if (!after.ok()) return failure_text(after.error()) + " after, and gives results before";
  const auto& names = module.functions[graph::FunctionId{0}].result_names;
  if (before->size() != after->size()) return "another number of results";
  for (std::size_t k = 0; k < before->size(); ++k) {
    const std::string name =
        k < names.size() ? fmt::format("result `{}`", names[k]) : fmt::format("result {}", k);
    if (auto text = difference_of(name, (*before)[k], (*after)[k])) return text;
  }
  return std::nullopt;
}

std::string render_arguments(const graph::Function& function, std::span<const Tensor> args,
                             std::size_t most_elements) {
  std::string text;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const graph::ValueId param = function.params()[i];
    const std::string& name = function.values[param].name;
    text += fmt::format("{}{} = ", i > 0 ? ", " : "",
                        name.empty() ? fmt::format("%{}", param.index) : name);
    std::int64_t at = 0;
    std::size_t left = most_elements;
    render(args[i], 0, at, left, text);
    if (args[i].count() == 0 && args[i].shape.size() > 1)
      text += fmt::format(" of shape [{}]", fmt::join(args[i].shape, ", "));
  }
  return text;
}

Validation::Validation(const graph::Module& elaborated, const ValidateOptions& options)
    : options_(options) {
  std::mt19937_64 random(options.seed);
  const graph::Function& entry = elaborated.functions[graph::FunctionId{0}];
  for (int tries = 0; tries < 20 * options.trials; ++tries) {
    if (std::cmp_equal(trials_.size(), options.trials)) break;
    auto args = random_arguments(entry, random, options.most_elements);
    if (!args) continue;
    Outcome outcome = run(elaborated, *args);
    if (is_limit(outcome)) {
      // A program that only ever runs into limits is not worth all tries.
      if (++limits_ >= static_cast<std::size_t>(options.trials)) break;
      continue;
    }
    trials_.push_back({std::move(*args), std::move(outcome)});
  }
}

Outcome Validation::run(const graph::Module& module, std::span<const Tensor> args) const {
  graph::InterpretOptions options;
  options.isa = options_.isa;
  options.max_steps = options_.most_steps;
  return graph::interpret(module, graph::FunctionId{0}, args, options);
}

std::optional<Difference> Validation::compare(const graph::Module& after) {
  ++graphs_;
  for (std::size_t t = 0; t < trials_.size(); ++t) {
    const Outcome outcome = run(after, trials_[t].args);
    if (is_limit(outcome)) {
      ++limits_;
      continue;
    }
    ++compared_;
    if (auto text = first_difference(after, trials_[t].outcome, outcome))
      return Difference{t, trials_[t].args, std::move(*text)};
  }
  return std::nullopt;
}

std::size_t Validation::failing() const {
  return static_cast<std::size_t>(std::count_if(
      trials_.begin(), trials_.end(), [](const Trial& trial) { return !trial.outcome.ok(); }));
}

std::string Validation::summary() const {
  return fmt::format("{} {} compared on {} {} ({} of them fail)", graphs_,
                     graphs_ == 1 ? "graph" : "graphs", trials_.size(),
                     trials_.size() == 1 ? "input" : "inputs", failing());
}

}  // namespace dvm::passes
