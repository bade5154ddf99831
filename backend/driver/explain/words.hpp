// The sentences that the text and the page have in common.
#pragma once

#include <string>
#include <vector>

#include "backend/driver/explain/explanation.hpp"

namespace dvm::driver {

// "`z`, f64[n, d], made by a map".
std::string describe(const Story& story);
// "fused: each element is …". `here`: the line of the story.
std::string fate_of(const Story& story, const Place& here);

// The reason in two or three words, for a box in a picture; empty: none is known.
std::string_view short_reason(std::string_view verdict);

struct Change {
  std::string what;  // "bytes stored"
  std::string before, after;
  std::string text() const { return before == after ? after : before + " → " + after; }
};
// What of a line is not nothing both before and after.
std::vector<Change> changes(const Amounts& before, const Amounts& after, const Names& names);
// All amounts; rows inside kernels only if there are any.
std::vector<Change> totals(const Amounts& before, const Amounts& after, const Names& names);

// Something is made or computed there.
bool is_worth_telling(const LineStory& line);

}  // namespace dvm::driver
