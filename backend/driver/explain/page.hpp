// The explanation as one page that needs nothing from elsewhere.
#pragma once

#include <string>

#include "backend/driver/explain/explanation.hpp"
#include "ir/base/result.hpp"

namespace dvm::driver {

// HTML with the graph before and after as SVG, and the source with notes. The error is a sentence:
// Graphviz is missing or failed.
Result<std::string, std::string> explain_as_page(const Explanation& explanation,
                                                 const SourceMap& sources);

}  // namespace dvm::driver
