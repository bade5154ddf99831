// The nearest of a set of names, for "did you mean".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dvm::driver {

// The candidate with the least number of edits (insertion, deletion, replacement, swap of
// neighbours), the first of several; nullopt when all are further away than a third of the name.
std::optional<std::string> nearest(std::string_view name, std::span<const std::string> candidates);

}  // namespace dvm::driver
