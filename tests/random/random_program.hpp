// Random well-typed programs.
#pragma once

#include <cstdint>
#include <string>

namespace dvm::test {

// The text of an entry `p<seed>` with its signature: maps, folds, scans, comprehensions, stencils,
// windows, views, scatters, sorts, filters, loops, branches, recursion, local functions and tuples
// over vectors and matrices of Double, Int and Bool. Several stand in one module side by side. The
// same seed gives the same text on every machine.
std::string random_program(std::uint64_t seed);

}  // namespace dvm::test
