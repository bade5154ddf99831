// Runs the pass on every candidate of passes/shrink.
#include "passes/smallest_difference.hpp"

#include <exception>
#include <utility>

#include "ir/graph/verify.hpp"

namespace dvm::passes {

namespace {

// A candidate that the pass makes malformed or throws on shows another mistake.
std::optional<SmallDifference> difference_of(const graph::Module& before, const GraphPass& pass,
                                             const ValidateOptions& validate) {
  graph::Module after = before;
  try {
    pass.run(after);
  } catch (const std::exception&) {
    return std::nullopt;
  }
  if (!graph::verify(after, true).empty()) return std::nullopt;
  auto difference = Validation(before, validate).compare(after);
  if (!difference) return std::nullopt;
  return SmallDifference{before, std::move(after), *std::move(difference)};
}

}  // namespace

std::optional<SmallDifference> smallest_difference(const graph::Module& before,
                                                   const GraphPass& pass,
                                                   const ValidateOptions& validate,
                                                   const ShrinkOptions& shrinking) {
  if (!difference_of(before, pass, validate)) return std::nullopt;
  const graph::Module small = shrink(
      before,
      [&](const graph::Module& candidate) {
        return difference_of(candidate, pass, validate).has_value();
      },
      shrinking);
  return difference_of(small, pass, validate);
}

}  // namespace dvm::passes
