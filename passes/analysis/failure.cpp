// Totality of nodes, and of values with all they depend on.
#include "passes/analysis/failure.hpp"

#include <algorithm>
#include <optional>

#include "ir/graph/demand.hpp"
#include "ir/graph/walk.hpp"
#include "passes/analysis/users.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

// `anywhere`: reads without a check are trusted only where they stand.
bool never_fails(const Function& function, NodeId id, Ranges& ranges, bool anywhere) {
  const Node& node = function.nodes[id];
  if (std::holds_alternative<Call>(node.op) || std::holds_alternative<While>(node.op)) return false;
  if (std::holds_alternative<Read>(node.op))
    return (!anywhere && !node.check.valid()) || ranges.read_in_range(node);
  if (node.check.valid() && !ranges.division_is_total(node)) return false;
  for (std::size_t k = 0; k < node.regions.size(); ++k) {
    ranges.enter(id, k);
    const std::vector<NodeId>& nodes = function.regions[node.regions[k]].nodes;
    const bool all = std::all_of(nodes.begin(), nodes.end(), [&](NodeId inner) {
      return never_fails(function, inner, ranges, anywhere);
    });
    ranges.leave();
    if (!all) return false;
  }
  return true;
}

}  // namespace

bool is_total(const Function& function, NodeId node, Ranges& ranges) {
  return never_fails(function, node, ranges, true);
}

bool is_total(const Function& function, RegionId region, Ranges& ranges) {
  const std::vector<NodeId>& nodes = function.regions[region].nodes;
  return std::all_of(nodes.begin(), nodes.end(),
                     [&](NodeId node) { return is_total(function, node, ranges); });
}

bool cannot_fail(const Function& function, NodeId node, Ranges& ranges) {
  return never_fails(function, node, ranges, false);
}

namespace {

class WithoutFailure {
 public:
  WithoutFailure(const Function& function, const AffineForms& forms, bool ends_anyway)
      : function_(function),
        ranges_(function, forms),
        ends_anyway_(ends_anyway),
        safe_(function.values.size(), false) {}

  std::vector<bool> run() {
    for (ValueId param : function_.params()) safe_[param.index] = true;
    region(function_.body);
    return std::move(safe_);
  }

 private:
  bool is_safe(ValueId value) const { return safe_[value.index]; }
  bool all_safe(const std::vector<ValueId>& values) const {
    return std::all_of(values.begin(), values.end(), [&](ValueId value) { return is_safe(value); });
  }

  void region(RegionId id) {
    for (NodeId each : function_.regions[id].nodes) node(each);
  }

  void node(NodeId id) {
    const Node& node = function_.nodes[id];
    bool safe = all_safe(node.operands);
    for_each_size_value(node.op, [&](ValueId symbol) { safe &= is_safe(symbol); });
    const bool may_not_end = this->may_not_end(node);
    const bool carries =
        std::holds_alternative<Loop>(node.op) || std::holds_alternative<While>(node.op);
    // The body of a loop whose count has failed does not run.
    const bool counted = std::holds_alternative<Loop>(node.op);
    const bool states_safe =
        counted ? all_safe({node.operands.begin() + 1, node.operands.end()}) : safe;
    for (std::size_t k = 0; k < node.regions.size(); ++k) {
      const Region& inner = function_.regions[node.regions[k]];
      // States of loops go round: safe only if nothing that could make them fail is in sight.
      // So do the sides of an operator, which are terms and what it made of terms before.
      const bool goes_round = carries || (k == 1 && !std::holds_alternative<Branch>(node.op));
      const bool enters_safe = k == 1 && !carries ? safe : states_safe;
      const bool params_safe = !goes_round || (enters_safe && !may_not_end &&
                                               all_safe(free_values(function_, node.regions[k])) &&
                                               !mentions_failure(node.regions[k]));
      for (ValueId param : inner.params) safe_[param.index] = params_safe;
      if (carries && !inner.params.empty() && std::holds_alternative<Loop>(node.op))
        safe_[inner.params[0].index] = true;
      ranges_.enter(id, k);
      region(node.regions[k]);
      ranges_.leave();
      safe &= all_safe(inner.yields);
    }
    if (may_not_end || (node.check.valid() && !proven(node))) safe = false;
    for (ValueId result : node.results) safe_[result.index] = safe;
  }

  bool proven(const Node& node) {
    if (std::holds_alternative<Read>(node.op)) return ranges_.read_in_range(node);
    return ranges_.division_is_total(node);
  }

  bool may_not_end(const Node& node) const {
    return std::holds_alternative<Call>(node.op) ||
           (!ends_anyway_ && std::holds_alternative<While>(node.op));
  }
  bool mentions_failure(RegionId id) const {
    const std::vector<NodeId>& nodes = function_.regions[id].nodes;
    return std::any_of(nodes.begin(), nodes.end(), [&](NodeId each) {
      const Node& node = function_.nodes[each];
      if (node.check.valid() || may_not_end(node)) return true;
      return std::any_of(node.regions.begin(), node.regions.end(),
                         [&](RegionId inner) { return mentions_failure(inner); });
    });
  }

  const Function& function_;
  Ranges ranges_;
  const bool ends_anyway_;
  std::vector<bool> safe_;
};

}  // namespace

std::vector<bool> values_without_failure(const Function& function, const AffineForms& forms,
                                         bool ends_anyway) {
  return WithoutFailure(function, forms, ends_anyway).run();
}

namespace {

class AlwaysNeeded {
  static constexpr std::size_t max_results = 16;

 public:
  explicit AlwaysNeeded(const Function& function)
      : function_(function), home_(function.nodes.size()), needed_(function.nodes.size(), false) {}

  std::vector<bool> run() {
    region(function_.body, Mask(function_.results().size(), true));
    return std::move(needed_);
  }

 private:
  void region(RegionId id, const Mask& yields) {
    const Region& region = function_.regions[id];
    for (NodeId node : region.nodes) home_[node.index] = id;
    for (std::size_t k = 0; k < region.yields.size(); ++k)
      if (yields[k]) mark(region.yields[k], id);
    for (auto each = region.nodes.rbegin(); each != region.nodes.rend(); ++each) {
      const Node& node = function_.nodes[*each];
      if (!node.regions.empty()) inside(node);
      if (!needed_[each->index] || !node.regions.empty() || std::holds_alternative<Call>(node.op))
        continue;
      // The values of a check's message are only looked at when it fails.
      const std::size_t count = std::holds_alternative<Check>(node.op) ? 2 : node.operands.size();
      for (std::size_t k = 0; k < count; ++k) mark(node.operands[k], id);
    }
  }
  // Results are needed one by one, so of several only what they have in common is needed always. Of
  // very many nothing is taken to be: each asks for a walk round the states of its loop.
  void inside(const Node& node) {
    std::vector<Mask> yields;
    const bool few = node.results.size() <= max_results;
    for (RegionId inner : node.regions)
      yields.emplace_back(function_.regions[inner].yields.size(), few);
    for (std::size_t r = 0; few && r < node.results.size() && node.results.size() > 1; ++r) {
      if (!demands_) demands_.emplace(function_);
      Mask one(node.results.size(), false);
      one[r] = true;
      const NodeDemand demand = demands_->node(node, one);
      for (std::size_t k = 0; k < yields.size(); ++k)
        for (std::size_t y = 0; y < yields[k].size(); ++y)
          yields[k][y] = yields[k][y] && demand.yields[k][y];
    }
    for (std::size_t k = 0; k < yields.size(); ++k) region(node.regions[k], yields[k]);
  }
  void mark(ValueId value, RegionId id) {
    const NodeId node = function_.values[value].node;
    if (node.valid() && home_[node.index] == id) needed_[node.index] = true;
  }

  const Function& function_;
  std::vector<RegionId> home_;  // by node
  std::vector<bool> needed_;
  std::optional<Demands> demands_;
};

}  // namespace

std::vector<bool> always_needed(const Function& function) { return AlwaysNeeded(function).run(); }

}  // namespace dvm::passes
