// Results to files: `-o out.npy`, `-o out.npz`, `-o out/`.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "ir/base/result.hpp"
#include "ir/type/tensor.hpp"

namespace dvm::driver {

struct OutputTarget {
  enum class Kind { OneArray, Archive, Folder };
  Kind kind;
  std::string path;
};

// Told apart by the ending: `.npy`, `.npz`, `/` (or an existing folder). The error is a sentence.
Result<OutputTarget, std::string> parse_output(const std::string& path);

// Why these results cannot go there (several into one .npy), before anything was run.
std::optional<std::string> check_output(const OutputTarget& target,
                                        std::span<const std::string> names);

// Writes all or nothing: every file is complete under a temporary name before the first gets its
// own.
std::optional<std::string> write_outputs(const OutputTarget& target,
                                         std::span<const std::string> names,
                                         std::span<const Tensor> results);

}  // namespace dvm::driver
