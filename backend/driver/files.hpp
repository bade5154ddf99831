// Files as the driver needs them: reads whose failure is a sentence, and writes that leave nothing
// half-written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ir/base/result.hpp"

namespace dvm::driver {

// `no such file or directory` and the like for an errno.
std::string reason(int error_number);

// An open regular file; closed with the object.
class InputFile {
 public:
  // The error names the file and the reason.
  static Result<InputFile, std::string> open(const std::string& path);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  std::uint64_t size() const { return size_; }
  // Fills `to` with the bytes from `offset` on; false when the file ends earlier or cannot be read.
  bool read_at(std::uint64_t offset, std::span<std::byte> to) const;

 private:
  InputFile(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
  int descriptor_;
  std::uint64_t size_;
};

// The whole file as text.
Result<std::string, std::string> read_text(const std::string& path);

// A file being written. It has no name at all until `commit` (where the file system can do that,
// else a temporary one), so that not even a killed process leaves a part of it behind. A target
// that exists and is no regular file (a pipe, /dev/null) is written in place.
class PendingFile {
 public:
  static Result<PendingFile, std::string> create(const std::string& path);
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;
  ~PendingFile();

  // Appends. After a failure further writes do nothing and `commit` gives the reason.
  bool write(std::span<const std::byte> bytes);
  bool write(std::string_view text) { return write(std::as_bytes(std::span(text))); }
  // Replaces bytes that were written before.
  bool write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  std::uint64_t written() const { return written_; }
  // Closes and renames. The error is a sentence; nothing is left behind then.
  std::optional<std::string> commit();

 private:
  enum class Place { Unnamed, Temporary, Target };
  PendingFile(int descriptor, std::string path, Place place, std::string temporary)
      : descriptor_(descriptor),
        path_(std::move(path)),
        place_(place),
        temporary_(std::move(temporary)) {}
  int give_name();
  int descriptor_;
  std::string path_;
  Place place_;
  std::string temporary_;  // the name it has in the file system; empty: none, or its own
  std::uint64_t written_ = 0;
  int error_ = 0;
};

// Creates the folder and its parents. The error is a sentence.
std::optional<std::string> make_folders(const std::string& path);

}  // namespace dvm::driver
