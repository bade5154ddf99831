// Arrays in memory, read from and written to .npy files (format versions 1 and 2, little endian, C
// order).
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace bench {

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

/// An array that owns its memory: aligned for vectors, on huge pages where the system gives them,
/// and touched.
template <class T>
struct Array {
  std::vector<int64_t> shape;

  Array() = default;
  explicit Array(std::vector<int64_t> sizes) : shape(std::move(sizes)) {
    size_t bytes = static_cast<size_t>(size()) * sizeof(T) + kSlack;
    const size_t alignment = bytes < kHuge ? 64 : kHuge;
    bytes = (bytes + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, bytes);
    if (memory == nullptr) fail("out of memory");
    if (alignment == kHuge) madvise(memory, bytes, MADV_HUGEPAGE);
    std::memset(memory, 0, bytes);
    memory_.reset(static_cast<T*>(memory), std::free);
  }

  int64_t size() const {
    int64_t product = 1;
    for (const int64_t n : shape) product *= n;
    return product;
  }
  T* data() { return memory_.get(); }
  const T* data() const { return memory_.get(); }
  T& operator[](int64_t i) { return memory_.get()[i]; }
  const T& operator[](int64_t i) const { return memory_.get()[i]; }

 private:
  static constexpr size_t kHuge = size_t{1} << 21;
  static constexpr size_t kSlack = 256;  // a whole vector may be loaded at any element
  std::shared_ptr<T> memory_;
};

/// An array of no dimensions, which holds one number.
template <class T>
Array<T> single() {
  return Array<T>(std::vector<int64_t>{});
}

/// The `descr` of a .npy header for T: '<f8', '|u1', ….
template <class T>
std::string npy_type() {
  const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
  return std::string(sizeof(T) == 1 ? "|" : "<") + kind + std::to_string(sizeof(T));
}

template <class T>
Array<T> read_npy(const std::string& path) {
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) fail("cannot read " + path);
  unsigned char start[12] = {};
  if (std::fread(start, 1, 10, file.get()) != 10 || std::memcmp(start, "\x93NUMPY", 6) != 0)
    fail(path + ": no .npy file");
  size_t length = start[8] | start[9] << 8;
  if (start[6] >= 2) {
    if (std::fread(start + 10, 1, 2, file.get()) != 2) fail(path + ": ends early");
    length |= static_cast<size_t>(start[10]) << 16 | static_cast<size_t>(start[11]) << 24;
  }
  std::string header(length, ' ');
  if (std::fread(header.data(), 1, length, file.get()) != length) fail(path + ": ends early");
  if (header.find("'" + npy_type<T>() + "'") == std::string::npos ||
      header.find("'fortran_order': False") == std::string::npos)
    fail(path + ": wanted " + npy_type<T>() + " in C order, got " + header);
  std::vector<int64_t> shape;
  const char* at = header.c_str() + header.find('(') + 1;
  while (*at != ')') {
    if (*at >= '0' && *at <= '9') {
      char* end = nullptr;
      shape.push_back(std::strtoll(at, &end, 10));
      at = end;
    } else {
      ++at;
    }
  }
  Array<T> array(shape);
  const auto count = static_cast<size_t>(array.size());
  if (std::fread(array.data(), sizeof(T), count, file.get()) != count) fail(path + ": ends early");
  return array;
}

template <class T>
void write_npy(const std::string& path, const std::vector<int64_t>& shape, const T* data) {
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (!file) fail("cannot write " + path);
  std::string header = "{'descr': '" + npy_type<T>() + "', 'fortran_order': False, 'shape': (";
  size_t count = 1;
  for (const int64_t n : shape) {
    header += std::to_string(n) + ",";
    count *= static_cast<size_t>(n);
  }
  header += "), }";
  header.append(63 - (10 + header.size()) % 64, ' ').push_back('\n');
  const unsigned char start[10] = {0x93,
                                   'N',
                                   'U',
                                   'M',
                                   'P',
                                   'Y',
                                   1,
                                   0,
                                   static_cast<unsigned char>(header.size() & 255),
                                   static_cast<unsigned char>(header.size() >> 8)};
  if (std::fwrite(start, 1, 10, file.get()) != 10 ||
      std::fwrite(header.data(), 1, header.size(), file.get()) != header.size() ||
      std::fwrite(data, sizeof(T), count, file.get()) != count)
    fail("cannot write " + path);
}

}  // namespace bench
