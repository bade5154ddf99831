// Packages: what is written is read back; anything else is refused with a message.
#include "backend/package/package.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include <cstring>
#include <random>

#include "backend/package/cpu.hpp"
#include "ir/task/text.hpp"

using namespace dvm;

namespace {

package::Package example() {
  const auto program = task::parse(R"(dvt 1
target "x86-64-v3" avx2
grain workers 8 task 0.0001 least 2e-05 cache 1.6e+07 tile 1000000
entry "main" sizes ["n"] inputs [("xs" f64[$0] "Vec n Double")] results ["y"]
check "index {0} is out of range for size {1}" at "f.dvm:3:4" path ["`f`, called at f.dvm:9:1"] values [i64, i64]
kernel @main_map_0 map scratch 8 * $0 + 64
template @main (%n: i64, %xs: f64[n]) {
  %y: f64[n] = map [@main_map_0] space [n] cost [1.5 0.5 (1), 0.25 0.25 (n)] (%n, %xs {0 1 -1 1})
  yield %y
}
)");
  REQUIRE(program);
  std::vector<std::byte> native(1000);
  for (std::size_t k = 0; k < native.size(); ++k) native[k] = static_cast<std::byte>(k * 7);
  return package::make_package(*program, native);
}

void set_checksum(std::vector<std::byte>& bytes) {
  const auto sum = static_cast<std::uint32_t>(crc32(
      0, reinterpret_cast<const Bytef*>(bytes.data() + 16), static_cast<uInt>(bytes.size() - 16)));
  std::memcpy(bytes.data() + 12, &sum, 4);
}

}  // namespace

TEST_CASE("a package reads back to itself") {
  const package::Package package = example();
  const std::vector<std::byte> bytes = package::write(package);
  const auto again = package::read(bytes);
  REQUIRE(again);
  CHECK(package::write(*again) == bytes);
  CHECK(again->native == package.native);
  CHECK(again->needs == package.needs);
  CHECK(task::print(again->program) == task::print(package.program));
  CHECK(package::inspect(*again).find("input       xs: f64[n]") != std::string::npos);
}

TEST_CASE("truncated and changed packages are refused") {
  const std::vector<std::byte> bytes = package::write(example());
  for (std::size_t size = 0; size < bytes.size(); size += size < 64 ? 1 : 37) {
    const auto result = package::read(std::span(bytes).first(size));
    REQUIRE(!result);
    CHECK(!result.error().empty());
  }
  for (std::size_t at = 0; at < bytes.size(); at += at < 200 ? 1 : 13)
    for (const int bit : {0, 3, 7}) {
      std::vector<std::byte> changed = bytes;
      changed[at] ^= static_cast<std::byte>(1 << bit);
      CHECK(!package::read(changed));
    }
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  CHECK(!package::read(longer));
}

TEST_CASE("damage behind a good checksum is found as well") {
  const std::vector<std::byte> bytes = package::write(example());
  std::mt19937 random(1);
  for (int times = 0; times < 4000; ++times) {
    std::vector<std::byte> changed = bytes;
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes)
      changed[24 + random() % (changed.size() - 24)] = static_cast<std::byte>(random() % 256);
    set_checksum(changed);
    const auto result = package::read(changed);  // must not crash; what it accepts is well formed
    if (result) CHECK(package::read(package::write(*result)));
  }
}

TEST_CASE("each kind of refusal has its message") {
  const std::vector<std::byte> bytes = package::write(example());
  const auto message = [](std::vector<std::byte> changed) {
    const auto result = package::read(changed);
    return result ? std::string("accepted") : result.error();
  };
  CHECK(message({}) == "not a dvmc package");
  CHECK(message(std::vector<std::byte>(500, std::byte{'a'})) == "not a dvmc package");
  std::vector<std::byte> newer = bytes;
  newer[8] = std::byte{9};
  CHECK(message(newer) == "the package was made by a newer dvmc: format 9, this one reads up to 2");
  std::vector<std::byte> shorter(bytes.begin(), bytes.end() - 10);
  CHECK(message(shorter).starts_with("the package is truncated"));
  std::vector<std::byte> changed = bytes;
  changed[400] ^= std::byte{1};
  CHECK(message(changed) == "the package is damaged: its checksum does not fit");
}

TEST_CASE("code for another CPU is refused") {
  package::Package package = example();
  package.needs[1] |= 1U << 30 | 1U << 27;  // a bit that no CPU sets under that name
  const auto host = package::host_features();
  const auto missing = package::missing_feature(package.needs, host);
  REQUIRE(missing);
  const auto loaded = package::load(package);
  REQUIRE(!loaded);
  CHECK(loaded.error().find("was built for CPU `x86-64-v3`") != std::string::npos);
  CHECK(!package::missing_feature(package::needed_features("native host"), host));
}

TEST_CASE("what is no shared object is refused") {
  package::Package package = example();
  package.needs = {};
  const auto loaded = package::load(package);
  REQUIRE(!loaded);
  CHECK(loaded.error().starts_with("the native code cannot be loaded"));
}
