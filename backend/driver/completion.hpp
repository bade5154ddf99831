// Completion scripts for shells, made from the commands and options themselves.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace dvm::driver {

// `shell` is bash, zsh or fish.
std::string completion_script(const CLI::App& app, const std::string& shell);

}  // namespace dvm::driver
