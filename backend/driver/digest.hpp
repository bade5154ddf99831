// SHA-256 (FIPS 180-4), for names of cached packages.
#pragma once

#include <string>
#include <string_view>

namespace dvm::driver {

// 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace dvm::driver
