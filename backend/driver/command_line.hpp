// dvmc as a function.
#pragma once

#include <span>
#include <string>

#include "backend/driver/console.hpp"

namespace dvm::driver {

// Runs one command; `arguments` are those after the program's name. Gives the exit status
// (console.hpp); never exits and lets no exception out.
int dvmc_main(std::span<const std::string> arguments, const Console& console);

}  // namespace dvm::driver
