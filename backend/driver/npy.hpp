// NumPy's .npy files in and out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "ir/base/result.hpp"
#include "ir/type/tensor.hpp"

namespace dvm::driver {

// Where bytes come from: a file, or a member of an archive.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills `to` with the next bytes; false when there are fewer or they are damaged.
  virtual bool read(std::span<std::byte> to) = 0;
};
using ByteSink = std::function<bool(std::span<const std::byte>)>;

// Reads versions 1 to 3; `total` is the size of the whole file. Fortran order becomes C order,
// big-endian numbers become little-endian, any non-zero byte of a bool becomes 1. The error is a
// phrase that fits after the file's name.
Result<Tensor, std::string> read_npy(ByteSource& source, std::uint64_t total);
// The same for a file; the error is a finished sentence.
Result<Tensor, std::string> read_npy(const std::string& path);

// Writes version 1.0, C order, little-endian, every NaN as the canonical one. False when the sink
// failed.
bool write_npy(const Tensor& tensor, const ByteSink& sink);

}  // namespace dvm::driver
