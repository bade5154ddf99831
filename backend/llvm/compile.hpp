// Kernels to one native shared object.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "backend/kernel/kernel.hpp"
#include "ir/base/diagnostic.hpp"
#include "ir/base/result.hpp"
#include "ir/type/elementary.hpp"

namespace dvm::llvm_backend {

struct Target {
  std::string cpu =
      "native";  // resolved: `native` becomes the host CPU's name; or x86-64-v3, x86-64-v4, …
  VectorIsa isa = VectorIsa::Avx2;
};
// The error says what is wrong with the name, or that the CPU lacks AVX2.
Result<Target, std::string> make_target(const std::string& cpu);

struct Object {
  std::vector<std::byte> shared_object;  // ELF, needs libmvec.so.1 and libm.so.6
  // Per kernel: bytes of scratch as a formula `fixed + per-call` is not needed by the engine:
  // kernels that need run-time sized local arrays allocate from `scratch`, whose size is this
  // polynomial over the kernel's rank-0 i64 params (symbol = param position).
  std::vector<Size> scratch_bytes;
};

// Limitations (an op that kernels cannot do yet) are reported to `out` with their place: `not
// supported yet`.
std::optional<Object> compile(const graph::Module& module, std::span<const kernel::Kernel> kernels,
                              const Target& target, Diagnostics& out);
// LLVM IR of the kernels after optimisation (dvmc dump --after=llvm).
std::optional<std::string> dump(const graph::Module& module,
                                std::span<const kernel::Kernel> kernels, const Target& target,
                                Diagnostics& out);

}  // namespace dvm::llvm_backend
