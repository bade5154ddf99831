// Syntax back to source. `dvmc dump --after=ast` and `dvmc fmt` print through this.
#pragma once

#include <string>

#include "frontend/ast/node.hpp"

namespace dvm::ast {

// parse(print(m)) == m up to places.
std::string print(const Program& program, const Module& module);

}  // namespace dvm::ast
