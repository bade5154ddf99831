// Reads and atomic writes over POSIX calls.
#include "backend/driver/files.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

namespace dvm::driver {

namespace {

constexpr std::size_t largest_request = std::size_t{1} << 30;  // Linux moves at most 2 GiB a call

std::string sentence(const char* verb, const std::string& path, int error_number) {
  return fmt::format("cannot {} `{}`: {}", verb, path, reason(error_number));
}

// A fresh file gets the rights an ordinary one would (mkstemp gives them to the owner alone).
void give_ordinary_rights(int descriptor) {
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);
}

// A file without a name in the folder of `path`; -1 where there are none, or no way to name one
// later.
int open_unnamed(const std::string& path) {
  if (access("/proc/self/fd", X_OK) != 0) return -1;
  const auto folder = std::filesystem::path(path).parent_path();
  return ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
}

}  // namespace

std::string reason(int error_number) {
  std::string text = std::strerror(error_number);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

Result<InputFile, std::string> InputFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return Failure{sentence("read", path, errno)};
  struct stat facts = {};
  if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    const bool folder = S_ISDIR(facts.st_mode);
    close(descriptor);
    return Failure{fmt::format("cannot read `{}`: it is {}", path,
                               folder ? "a folder" : "not a regular file")};
  }
  return InputFile(descriptor, static_cast<std::uint64_t>(facts.st_size));
}

InputFile::InputFile(InputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool InputFile::read_at(std::uint64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t got = pread(descriptor_, to.data(), std::min(to.size(), largest_request),
                              static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    offset += static_cast<std::uint64_t>(got);
    to = to.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

Result<std::string, std::string> read_text(const std::string& path) {
  auto file = InputFile::open(path);
  if (!file) return Failure{file.error()};
  std::string text(file->size(), '\0');
  if (!file->read_at(0, std::as_writable_bytes(std::span(text)))) {
    return Failure{fmt::format("cannot read `{}`: it changed while it was read", path)};
  }
  return text;
}

Result<PendingFile, std::string> PendingFile::create(const std::string& path) {
  struct stat facts = {};
  if (stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode)) {
    if (S_ISDIR(facts.st_mode)) return Failure{sentence("write", path, EISDIR)};
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return Failure{sentence("write", path, errno)};
    return PendingFile(descriptor, path, Place::Target, "");
  }
  if (const int descriptor = open_unnamed(path); descriptor >= 0) {
    return PendingFile(descriptor, path, Place::Unnamed, "");
  }
  std::string temporary = path + ".XXXXXX";
  const int descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return Failure{sentence("write", path, errno)};
  give_ordinary_rights(descriptor);
  return PendingFile(descriptor, path, Place::Temporary, temporary);
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      place_(other.place_),
      temporary_(std::exchange(other.temporary_, "")),
      written_(other.written_),
      error_(other.error_) {}

PendingFile::~PendingFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

bool PendingFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty() && error_ == 0) {
    const ssize_t put = ::write(descriptor_, bytes.data(), std::min(bytes.size(), largest_request));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      error_ = errno;
      break;
    }
    written_ += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return error_ == 0;
}

bool PendingFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty() && error_ == 0) {
    const ssize_t put = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      error_ = errno;
      break;
    }
    offset += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return error_ == 0;
}

// Renaming replaces a file that is there, linking does not: so first any free name, then the right
// one.
int PendingFile::give_name() {
  const std::string self = fmt::format("/proc/self/fd/{}", descriptor_);
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string name = fmt::format("{}.{}-{}", path_, getpid(), attempt);
    if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = name;
      return 0;
    }
    if (errno != EEXIST) break;
  }
  return errno;
}

std::optional<std::string> PendingFile::commit() {
  if (error_ == 0 && place_ == Place::Unnamed) error_ = give_name();
  if (close(std::exchange(descriptor_, -1)) != 0 && error_ == 0) error_ = errno;
  if (error_ == 0 && !temporary_.empty()) {
    if (rename(temporary_.c_str(), path_.c_str()) == 0) {
      temporary_.clear();
    } else {
      error_ = errno;
    }
  }
  if (error_ != 0) return sentence("write", path_, error_);
  return std::nullopt;
}

std::optional<std::string> make_folders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return fmt::format("cannot make the folder `{}`: {}", path, reason(error.value()));
  return std::nullopt;
}

}  // namespace dvm::driver
