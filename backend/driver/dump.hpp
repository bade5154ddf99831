// A program as text after any stage.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/driver/compilation.hpp"
#include "frontend/check/typed.hpp"

namespace dvm::driver {

// `stage`: tokens, layout, ast, check, graph (lowered, with its roundings fixed), a pass of the
// pipeline (after its last execution), tasks, llvm, package.
std::optional<std::string> dump(Compilation& compilation, const std::string& path,
                                const std::string& stage);

// The names of all stages; `is_stage` stops with a message when it is none of them.
std::vector<std::string> stage_names();
bool is_stage(Compilation& compilation, const std::string& stage);

// The stages from `graph` on, of one entry.
std::optional<std::string> dump_entry(Compilation& compilation, const typed::Program& typed,
                                      typed::BindingId entry, const std::string& stage);

}  // namespace dvm::driver
