// Uses of values and the tree of regions, in one walk.
#include "passes/analysis/users.hpp"

#include <unordered_set>

#include "ir/graph/walk.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

void for_each_symbol(const Function& function, const Node& node,
                     const std::function<void(ValueId)>& visit) {
  auto sizes = [&](const Size& size) {
    size.symbols([&](Size::Symbol symbol) { visit(ValueId{symbol}); });
  };
  for_each_size(node.op, sizes);
  for (ValueId result : node.results)
    for (const Size& size : function.values[result].type.shape) sizes(size);
}

}  // namespace

Users::Users(const Function& function)
    : first_(function.values.size() + 1, 0),
      node_region_(function.nodes.size()),
      value_region_(function.values.size()),
      owner_(function.regions.size()),
      depth_(function.regions.size(), 0) {
  std::vector<Found> found;
  visit(function, function.body, found);
  // Counting sort by value keeps the order of the walk within a value.
  for (const Found& each : found) ++first_[each.value.index + 1];
  for (std::size_t k = 1; k < first_.size(); ++k) first_[k] += first_[k - 1];
  uses_.resize(found.size());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (const Found& each : found) uses_[next[each.value.index]++] = each.use;
}

void Users::visit(const Function& function, RegionId id, std::vector<Found>& found) {
  const Region& region = function.regions[id];
  for (ValueId param : region.params) value_region_[param.index] = id;
  for (NodeId node_id : region.nodes) {
    const Node& node = function.nodes[node_id];
    node_region_[node_id.index] = id;
    for (ValueId result : node.results) value_region_[result.index] = id;
    for (std::uint32_t k = 0; k < node.operands.size(); ++k)
      found.push_back({node.operands[k], {Use::Kind::Operand, node_id, id, k}});
    for_each_symbol(function, node, [&](ValueId symbol) {
      found.push_back({symbol, {Use::Kind::Size, node_id, id, 0}});
    });
    for (RegionId inner : node.regions) {
      owner_[inner.index] = node_id;
      depth_[inner.index] = depth_[id.index] + 1;
      visit(function, inner, found);
    }
  }
  for (std::uint32_t k = 0; k < region.yields.size(); ++k)
    found.push_back({region.yields[k], {Use::Kind::Yield, owner_[id.index], id, k}});
}

std::span<const Use> Users::of(ValueId value) const {
  const std::uint32_t first = first_.at(value.index);
  return {uses_.data() + first, first_[value.index + 1] - first};
}

RegionId Users::parent(RegionId region) const {
  const NodeId node = owner(region);
  return node.valid() ? region_of(node) : RegionId{};
}

bool Users::encloses(RegionId outer, RegionId inner) const {
  while (inner.valid() && depth(inner) > depth(outer)) inner = parent(inner);
  return inner == outer;
}

namespace {

class FreeValues {
 public:
  explicit FreeValues(const Function& function) : function_(function) {}

  void region(RegionId id) {
    const Region& region = function_.regions[id];
    for (ValueId param : region.params) {
      defined_.insert(param);
      shape(param);
    }
    for (NodeId each : region.nodes) node(each);
    for (ValueId value : region.yields) use(value);
  }
  void node(NodeId id) {
    const Node& node = function_.nodes[id];
    for (ValueId operand : node.operands) use(operand);
    for_each_size(node.op, [&](const Size& size) { symbols(size); });
    for (RegionId inner : node.regions) region(inner);
    defined_.insert(node.results.begin(), node.results.end());
    for (ValueId result : node.results) shape(result);
  }
  std::vector<ValueId> take() { return std::move(free_); }

 private:
  void use(ValueId value) {
    if (!defined_.contains(value) && seen_.insert(value).second) free_.push_back(value);
  }
  void symbols(const Size& size) {
    size.symbols([&](Size::Symbol symbol) { use(ValueId{symbol}); });
  }
  void shape(ValueId value) {
    for (const Size& size : function_.values[value].type.shape) symbols(size);
  }

  const Function& function_;
  std::unordered_set<ValueId> defined_, seen_;
  std::vector<ValueId> free_;
};

}  // namespace

std::vector<ValueId> free_values(const Function& function, RegionId region) {
  FreeValues search(function);
  search.region(region);
  return search.take();
}

std::vector<ValueId> free_values(const Function& function, NodeId node) {
  FreeValues search(function);
  search.node(node);
  return search.take();
}

}  // namespace dvm::passes
