// From the command line's `name=value` to the arrays an entry point takes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/graph/entry.hpp"

namespace dvm::driver {

struct BoundInputs {
  std::vector<Tensor> inputs;       // in the order of the entry's inputs
  std::vector<std::int64_t> sizes;  // in the order of the entry's size names
};

// Each argument is `name=literal`, `name=file.npy` or `name=@file.npz:key`. The error is one
// finished sentence: an unknown name (with the nearest), a name given twice, inputs that are
// missing, a value that cannot be read, or a wrong element type, rank or size (with what was
// expected and what came).
Result<BoundInputs, std::string> bind_inputs(const graph::EntrySignature& entry,
                                             std::span<const std::string> arguments);

}  // namespace dvm::driver
