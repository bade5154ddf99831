// Concrete arrays: allocation, element access, comparison.
#include "ir/type/tensor.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace dvm {
namespace {

constexpr std::size_t alignment = 64;

// The machine's memory: more than this can not be had, though the kernel would promise it and then
// end the process at the first touch.
std::size_t physical_bytes() {
  static const std::size_t bytes = [] {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long size = sysconf(_SC_PAGE_SIZE);
    if (pages <= 0 || size <= 0) return SIZE_MAX / 4;
    return static_cast<std::size_t>(pages) * static_cast<std::size_t>(size);
  }();
  return bytes;
}

}  // namespace

std::optional<Tensor> Tensor::make(ElementType element, std::vector<std::int64_t> shape) {
  std::size_t bytes = static_cast<std::size_t>(byte_size(element));
  bool empty = false;
  for (std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    empty = empty || extent == 0;
  }
  for (std::int64_t extent : shape) {
    if (!empty && __builtin_mul_overflow(bytes, static_cast<std::size_t>(extent), &bytes))
      return std::nullopt;
  }
  if (empty) bytes = 0;
  if (bytes > physical_bytes()) return std::nullopt;
  // calloc leaves large pages untouched until they are used.
  void* block = std::calloc(bytes + alignment, 1);
  if (block == nullptr) return std::nullopt;
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  auto* aligned = reinterpret_cast<std::byte*>((address + alignment - 1) / alignment * alignment);
  Tensor result;
  result.element = element;
  result.shape = std::move(shape);
  result.data = std::shared_ptr<std::byte>(aligned, [block](std::byte*) { std::free(block); });
  return result;
}

Tensor Tensor::of_scalar(Scalar value) {
  Tensor result;
  result.element = value.type;
  result.data = std::shared_ptr<std::byte>(
      static_cast<std::byte*>(::operator new(alignment, std::align_val_t{alignment})),
      [](std::byte* data) { ::operator delete(data, std::align_val_t{alignment}); });
  std::memset(result.data.get(), 0, alignment);
  value.store(result.data.get());
  return result;
}

std::int64_t Tensor::count() const {
  std::int64_t count = 1;
  for (std::int64_t extent : shape) {
    if (extent == 0) return 0;
  }
  for (std::int64_t extent : shape) count *= extent;
  return count;
}

std::size_t Tensor::bytes() const {
  return static_cast<std::size_t>(count()) * static_cast<std::size_t>(byte_size(element));
}

Scalar Tensor::at(std::int64_t flat_index) const {
  return Scalar::load(element, data.get() + flat_index * byte_size(element));
}

void Tensor::set(std::int64_t flat_index, Scalar value) {
  value.store(data.get() + flat_index * byte_size(element));
}

bool identical(const Tensor& a, const Tensor& b) {
  if (a.element != b.element || a.shape != b.shape) return false;
  const std::int64_t count = a.count();
  if (count == 0) return true;
  if (std::memcmp(a.data.get(), b.data.get(), a.bytes()) == 0) return true;
  if (!is_float(a.element) && a.element != ElementType::Bool) return false;
  for (std::int64_t i = 0; i < count; ++i) {
    if (a.at(i) != b.at(i)) return false;
  }
  return true;
}

}  // namespace dvm
