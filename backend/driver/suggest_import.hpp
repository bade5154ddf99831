// Unknown names that a module which is not imported would bring.
#pragma once

#include "backend/driver/compilation.hpp"
#include "frontend/ast/node.hpp"

namespace dvm::driver {

// Adds to each `unknown-name` and `unknown-type` in the program's own file the import that mends
// it. Looks at the modules beside the program, in the -I folders and in the standard library.
void suggest_imports(Compilation& compilation, const ast::Program& syntax);

}  // namespace dvm::driver
