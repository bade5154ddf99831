// Reading and writing zip archives over zlib's inflate and crc32.
#include "backend/driver/zip.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace dvm::driver {

namespace {

constexpr std::uint32_t local_magic = 0x04034b50, central_magic = 0x02014b50,
                        end_magic = 0x06054b50;
constexpr std::uint32_t end64_magic = 0x06064b50, locator64_magic = 0x07064b50;
constexpr std::size_t local_length = 30, central_length = 46, end_length = 22, locator_length = 20,
                      end64_length = 56;
constexpr std::uint32_t see_zip64 = 0xffffffff;
constexpr std::uint16_t extra_zip64 = 1, encrypted = 1;

template <class Number>
Number number_at(const std::vector<std::byte>& bytes, std::size_t offset) {
  Number value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

std::optional<std::vector<std::byte>> bytes_at(const InputFile& file, std::uint64_t offset,
                                               std::uint64_t length) {
  if (offset > file.size() || length > file.size() - offset) return std::nullopt;
  std::vector<std::byte> bytes(length);
  if (!file.read_at(offset, bytes)) return std::nullopt;
  return bytes;
}

std::string damaged(std::string_view what) {
  return fmt::format("is not a valid .npz file: {}", what);
}

struct Directory {
  std::uint64_t offset, length, count;
};

// The end record is the last thing in the file but for a comment of at most 65,535 bytes.
std::optional<Directory> find_directory(const InputFile& file) {
  const std::uint64_t tail_length = std::min<std::uint64_t>(file.size(), end_length + 0xffff);
  const std::uint64_t tail_offset = file.size() - tail_length;
  const auto tail = bytes_at(file, tail_offset, tail_length);
  if (!tail || tail_length < end_length) return std::nullopt;
  std::size_t at = tail_length - end_length + 1;
  while (at-- > 0 && number_at<std::uint32_t>(*tail, at) != end_magic) {
  }
  if (at == static_cast<std::size_t>(-1)) return std::nullopt;
  Directory found{number_at<std::uint32_t>(*tail, at + 16),
                  number_at<std::uint32_t>(*tail, at + 12),
                  number_at<std::uint16_t>(*tail, at + 10)};
  const std::uint64_t end_offset = tail_offset + at;
  if (end_offset < locator_length) return found;
  const auto locator = bytes_at(file, end_offset - locator_length, locator_length);
  if (!locator || number_at<std::uint32_t>(*locator, 0) != locator64_magic) return found;
  const auto end64 = bytes_at(file, number_at<std::uint64_t>(*locator, 8), end64_length);
  if (!end64 || number_at<std::uint32_t>(*end64, 0) != end64_magic) return std::nullopt;
  return Directory{number_at<std::uint64_t>(*end64, 48), number_at<std::uint64_t>(*end64, 40),
                   number_at<std::uint64_t>(*end64, 32)};
}

// Sizes and offset that did not fit 32 bits stand in this extra field, in this order.
bool read_zip64_extra(const std::vector<std::byte>& bytes, std::size_t begin, std::size_t end,
                      ZipMember& member) {
  while (end - begin >= 4) {
    const auto id = number_at<std::uint16_t>(bytes, begin);
    const std::size_t length = number_at<std::uint16_t>(bytes, begin + 2);
    begin += 4;
    if (length > end - begin) return false;
    if (id == extra_zip64) {
      std::size_t at = begin;
      for (std::uint64_t* field : {&member.size, &member.packed, &member.header_offset}) {
        if (*field != see_zip64) continue;
        if (begin + length - at < 8) return false;
        *field = number_at<std::uint64_t>(bytes, at);
        at += 8;
      }
    }
    begin += length;
  }
  return true;
}

// Bytes of a stored or deflated member with the checksum of all that was given out.
class MemberSource : public ByteSource {
 public:
  MemberSource(const InputFile& file, const ZipMember& member, std::uint64_t offset)
      : file_(file),
        member_(member),
        offset_(offset),
        packed_left_(member.packed),
        left_(member.size) {}
  ~MemberSource() override {
    if (inflating_) inflateEnd(&stream_);
  }
  MemberSource(const MemberSource&) = delete;
  MemberSource& operator=(const MemberSource&) = delete;

  bool start() {
    if (member_.method == 8) inflating_ = inflateInit2(&stream_, -MAX_WBITS) == Z_OK;
    return member_.method == 0 || inflating_;
  }

  bool read(std::span<std::byte> to) override {
    if (to.size() > left_) return false;
    if (!(inflating_ ? inflate_into(to) : copy_into(to))) return false;
    for (std::size_t at = 0; at < to.size();) {
      const std::size_t length = std::min<std::size_t>(to.size() - at, 1u << 30);
      checksum_ = crc32(checksum_, reinterpret_cast<const Bytef*>(to.data() + at),
                        static_cast<uInt>(length));
      at += length;
    }
    left_ -= to.size();
    return left_ != 0 || checksum_ == member_.checksum;
  }

 private:
  bool copy_into(std::span<std::byte> to) {
    if (!file_.read_at(offset_, to)) return false;
    offset_ += to.size();
    return true;
  }

  bool inflate_into(std::span<std::byte> to) {
    while (!to.empty()) {
      if (stream_.avail_in == 0 && packed_left_ > 0) {
        const auto length =
            static_cast<std::size_t>(std::min<std::uint64_t>(packed_left_, buffer_.size()));
        if (!file_.read_at(offset_, std::span(buffer_).first(length))) return false;
        offset_ += length;
        packed_left_ -= length;
        stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
        stream_.avail_in = static_cast<uInt>(length);
      }
      const auto wanted = static_cast<uInt>(std::min<std::size_t>(to.size(), 1u << 30));
      stream_.next_out = reinterpret_cast<Bytef*>(to.data());
      stream_.avail_out = wanted;
      const int state = inflate(&stream_, Z_NO_FLUSH);
      const std::size_t got = wanted - stream_.avail_out;
      to = to.subspan(got);
      if (to.empty()) break;
      if (state != Z_OK || (got == 0 && stream_.avail_in == 0 && packed_left_ == 0)) return false;
    }
    return true;
  }

  const InputFile& file_;
  ZipMember member_;
  std::uint64_t offset_, packed_left_, left_;
  uLong checksum_ = crc32(0, nullptr, 0);
  z_stream stream_ = {};
  bool inflating_ = false;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(std::size_t{1} << 18);
};

// Little-endian fields one after the other.
class Record {
 public:
  Record& u16(std::uint64_t value) { return put(value, 2); }
  Record& u32(std::uint64_t value) { return put(value, 4); }
  Record& u64(std::uint64_t value) { return put(value, 8); }
  Record& text(std::string_view value) {
    bytes_ += value;
    return *this;
  }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(bytes_)); }

 private:
  Record& put(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
    return *this;
  }
  std::string bytes_;
};

constexpr std::uint64_t dos_date = 1 << 5 | 1;  // 1980-01-01: the same bytes every time

// Always with the Zip64 field, so that the header can be written before the size is known.
Record local_header(const ZipMember& member) {
  Record record;
  record.u32(local_magic).u16(45).u16(0).u16(0).u16(0).u16(dos_date).u32(member.checksum);
  record.u32(see_zip64).u32(see_zip64).u16(member.name.size()).u16(20).text(member.name);
  return record.u16(extra_zip64).u16(16).u64(member.size).u64(member.packed);
}

Record central_header(const ZipMember& member) {
  Record record;
  record.u32(central_magic).u16(45).u16(45).u16(0).u16(0).u16(0).u16(dos_date).u32(member.checksum);
  record.u32(see_zip64)
      .u32(see_zip64)
      .u16(member.name.size())
      .u16(28)
      .u16(0)
      .u16(0)
      .u16(0)
      .u32(0)
      .u32(see_zip64);
  return record.text(member.name)
      .u16(extra_zip64)
      .u16(24)
      .u64(member.size)
      .u64(member.packed)
      .u64(member.header_offset);
}

}  // namespace

Result<std::vector<ZipMember>, std::string> list_zip(const InputFile& file) {
  const auto directory = find_directory(file);
  if (!directory) return Failure{damaged("it does not end like a zip archive (is it truncated?)")};
  const auto bytes = bytes_at(file, directory->offset, directory->length);
  if (!bytes) return Failure{damaged("its directory is damaged")};
  std::vector<ZipMember> members;
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < directory->count; ++i) {
    if (bytes->size() - at < central_length ||
        number_at<std::uint32_t>(*bytes, at) != central_magic) {
      return Failure{damaged("its directory is damaged")};
    }
    ZipMember member;
    member.flags = number_at<std::uint16_t>(*bytes, at + 8);
    member.method = number_at<std::uint16_t>(*bytes, at + 10);
    member.checksum = number_at<std::uint32_t>(*bytes, at + 16);
    member.packed = number_at<std::uint32_t>(*bytes, at + 20);
    member.size = number_at<std::uint32_t>(*bytes, at + 24);
    member.header_offset = number_at<std::uint32_t>(*bytes, at + 42);
    const std::size_t name = number_at<std::uint16_t>(*bytes, at + 28);
    const std::size_t extra = number_at<std::uint16_t>(*bytes, at + 30);
    const std::size_t comment = number_at<std::uint16_t>(*bytes, at + 32);
    at += central_length;
    if (name + extra + comment > bytes->size() - at)
      return Failure{damaged("its directory is damaged")};
    member.name.assign(reinterpret_cast<const char*>(bytes->data() + at), name);
    if (!read_zip64_extra(*bytes, at + name, at + name + extra, member))
      return Failure{damaged("its directory is damaged")};
    at += name + extra + comment;
    members.push_back(std::move(member));
  }
  return members;
}

Result<std::unique_ptr<ByteSource>, std::string> open_member(const InputFile& file,
                                                             const ZipMember& member) {
  if (member.flags & encrypted)
    return Failure{fmt::format("holds `{}` encrypted, which is not supported", member.name)};
  if (member.method != 0 && member.method != 8) {
    return Failure{fmt::format(
        "holds `{}` packed by method {}, which is not supported (stored and deflated are)",
        member.name, member.method)};
  }
  const auto header = bytes_at(file, member.header_offset, local_length);
  if (!header || number_at<std::uint32_t>(*header, 0) != local_magic) {
    return Failure{
        damaged(fmt::format("its member `{}` is not where the directory says", member.name))};
  }
  const std::uint64_t data = member.header_offset + local_length +
                             number_at<std::uint16_t>(*header, 26) +
                             number_at<std::uint16_t>(*header, 28);
  const bool sizes_agree = member.method != 0 || member.packed == member.size;
  // Deflate packs at most about 1 : 1032, so a larger claim is damage, found before memory is asked
  // for.
  const bool plausible = member.size / 1100 <= member.packed + 1;
  if (data > file.size() || member.packed > file.size() - data || !sizes_agree || !plausible) {
    return Failure{damaged(fmt::format("its member `{}` is truncated", member.name))};
  }
  auto source = std::make_unique<MemberSource>(file, member, data);
  if (!source->start()) return Failure{std::string("cannot be unpacked: too little memory")};
  return std::unique_ptr<ByteSource>(std::move(source));
}

bool ZipWriter::add(const std::string& name, const std::function<bool(const ByteSink&)>& write) {
  ZipMember member;
  member.name = name;
  member.header_offset = file_.written();
  if (!file_.write(local_header(member).bytes())) return false;
  uLong checksum = crc32(0, nullptr, 0);
  const bool written = write([&](std::span<const std::byte> bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t length = std::min<std::size_t>(bytes.size() - at, 1u << 30);
      checksum = crc32(checksum, reinterpret_cast<const Bytef*>(bytes.data() + at),
                       static_cast<uInt>(length));
      at += length;
    }
    member.size += bytes.size();
    return file_.write(bytes);
  });
  member.packed = member.size;
  member.checksum = static_cast<std::uint32_t>(checksum);
  if (!written || !file_.write_at(member.header_offset, local_header(member).bytes())) return false;
  members_.push_back(std::move(member));
  return true;
}

bool ZipWriter::finish() {
  const std::uint64_t begin = file_.written();
  for (const ZipMember& member : members_) {
    if (!file_.write(central_header(member).bytes())) return false;
  }
  const std::uint64_t end = file_.written();
  Record record;
  record.u32(end64_magic).u64(end64_length - 12).u16(45).u16(45).u32(0).u32(0);
  record.u64(members_.size()).u64(members_.size()).u64(end - begin).u64(begin);
  record.u32(locator64_magic).u32(0).u64(end).u32(1);
  const std::uint64_t count = std::min<std::uint64_t>(members_.size(), 0xffff);
  record.u32(end_magic).u16(0).u16(0).u16(count).u16(count);
  record.u32(std::min<std::uint64_t>(end - begin, see_zip64))
      .u32(std::min<std::uint64_t>(begin, see_zip64))
      .u16(0);
  return file_.write(record.bytes());
}

}  // namespace dvm::driver
