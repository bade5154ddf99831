// NumPy's .npz files: zip archives of .npy members.
#pragma once

#include <span>
#include <string>

#include "backend/driver/files.hpp"
#include "ir/base/result.hpp"
#include "ir/type/tensor.hpp"

namespace dvm::driver {

// The array `key` of the archive; the error is a finished sentence, for an unknown key with those
// there are.
Result<Tensor, std::string> read_npz(const std::string& path, const std::string& key);

// One member `name.npy` per array. False when the file failed (its `commit` then says why).
bool write_npz(PendingFile& file, std::span<const std::string> names,
               std::span<const Tensor> tensors);

}  // namespace dvm::driver
