// The first of the nearest wins.
#include "backend/driver/suggest.hpp"

#include <algorithm>

#include "ir/base/spelling.hpp"

namespace dvm::driver {

std::optional<std::string> nearest(std::string_view name, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  int least = std::max(1, static_cast<int>(name.size() / 3)) + 1;
  if (name.size() > 100) return std::nullopt;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > 100) continue;
    const int distance = edit_distance(std::string(name), candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace dvm::driver
