// A suggestion as text: what to do, and the lines as they would then be.
#pragma once

#include <string>

#include "ir/base/diagnostic.hpp"

namespace dvm {

//   help: make a float of it:
//     |
//   7 | mean xs = sum xs / fromIntegral (length xs)
//     |                    ++++++++++++++         +
// Text that takes the place of other text is marked with `~`; a line of its own stands behind `+`.
std::string render_suggestion(const Suggestion& suggestion, const SourceMap& sources);

}  // namespace dvm
