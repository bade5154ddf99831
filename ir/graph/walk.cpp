// Sizes of operations and needed nodes.
#include "ir/graph/walk.hpp"

#include <type_traits>

namespace dvm::graph {
namespace {

template <class AnyOp, class Visit>
void visit_sizes(AnyOp& any, const Visit& visit) {
  std::visit(
      [&](auto& op) {
        using T = std::remove_cvref_t<decltype(op)>;
        if constexpr (std::is_same_v<T, SizeOf>) visit(op.size);
        if constexpr (requires { op.keys; }) visit(op.keys);
        if constexpr (requires { op.space; }) {
          for (auto& size : op.space) visit(size);
        }
        if constexpr (requires { op.extent; }) visit(op.extent);
      },
      any);
}

}  // namespace

void for_each_size(Op& op, const std::function<void(Size&)>& visit) { visit_sizes(op, visit); }
void for_each_size(const Op& op, const std::function<void(const Size&)>& visit) {
  visit_sizes(op, visit);
}

void for_each_size_value(const Op& op, const std::function<void(ValueId)>& visit) {
  visit_sizes(op, [&](const Size& size) {
    size.symbols([&](Size::Symbol symbol) { visit(ValueId{symbol}); });
  });
}

void for_each_size_value(const Type& type, const std::function<void(ValueId)>& visit) {
  for (const Size& size : type.shape)
    size.symbols([&](Size::Symbol symbol) { visit(ValueId{symbol}); });
}

std::vector<bool> needed_nodes(const Function& function) {
  std::vector<bool> nodes(function.nodes.size(), false);
  std::vector<bool> values(function.values.size(), false);
  std::vector<ValueId> open;
  auto need = [&](ValueId value) {
    if (!function.values.contains(value) || values[value.index]) return;
    values[value.index] = true;
    open.push_back(value);
  };
  auto need_region = [&](const Region& region) {
    for (ValueId yield : region.yields) need(yield);
    for (ValueId param : region.params) for_each_size_value(function.values[param].type, need);
  };
  need_region(function.body_region());
  while (!open.empty()) {
    const Value& value = function.values[open.back()];
    open.pop_back();
    for_each_size_value(value.type, need);
    if (!value.node.valid() || nodes[value.node.index]) continue;
    nodes[value.node.index] = true;
    const Node& node = function.nodes[value.node];
    for (ValueId operand : node.operands) need(operand);
    for (ValueId result : node.results) for_each_size_value(function.values[result].type, need);
    for_each_size_value(node.op, need);
    for (RegionId region : node.regions) need_region(function.regions[region]);
  }
  return nodes;
}

}  // namespace dvm::graph
