// Arrays as text for people, laid out as NumPy prints them.
#pragma once

#include <cstdint>
#include <string>

#include "ir/type/tensor.hpp"

namespace dvm::driver {

struct ShowOptions {
  std::int64_t threshold = 1000;  // larger arrays are shortened to their edges
  std::int64_t edge = 3;          // elements shown at each edge
  std::size_t width = 75;         // of a line
};

// Scalars with all their digits (what reads back to the same bits); arrays with at most eight
// decimals, aligned.
std::string show(const Tensor& tensor, const ShowOptions& options = {});

// `name = 3.5`, or `name :: Double [13]` with the array below it.
std::string show_named(const std::string& name, const Tensor& tensor,
                       const ShowOptions& options = {});

}  // namespace dvm::driver
