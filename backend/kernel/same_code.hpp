// Which kernels of a program would be compiled to the same code: library functions that are used
// again and again make many.
#pragma once

#include <span>
#include <vector>

#include "backend/kernel/kernel.hpp"

namespace dvm::kernel {

// For each kernel the first one (its own place, mostly) that does the same to its operands: the
// same phase of a function with the same text, names and places aside. Checks count, as a failure
// is reported by their ids.
std::vector<std::size_t> first_with_same_code(const graph::Module& module,
                                              std::span<const Kernel> kernels);

}  // namespace dvm::kernel
