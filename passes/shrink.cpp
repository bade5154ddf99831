// Greedy steps, the large ones first, until none is left that keeps the mistake.
#include "passes/shrink.hpp"

#include <algorithm>
#include <chrono>

#include "ir/graph/rewrite.hpp"
#include "ir/graph/verify.hpp"
#include "ir/graph/walk.hpp"
#include "passes/pass_table.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

std::size_t weight(const Node& node) {
  if (const auto* constant = std::get_if<Constant>(&node.op)) {
    const Scalar zero{constant->value.type, 0};
    const bool one = constant->value.bits == 1 ||
                     (is_float(constant->value.type) &&
                      constant->value == Scalar::of_float(constant->value.type, 1.0));
    return constant->value == zero ? 2 : one ? 3 : 4;
  }
  return (node.regions.empty() ? 8 : 12) + (node.check.valid() ? 2 : 0) + node.results.size() +
         node.operands.size();
}

// What shrinking makes less. Sizes count with their terms.
std::size_t measure(const Module& module) {
  std::size_t sum = 0;
  auto count_size = [&](const Size& size) {
    for (const Size::Term& term : size.terms()) sum += term.factors.empty() ? 1 : 3;
  };
  for (const Function& function : module.functions) {
    sum += 5 + 4 * function.params().size() + 2 * function.results().size();
    for (const Value& value : function.values)
      for (const Size& size : value.type.shape) count_size(size);
    for (const Node& node : function.nodes) {
      sum += weight(node);
      for_each_size(node.op, count_size);
    }
  }
  return sum;
}

void replace_uses(Function& function, ValueId from, ValueId to, const Size& as_size) {
  auto renamed = [&](Size& size) {
    if (!size.mentions(from.index)) return;
    size = size.substitute(
        [&](Size::Symbol symbol) { return symbol == from.index ? as_size : Size::symbol(symbol); });
  };
  for (Node& node : function.nodes) {
    std::replace(node.operands.begin(), node.operands.end(), from, to);
    for_each_size(node.op, renamed);
  }
  for (Region& region : function.regions)
    std::replace(region.yields.begin(), region.yields.end(), from, to);
  for (Value& value : function.values)
    for (Size& size : value.type.shape) renamed(size);
}

// The region whose nodes hold the node.
RegionId region_of(const Function& function, NodeId node) {
  for (std::uint32_t r = 0; r < function.regions.size(); ++r) {
    const auto& nodes = function.regions[RegionId{r}].nodes;
    if (std::find(nodes.begin(), nodes.end(), node) != nodes.end()) return RegionId{r};
  }
  return {};
}

class Shrinker {
 public:
  Shrinker(Module module, const std::function<bool(const Module&)>& shows,
           const ShrinkOptions& options)
      : best_(std::move(module)),
        shows_(shows),
        attempts_(options.most_attempts),
        deadline_(std::chrono::steady_clock::now() +
                  std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                      std::chrono::duration<double>(options.most_seconds))),
        least_(measure(best_)) {}

  Module run() {
    for (bool progress = true; progress && !over();) {
      progress = drop_results();
      progress = cut_off() || progress;
      for (std::uint32_t f = 0; f < best_.functions.size(); ++f) {
        progress = take_apart(FunctionId{f}) || progress;
        progress = replace_values(FunctionId{f}) || progress;
      }
      progress = drop_params() || progress;
      progress = fix_sizes() || progress;
      progress = run_passes() || progress;
      progress = drop_functions() || progress;
    }
    drop_checks();
    return std::move(best_);
  }

 private:
  bool over() const { return attempts_ == 0 || std::chrono::steady_clock::now() > deadline_; }

  Function& entry(Module& module) { return module.functions[FunctionId{0}]; }

  // Keeps the candidate when it is well formed, smaller and still shows the mistake.
  bool attempt(Module candidate) {
    if (over()) return false;
    if (!verify(candidate, true).empty()) return false;
    for (std::uint32_t f = 0; f < candidate.functions.size(); ++f) {
      Function& function = candidate.functions[FunctionId{f}];
      function = without_unneeded(candidate, Function(function));
    }
    const std::size_t size = measure(candidate);
    if (size >= least_ || !verify(candidate, true).empty()) return false;
    --attempts_;
    if (!shows_(candidate)) return false;
    best_ = std::move(candidate);
    least_ = size;
    return true;
  }

  bool replace(FunctionId id, ValueId from, ValueId to) {
    Module candidate = best_;
    replace_uses(candidate.functions[id], from, to, Size::symbol(to.index));
    return attempt(std::move(candidate));
  }

  bool drop_results() {
    const Function& function = entry(best_);
    const std::size_t count = function.results().size();
    if (count < 2) return false;
    auto with = [&](std::vector<ValueId> kept) {
      Module candidate = best_;
      entry(candidate).result_names.clear();
      entry(candidate).regions[entry(candidate).body].yields = std::move(kept);
      return attempt(std::move(candidate));
    };
    const std::vector<ValueId> results = function.results();
    for (ValueId only : results)
      if (with({only})) return true;
    bool progress = false;
    for (std::size_t k = 0; k < entry(best_).results().size();) {
      std::vector<ValueId> kept = entry(best_).results();
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(k));
      if (!kept.empty() && with(std::move(kept)))
        progress = true;
      else
        ++k;
    }
    return progress;
  }

  // A value of the entry's body becomes an input, and all that made it goes.
  bool cut_off() {
    bool progress = false;
    for (std::size_t k = entry(best_).body_region().nodes.size(); k-- > 0 && !over();) {
      if (k >= entry(best_).body_region().nodes.size()) continue;
      const Node node = entry(best_).nodes[entry(best_).body_region().nodes[k]];
      if (std::holds_alternative<Constant>(node.op)) continue;
      for (ValueId result : node.results) {
        Module candidate = best_;
        Function& function = entry(candidate);
        const ValueId param = function.values.push({function.values[result].type, "cut", NodeId{}});
        function.regions[function.body].params.push_back(param);
        replace_uses(function, result, param, Size::symbol(param.index));
        if (attempt(std::move(candidate))) {
          progress = true;
          break;
        }
      }
    }
    return progress;
  }

  // Branches become one of their sides, loops one step.
  bool take_apart(FunctionId id) {
    bool progress = false;
    for (std::size_t k = best_.functions[id].nodes.size(); k-- > 0 && !over();) {
      if (k >= best_.functions[id].nodes.size()) continue;
      const NodeId node_id{static_cast<std::uint32_t>(k)};
      const Node& node = best_.functions[id].nodes[node_id];
      const bool branch = std::holds_alternative<Branch>(node.op);
      const auto* loop = std::get_if<Loop>(&node.op);
      if (branch) progress = inlined(id, node_id, 0) || inlined(id, node_id, 1) || progress;
      if (loop != nullptr && loop->stacked == 0) progress = inlined(id, node_id, 0) || progress;
      if (std::holds_alternative<While>(node.op)) progress = inlined(id, node_id, 1) || progress;
    }
    return progress;
  }

  bool inlined(FunctionId id, NodeId node_id, std::size_t side) {
    if (!best_.functions[id].nodes.contains(node_id)) return false;
    Module candidate = best_;
    Function& function = candidate.functions[id];
    const Node node = function.nodes[node_id];
    if (node.regions.size() <= side) return false;
    const Region region = function.regions[node.regions[side]];
    Region& outer = function.regions[region_of(function, node_id)];
    const auto at = std::find(outer.nodes.begin(), outer.nodes.end(), node_id);
    // The region's nodes move before the node, its params become what the node starts from.
    outer.nodes.insert(at, region.nodes.begin(), region.nodes.end());
    function.regions[node.regions[side]].nodes.clear();
    std::vector<ValueId> yields = region.yields;
    for (std::size_t p = 0; p < region.params.size(); ++p) {
      // The step index: any i64 will do, and the count is one.
      replace_uses(function, region.params[p], node.operands[p],
                   Size::symbol(node.operands[p].index));
      for (ValueId& yield : yields)
        if (yield == region.params[p]) yield = node.operands[p];
    }
    for (std::size_t r = 0; r < node.results.size(); ++r)
      replace_uses(function, node.results[r], yields[r], Size::symbol(yields[r].index));
    Region& holder = function.regions[region_of(function, node_id)];
    std::erase(holder.nodes, node_id);
    return attempt(std::move(candidate));
  }

  // Values by operands, constants and others of their type; last ones first.
  bool replace_values(FunctionId id) {
    bool progress = false;
    for (std::size_t k = best_.functions[id].nodes.size(); k-- > 0 && !over();) {
      if (k >= best_.functions[id].nodes.size()) continue;
      const Node node = best_.functions[id].nodes[NodeId{static_cast<std::uint32_t>(k)}];
      for (ValueId result : node.results)
        if (replace_value(id, node, result)) {
          progress = true;
          break;
        }
    }
    return progress;
  }

  bool replace_value(FunctionId id, const Node& node, ValueId result) {
    const Function& function = best_.functions[id];
    const Type type = function.values[result].type;
    for (ValueId operand : node.operands)
      if (function.values[operand].type == type && replace(id, result, operand)) return true;
    if (type.is_scalar() && by_constant(id, result, type.element)) return true;
    if (std::holds_alternative<Constant>(node.op)) return false;
    std::size_t tried = 0;
    for (std::size_t v = 0; v < function.values.size() && tried < 6; ++v) {
      const ValueId other{static_cast<std::uint32_t>(v)};
      if (other == result || best_.functions[id].values[other].type != type) continue;
      ++tried;
      if (replace(id, result, other)) return true;
    }
    return false;
  }

  bool by_constant(FunctionId id, ValueId result, ElementType element) {
    for (const int number : {0, 1}) {
      Module candidate = best_;
      Function& function = candidate.functions[id];
      const Scalar value = element == ElementType::Bool ? Scalar::of_bool(number != 0)
                           : is_float(element)          ? Scalar::of_float(element, number)
                                                        : Scalar::of_integer(element, number);
      const ValueId constant = function.values.push({Type{element, {}}, "", NodeId{}});
      const NodeId node = function.nodes.push({Constant{value}, {}, {}, {constant}, {}, {}});
      function.values[constant].node = node;
      auto& nodes = function.regions[function.body].nodes;
      nodes.insert(nodes.begin(), node);
      replace_uses(function, result, constant, Size(number));
      if (attempt(std::move(candidate))) return true;
    }
    return false;
  }

  // Params that nothing mentions.
  bool drop_params() {
    bool progress = false;
    for (std::size_t p = entry(best_).params().size(); p-- > 0;) {
      Module candidate = best_;
      Function& function = entry(candidate);
      auto& params = function.regions[function.body].params;
      if (p < function.size_params) --function.size_params;
      params.erase(params.begin() + static_cast<std::ptrdiff_t>(p));
      progress = attempt(std::move(candidate)) || progress;
    }
    return progress;
  }

  // A size param becomes a number.
  bool fix_sizes() {
    bool progress = false;
    for (std::size_t p = entry(best_).size_params; p-- > 0;) {
      for (const int number : {0, 1, 2, 3, 5}) {
        Module candidate = best_;
        Function& function = entry(candidate);
        auto& params = function.regions[function.body].params;
        const ValueId param = params[p];
        params.erase(params.begin() + static_cast<std::ptrdiff_t>(p));
        --function.size_params;
        const ValueId constant = function.values.push({Type{ElementType::I64, {}}, "", NodeId{}});
        const NodeId node =
            function.nodes.push({Constant{Scalar::of_i64(number)}, {}, {}, {constant}, {}, {}});
        function.values[constant].node = node;
        auto& nodes = function.regions[function.body].nodes;
        nodes.insert(nodes.begin(), node);
        replace_uses(function, param, constant, Size(number));
        if (!attempt(std::move(candidate))) continue;
        progress = true;
        break;
      }
    }
    return progress;
  }

  // What a pass does is a step like any other: `shows` decides.
  bool run_passes() {
    bool progress = false;
    for (const GraphPass& pass : pass_table()) {
      if (pass.role != PassRole::Optimise) continue;
      Module candidate = best_;
      pass.run(candidate);
      progress = attempt(std::move(candidate)) || progress;
    }
    return progress;
  }

  // Functions that nobody calls.
  bool drop_functions() {
    std::vector<bool> called(best_.functions.size(), false);
    called[0] = true;
    for (const Function& function : best_.functions)
      for (const Node& node : function.nodes)
        if (const auto* call = std::get_if<Call>(&node.op)) called[call->callee.index] = true;
    std::vector<FunctionId> moved(called.size());
    Module candidate = best_;
    candidate.functions = {};
    for (std::uint32_t f = 0; f < called.size(); ++f)
      if (called[f]) moved[f] = candidate.functions.push(best_.functions[FunctionId{f}]);
    for (Function& function : candidate.functions)
      for (Node& node : function.nodes)
        if (auto* call = std::get_if<Call>(&node.op)) call->callee = moved[call->callee.index];
    return attempt(std::move(candidate));
  }

  // Entries of the table of checks that no node mentions.
  void drop_checks() {
    Module candidate = best_;
    std::vector<bool> used(candidate.checks.size(), false);
    for (const Function& function : candidate.functions)
      for (const Node& node : function.nodes)
        if (node.check.valid()) used[node.check.index] = true;
    std::vector<CheckId> moved(used.size());
    candidate.checks = {};
    for (std::uint32_t c = 0; c < used.size(); ++c)
      if (used[c]) moved[c] = candidate.checks.push(best_.checks[CheckId{c}]);
    for (Function& function : candidate.functions)
      for (Node& node : function.nodes)
        if (node.check.valid()) node.check = moved[node.check.index];
    if (shows_(candidate)) best_ = std::move(candidate);
  }

  Module best_;
  const std::function<bool(const Module&)>& shows_;
  std::size_t attempts_;
  std::chrono::steady_clock::time_point deadline_;
  std::size_t least_;
};

}  // namespace

Module shrink(Module module, const std::function<bool(const Module&)>& shows,
              const ShrinkOptions& options) {
  return Shrinker(std::move(module), shows, options).run();
}

}  // namespace dvm::passes
