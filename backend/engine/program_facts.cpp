// What the expander wants to know about templates, worked out once per program.
#include "backend/engine/program_facts.hpp"

#include <algorithm>

namespace dvm::engine {

namespace {

using namespace task;

// Which operands must be complete, not only bound, before the family fires; or need nothing at all
// (values that are passed on).
enum class Need { Nothing, Bound, Complete };

Need need_of(const Family& family, const Slot& operand, std::size_t position) {
  const Action& action = family.action;
  if (std::holds_alternative<Compute>(action) || std::holds_alternative<ReadElement>(action))
    return Need::Complete;
  if (std::holds_alternative<CheckValue>(action))
    return position == 0 ? Need::Nothing : Need::Complete;
  if (std::holds_alternative<Branch>(action) || std::holds_alternative<Loop>(action))
    return position == 0 ? Need::Complete : Need::Nothing;
  if (const auto* call = std::get_if<Call>(&action))
    return std::binary_search(call->awaited.begin(), call->awaited.end(), position) ? Need::Complete
                                                                                    : Need::Nothing;
  if (std::holds_alternative<While>(action) || std::holds_alternative<Each>(action))
    return Need::Nothing;
  if (std::holds_alternative<Alias>(action)) return Need::Bound;
  // Tasks wait for scalars; instantiation only wants the shapes of arrays.
  return operand.is_scalar() ? Need::Nothing : Need::Bound;
}

FamilyFacts facts_of(const Template& owner, const Family& family) {
  FamilyFacts facts;
  const auto touch = [&](SlotId slot) {
    if (std::find(facts.touched.begin(), facts.touched.end(), slot.index) == facts.touched.end())
      facts.touched.push_back(slot.index);
  };
  const auto require = [&](SlotId slot, bool complete, bool perhaps = false) {
    for (Condition& known : facts.conditions)
      if (known.slot == slot.index) {
        known.complete |= complete;
        known.perhaps &= perhaps;
        return;
      }
    facts.conditions.push_back({slot.index, complete, perhaps});
  };
  const auto* work = std::get_if<ArrayWork>(&family.action);
  for (std::size_t k = 0; k < family.operands.size(); ++k) {
    const SlotId slot = family.operands[k];
    touch(slot);
    if (work && work->accesses[k].perhaps) {
      require(slot, true, true);
      continue;
    }
    const Need need = need_of(family, owner.slots[slot], k);
    if (need != Need::Nothing) require(slot, need == Need::Complete);
  }
  for (SlotId slot : needed_sizes(owner, family)) {
    touch(slot);
    require(slot, true);
  }
  for (SlotId slot : family.results) touch(slot);
  return facts;
}

TemplateFacts facts_of(const Template& owner, std::vector<Scalar>& constants) {
  TemplateFacts facts;
  facts.shape = &owner;
  facts.uses.assign(owner.slots.size(), 0);
  facts.constant.assign(owner.slots.size(), -1);
  facts.direct_yield.assign(owner.slots.size(), -1);
  std::vector<bool> made(owner.slots.size(), false);
  for (const Family& family : owner.families) {
    if (const auto* constant = std::get_if<ConstantOf>(&family.action)) {
      facts.families.emplace_back();
      facts.constant[family.results[0].index] = static_cast<std::int32_t>(constants.size());
      constants.push_back(constant->value);
      continue;
    }
    facts.families.push_back(facts_of(owner, family));
    for (std::uint32_t slot : facts.families.back().touched) ++facts.uses[slot];
    for (SlotId result : family.results) made[result.index] = true;
    ++facts.active;
  }
  for (std::size_t k = 0; k < owner.yields.size(); ++k) {
    const std::uint32_t slot = owner.yields[k].index;
    if (made[slot] && facts.direct_yield[slot] < 0)
      facts.direct_yield[slot] = static_cast<std::int32_t>(k);
  }
  for (std::size_t f = 0; f < owner.families.size(); ++f)
    facts.families[f].tail = owner.families[f].results == owner.yields;
  return facts;
}

}  // namespace

ProgramFacts facts_of(const task::Program& program) {
  ProgramFacts facts;
  for (const Template& owner : program.templates)
    facts.templates.push_back(facts_of(owner, facts.constants));
  return facts;
}

}  // namespace dvm::engine
