// Which array of the graph before an array of the graph after is: a number in its name, which every
// pass keeps.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "ir/graph/graph.hpp"

namespace dvm::driver {

// Gives every result of an array operation a name such as `xs#17`, numbers and arrays alike. What
// had no name is called `#17`.
void add_tags(graph::Module& module);
std::optional<std::size_t> tag_of(std::string_view name);
// Every `#17` removed.
std::string without_tags(std::string_view text);

}  // namespace dvm::driver
