// What the results of a loop read: one walk backwards over each template.
#include "backend/engine/needs.hpp"

namespace dvm::engine {

using namespace task;

namespace {

constexpr int deepest = 200;  // nested loops; beyond, nothing is known to be needed

enum class Branches { Neither, Both };  // which sides count

std::vector<bool> params_of(const Program& program, TemplateId id, const std::vector<bool>& yields,
                            Branches branches, int depth);

// States that the wanted ones need step after step, and the captures of both.
std::vector<bool> operands_of(const Program& program, const Family& family,
                              const std::vector<bool>& results, Branches branches, int depth) {
  std::vector<bool> operands(family.operands.size(), false);
  if (const auto* each = std::get_if<Each>(&family.action); each && depth <= deepest) {
    const std::vector<bool> params = params_of(program, each->body, results, branches, depth + 1);
    operands.assign(params.begin() + static_cast<std::ptrdiff_t>(each->space.size()), params.end());
    return operands;
  }
  const auto* counted = std::get_if<Loop>(&family.action);
  const auto* loop = std::get_if<While>(&family.action);
  const auto* branch = std::get_if<Branch>(&family.action);
  if (branch) {
    operands[0] = true;
    if (branches == Branches::Neither || depth > deepest) return operands;
    for (TemplateId side : {branch->taken, branch->otherwise}) {
      const std::vector<bool> params = params_of(program, side, results, branches, depth + 1);
      for (std::size_t k = 0; k < params.size(); ++k)
        operands[k + 1] = operands[k + 1] || params[k];
    }
    return operands;
  }
  if (depth > deepest || (!counted && !loop)) return operands;
  const std::size_t states = counted ? counted->states : loop->states;
  const std::size_t first =
      counted ? 1 : 0;  // operand of the first state; param too, as the step comes first
  std::vector<bool> wanted = results;
  if (counted) operands[0] = true;
  while (true) {
    std::vector<bool> params =
        params_of(program, counted ? counted->body : loop->body, wanted, branches, depth + 1);
    if (loop) {
      const std::vector<bool> asked =
          params_of(program, loop->condition, {true}, branches, depth + 1);
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
                            Branches branches, int depth) {
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
    const bool nested = std::holds_alternative<Loop>(family->action) ||
                        std::holds_alternative<While>(family->action) ||
                        std::holds_alternative<Each>(family->action) ||
                        std::holds_alternative<Branch>(family->action);
    const std::vector<bool> inside =
        nested ? operands_of(program, *family, results, branches, depth + 1) : std::vector<bool>{};
    const auto* work = std::get_if<ArrayWork>(&family->action);
    for (std::size_t k = 0; k < family->operands.size(); ++k)
      if (work && work->accesses[k].perhaps && branches == Branches::Neither)
        continue;
      else if (!nested || inside[k])
        slots[family->operands[k].index] = true;
  }
  std::vector<bool> params;
  for (SlotId param : owner.params) params.push_back(slots[param.index]);
  return params;
}

}  // namespace

std::vector<bool> needed_operands(const Program& program, const Family& loop,
                                  const std::vector<bool>& results) {
  return operands_of(program, loop, results, Branches::Neither, 0);
}

std::vector<std::vector<bool>> states_behind(const Program& program, const Family& loop) {
  const auto* counted = std::get_if<Loop>(&loop.action);
  const auto* open = std::get_if<While>(&loop.action);
  const std::size_t states = counted ? counted->states : open->states;
  const std::size_t first = counted ? 1 : 0;
  bool alone = true;  // a state that failed fails the next one, and nothing else
  std::vector<std::vector<bool>> behind;
  for (std::size_t k = 0; k < loop.results.size(); ++k) {
    std::vector<bool> wanted(loop.results.size(), false);
    wanted[k] = true;
    const std::vector<bool> operands = operands_of(program, loop, wanted, Branches::Both, 0);
    const auto begin = operands.begin() + static_cast<std::ptrdiff_t>(first);
    behind.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(states));
    for (std::size_t state = 0; state < states; ++state)
      alone = alone && (state == k || !behind[k][state]);
    if (k >= states) continue;
    const auto reads = [&](TemplateId id, const std::vector<bool>& yields) -> bool {
      return params_of(program, id, yields, Branches::Neither, 0)[first + k];
    };
    alone = alone && (reads(counted ? counted->body : open->body, wanted) ||
                      (open && reads(open->condition, {true})));
  }
  if (alone) behind.clear();
  return behind;
}

}  // namespace dvm::engine
