// Planning: regions top-down, each for the yields that are needed of it. See Note [Results by
// themselves].
#include "ir/graph/interpret_plan.hpp"

#include <algorithm>

namespace dvm::graph {
namespace {

bool runs_per_point(const Op& op) {
  return std::holds_alternative<Map>(op) || std::holds_alternative<Reduce>(op) ||
         std::holds_alternative<Scan>(op) || std::holds_alternative<Scatter>(op) ||
         std::holds_alternative<ReduceByKey>(op) || std::holds_alternative<Filter>(op);
}

// A failure in one of its steps ends it.
bool is_loop(const Node& node) {
  return std::holds_alternative<Loop>(node.op) || std::holds_alternative<While>(node.op);
}

bool several(const Mask& results) { return std::count(results.begin(), results.end(), true) > 1; }

// Loops in loops, each with runs by result, multiply: beyond so many results share a run again.
constexpr std::size_t most_runs = 10'000;

class Planner {
 public:
  Planner(const Function& function, Results results)
      : function_(function),
        apart_(results == Results::ByThemselves),
        demands_(function),
        open_(function.regions.size(), nullptr),
        certain_(function.values.size(), false) {}

  std::unique_ptr<FunctionPlan> run() {
    auto plan = std::make_unique<FunctionPlan>();
    plan->function = &function_;
    plan->array_slot.assign(function_.values.size(), Id<ValueTag>::none);
    for (std::uint32_t i = 0; i < function_.values.size(); ++i) {
      if (!function_.values[ValueId{i}].type.is_scalar()) {
        plan->array_slot[i] = static_cast<std::uint32_t>(plan->array_count++);
      }
    }
    plan->body = block(function_.body, Demands::all(function_.results().size()), false, false);
    plan->lazy_count = lazy_count_;
    plan->joined = joined_;
    mark_tail(*plan->body);
    return plan;
  }

 private:
  void mark_tail(Block& block) {
    if (block.steps.empty()) return;
    Step& last = block.steps.back();
    if (last.node->results != block.region->yields) return;
    last.tail = std::holds_alternative<Call>(last.node->op);
    if (!std::holds_alternative<Branch>(last.node->op)) return;
    for (const std::unique_ptr<Block>& side : last.blocks) mark_tail(*side);
  }

  std::unique_ptr<Block> block(RegionId id, const Mask& yields, bool iterated, bool branch) {
    auto result = std::make_unique<Block>();
    result->region = &function_.regions[id];
    result->yields = yields;
    result->iterated = iterated;
    const RegionDemand& demand = demands_.region(id, yields);
    if (branch) {
      for (ValueId value : demand.captures) want(value, result->needs);
    }
    open_[id.index] = result.get();
    const std::vector<NodeId>& nodes = result->region->nodes;
    for (ValueId param : result->region->params) certain_[param.index] = true;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::vector<ValueId>& values = function_.nodes[nodes[i]].results;
      const bool alone = apart_ && is_loop(function_.nodes[nodes[i]]);
      const Mask& made = alone ? demand.asked[i] : demand.results[i];
      for (std::size_t k = 0; k < made.size(); ++k) {
        if (made[k]) certain_[values[k].index] = true;
      }
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (demand.results[i].empty()) continue;
      joined_ = joined_ || (is_loop(function_.nodes[nodes[i]]) && several(demand.results[i]));
      if (apart_ && is_loop(function_.nodes[nodes[i]]) && several(demand.results[i])) {
        steps_by_result(*result, nodes[i], demand.asked[i]);
      } else {
        result->steps.push_back(step(nodes[i], demand.results[i], iterated));
      }
    }
    // Planning a lazy step may ask for more of them, here or further out.
    for (std::size_t i = 0; i < result->lazy.size(); ++i) fill(result->lazy[i]);
    for (ValueId param : result->region->params) certain_[param.index] = false;
    for (NodeId node : nodes) {
      for (ValueId value : function_.nodes[node].results) certain_[value.index] = false;
    }
    open_[id.index] = nullptr;
    return result;
  }

  // A run for each set of states that one of the results needs.
  void steps_by_result(Block& owner, NodeId id, const Mask& asked) {
    const Node& node = function_.nodes[id];
    std::map<Mask, Mask> runs;  // what a run makes, and which of it is wanted
    for (std::size_t k = 0; k < asked.size(); ++k) {
      if (!asked[k]) continue;
      const Mask made =
          runs_ < most_runs ? needed_for(node, k) : demands_.node(node, asked).results;
      Mask& gives = runs.try_emplace(made, Mask(asked.size(), false)).first->second;
      gives[k] = true;
    }
    runs_ += runs.size();
    for (const auto& [made, gives] : runs) {
      owner.steps.push_back(step(id, made, owner.iterated));
      owner.steps.back().gives = gives;
    }
  }

  // The results that are computed along with one.
  Mask needed_for(const Node& node, std::size_t result) {
    Mask one(node.results.size(), false);
    one[result] = true;
    return demands_.node(node, one).results;
  }

  Step step(NodeId id, const Mask& results, bool iterated) {
    const Node& node = function_.nodes[id];
    const NodeDemand demand = demands_.node(node, results);
    Step result;
    result.node = &node;
    result.results = demand.results;
    result.operands = demand.values;
    const bool inner = iterated || runs_per_point(node.op);
    const bool branch = std::holds_alternative<Branch>(node.op);
    if (std::holds_alternative<Filter>(node.op)) {
      // The condition at each point, and the values where it holds.
      Mask condition(demand.yields[0].size(), false);
      condition[0] = true;
      result.blocks.push_back(block(node.regions[0], condition, inner, false));
    }
    for (std::size_t r = 0; r < node.regions.size(); ++r) {
      result.blocks.push_back(block(node.regions[r], demand.yields[r], inner, branch));
    }
    if (std::holds_alternative<ScalarOp>(node.op)) {
      for (std::size_t i = 0; i < node.operands.size() && i < 3; ++i) {
        result.args[i] = function_.values[node.operands[i]].type.element;
      }
    }
    result.result = function_.values[node.results[0]].type.element;
    return result;
  }

  // Adds the lazy step that makes `value`, unless it is there anyway.
  void want(ValueId value, std::vector<LazyStep*>& list) {
    if (certain_[value.index]) return;
    Block& owner = *open_[demands_.region_of(value).index];
    auto found = owner.lazy_of.find(value);
    if (found == owner.lazy_of.end()) {
      const Node& node = function_.nodes[function_.values[value].node];
      const auto at = std::find(node.results.begin(), node.results.end(), value);
      LazyStep& lazy = owner.lazy.emplace_back();
      lazy.id = lazy_count_++;
      lazy.owner = &owner;
      lazy.step.node = &node;
      lazy.step.results = needed_for(node, static_cast<std::size_t>(at - node.results.begin()));
      joined_ = joined_ || (!node.regions.empty() && several(lazy.step.results));
      Mask own = lazy.step.results;
      for (std::size_t k = 0; apart_ && k < own.size(); ++k)
        own[k] = own[k] && needed_for(node, k) == lazy.step.results;
      for (std::size_t k = 0; k < own.size(); ++k) {
        if (own[k]) owner.lazy_of.emplace(node.results[k], &lazy);
      }
      if (apart_ && is_loop(node)) lazy.step.gives = std::move(own);
      found = owner.lazy_of.find(value);
    }
    list.push_back(found->second);
  }

  void fill(LazyStep& lazy) {
    const Node& node = *lazy.step.node;
    const NodeId id = function_.values[node.results[0]].node;
    Mask gives = std::move(lazy.step.gives);
    lazy.step = step(id, lazy.step.results, lazy.owner->iterated);
    lazy.step.gives = std::move(gives);
    for (ValueId value : lazy.step.operands) want(value, lazy.needs);
    if (std::holds_alternative<Branch>(node.op)) return;
    const NodeDemand demand = demands_.node(node, lazy.step.results);
    for (std::size_t r = 0; r < node.regions.size(); ++r) {
      for (ValueId value : demands_.region(node.regions[r], demand.yields[r]).captures)
        want(value, lazy.needs);
    }
  }

  const Function& function_;
  const bool apart_;
  bool joined_ = false;
  std::size_t runs_ = 0;
  Demands demands_;
  std::vector<Block*> open_;   // by region: its block while it is being planned
  std::vector<bool> certain_;  // by value: parameters and results of ordinary steps of open blocks
  std::size_t lazy_count_ = 0;
};

}  // namespace

std::unique_ptr<FunctionPlan> plan_function(const Function& function, Results results) {
  return Planner(function, results).run();
}

}  // namespace dvm::graph
