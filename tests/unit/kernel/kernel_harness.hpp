// Compiles kernels from graph text, loads them from memory and runs all phases of an operation over
// any tiling.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/kernel/kernel.hpp"
#include "backend/llvm/compile.hpp"
#include "ir/graph/graph.hpp"
#include "ir/type/tensor.hpp"

namespace dvm::kernel_test {

// A parsed module of one function with one operation; fails the test when the text is wrong.
graph::Module parse_module(const std::string& text);

// Tile ends along a dimension of this extent, ascending; the last is the extent.
using Tiling = std::function<std::vector<std::int64_t>(std::int64_t extent, std::size_t dim)>;
Tiling one_tile();
Tiling tiles_of(std::int64_t size);

struct Outcome {
  std::vector<Tensor> results;
  kernel::ErrorRecord error{-1, 0, {0, 0, 0, 0}};
};

// All kernels for the module's only function.
class Compiled {
 public:
  Compiled(const graph::Module& module, const std::string& cpu = "native");
  ~Compiled();
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  VectorIsa isa() const { return target_.isa; }
  // By block where the operation has such phases and `whole` is false.
  Outcome run(std::span<const Tensor> args, const Tiling& tiling = one_tile(), bool whole = true);
  kernel::KernelFunction function(kernel::Phase phase) const;

 private:
  struct Operand;
  void call(kernel::Phase phase, std::span<const Tensor> operands,
            std::span<const std::int64_t> extents, const Tiling& tiling,
            kernel::ErrorRecord& error);
  std::vector<Tensor> make_results(std::span<const Tensor> args) const;
  std::int64_t value(const Size& size, std::span<const Tensor> args) const;

  const graph::Module& module_;
  llvm_backend::Target target_;
  std::vector<kernel::Kernel> kernels_;
  std::vector<Size> scratch_;
  std::map<kernel::Phase, kernel::KernelFunction> functions_;
  void* library_ = nullptr;
};

// Pseudo-random contents, the same for the same seed: floats of mixed sign and size, integers of
// small range unless `wide`.
Tensor random_tensor(ElementType element, std::vector<std::int64_t> shape, std::uint64_t seed,
                     bool wide = false);
Tensor scalar_i64(std::int64_t value);

}  // namespace dvm::kernel_test
