// Any bytes as a package: refused with a message, or a package that writes back to the same bytes.
#include "backend/package/package.hpp"

#include <cstdlib>
#include <cstring>

#include "frontend/parse/deep_stack.hpp"
#include "ir/task/text.hpp"
#include "ir/task/verify.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  dvm::with_deep_stack([&] {
    const auto bytes = std::as_bytes(std::span(data, size));
    if (const auto package = dvm::package::read(bytes)) {
      const auto written = dvm::package::write(*package);
      if (written.size() != size || std::memcmp(written.data(), data, size) != 0) std::abort();
      dvm::package::inspect(*package);
    }
    // The checksum keeps nearly all damage from the reader of the program's text: that is tried by
    // itself.
    const auto program =
        dvm::task::parse(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!program) return;
    dvm::task::verify(*program);
    const std::string printed = dvm::task::print(*program);
    const auto second = dvm::task::parse(printed);
    if (!second || dvm::task::print(*second) != printed) std::abort();
  });
  return 0;
}
