// What a module defines, by name, and import lines as text.
#pragma once

#include <string>
#include <vector>

#include "frontend/ast/node.hpp"

namespace dvm::driver {

// Functions, values, types, classes, constructors, fields and methods, in the order of the text.
std::vector<std::string> declared_names(const ast::Module& module, const ast::Arena& arena);

// An operator in parentheses, another name as it is.
std::string in_parentheses(const std::string& name);

// `import M hiding (a, b)`.
std::string import_line(const std::string& module, const std::vector<std::string>& hidden);
// The import as it was written, without the names in `hidden`.
std::string import_line(const ast::Import& import, const std::vector<std::string>& hidden);

}  // namespace dvm::driver
