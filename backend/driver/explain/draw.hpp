// A graph as a picture: one box for each pass over memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "backend/driver/explain/explanation.hpp"
#include "ir/base/result.hpp"

namespace dvm::driver {

enum class Side : std::uint8_t { Before, After };

// In the language of Graphviz; nullopt when there are too many boxes to see anything. Boxes have
// classes for the page's style sheet (`kept`, `fused`, …), and links to `#L12` for line 12 of the
// program's own file.
std::optional<std::string> graphviz_text(const Explanation& explanation, Side side,
                                         const SourceMap& sources);
inline constexpr std::size_t most_boxes = 400;

// The `<svg>` element that Graphviz' `dot` makes of it. The error is a sentence.
Result<std::string, std::string> run_graphviz(const std::string& text);

}  // namespace dvm::driver
