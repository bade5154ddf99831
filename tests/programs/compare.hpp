// Comparison of a program's results with the oracles' expected values, as tests/reference/check.py
// does it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/type/tensor.hpp"

namespace dvm::programs {

// Of one output: passes when |got - want| <= relative |want| + norm max|want|, NaN and infinities
// where expected. `exact`: the same values, NaN in the same places, zeros of the same sign.
struct Tolerance {
  std::string output;
  bool exact = false;
  double relative = 0, norm = 0;
};

// The outputs of a program in the oracle's order, from tests/programs/tolerances.txt; empty: no
// such program.
std::vector<Tolerance> tolerances_of(const std::string& program);

// What differs, or nothing. Element type and shape must be equal in any case.
std::optional<std::string> difference(const Tensor& got, const Tensor& want,
                                      const Tolerance& tolerance);

}  // namespace dvm::programs
