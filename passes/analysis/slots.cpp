// The correspondence of operands, yields, params and results, op by op.
#include "passes/analysis/slots.hpp"

#include <type_traits>

#include "ir/graph/walk.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

using Values = std::vector<ValueId>;

void append(Values& to, const Values& from) { to.insert(to.end(), from.begin(), from.end()); }

// Everything depends on everything: operands and all yields.
Slots coupled(const Function& function, const Node& node) {
  Slots result;
  result.always = node.operands;
  for (RegionId region : node.regions) append(result.always, function.regions[region].yields);
  return result;
}

// With an operator in the second region a component needs those whose sides its result is made of.
// The first `shared` yields of the body are needed by all.
Slots by_operator(const Function& function, const Node& node, std::size_t shared) {
  Slots result;
  const Values& terms = function.regions[node.regions[0]].yields;
  const Region& combine = function.regions[node.regions[1]];
  const std::size_t count = node.operands.size();
  for (std::size_t k = 0; k < shared; ++k) result.always.push_back(terms[k]);
  for (std::size_t c = 0; c < count; ++c) {
    Values needed{node.operands[c], terms[shared + c], combine.yields[c]};
    result.per_result.push_back(needed);
    result.per_param.emplace_back(combine.params[c], needed);
    result.per_param.emplace_back(combine.params[count + c], std::move(needed));
  }
  return result;
}

// Components are independent unless a general operator (second region) ties them together.
// The first `shared` yields are needed by all; `offset` gives a component's first yield after them.
Slots by_component(const Function& function, const Node& node,
                   const std::vector<Component>& components, std::size_t shared) {
  if (components.empty()) return by_operator(function, node, shared);
  Slots result;
  const Values& yields = function.regions[node.regions[0]].yields;
  for (std::size_t k = 0; k < shared; ++k) result.always.push_back(yields[k]);
  const std::vector<std::size_t> offsets = term_offsets(components);
  for (std::size_t c = 0; c < components.size(); ++c) {
    const std::size_t first = shared + offsets[c];
    Values needed{node.operands[c], yields[first]};
    if (components[c].fused_product) needed.push_back(yields[first + 1]);
    result.per_result.push_back(std::move(needed));
  }
  return result;
}

Slots loop_slots(const Function& function, const Node& node) {
  Slots result;
  const Region& body = function.regions[node.regions[0]];
  const std::size_t states = node.operands.size() - 1;
  result.always.push_back(node.operands[0]);
  for (std::size_t k = 0; k < body.yields.size(); ++k) {
    Values needed{body.yields[k]};
    if (k < states) needed.push_back(node.operands[k + 1]);
    result.per_result.push_back(needed);
    if (k < states) result.per_param.emplace_back(body.params[k + 1], std::move(needed));
  }
  return result;
}

Slots while_slots(const Function& function, const Node& node) {
  Slots result;
  const Region& condition = function.regions[node.regions[0]];
  const Region& body = function.regions[node.regions[1]];
  result.always = condition.yields;
  for (std::size_t k = 0; k < node.operands.size(); ++k) {
    Values needed{body.yields[k], node.operands[k]};
    result.per_result.push_back(needed);
    result.per_param.emplace_back(condition.params[k], needed);
    result.per_param.emplace_back(body.params[k], std::move(needed));
  }
  return result;
}

Slots scatter_slots(const Function& function, const Node& node, const Scatter& scatter) {
  Slots result;
  const Values& yields = function.regions[node.regions[0]].yields;
  const std::size_t indices = yields.size() - node.operands.size();
  if (scatter.combines && scatter.components.empty()) return by_operator(function, node, indices);
  for (std::size_t k = 0; k < indices; ++k) result.always.push_back(yields[k]);
  for (std::size_t k = 0; k < node.operands.size(); ++k)
    result.per_result.push_back({node.operands[k], yields[indices + k]});
  return result;
}

Slots yields_to_results(const Function& function, const Node& node) {
  Slots result;
  result.always = node.operands;
  result.per_result.resize(node.results.size());
  for (RegionId region : node.regions) {
    const Values& yields = function.regions[region].yields;
    for (std::size_t k = 0; k < yields.size(); ++k) result.per_result[k].push_back(yields[k]);
  }
  return result;
}

Slots filter_slots(const Function& function, const Node& node) {
  Slots result;
  const Values& yields = function.regions[node.regions[0]].yields;
  result.always.push_back(yields[0]);
  result.per_result.resize(node.results.size());
  for (std::size_t k = 1; k < yields.size(); ++k) result.per_result[k].push_back(yields[k]);
  return result;
}

}  // namespace

Slots slots(const Function& function, const Node& node) {
  return std::visit(
      [&](const auto& op) -> Slots {
        using T = std::decay_t<decltype(op)>;
        if constexpr (std::is_same_v<T, Map> || std::is_same_v<T, Branch>)
          return yields_to_results(function, node);
        else if constexpr (std::is_same_v<T, Reduce> || std::is_same_v<T, Scan>)
          return by_component(function, node, op.components, 0);
        else if constexpr (std::is_same_v<T, ReduceByKey>)
          return by_component(function, node, op.components, 1);
        else if constexpr (std::is_same_v<T, Scatter>)
          return scatter_slots(function, node, op);
        else if constexpr (std::is_same_v<T, Filter>)
          return filter_slots(function, node);
        else if constexpr (std::is_same_v<T, Loop>)
          return loop_slots(function, node);
        else if constexpr (std::is_same_v<T, While>)
          return while_slots(function, node);
        else
          return coupled(function, node);
      },
      node.op);
}

Op with_sizes(Op op, const std::function<Size(const Size&)>& replacement) {
  for_each_size(op, [&](Size& size) { size = replacement(size); });
  return op;
}

std::vector<std::size_t> term_offsets(const std::vector<Component>& components) {
  std::vector<std::size_t> offsets;
  std::size_t next = 0;
  for (const Component& component : components) {
    offsets.push_back(next);
    next += component.fused_product ? 2 : 1;
  }
  return offsets;
}

}  // namespace dvm::passes
