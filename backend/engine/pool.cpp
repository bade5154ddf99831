// Memory for write-once arrays. Size classes: powers of two up to a page, then four steps a
// doubling.
#include "backend/engine/pool.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace dvm::engine {

namespace {

constexpr std::size_t smallest = 64;
constexpr std::size_t page = 4096;
constexpr std::size_t huge_page = std::size_t{2} << 20;

}  // namespace

Pool::~Pool() { trim(); }

std::size_t Pool::rounded(std::size_t bytes) {
  if (bytes <= smallest) return smallest;
  const std::size_t power = std::bit_ceil(bytes);
  if (power <= page) return power;
  const std::size_t step = std::max(page, power / 8);  // power/2 … power in four steps
  const std::size_t size = (bytes + step - 1) / step * step;
  return size >= 2 * huge_page ? (size + huge_page - 1) / huge_page * huge_page : size;
}

void Pool::trim() {
  for (auto& [size, blocks] : kept_)
    for (std::byte* block : blocks) std::free(block);
  kept_.clear();
  kept_bytes_ = 0;
}

std::byte* Pool::allocate(std::size_t bytes) {
  if (bytes > limit_) return nullptr;
  const std::size_t size = rounded(bytes);
  const std::lock_guard lock(mutex_);
  std::byte* block = nullptr;
  if (const auto found = kept_.find(size); found != kept_.end() && !found->second.empty()) {
    block = found->second.back();
    found->second.pop_back();
    kept_bytes_ -= size;
  } else {
    if (live_ + kept_bytes_ + size > limit_) trim();
    if (live_ + size > limit_) return nullptr;
    const bool large = size >= 2 * huge_page;
    block = static_cast<std::byte*>(std::aligned_alloc(large ? huge_page : smallest, size));
    if (!block) return nullptr;
    if (large) madvise(block, size, MADV_HUGEPAGE);  // advice: a refusal changes only speed
  }
  live_ += size;
  peak_ = std::max(peak_, live_);
  return block;
}

void Pool::release(std::byte* block, std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  const std::lock_guard lock(mutex_);
  kept_[size].push_back(block);
  kept_bytes_ += size;
  live_ -= size;
}

std::size_t Pool::live() const {
  const std::lock_guard lock(mutex_);
  return live_;
}

std::size_t Pool::peak() const {
  const std::lock_guard lock(mutex_);
  return peak_;
}

void Pool::reset_peak() {
  const std::lock_guard lock(mutex_);
  peak_ = live_;
}

}  // namespace dvm::engine
