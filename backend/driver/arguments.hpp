// The commands and options of dvmc, as CLI11 knows them.
#pragma once

#include <CLI/CLI.hpp>

#include "backend/driver/options.hpp"

namespace dvm::driver {

// Describes every command to `app`; parsing then fills `options`, which must outlive it.
void describe_commands(CLI::App& app, Options& options);

// The names of the commands, in the order of the help text.
std::vector<std::string> command_names(const CLI::App& app);

}  // namespace dvm::driver
