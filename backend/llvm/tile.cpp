// Register tiles of ordered reductions.
#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

bool Emitter::reduce_tiled(bool) { return false; }

}  // namespace dvm::llvm_backend
