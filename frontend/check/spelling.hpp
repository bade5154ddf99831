// Names that are near to a misspelt one.
#pragma once

#include <string>
#include <vector>

namespace dvm::check {

// Edit distance with transpositions of neighbours (Damerau 1964, restricted form), in bytes.
int edit_distance(const std::string& a, const std::string& b);
// The candidates near enough to be meant, the nearest first: "`map`, `max` or `min`"; empty when
// none is.
std::string nearest_text(const std::string& name, std::vector<std::string> candidates);

}  // namespace dvm::check
