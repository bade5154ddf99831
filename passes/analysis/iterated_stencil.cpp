// Follows each step from its states on: for every array, how far an element looks into the states.
#include "passes/analysis/iterated_stencil.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "ir/graph/affine.hpp"
#include "passes/analysis/cell_distance.hpp"
#include "passes/analysis/ranges.hpp"
#include "passes/analysis/users.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

// Inner loops of so many steps are followed step by step.
constexpr std::int64_t max_inner_steps = 64;

using Box = std::vector<CellDistance>;  // by dimension

// What an element of an array needs of the states: around its own place.
using Needs = std::map<ValueId, Box>;

void join(Needs& needs, ValueId state, const Box& box) {
  const auto [found, fresh] = needs.try_emplace(state, box);
  if (fresh) return;
  for (std::size_t d = 0; d < box.size(); ++d) found->second[d].join(box[d]);
}

// What is needed of the states when an array is read in a box around the own place.
void join_after(Needs& needs, const Box& outer, const Needs& inner) {
  for (const auto& [state, box] : inner) {
    Box sum;
    for (std::size_t d = 0; d < box.size(); ++d) sum.push_back(outer[d].after(box[d]));
    join(needs, state, sum);
  }
}

// How a value depends on the states.
struct Flow {
  Needs needs;  // of an array without obstacle; empty: it does not depend on them
  StencilObstacle obstacle = StencilObstacle::None;
  NodeId culprit;

  bool depends() const { return !needs.empty() || obstacle != StencilObstacle::None; }
};

// What is evaluated at every cell: a map, or a sum over a window.
const std::vector<Size>* space_of(const Op& op) {
  if (const auto* map = std::get_if<Map>(&op)) return &map->space;
  const auto* reduce = std::get_if<Reduce>(&op);
  return reduce != nullptr ? &reduce->space : nullptr;
}

Flow stopped(StencilObstacle obstacle, NodeId culprit) { return {{}, obstacle, culprit}; }

class Stencils {
 public:
  explicit Stencils(const Function& function)
      : function_(function),
        forms_(function),
        ranges_(function, forms_),
        distances_(function, forms_, ranges_) {}

  std::vector<LoopFinding> run() {
    region(function_.body);
    return std::move(findings_);
  }

 private:
  // One step of a loop, inside of the steps around it.
  struct Step {
    const Step* outer;
    std::vector<Size> shape;  // of the cells
    std::unordered_map<ValueId, Flow> flows;
    std::size_t maps = 0;

    const Flow* find(ValueId value) const {
      for (const Step* step = this; step != nullptr; step = step->outer)
        if (const auto found = step->flows.find(value); found != step->flows.end())
          return &found->second;
      return nullptr;
    }
  };

  void region(RegionId id) {
    for (NodeId each : function_.regions[id].nodes) {
      const Node& node = function_.nodes[each];
      if (std::holds_alternative<Loop>(node.op)) find(each);
      for (std::size_t k = 0; k < node.regions.size(); ++k) {
        ranges_.enter(each, k);
        region(node.regions[k]);
        ranges_.leave();
      }
    }
  }

  bool is_array(ValueId value) const { return !function_.values[value].type.is_scalar(); }
  const std::vector<Size>& shape_of(ValueId value) const {
    return function_.values[value].type.shape;
  }

  // --- loops

  // States that a step makes anew; the others stay what they are.
  std::vector<std::size_t> changing(NodeId loop) const {
    const Node& node = function_.nodes[loop];
    const Region& body = function_.regions[node.regions[0]];
    std::vector<std::size_t> states;
    for (std::size_t k = 0; k + 1 < node.operands.size(); ++k)
      if (body.yields[k] != body.params[k + 1]) states.push_back(k);
    return states;
  }

  void find(NodeId loop) {
    const Region& body = function_.regions[function_.nodes[loop].regions[0]];
    const std::vector<std::size_t> states = changing(loop);
    if (std::none_of(states.begin(), states.end(),
                     [&](std::size_t k) { return is_array(body.params[k + 1]); }))
      return;
    LoopFinding finding;
    finding.loop = loop;
    Step step{nullptr, {}, {}, 0};
    const std::vector<Flow> next = one_step(loop, states, step);
    for (std::size_t k = 0; k < states.size(); ++k)
      if (next[k].obstacle != StencilObstacle::None && finding.obstacle == StencilObstacle::None) {
        finding.obstacle = next[k].obstacle;
        finding.culprit = next[k].culprit;
      }
    if (finding.obstacle == StencilObstacle::None)
      finding.stencil = stencil_of(body, states, next, step);
    findings_.push_back(std::move(finding));
  }

  // The next values of the changing states, by what they need of the last ones.
  std::vector<Flow> one_step(NodeId loop, const std::vector<std::size_t>& states, Step& step) {
    const Node& node = function_.nodes[loop];
    const Region& body = function_.regions[node.regions[0]];
    bool alike = true;
    for (std::size_t k : states) {
      const ValueId param = body.params[k + 1];
      if (!is_array(param)) continue;
      if (step.shape.empty()) step.shape = shape_of(param);
      alike = alike && shape_of(param) == step.shape;
      step.flows[param].needs[param] = Box(shape_of(param).size());
    }
    std::vector<Flow> next;
    if (!alike) return {states.size(), stopped(StencilObstacle::OtherSpace, loop)};
    ranges_.enter(loop, 0);
    for (NodeId each : body.nodes) flow(each, step);
    ranges_.leave();
    for (std::size_t k : states) {
      const Flow* found = step.find(body.yields[k]);
      Flow state = found != nullptr ? *found : Flow{};
      // A number that goes along must not come from the cells.
      if (!is_array(body.params[k + 1]) && state.depends() &&
          state.obstacle == StencilObstacle::None)
        state = stopped(StencilObstacle::AllCells, function_.values[body.yields[k]].node);
      next.push_back(std::move(state));
    }
    return next;
  }

  IteratedStencil stencil_of(const Region& body, const std::vector<std::size_t>& states,
                             const std::vector<Flow>& next, const Step& step) const {
    IteratedStencil stencil;
    stencil.shape = step.shape;
    stencil.maps = step.maps;
    stencil.reaches.resize(step.shape.size());
    for (std::size_t k : states) {
      const ValueId param = body.params[k + 1];
      if (!is_array(param)) continue;
      StencilState state{k, std::vector<Reach>(step.shape.size())};
      for (const Flow& flow : next) {
        const auto found = flow.needs.find(param);
        if (found == flow.needs.end()) continue;
        for (std::size_t d = 0; d < step.shape.size(); ++d) {
          const CellDistance& part = found->second[d];
          for (Reach* reach : {&state.reaches[d], &stencil.reaches[d]}) {
            reach->below = std::max(reach->below, -part.low);
            reach->above = std::max(reach->above, part.high);
            reach->guarded |= part.guarded;
            reach->clamped |= part.clamped;
            reach->wrapped |= part.wrapped;
          }
        }
      }
      stencil.states.push_back(std::move(state));
    }
    return stencil;
  }

  // --- values of a step

  void flow(NodeId id, Step& step) {
    const Node& node = function_.nodes[id];
    if (!touches(id, step)) return;
    std::vector<Flow> flows(node.results.size(), stopped(StencilObstacle::Whole, id));
    if (const std::vector<Size>* space = space_of(node.op); space != nullptr && !space->empty()) {
      flows.assign(node.results.size(), map(id, step));
      ++step.maps;
    } else if (std::holds_alternative<Check>(node.op) &&
               std::none_of(node.operands.begin() + 1, node.operands.end(),
                            [&](ValueId value) { return step.find(value) != nullptr; })) {
      flows = {*step.find(node.operands[0])};
    } else if (std::holds_alternative<Loop>(node.op)) {
      flows = inner_loop(id, step);
    }
    for (std::size_t k = 0; k < node.results.size(); ++k) {
      const bool number = !is_array(node.results[k]);
      step.flows[node.results[k]] =
          number ? stopped(StencilObstacle::AllCells, id) : std::move(flows[k]);
    }
  }

  bool touches(NodeId id, const Step& step) const {
    const std::vector<ValueId>& operands = function_.nodes[id].operands;
    auto depends = [&](ValueId value) {
      const Flow* found = step.find(value);
      return found != nullptr && found->depends();
    };
    if (std::any_of(operands.begin(), operands.end(), depends)) return true;
    if (function_.nodes[id].regions.empty()) return false;
    const std::vector<ValueId> free = free_values(function_, id);
    return std::any_of(free.begin(), free.end(), depends);
  }

  Flow map(NodeId id, const Step& step) {
    const Node& node = function_.nodes[id];
    if (*space_of(node.op) != step.shape) return stopped(StencilObstacle::OtherSpace, id);
    Flow made;
    const std::vector<ValueId>& params = function_.regions[node.regions[0]].params;
    const std::vector<ValueId> cell(
        params.begin(), params.begin() + static_cast<std::ptrdiff_t>(step.shape.size()));
    for (std::size_t k = 0; k < node.regions.size(); ++k) {
      ranges_.enter(id, k);
      body(node.regions[k], cell, step, false, made);
      ranges_.leave();
    }
    return made;
  }

  // What the nodes of a map's body, at any depth, need of the arrays outside.
  void body(RegionId region, const std::vector<ValueId>& cell, const Step& step, bool in_branch,
            Flow& made) {
    auto use = [&](ValueId value, NodeId by) {
      const Flow* found = step.find(value);
      if (found == nullptr || made.obstacle != StencilObstacle::None) return;
      made =
          found->obstacle != StencilObstacle::None ? *found : stopped(StencilObstacle::Whole, by);
    };
    for (NodeId id : function_.regions[region].nodes) {
      if (made.obstacle != StencilObstacle::None) return;
      const Node& node = function_.nodes[id];
      const bool reads = std::holds_alternative<Read>(node.op);
      for (std::size_t k = reads ? 1 : 0; k < node.operands.size(); ++k) use(node.operands[k], id);
      if (reads) read(id, cell, step, in_branch, made);
      for (std::size_t k = 0; k < node.regions.size(); ++k) {
        ranges_.enter(id, k);
        body(node.regions[k], cell, step, in_branch || std::holds_alternative<Branch>(node.op),
             made);
        ranges_.leave();
      }
    }
    for (ValueId yield : function_.regions[region].yields) use(yield, NodeId{});
  }

  void read(NodeId id, const std::vector<ValueId>& cell, const Step& step, bool in_branch,
            Flow& made) {
    const Node& node = function_.nodes[id];
    const Flow* array = step.find(node.operands[0]);
    if (array == nullptr || made.obstacle != StencilObstacle::None) return;
    if (array->obstacle != StencilObstacle::None) {
      made = *array;
      return;
    }
    const std::vector<Size>& shape = shape_of(node.operands[0]);
    if (shape.size() != cell.size()) {
      made = stopped(StencilObstacle::OtherSpace, id);
      return;
    }
    Box box;
    for (std::size_t d = 0; d < cell.size(); ++d) {
      std::optional<CellDistance> at = distances_.of(node.operands[d + 1], cell[d], shape[d]);
      if (!at) {
        made = stopped(StencilObstacle::FarCells, id);
        return;
      }
      at->guarded = in_branch && (at->low != 0 || at->high != 0);
      box.push_back(*at);
    }
    join_after(made.needs, box, array->needs);
  }

  // --- loops in a step

  // A few steps of a stencil are one stencil that reaches further.
  std::vector<Flow> inner_loop(NodeId id, const Step& outer) {
    const Node& node = function_.nodes[id];
    const Region& body = function_.regions[node.regions[0]];
    std::vector<Flow> results(node.results.size(), stopped(StencilObstacle::Whole, id));
    const Affine& form = forms_.of(node.operands[0]);
    const auto count = form.is_size() ? form.constant.constant() : std::nullopt;
    if (!count || *count < 0 || *count > max_inner_steps || std::get<Loop>(node.op).stacked != 0)
      return results;
    const std::vector<std::size_t> states = changing(id);
    Step step{&outer, outer.shape, {}, 0};
    const std::vector<Flow> next = one_step(id, states, step);
    // Values before the first step, then step by step.
    std::vector<Flow> now;
    for (std::size_t k = 0; k + 1 < node.operands.size(); ++k) {
      const Flow* start = outer.find(node.operands[k + 1]);
      now.push_back(start != nullptr ? *start : Flow{});
    }
    for (std::int64_t t = 0; t < *count; ++t) {
      std::vector<Flow> then = now;
      for (std::size_t k = 0; k < states.size(); ++k)
        then[states[k]] = composed(next[k], body, now);
      now = std::move(then);
    }
    for (std::size_t k = 0; k < now.size(); ++k) results[k] = std::move(now[k]);
    return results;
  }

  // A step's needs, with the values that its states have for their names.
  Flow composed(const Flow& next, const Region& body, const std::vector<Flow>& now) const {
    if (next.obstacle != StencilObstacle::None) return next;
    Flow sum;
    for (const auto& [array, box] : next.needs) {
      const auto param = std::find(body.params.begin() + 1, body.params.end(), array);
      if (param == body.params.end()) {
        join(sum.needs, array, box);
        continue;
      }
      const Flow& state = now[static_cast<std::size_t>(param - body.params.begin()) - 1];
      if (state.obstacle != StencilObstacle::None) return state;
      join_after(sum.needs, box, state.needs);
    }
    return sum;
  }

  const Function& function_;
  AffineForms forms_;
  Ranges ranges_;
  CellDistances distances_;
  std::vector<LoopFinding> findings_;
};

}  // namespace

std::vector<LoopFinding> iterated_stencils(const Function& function) {
  return Stencils(function).run();
}

}  // namespace dvm::passes
