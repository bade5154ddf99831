// Which build of dvmc this is.
#pragma once

#include <string>
#include <string_view>

namespace dvm::driver {

inline constexpr std::string_view version = "0.1.0";

// Hexadecimal, different for every build that differs: the linker's build id, else the size and
// time of the executable file.
std::string build_id();

}  // namespace dvm::driver
