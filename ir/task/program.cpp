// Names and facts of families.
#include "ir/task/program.hpp"

#include <algorithm>
#include <type_traits>

namespace dvm::task {

std::string_view name(ArrayWork::Kind kind) {
  constexpr std::string_view names[] = {"map",           "reduce",  "scan",
                                        "reduce_by_key", "scatter", "filter"};
  return names[static_cast<int>(kind)];
}

std::vector<kernel::Phase> phases(ArrayWork::Kind kind) {
  using kernel::Phase;
  switch (kind) {
    case ArrayWork::Kind::Map:
      return {Phase::Map};
    case ArrayWork::Kind::Reduce:
      return {Phase::ReduceWhole, Phase::ReduceBlocks, Phase::ReduceCombine};
    case ArrayWork::Kind::Scan:
      return {Phase::ScanWhole, Phase::ScanTotals, Phase::ScanOffsets, Phase::ScanApply};
    case ArrayWork::Kind::Keys:
      return {Phase::KeyBlocks, Phase::KeyCombine};
    case ArrayWork::Kind::Scatter:
      return {Phase::Scatter};
    case ArrayWork::Kind::Filter:
      return {Phase::FilterCount, Phase::FilterWrite};
  }
  return {};
}

std::string_view mnemonic(const Action& action) {
  constexpr std::string_view names[] = {"constant", "size",   "compute", "read", "check",
                                        "work",     "alias",  "concat",  "sort", "loop",
                                        "while",    "branch", "call",    "each"};
  if (const auto* work = std::get_if<ArrayWork>(&action)) return name(work->kind);
  return names[action.index()];
}

std::vector<SlotId> needed_sizes(const Template& owner, const Family& family) {
  std::vector<SlotId> needed;
  const auto add = [&](const Size& size) {
    size.symbols([&](Size::Symbol symbol) {
      const SlotId slot{symbol};
      if (std::find(needed.begin(), needed.end(), slot) == needed.end()) needed.push_back(slot);
    });
  };
  if (const auto* size = std::get_if<SizeValue>(&family.action)) add(size->size);
  if (const auto* work = std::get_if<ArrayWork>(&family.action)) {
    for (const Size& extent : work->space) add(extent);
    add(work->extent);
    add(work->keys);
    for (const CostTerm& term : work->cost) add(term.times);
  }
  if (const auto* each = std::get_if<Each>(&family.action))
    for (const Size& extent : each->space) add(extent);
  const bool opaque = std::holds_alternative<While>(family.action) ||
                      std::holds_alternative<Branch>(family.action) ||
                      std::holds_alternative<Call>(family.action);
  if (opaque) return needed;  // their results are bound by what they instantiate
  for (SlotId result : family.results)
    for (const Size& extent : owner.slots[result].shape) add(extent);
  std::erase_if(needed, [&](SlotId slot) {
    return std::find(family.results.begin(), family.results.end(), slot) != family.results.end();
  });
  return needed;
}

}  // namespace dvm::task
