// Names that are near to a misspelt one.
#pragma once

#include <string>
#include <vector>

#include "ir/base/diagnostic.hpp"

namespace dvm {

// Edit distance with transpositions of neighbours (Damerau 1964, restricted form), in bytes.
int edit_distance(const std::string& a, const std::string& b);
// The at most three candidates near enough to be meant, the nearest first.
std::vector<std::string> nearest_names(const std::string& name,
                                       std::vector<std::string> candidates);
// "`map`, `max` or `min`".
std::string one_of(const std::vector<std::string>& names);
// "did you mean …?": with the edit at `place` when there is but one that can be meant; `place` may
// be invalid.
void suggest_nearest(Diagnostic& diagnostic, const std::string& name,
                     std::vector<std::string> candidates, Span place);

}  // namespace dvm
