// Names, types, classes and sizes of a whole program.
#pragma once

#include <optional>

#include "frontend/check/typed.hpp"
#include "ir/base/diagnostic.hpp"

namespace dvm::check {

// nullopt when any error was reported; `program` must outlive the result.
std::optional<typed::Program> check(const ast::Program& program, const SourceMap& sources,
                                    Diagnostics& out);

// The last module with the type of every binding written out (dvmc dump --after=check).
std::string print_typed(const typed::Program& program, const SourceMap& sources);

}  // namespace dvm::check
