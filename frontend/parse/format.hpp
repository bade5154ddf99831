// The formatter behind `dvmc fmt`.
#pragma once

#include <optional>
#include <string>

#include "ir/base/diagnostic.hpp"

namespace dvm::parse {

// The file in the house style, comments kept. Formatting the result again changes nothing. nullopt,
// and errors in `out`, when the file does not parse; a file that cannot be formatted without
// changing what it says is returned as it is.
std::optional<std::string> format(SourceMap& sources, FileId file, Diagnostics& out);

}  // namespace dvm::parse
