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

namespace {

// Definitions stand before uses, so one walk from the last node to the first meets every use of a
// value before the node that makes it.
class NeededNodes {
 public:
  explicit NeededNodes(const Function& function)
      : function_(function),
        nodes_(function.nodes.size(), false),
        values_(function.values.size(), false) {}

  std::vector<bool> run() {
    region(function_.body_region());
    return std::move(nodes_);
  }

 private:
  void need(ValueId value) {
    if (function_.values.contains(value)) values_[value.index] = true;
  }
  void need_shape(ValueId value) {
    for (const Size& size : function_.values[value].type.shape)
      size.symbols([&](Size::Symbol symbol) { need(ValueId{symbol}); });
  }
  void region(const Region& region) {
    for (ValueId yield : region.yields) need(yield);
    for (ValueId param : region.params) need_shape(param);
    for (auto id = region.nodes.rbegin(); id != region.nodes.rend(); ++id) {
      const Node& node = function_.nodes[*id];
      bool needed = false;
      for (ValueId result : node.results) needed = needed || values_[result.index];
      if (!needed) continue;
      nodes_[id->index] = true;
      for (ValueId operand : node.operands) need(operand);
      for (ValueId result : node.results) need_shape(result);
      visit_sizes(node.op, [&](const Size& size) {
        size.symbols([&](Size::Symbol symbol) { need(ValueId{symbol}); });
      });
      for (RegionId inner : node.regions) this->region(function_.regions[inner]);
    }
  }

  const Function& function_;
  std::vector<bool> nodes_, values_;
};

}  // namespace

std::vector<bool> needed_nodes(const Function& function) { return NeededNodes(function).run(); }

}  // namespace dvm::graph
