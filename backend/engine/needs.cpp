// What the results of a loop surely read.
#include "backend/engine/needs.hpp"

namespace dvm::engine {

using namespace task;

namespace {

constexpr int deepest = 200;  // nested loops; beyond, nothing is known to be needed

std::vector<bool> params_of(const Program& program, TemplateId id, const std::vector<bool>& yields,
                            int depth);

// States that the wanted ones need step after step, and the captures of both.
std::vector<bool> operands_of(const Program& program, const Family& family,
                              const std::vector<bool>& results, int depth) {
  std::vector<bool> operands(family.operands.size(), false);
  if (const auto* each = std::get_if<Each>(&family.action); each && depth <= deepest) {
    const std::vector<bool> params = params_of(program, each->body, results, depth + 1);
    operands.assign(params.begin() + static_cast<std::ptrdiff_t>(each->space.size()), params.end());
    return operands;
  }
  const auto* counted = std::get_if<Loop>(&family.action);
  const auto* loop = std::get_if<While>(&family.action);
  if (depth > deepest || (!counted && !loop)) return operands;
  const std::size_t states = counted ? counted->states : loop->states;
  const std::size_t first =
      counted ? 1 : 0;  // operand of the first state; param too, as the step comes first
  std::vector<bool> wanted = results;
  if (counted) operands[0] = true;
  while (true) {
    std::vector<bool> params =
        params_of(program, counted ? counted->body : loop->body, wanted, depth + 1);
    if (loop) {
      const std::vector<bool> asked = params_of(program, loop->condition, {true}, depth + 1);
      for (std::size_t k = 0; k < params.size(); ++k) params[k] = params[k] || asked[k];
    }
    bool grew = false;
    for (std::size_t k = 0; k < states; ++k)
      if (params[first + k] && !wanted[k]) wanted[k] = grew = true;
    if (grew) continue;
    for (std::size_t k = first; k < operands.size(); ++k)
      operands[k] = params[k] || (k - first < states && wanted[k - first]);
    return operands;
  }
}

std::vector<bool> params_of(const Program& program, TemplateId id, const std::vector<bool>& yields,
                            int depth) {
  const Template& owner = program.templates[id];
  std::vector<bool> slots(owner.slots.size(), false);
  for (std::size_t k = 0; k < yields.size(); ++k)
    if (yields[k]) slots[owner.yields[k].index] = true;
  const auto need_size = [&](const Size& size) {
    size.symbols([&](Size::Symbol symbol) { slots[symbol] = true; });
  };
  // Definitions come before uses, so one walk backwards sees all.
  for (auto family = owner.families.rbegin(); family != owner.families.rend(); ++family) {
    std::vector<bool> results;
    bool any = false;
    for (SlotId result : family->results) {
      results.push_back(slots[result.index]);
      any |= results.back();
    }
    if (!any) continue;
    for (SlotId size : needed_sizes(owner, *family)) slots[size.index] = true;
    for (SlotId result : family->results)
      if (slots[result.index])
        for (const Size& extent : owner.slots[result].shape) need_size(extent);
    const bool loops = std::holds_alternative<Loop>(family->action) ||
                       std::holds_alternative<While>(family->action) ||
                       std::holds_alternative<Each>(family->action);
    const bool branches = std::holds_alternative<Branch>(family->action);
    const std::vector<bool> inside =
        loops ? operands_of(program, *family, results, depth + 1) : std::vector<bool>{};
    const auto* work = std::get_if<ArrayWork>(&family->action);
    for (std::size_t k = 0; k < family->operands.size(); ++k)
      if (work && work->accesses[k].perhaps)
        continue;
      else if (loops ? inside[k] : !branches || k == 0)
        slots[family->operands[k].index] = true;
  }
  std::vector<bool> params;
  for (SlotId param : owner.params) params.push_back(slots[param.index]);
  return params;
}

}  // namespace

std::vector<bool> needed_operands(const Program& program, const Family& loop,
                                  const std::vector<bool>& results) {
  return operands_of(program, loop, results, 0);
}

}  // namespace dvm::engine
