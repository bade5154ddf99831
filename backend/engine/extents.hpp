// Arithmetic on extents of dimensions and tiles.
#pragma once

#include <cstdint>
#include <vector>

namespace dvm::engine {

inline std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// As a double: the number of points of a space may not fit 64 bits.
inline double product(const std::vector<std::int64_t>& extents) {
  double result = 1;
  for (std::int64_t extent : extents) result *= static_cast<double>(extent);
  return result;
}

}  // namespace dvm::engine
