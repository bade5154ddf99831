// What a run reports when it fails.
#include <algorithm>

#include "backend/engine/run.hpp"

namespace dvm::engine {

graph::RunError Run::error_of(const FailureRecord& failure) const {
  graph::RunError error;
  error.index = failure.index;
  // The outermost operation around the failure counts: where its points are instances, theirs.
  for (const Path* path = failure.instance; path; path = path->parent)
    if (path->independent) error.index = path->iteration;
  error.message = failure.message;
  if (failure.check < 0 || static_cast<std::size_t>(failure.check) >= program_.checks.size())
    return error;
  error.check = graph::CheckId{static_cast<std::uint32_t>(failure.check)};
  error.calls = failure.instance ? failure.instance->calls : 0;
  error.first_call = first_call(failure.instance);
  const task::Check& check = program_.checks[error.check];
  for (std::size_t k = 0; k < std::min<std::size_t>(check.values.size(), 4); ++k)
    error.values.push_back(Scalar::load(check.values[k], &failure.values[k]));
  error.message = graph::render_message({check.message, {}}, error.values);
  return error;
}

// Its place is that of the outermost call.
graph::RunError Run::too_deep(const Instance& instance) const {
  graph::RunError error;
  error.calls = instance.depth;
  error.first_call = first_call(instance.path);
  error.message = "recursion is deeper than " + std::to_string(options_.deepest_call) + " calls";
  return error;
}

// The check of the outermost call above an instance: what a path goes through before its first call
// is known from the templates, step by step.
graph::CheckId Run::first_call(const Path* path) const {
  if (!path || path->calls == 0) return {};
  while (path->parent && path->parent->calls > 0) path = path->parent;
  std::vector<const Path*> steps;
  for (; path->parent; path = path->parent) steps.push_back(path);
  task::TemplateId at{0};
  for (; !steps.empty(); steps.pop_back()) {
    const task::Family& family = program_.templates[at].families[steps.back()->family];
    const bool odd = steps.back()->iteration % 2 != 0;
    if (std::holds_alternative<task::Call>(family.action)) return family.check;
    if (const auto* loop = std::get_if<task::Loop>(&family.action))
      at = loop->body;
    else if (const auto* open = std::get_if<task::While>(&family.action))
      at = odd ? open->body : open->condition;
    else if (const auto* branch = std::get_if<task::Branch>(&family.action))
      at = odd ? branch->otherwise : branch->taken;
    else if (const auto* each = std::get_if<task::Each>(&family.action))
      at = each->body;
    else if (const auto* work = std::get_if<task::ArrayWork>(&family.action); work && work->careful)
      at = *work->careful;
    else
      return {};
  }
  return {};
}

}  // namespace dvm::engine
