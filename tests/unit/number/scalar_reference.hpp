// What the language page says that each scalar function gives, said again without the compiler's
// code: integers as exact numbers that are then wrapped, floats as the machine's own operations.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph/scalar_fn.hpp"
#include "ir/type/element.hpp"

namespace dvm::number_test {

// nullopt: the function fails (division by zero, negative shift). Not for elementary functions.
std::optional<Scalar> reference(graph::ScalarFn fn, const std::vector<Scalar>& args,
                                ElementType result);

// The values that hurt: 0, ±1, the least and the greatest, their neighbours, powers of two; for
// floats also ±0, denormals, the largest finite ones, infinities, NaN, ties and the ends of the
// integer types.
std::vector<Scalar> corner_values(ElementType type);
// For shifts and rotations of a type: around zero and the width, and far beyond.
std::vector<Scalar> corner_counts(ElementType type);

}  // namespace dvm::number_test
