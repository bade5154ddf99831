// Values written on the command line: `3.5`, `-2`, `nan`, `True`, `[[1, 2], [3, 4]]`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "ir/base/result.hpp"
#include "ir/type/tensor.hpp"

namespace dvm::driver {

// One number or truth value. Integers: decimal, 0x, 0o, 0b, with `_` between digits; floats:
// decimal (rounded once, F32 straight from the decimal text), `nan`, `inf`, `-inf`; Bool: `True`,
// `False`. The error is a phrase.
Result<Scalar, std::string> parse_scalar_literal(ElementType element, std::string_view text);

// A scalar (rank 0) or lists nested `rank` deep, all lists of one depth equally long. The error is
// a phrase that says what is wrong and where.
Result<Tensor, std::string> parse_literal(std::string_view text, ElementType element,
                                          std::size_t rank);

}  // namespace dvm::driver
