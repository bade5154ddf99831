// Zip archives, as far as .npz files need them: stored and deflated members in, stored members out,
// Zip64 both ways. Format: PKWARE's APPNOTE 6.3, sections 4.3 to 4.5.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/driver/files.hpp"
#include "backend/driver/npy.hpp"
#include "ir/base/result.hpp"

namespace dvm::driver {

struct ZipMember {
  std::string name;
  std::uint16_t method = 0;  // 0 stored, 8 deflated
  std::uint16_t flags = 0;
  std::uint32_t checksum = 0;
  std::uint64_t packed = 0, size = 0;
  std::uint64_t header_offset = 0;
};

// Members in the order of the central directory. The error is a phrase that fits after the file's
// name.
Result<std::vector<ZipMember>, std::string> list_zip(const InputFile& file);

// The unpacked bytes of a member. `read` fails on damaged data; after the last byte the checksum
// was compared, so a read of the whole member that succeeds gave the right bytes.
Result<std::unique_ptr<ByteSource>, std::string> open_member(const InputFile& file,
                                                             const ZipMember& member);

// Writes an archive of stored members, one after the other.
class ZipWriter {
 public:
  explicit ZipWriter(PendingFile& file) : file_(file) {}
  // `write` gives the member's bytes to the sink it gets. False when the file failed.
  bool add(const std::string& name, const std::function<bool(const ByteSink&)>& write);
  bool finish();  // the central directory

 private:
  PendingFile& file_;
  std::vector<ZipMember> members_;
};

}  // namespace dvm::driver
