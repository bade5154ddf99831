// Memory for write-once arrays: freed blocks are kept and handed out again, because fresh pages
// cost more than the arithmetic of many programs.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace dvm::engine {

// Thread safe. Blocks are 64-byte aligned; contents are undefined.
class Pool {
 public:
  explicit Pool(std::size_t limit_bytes) : limit_(limit_bytes) {}
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // nullptr when the limit or the machine's memory is exhausted. `bytes` may be 0.
  std::byte* allocate(std::size_t bytes);
  void release(std::byte* block, std::size_t bytes);  // the same `bytes`

  std::size_t live() const;
  std::size_t peak() const;  // most bytes live at once since `reset_peak`
  void reset_peak();

 private:
  static std::size_t rounded(std::size_t bytes);
  void trim();  // gives kept blocks back

  mutable std::mutex mutex_;
  std::map<std::size_t, std::vector<std::byte*>> kept_;  // by rounded size
  std::size_t limit_, live_ = 0, kept_bytes_ = 0, peak_ = 0;
};

}  // namespace dvm::engine
