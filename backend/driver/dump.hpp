// A program as text after any stage.
#pragma once

#include <optional>
#include <string>

#include "backend/driver/compilation.hpp"

namespace dvm::driver {

// `stage`: tokens, layout, ast, check, graph (lowered, with its roundings fixed), a pass of the
// pipeline (after its last execution), tasks, llvm, package.
std::optional<std::string> dump(Compilation& compilation, const std::string& path,
                                const std::string& stage);

}  // namespace dvm::driver
