// Evaluates the examples of a file and compares.
#pragma once

#include <optional>
#include <string>

#include "backend/driver/compile.hpp"

namespace dvm::driver {

struct ExampleCounts {
  std::size_t examples = 0;
  std::size_t failures = 0;
};

// Compiles the file with its examples as one module, runs them on the interpreter and on the
// engine, and compares both with each other and with what the comments say. Each example that
// differs is an error (`doc-test`) in the compilation's diagnostics, at its expected value; so is
// what is wrong with the file itself, and then there is no result.
std::optional<ExampleCounts> run_examples(Compilation& compilation, const std::string& path,
                                          const Settings& settings);

}  // namespace dvm::driver
