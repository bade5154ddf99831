// Data of .npy files: read in place where the bytes are already ours, converted where they are not.
#include "backend/driver/npy.hpp"

#include <fmt/core.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <vector>

#include "backend/driver/files.hpp"
#include "backend/driver/npy_header.hpp"

namespace dvm::driver {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t longest_header = std::size_t{1} << 20;

class FileSource : public ByteSource {
 public:
  explicit FileSource(const InputFile& file) : file_(file) {}
  bool read(std::span<std::byte> to) override {
    if (!file_.read_at(position_, to)) return false;
    position_ += to.size();
    return true;
  }

 private:
  const InputFile& file_;
  std::uint64_t position_ = 0;
};

// Not zero-filled as Tensor::make is: every byte is about to be read over. Large arrays ask for
// huge pages, which makes both reading and the first pass over the data faster.
std::shared_ptr<std::byte> allocate(std::size_t bytes) {
  const std::size_t alignment = bytes >= 2 * huge_page ? huge_page : 64;
  const std::size_t rounded =
      (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) return nullptr;
  if (alignment == huge_page) madvise(memory, rounded, MADV_HUGEPAGE);
  return {static_cast<std::byte*>(memory),
          [](std::byte* bytes_to_free) { std::free(bytes_to_free); }};
}

// Bytes of the data, nullopt when 63 bits do not suffice.
std::optional<std::uint64_t> data_bytes(const NpyHeader& header) {
  std::uint64_t total = static_cast<std::uint64_t>(byte_size(header.element));
  for (const std::int64_t extent : header.shape) {
    if (extent == 0) return 0;
  }
  for (const std::int64_t extent : header.shape) {
    if (__builtin_mul_overflow(total, static_cast<std::uint64_t>(extent), &total))
      return std::nullopt;
  }
  if (total > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return total;
}

template <class Word>
void swap_bytes(std::byte* data, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    Word word;
    std::memcpy(&word, data + i * sizeof(Word), sizeof(Word));
    if constexpr (sizeof(Word) == 2) word = __builtin_bswap16(word);
    if constexpr (sizeof(Word) == 4) word = __builtin_bswap32(word);
    if constexpr (sizeof(Word) == 8) word = __builtin_bswap64(word);
    std::memcpy(data + i * sizeof(Word), &word, sizeof(Word));
  }
}

void to_little_endian(std::byte* data, std::size_t count, int element_bytes) {
  if (element_bytes == 2) swap_bytes<std::uint16_t>(data, count);
  if (element_bytes == 4) swap_bytes<std::uint32_t>(data, count);
  if (element_bytes == 8) swap_bytes<std::uint64_t>(data, count);
}

// Reverses the order of the axes: `from` has the first index fastest, `to` the last. The planes
// over the first and the last axis are transposed in square blocks, so that both sides stay in
// cache.
template <class Word>
void reverse_axes(const Word* from, Word* to, const std::vector<std::int64_t>& shape) {
  const std::int64_t first = shape.front(), last = shape.back();
  std::int64_t middle = 1;
  for (std::size_t axis = 1; axis + 1 < shape.size(); ++axis) middle *= shape[axis];
  const std::int64_t from_step = first * middle, to_step = middle * last;
  constexpr std::int64_t block = 32;
  std::vector<std::int64_t> index(shape.size(), 0);
  for (std::int64_t m = 0; m < middle; ++m) {
    // Row-major number m of the middle axes is to_offset; its column-major number is from_offset.
    std::int64_t from_offset = 0, scale = 1;
    for (std::size_t axis = 1; axis + 1 < shape.size(); ++axis) {
      from_offset += index[axis] * scale;
      scale *= shape[axis];
    }
    const Word* source = from + from_offset * first;
    Word* target = to + m * last;
    for (std::int64_t i0 = 0; i0 < first; i0 += block) {
      for (std::int64_t j0 = 0; j0 < last; j0 += block) {
        for (std::int64_t i = i0; i < std::min(first, i0 + block); ++i) {
          for (std::int64_t j = j0; j < std::min(last, j0 + block); ++j) {
            target[i * to_step + j] = source[i + j * from_step];
          }
        }
      }
    }
    for (std::size_t axis = shape.size() - 1; axis-- > 1;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
}

bool to_c_order(Tensor& tensor) {
  const auto converted = allocate(tensor.bytes());
  if (!converted) return false;
  const auto run = [&]<class Word>(Word) {
    reverse_axes(reinterpret_cast<const Word*>(tensor.data.get()),
                 reinterpret_cast<Word*>(converted.get()), tensor.shape);
  };
  switch (byte_size(tensor.element)) {
    case 1:
      run(std::uint8_t{});
      break;
    case 2:
      run(std::uint16_t{});
      break;
    case 4:
      run(std::uint32_t{});
      break;
    default:
      run(std::uint64_t{});
      break;
  }
  tensor.data = converted;
  return true;
}

std::string not_valid(std::string_view what) {
  return fmt::format("is not a valid .npy file: {}", what);
}

// Magic, version, length and dictionary; `read_bytes` counts what was consumed.
Result<NpyHeader, std::string> read_header(ByteSource& source, std::uint64_t total,
                                           std::uint64_t& read_bytes) {
  std::array<unsigned char, 12> start = {};
  if (total < 10 || !source.read(std::as_writable_bytes(std::span(start).first(10)))) {
    return Failure{not_valid("it is too short")};
  }
  if (std::memcmp(start.data(), "\x93NUMPY", 6) != 0)
    return Failure{not_valid("it does not start like one")};
  const int version = start[6];
  if (version < 1 || version > 3)
    return Failure{not_valid(fmt::format("its format version {} is not known", version))};
  std::size_t length = start[8] | std::size_t{start[9]} << 8;
  read_bytes = 10;
  if (version >= 2) {
    if (!source.read(std::as_writable_bytes(std::span(start).last(2))))
      return Failure{not_valid("it is too short")};
    length |= std::size_t{start[10]} << 16 | std::size_t{start[11]} << 24;
    read_bytes = 12;
  }
  if (length > total - read_bytes) return Failure{not_valid("it ends inside its header")};
  if (length > longest_header) return Failure{not_valid("its header is too long")};
  std::string dictionary(length, '\0');
  if (!source.read(std::as_writable_bytes(std::span(dictionary))))
    return Failure{not_valid("it ends inside its header")};
  read_bytes += length;
  return parse_npy_header(dictionary);
}

}  // namespace

Result<Tensor, std::string> read_npy(ByteSource& source, std::uint64_t total) {
  std::uint64_t header_bytes = 0;
  const auto header = read_header(source, total, header_bytes);
  if (!header) return Failure{header.error()};
  const auto bytes = data_bytes(*header);
  const std::uint64_t present = total - header_bytes;
  if (!bytes || *bytes > present) {
    return Failure{fmt::format("is truncated: its header says {}, but only {} bytes of data follow",
                               describe(header->element, header->shape), present)};
  }
  if (*bytes < present) {
    return Failure{not_valid(fmt::format("{} bytes follow its data", present - *bytes))};
  }
  Tensor tensor{header->element, header->shape, allocate(*bytes)};
  if (!tensor.data) return Failure{fmt::format("does not fit into memory ({} bytes)", *bytes)};
  if (!source.read({tensor.data.get(), static_cast<std::size_t>(*bytes)})) {
    return Failure{std::string("is damaged: its data cannot be read")};
  }
  const auto count =
      static_cast<std::size_t>(*bytes) / static_cast<std::size_t>(byte_size(tensor.element));
  if (header->big_endian) to_little_endian(tensor.data.get(), count, byte_size(tensor.element));
  if (tensor.element == ElementType::Bool) {
    std::transform(tensor.data.get(), tensor.data.get() + count, tensor.data.get(),
                   [](std::byte byte) { return std::byte{byte != std::byte{0}}; });
  }
  if (header->fortran_order && tensor.shape.size() > 1 && count > 0 && !to_c_order(tensor)) {
    return Failure{fmt::format(
        "does not fit into memory twice ({} bytes), which its Fortran order needs", *bytes)};
  }
  return tensor;
}

Result<Tensor, std::string> read_npy(const std::string& path) {
  const auto file = InputFile::open(path);
  if (!file) return Failure{file.error()};
  FileSource source(*file);
  auto tensor = read_npy(source, file->size());
  if (!tensor) return Failure{fmt::format("`{}` {}", path, tensor.error())};
  return tensor;
}

namespace {

// Writes floats in pieces; only a piece with a NaN is copied to make it the canonical one.
template <class Float, class Word, Word canonical>
bool write_floats(const std::byte* data, std::size_t count, const ByteSink& sink) {
  constexpr std::size_t piece = std::size_t{1} << 16;
  std::vector<Word> copy;
  for (std::size_t begin = 0; begin < count; begin += piece) {
    const std::size_t length = std::min(piece, count - begin);
    const std::byte* from = data + begin * sizeof(Word);
    const Float* values = reinterpret_cast<const Float*>(from);
    std::size_t nans = 0;
    for (std::size_t i = 0; i < length; ++i) nans += values[i] != values[i];
    if (nans != 0) {
      copy.resize(length);
      std::memcpy(copy.data(), from, length * sizeof(Word));
      for (std::size_t i = 0; i < length; ++i) {
        if (values[i] != values[i]) copy[i] = canonical;
      }
      from = reinterpret_cast<const std::byte*>(copy.data());
    }
    if (!sink({from, length * sizeof(Word)})) return false;
  }
  return true;
}

}  // namespace

bool write_npy(const Tensor& tensor, const ByteSink& sink) {
  const std::string header = print_npy_header({tensor.element, false, false, tensor.shape});
  if (!sink(std::as_bytes(std::span(header)))) return false;
  const auto count = static_cast<std::size_t>(tensor.count());
  if (tensor.element == ElementType::F64) {
    return write_floats<double, std::uint64_t, 0x7ff8000000000000u>(tensor.data.get(), count, sink);
  }
  if (tensor.element == ElementType::F32) {
    return write_floats<float, std::uint32_t, 0x7fc00000u>(tensor.data.get(), count, sink);
  }
  return sink({tensor.data.get(), tensor.bytes()});
}

}  // namespace dvm::driver
