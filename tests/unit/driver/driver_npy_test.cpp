// .npy and .npz files: every element type, orders, versions, damage.
#include <doctest/doctest.h>
#include <unistd.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "backend/driver/files.hpp"
#include "backend/driver/npy.hpp"
#include "backend/driver/npy_header.hpp"
#include "backend/driver/npz.hpp"
#include "backend/driver/outputs.hpp"

using namespace dvm;
using namespace dvm::driver;

namespace {

// A folder of this test's own, removed at the end.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string form = (std::filesystem::temp_directory_path() / "dvm-npy-XXXXXX").string();
    path = mkdtemp(form.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path), {}));
  }
};

void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}
std::string get(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string npy(const std::string& dictionary, const std::string& data, int version = 1) {
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  text += static_cast<char>(dictionary.size() & 0xff);
  text += static_cast<char>(dictionary.size() >> 8);
  if (version > 1) text += std::string(2, '\0');
  return text + dictionary + data;
}

Tensor filled(ElementType element, std::vector<std::int64_t> shape) {
  Tensor tensor = *Tensor::make(element, std::move(shape));
  for (std::int64_t i = 0; i < tensor.count(); ++i) {
    tensor.set(i,
               is_float(element)
                   ? Scalar::of_float(element, 0.25 * static_cast<double>(i) - 3)
                   : Scalar::of_integer(element, element == ElementType::Bool ? i % 2 : i * 7 - 3));
  }
  return tensor;
}

std::string save(const Folder& folder, const std::string& name, const Tensor& tensor) {
  const std::string names[] = {"result"};
  const Tensor tensors[] = {tensor};
  const auto target = parse_output(folder.file(name));
  REQUIRE(target.ok());
  CHECK(write_outputs(*target, names, tensors) == std::nullopt);
  return folder.file(name);
}

}  // namespace

TEST_CASE("every element type and rank survives writing and reading") {
  const Folder folder;
  for (int i = 0; i < element_type_count; ++i) {
    for (const auto& shape : {std::vector<std::int64_t>{}, {5}, {0}, {2, 3, 4}, {3, 0}}) {
      const Tensor tensor = filled(static_cast<ElementType>(i), shape);
      const auto back = read_npy(save(folder, "a.npy", tensor));
      REQUIRE_MESSAGE(back.ok(), back.error());
      CHECK(identical(*back, tensor));
    }
  }
  CHECK(folder.entries() == 1);  // no temporary file is left
}

TEST_CASE("data starts at a multiple of 64 bytes and the header is NumPy's") {
  const std::string header = print_npy_header({ElementType::F64, false, false, {3}});
  CHECK(header.size() % 64 == 0);
  CHECK(header.substr(10, 60).starts_with(
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }"));
  CHECK(print_npy_header({ElementType::Bool, false, false, {}}).find("'|b1'") != std::string::npos);
}

TEST_CASE("versions 2 and 3, double quotes, any key order and long suffixes are read") {
  const Folder folder;
  const std::string three("\x01\x02\x03", 3);
  put(folder.file("a.npy"),
      npy("{\"shape\": (3L,), \"fortran_order\": False, \"descr\": \"|u1\"}\n", three, 2));
  auto back = read_npy(folder.file("a.npy"));
  REQUIRE_MESSAGE(back.ok(), back.error());
  CHECK(back->shape == std::vector<std::int64_t>{3});
  CHECK(back->at(2).as_u64() == 3);
  put(folder.file("a.npy"),
      npy("{'descr': '?', 'fortran_order': False, 'shape': (3), }", three, 3));
  back = read_npy(folder.file("a.npy"));
  REQUIRE_MESSAGE(back.ok(), back.error());
  CHECK(back->element == ElementType::Bool);
  CHECK(static_cast<int>(back->data.get()[2]) == 1);  // any non-zero byte is True
}

TEST_CASE("Fortran order becomes C order at every rank and width") {
  const Folder folder;
  for (const auto& shape :
       {std::vector<std::int64_t>{3, 4}, {70, 45}, {2, 3, 4}, {2, 3, 1, 5}, {40, 2, 3, 50}}) {
    const Tensor want = filled(ElementType::I16, shape);
    std::vector<std::int64_t> index(shape.size(), 0);
    std::string data(want.bytes(), '\0');
    for (std::int64_t flat = 0; flat < want.count(); ++flat) {
      std::int64_t offset = 0;
      for (std::size_t axis = shape.size(); axis-- > 0;)
        offset = offset * shape[axis] + index[axis];
      want.at(flat).store(data.data() + offset * 2);
      for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (++index[axis] < shape[axis]) break;
        index[axis] = 0;
      }
    }
    std::string text;
    for (const auto extent : shape) text += std::to_string(extent) + ", ";
    put(folder.file("f.npy"),
        npy("{'descr': '<i2', 'fortran_order': True, 'shape': (" + text + "), }", data));
    const auto back = read_npy(folder.file("f.npy"));
    REQUIRE_MESSAGE(back.ok(), back.error());
    CHECK(identical(*back, want));
  }
}

TEST_CASE("big-endian numbers are converted") {
  const Folder folder;
  put(folder.file("b.npy"), npy("{'descr': '>f8', 'fortran_order': False, 'shape': (), }",
                                std::string("\x40\x09\x00\x00\x00\x00\x00\x00", 8)));
  auto back = read_npy(folder.file("b.npy"));
  REQUIRE_MESSAGE(back.ok(), back.error());
  CHECK(back->at(0).as_double() == 3.125);
  put(folder.file("b.npy"), npy("{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }",
                                std::string("\x00\x00\x01\x02\xff\xff\xff\xfe", 8)));
  back = read_npy(folder.file("b.npy"));
  REQUIRE_MESSAGE(back.ok(), back.error());
  CHECK(back->at(0).as_i64() == 258);
  CHECK(back->at(1).as_i64() == -2);
}

TEST_CASE("every NaN is written as the canonical one") {
  const Folder folder;
  Tensor tensor = *Tensor::make(ElementType::F64, {3});
  const std::uint64_t odd = 0xfff8000000001234u;
  std::memcpy(tensor.data.get() + 8, &odd, 8);
  const std::string bytes = get(save(folder, "n.npy", tensor));
  std::uint64_t written = 0;
  std::memcpy(&written, bytes.data() + bytes.size() - 16, 8);
  CHECK(written == 0x7ff8000000000000u);
}

TEST_CASE("types without a counterpart are refused by name") {
  const auto refusal = [](const std::string& descr) {
    const auto header =
        parse_npy_header("{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,), }");
    REQUIRE(!header.ok());
    return header.error();
  };
  CHECK(refusal("'<f2'") ==
        "holds float16, which is not supported (convert it with `.astype('float32')`)");
  CHECK(refusal("'<f16'").starts_with("holds float128"));
  CHECK(refusal("'<c16'").starts_with("holds complex128"));
  CHECK(refusal("'|O'") == "holds Python objects, which are not supported");
  CHECK(refusal("'<U5'") == "holds strings, which are not supported");
  CHECK(refusal("'<M8[ns]'").starts_with("holds dates or times"));
  CHECK(refusal("[('x', '<f8')]").starts_with("holds records"));
  CHECK(refusal("'<q9'").find("unknown element type") != std::string::npos);
  CHECK(refusal("''").find("empty") != std::string::npos);
}

TEST_CASE("damaged files are refused: every truncation, and changes of the header") {
  const Folder folder;
  const std::string whole = get(save(folder, "a.npy", filled(ElementType::F64, {4, 2})));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    put(folder.file("t.npy"), whole.substr(0, length));
    CHECK(!read_npy(folder.file("t.npy")).ok());
  }
  put(folder.file("t.npy"), whole + "x");
  CHECK(read_npy(folder.file("t.npy")).error().find("1 bytes follow its data") !=
        std::string::npos);
  for (std::size_t at = 0; at < 80; ++at) {
    for (const char byte : {'\0', '\xff', '9', '(', '\''}) {
      std::string changed = whole;
      changed[at] = byte;
      put(folder.file("t.npy"), changed);
      const auto back =
          read_npy(folder.file("t.npy"));  // must not crash; may still be a valid file
      if (back.ok()) CHECK(back->bytes() <= 64);
    }
  }
  const std::string huge =
      "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }";
  put(folder.file("t.npy"), npy(huge, ""));
  CHECK(read_npy(folder.file("t.npy")).error().find("is truncated") != std::string::npos);
  CHECK(read_npy(folder.file("missing.npy")).error().find("no such file") != std::string::npos);
  CHECK(read_npy(folder.path.string()).error().find("it is a folder") != std::string::npos);
}

TEST_CASE("an archive gives back its arrays by key and names the keys it has") {
  const Folder folder;
  const std::string names[] = {"call", "put"};
  const Tensor tensors[] = {filled(ElementType::F64, {3, 2}), filled(ElementType::I32, {})};
  const std::string path = folder.file("o.npz");
  CHECK(write_outputs(*parse_output(path), names, tensors) == std::nullopt);
  for (int i = 0; i < 2; ++i) {
    const auto back = read_npz(path, names[i]);
    REQUIRE_MESSAGE(back.ok(), back.error());
    CHECK(identical(*back, tensors[i]));
  }
  CHECK(read_npz(path, "cal").error() == "`" + path + "` has no array `cal`; it has `call`, `put`");
}

TEST_CASE("a damaged archive is refused, wherever a byte is changed or the end is cut") {
  const Folder folder;
  const std::string names[] = {"a"};
  const Tensor tensors[] = {filled(ElementType::F64, {8})};
  const std::string path = folder.file("o.npz");
  CHECK(write_outputs(*parse_output(path), names, tensors) == std::nullopt);
  const std::string whole = get(path);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    put(path, whole.substr(0, length));
    CHECK(!read_npz(path, "a").ok());
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    put(path, changed);
    const auto back = read_npz(path, "a");  // fields that nobody reads (dates) may change
    if (back.ok()) CHECK(identical(*back, tensors[0]));
  }
}

TEST_CASE("a deflated member is inflated and its checksum compared") {
  const Folder folder;
  const Tensor tensor = filled(ElementType::F64, {5000});
  std::string plain;
  write_npy(tensor, [&](std::span<const std::byte> bytes) {
    plain.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return true;
  });
  std::string packed(compressBound(plain.size()), '\0');
  z_stream stream = {};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  const auto number = [](std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
    return text;
  };
  const auto archive = [&](std::uint64_t checksum) {
    const std::string facts = number(20, 2) + number(0, 2) + number(8, 2) + number(0, 4) +
                              number(checksum, 4) + number(packed.size(), 4) +
                              number(plain.size(), 4) + number(5, 2) + number(0, 2);
    const std::string local = "PK\x03\x04" + facts + "a.npy" + packed;
    const std::string central = "PK\x01\x02" + number(20, 2) + facts + number(0, 2) + number(0, 2) +
                                number(0, 2) + number(0, 4) + number(0, 4) + "a.npy";
    return local + central + "PK\x05\x06" + number(0, 4) + number(1, 2) + number(1, 2) +
           number(central.size(), 4) + number(local.size(), 4) + number(0, 2);
  };
  const auto checksum =
      crc32(0, reinterpret_cast<const Bytef*>(plain.data()), static_cast<uInt>(plain.size()));
  put(folder.file("d.npz"), archive(checksum));
  const auto back = read_npz(folder.file("d.npz"), "a");
  REQUIRE_MESSAGE(back.ok(), back.error());
  CHECK(identical(*back, tensor));
  put(folder.file("d.npz"), archive(checksum ^ 1));
  CHECK(read_npz(folder.file("d.npz"), "a").error().find("is damaged") != std::string::npos);
}

TEST_CASE("several results go to a folder, one file each, or to nothing at all") {
  const Folder folder;
  const std::string names[] = {"x", "y.z"};
  const Tensor tensors[] = {filled(ElementType::F32, {2}), filled(ElementType::U8, {2})};
  const auto target = parse_output(folder.file("new/deep/"));
  CHECK(write_outputs(*target, names, tensors) == std::nullopt);
  CHECK(read_npy(folder.file("new/deep/y.z.npy")).ok());
  CHECK(check_output(*parse_output(folder.file("o.npy")), names)
            ->find("holds one array, but there are 2 results (x, y.z)") != std::string::npos);
  CHECK(!parse_output(folder.file("o.txt")).ok());
  // The second file cannot be made: the first must not appear either.
  std::filesystem::create_directories(folder.file("blocked/y.z.npy"));
  CHECK(write_outputs(*parse_output(folder.file("blocked/")), names, tensors) != std::nullopt);
  CHECK(!std::filesystem::exists(folder.file("blocked/x.npy")));
  CHECK(write_outputs(*parse_output(folder.file("no/such/o.npy")), {names, 1}, {tensors, 1})
            ->find("no such file") != std::string::npos);
}
