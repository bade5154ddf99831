// Scalar functions on concrete values: one definition for interpreter and constant folding.
#pragma once

#include <optional>
#include <span>

#include "ir/graph/scalar_fn.hpp"
#include "ir/type/element.hpp"

namespace dvm::graph {

// `args` have the types the verifier demands; `result` is the type of the result. nullopt when the
// function fails: division by zero, negative shift.
std::optional<Scalar> evaluate_scalar(ScalarFn fn, std::span<const Scalar> args, ElementType result,
                                      VectorIsa isa);

}  // namespace dvm::graph
