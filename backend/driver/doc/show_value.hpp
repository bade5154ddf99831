// Values as a program would write them: `(1, [0.5, 0.25])`, `[Just 3, Nothing]`,
// `Complex { re = 1.0, im = -2.0 }`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "frontend/check/typed.hpp"
#include "ir/type/tensor.hpp"

namespace dvm::driver {

// `leaves` are the arrays that a value of the type is stored as, in the order of an entry's
// results. The type has no functions and no variables. Scalars have all their digits.
std::string show_value(const typed::Program& program, const typed::TypeRef& type,
                       std::span<const Tensor> leaves);

// The same for a type that is nested pairs: one text for each of its `count` parts, where the pair
// of n parts holds the first n / 2 and the others.
std::vector<std::string> show_parts(const typed::Program& program, const typed::TypeRef& type,
                                    std::span<const Tensor> leaves, std::size_t count);

}  // namespace dvm::driver
