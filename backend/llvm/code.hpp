// From an LLVM module to native bytes.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/llvm/compile.hpp"

namespace dvm::llvm_backend {

// Null when LLVM does not know the CPU.
std::unique_ptr<llvm::TargetMachine> make_target_machine(const Target& target);
// Scalar and loop optimisations; vectors are explicit already, so LLVM's vectorisers stay off.
void optimise(llvm::Module& module, llvm::TargetMachine& machine);
// ELF object bytes.
std::string emit_object(llvm::Module& module, llvm::TargetMachine& machine);
// A shared object of all `objects`, in this order, that needs libmvec.so.1 and libm.so.6. The error
// is a finished message.
Result<std::vector<std::byte>, std::string> link_shared(std::span<const std::string> objects);

}  // namespace dvm::llvm_backend
