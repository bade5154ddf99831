// The modules that could be imported.
#pragma once

#include <string>
#include <vector>

namespace dvm::parse {

// Modules whose files lie directly in the folder ("" is the current one), sorted; none when it
// cannot be read.
std::vector<std::string> modules_in(const std::string& folder);

}  // namespace dvm::parse
