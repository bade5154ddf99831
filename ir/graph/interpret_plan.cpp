// Planning: regions top-down, each for the yields that are needed of it.
#include "ir/graph/interpret_plan.hpp"

namespace dvm::graph {
namespace {

bool runs_per_point(const Op& op) {
  return std::holds_alternative<Map>(op) || std::holds_alternative<Reduce>(op) ||
         std::holds_alternative<Scan>(op) || std::holds_alternative<Scatter>(op) ||
         std::holds_alternative<ReduceByKey>(op) || std::holds_alternative<Filter>(op);
}

class Planner {
 public:
  explicit Planner(const Function& function)
      : function_(function),
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
      for (std::size_t k = 0; k < demand.results[i].size(); ++k) {
        if (demand.results[i][k]) certain_[values[k].index] = true;
      }
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!demand.results[i].empty())
        result->steps.push_back(step(nodes[i], demand.results[i], iterated));
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
      Mask results(node.results.size());
      for (std::size_t k = 0; k < results.size(); ++k) results[k] = node.results[k] == value;
      LazyStep& lazy = owner.lazy.emplace_back();
      lazy.id = lazy_count_++;
      lazy.owner = &owner;
      lazy.step.node = &node;
      lazy.step.results = demands_.node(node, results).results;
      for (std::size_t k = 0; k < results.size(); ++k) {
        if (lazy.step.results[k]) owner.lazy_of.emplace(node.results[k], &lazy);
      }
      found = owner.lazy_of.find(value);
    }
    list.push_back(found->second);
  }

  void fill(LazyStep& lazy) {
    const Node& node = *lazy.step.node;
    const NodeId id = function_.values[node.results[0]].node;
    lazy.step = step(id, lazy.step.results, lazy.owner->iterated);
    for (ValueId value : lazy.step.operands) want(value, lazy.needs);
    if (std::holds_alternative<Branch>(node.op)) return;
    const NodeDemand demand = demands_.node(node, lazy.step.results);
    for (std::size_t r = 0; r < node.regions.size(); ++r) {
      for (ValueId value : demands_.region(node.regions[r], demand.yields[r]).captures)
        want(value, lazy.needs);
    }
  }

  const Function& function_;
  Demands demands_;
  std::vector<Block*> open_;   // by region: its block while it is being planned
  std::vector<bool> certain_;  // by value: parameters and results of ordinary steps of open blocks
  std::size_t lazy_count_ = 0;
};

}  // namespace

std::unique_ptr<FunctionPlan> plan_function(const Function& function) {
  return Planner(function).run();
}

}  // namespace dvm::graph
