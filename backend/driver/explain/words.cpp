// One sentence for each kind of fact.
#include "backend/driver/explain/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace dvm::driver {

namespace {

bool is_nothing(const Size& size) { return size == Size(); }

void add(std::vector<Change>& rows, std::string what, const Size& before, const Size& after,
         const Names& names, bool always) {
  if (always || !is_nothing(before) || !is_nothing(after))
    rows.push_back({std::move(what), names.text(before), names.text(after)});
}

std::vector<Change> rows(const Amounts& before, const Amounts& after, const Names& names,
                         bool always) {
  const auto count = [](std::size_t number) { return Size(static_cast<std::int64_t>(number)); };
  std::vector<Change> all;
  add(all, "arrays in memory", count(before.arrays), count(after.arrays), names, always);
  add(all, "bytes stored", before.stored, after.stored, names, always);
  add(all, "passes over memory", before.passes, after.passes, names, always);
  add(all, "bytes read by passes", before.read, after.read, names, always);
  add(all, "arrays in the cache only", count(before.rows), count(after.rows), names, false);
  add(all, "bytes of those", before.row_bytes, after.row_bytes, names, false);
  add(all, "floating-point operations", before.operations, after.operations, names, always);
  return all;
}

}  // namespace

std::string describe(const Story& story) {
  const bool number = story.type.find('[') == std::string::npos;
  std::string text = story.name.empty() ? std::string(number ? "a number" : "an array")
                                        : fmt::format("`{}`", story.name);
  text += fmt::format(", {}, by {}", story.type, story.operation);
  if (!story.within.empty()) text += fmt::format(" in `{}`", story.within);
  std::vector<std::uint32_t> lines;
  for (const Place& caller : story.callers) lines.push_back(caller.line);
  if (!lines.empty()) text += fmt::format(", called in line {}", fmt::join(lines, " from line "));
  return text;
}

std::string fate_of(const Story& story, const Place& here) {
  const bool number = story.type.find('[') == std::string::npos;
  std::string text;
  switch (story.fate) {
    case Fate::Kept:
      text = number         ? (story.own_pass ? "a pass over memory" : "no pass of its own")
             : story.is_row ? "kept, inside the kernel"
                            : "kept";
      break;
    case Fate::Tiled:
      text = "one tile at a time, in the cache; not fused";
      break;
    case Fate::Fused:
      text = "fused";
      break;
    case Fate::Shared:
      text = "shared";
      break;
    case Fate::Gone:
      return "gone, nothing needs it any more";
  }
  if (!story.reason.empty()) text += ", " + story.reason;
  if (story.other.valid() && story.other != here)
    text += fmt::format(" (line {})", story.other.line);
  return text;
}

std::string_view short_reason(std::string_view verdict) {
  static constexpr std::pair<std::string_view, std::string_view> reasons[] = {
      {"made-at-once", "made as a whole"},
      {"array-rows", "made row by row"},
      {"result", "a result"},
      {"carried", "handed on as a whole"},
      {"wants-memory", "used as a whole"},
      {"checked-read", "read with a check"},
      {"failing-index", "its index may fail"},
      {"may-fail", "may fail"},
      {"long-body", "too long to merge"},
      {"deep-body", "too deep to merge"},
      {"heavy-repeated", "a loop, needed often"},
      {"heavy-reader", "a loop, read by no map"},
      {"stays-anyway", "made with one that is stored"},
      {"repeated", "costly, needed often"},
      {"traffic", "cheaper to store"},
  };
  for (const auto& [word, text] : reasons)
    if (word == verdict) return text;
  return verdict;
}

std::vector<Change> changes(const Amounts& before, const Amounts& after, const Names& names) {
  return rows(before, after, names, false);
}

std::vector<Change> totals(const Amounts& before, const Amounts& after, const Names& names) {
  return rows(before, after, names, true);
}

bool is_worth_telling(const LineStory& line) {
  return !line.stories.empty() || line.before.arrays + line.after.arrays > 0 ||
         !is_nothing(line.before.operations) || !is_nothing(line.after.operations) ||
         !is_nothing(line.before.passes) || !is_nothing(line.after.passes);
}

}  // namespace dvm::driver
