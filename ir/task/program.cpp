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
                                        "while",    "branch", "call",    "each", "chain"};
  if (const auto* work = std::get_if<ArrayWork>(&action)) return name(work->kind);
  return names[action.index()];
}

std::vector<SlotId> outer_operands(const Chain& chain) {
  std::vector<SlotId> outer, made;
  const auto has = [](const std::vector<SlotId>& slots, SlotId slot) {
    return std::find(slots.begin(), slots.end(), slot) != slots.end();
  };
  for (const Stage& stage : chain.stages) {
    for (SlotId operand : stage.operands)
      if (!has(made, operand) && !has(outer, operand)) outer.push_back(operand);
    made.insert(made.end(), stage.results.begin(), stage.results.end());
  }
  return outer;
}

void keep_what_is_read(Template& owner) {
  std::vector<bool> read(owner.slots.size(), false);
  for (const Family& family : owner.families)
    for (SlotId operand : family.operands) read[operand.index] = true;
  for (SlotId yield : owner.yields) read[yield.index] = true;
  for (Family& family : owner.families) {
    auto* chain = std::get_if<Chain>(&family.action);
    if (chain == nullptr) continue;
    chain->kept.clear();
    for (const Stage& stage : chain->stages)
      for (SlotId result : stage.results)
        if (stage.by_blocks || read[result.index]) chain->kept.push_back(result);
  }
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
  const auto add_work = [&](const ArrayWork& work) {
    for (const Size& extent : work.space) add(extent);
    add(work.extent);
    add(work.keys);
    for (const CostTerm& term : work.cost) add(term.times);
  };
  if (const auto* work = std::get_if<ArrayWork>(&family.action)) add_work(*work);
  if (const auto* chain = std::get_if<Chain>(&family.action))
    for (const Stage& stage : chain->stages) add_work(stage.work);
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
