// The compiler as a whole: from a file to a package.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backend/driver/front.hpp"
#include "backend/driver/times.hpp"
#include "backend/llvm/compile.hpp"
#include "backend/package/loaded.hpp"

namespace dvm::driver {

// What interpreter and planner start from: the graph that is the program's meaning, and the target
// whose vector routines its elementary functions mean.
struct Elaborated {
  graph::Module graph;
  llvm_backend::Target target;
};
std::optional<Elaborated> elaborate(Compilation& compilation, const std::string& path);

}  // namespace dvm::driver
