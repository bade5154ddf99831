// What stands inside of expressions and patterns.
#pragma once

#include <functional>

#include "frontend/ast/node.hpp"

namespace dvm::ast {

// Visits the expressions directly inside of `expr` in the order of the source: operands, branches,
// guards, sources of generators, and the right-hand sides of local declarations.
void each_part(const Arena& arena, ExprId expr, const std::function<void(ExprId)>& visit);

// Whether `test` holds for the expression or any expression inside of it, however deep.
bool any_inside(const Arena& arena, ExprId expr, const std::function<bool(ExprId)>& test);

// The pattern itself and every pattern inside of it.
void each_pattern(const Arena& arena, PatternId pattern,
                  const std::function<void(PatternId)>& visit);

}  // namespace dvm::ast
