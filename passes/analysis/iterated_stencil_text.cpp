// What an iterated stencil is, in words.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "passes/analysis/iterated_stencil.hpp"

namespace dvm::passes {

namespace {

// `k`, `2·k`.
std::string times_k(std::int64_t cells) { return cells == 1 ? "k" : fmt::format("{}·k", cells); }

std::string sides(const Reach& reach) {
  if (reach.below == reach.above)
    return fmt::format("{} more cells on each side", times_k(reach.below));
  if (reach.below == 0) return fmt::format("{} more cells above", times_k(reach.above));
  if (reach.above == 0) return fmt::format("{} more cells below", times_k(reach.below));
  return fmt::format("{} more cells below and {} above", times_k(reach.below),
                     times_k(reach.above));
}

// `dimension 0`, `dimensions 0, 1 and 2`.
std::string dimensions(const std::vector<std::size_t>& dims) {
  if (dims.size() == 1) return fmt::format("dimension {}", dims[0]);
  return fmt::format("dimensions {} and {}", fmt::join(dims.begin(), dims.end() - 1, ", "),
                     dims.back());
}

}  // namespace

std::string_view word_of(StencilObstacle obstacle) {
  switch (obstacle) {
    case StencilObstacle::None:
      return "none";
    case StencilObstacle::Whole:
      return "whole";
    case StencilObstacle::FarCells:
      return "far-cells";
    case StencilObstacle::AllCells:
      return "all-cells";
    case StencilObstacle::OtherSpace:
      return "other-space";
  }
  return "";
}

std::string describe(const IteratedStencil& stencil) {
  // Dimensions of one reach are said together.
  std::vector<std::pair<std::string, std::vector<std::size_t>>> groups;
  bool guarded = false, clamped = false, wrapped = false;
  for (std::size_t d = 0; d < stencil.reaches.size(); ++d) {
    const Reach& reach = stencil.reaches[d];
    guarded |= reach.guarded;
    clamped |= reach.clamped;
    wrapped |= reach.wrapped;
    if (reach.below == 0 && reach.above == 0) continue;
    const std::string text = sides(reach);
    auto same = std::find_if(groups.begin(), groups.end(),
                             [&](const auto& group) { return group.first == text; });
    if (same == groups.end()) same = groups.insert(groups.end(), {text, {}});
    same->second.push_back(d);
  }
  if (groups.empty()) return "a tile of any number of steps needs no other cells";
  std::string text = "a tile of k steps needs ";
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::vector<std::size_t>& dims = groups[g].second;
    text += fmt::format("{}{} in {}", g > 0 ? ", and " : "", groups[g].first, dimensions(dims));
  }
  std::vector<std::string_view> borders;
  if (guarded) borders.push_back("a branch leaves reads out");
  if (clamped) borders.push_back("indices are moved back inside");
  if (wrapped) borders.push_back("indices come in again at the other end");
  if (!borders.empty()) text += fmt::format("; at the border {}", fmt::join(borders, ", "));
  return text;
}

}  // namespace dvm::passes
