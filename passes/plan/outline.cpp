// One node as a function of its own: what the code generator compiles.
#include "passes/plan/outline.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/graph/demand.hpp"
#include "ir/graph/walk.hpp"
#include "passes/analysis/users.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

// Replaces copied values by what they need, adds the symbols of shapes, and sorts. What a shape or
// a size names stays a param itself.
std::vector<ValueId> close(const Function& function, const std::vector<ValueId>& open,
                           const std::vector<ValueId>& kept) {
  std::unordered_set<ValueId> seen;
  std::vector<ValueId> result, named = kept;
  const auto name = [&](ValueId symbol) { named.push_back(symbol); };
  for (ValueId value : open)
    if (is_copied(function, value))
      for_each_size_value(function.nodes[function.values[value].node].op, name);
    else
      named.push_back(value);
  while (!named.empty()) {
    const ValueId value = named.back();
    named.pop_back();
    if (!seen.insert(value).second) continue;
    result.push_back(value);
    for_each_size_value(function.values[value].type, name);
  }
  const auto late = [&](ValueId value) {
    const Type& type = function.values[value].type;
    return !(type.is_scalar() && type.element == ElementType::I64);
  };
  std::sort(result.begin(), result.end(), [&](ValueId a, ValueId b) {
    return std::pair(late(a), a.index) < std::pair(late(b), b.index);
  });
  return result;
}

class Outliner {
 public:
  Outliner(const Function& from, Outlined& to) : from_(from), to_(to.function) {}

  void run(NodeId node, bool wrap, Outlined& out) {
    Region body;
    for (ValueId param : out.params) body.params.push_back(new_value(param, {}));
    const Node& old = from_.nodes[node];
    if (wrap) {
      Node map;
      map.op = Map{};
      map.loc = old.loc;
      Region inside;
      copy_constants(copied_around(node), inside);
      inside.nodes.push_back(copy_node(node));
      for (ValueId result : old.results) inside.yields.push_back(mapped_.at(result));
      map.regions.push_back(to_.regions.push(std::move(inside)));
      const NodeId id{static_cast<std::uint32_t>(to_.nodes.size())};
      for (ValueId result : old.results) {
        mapped_.erase(result);
        map.results.push_back(new_value(result, id));
      }
      out.node = to_.nodes.push(std::move(map));
    } else {
      out.node = copy_node(node, true);
    }
    body.nodes.push_back(out.node);
    body.yields = to_.nodes[out.node].results;
    to_.body = to_.regions.push(std::move(body));
  }

 private:
  Size mapped(const Size& size) {
    return size.substitute(
        [&](Size::Symbol symbol) { return Size::symbol(mapped_.at(ValueId{symbol}).index); });
  }
  ValueId new_value(ValueId old, NodeId node) {
    Value value = from_.values[old];
    value.node = node;
    for (Size& size : value.type.shape) size = mapped(size);
    const ValueId id = to_.values.push(std::move(value));
    mapped_[old] = id;
    return id;
  }

  std::vector<ValueId> copied_around(NodeId node) {
    std::vector<ValueId> copied = from_.nodes[node].operands;
    std::erase_if(copied, [&](ValueId value) { return !is_copied(from_, value); });
    for (RegionId region : from_.nodes[node].regions)
      for (ValueId value : copied_values(from_, region)) copied.push_back(value);
    return copied;
  }
  void copy_constants(const std::vector<ValueId>& values, Region& into) {
    for (ValueId value : values)
      if (!mapped_.contains(value)) into.nodes.push_back(copy_node(from_.values[value].node));
  }

  // `outer`: each region gets copies of the constants it uses; they shadow a param of the same
  // value.
  RegionId copy_region(RegionId old, bool outer) {
    Region region;
    std::vector<std::pair<ValueId, ValueId>> hidden;
    const std::vector<ValueId> constants =
        outer ? copied_values(from_, old) : std::vector<ValueId>{};
    if (outer) {
      for (ValueId value : constants)
        if (const auto known = mapped_.find(value); known != mapped_.end()) {
          hidden.push_back(*known);
          mapped_.erase(known);
        }
    }
    for (ValueId param : from_.regions[old].params) region.params.push_back(new_value(param, {}));
    copy_constants(constants, region);
    for (NodeId node : from_.regions[old].nodes) region.nodes.push_back(copy_node(node));
    for (ValueId yield : from_.regions[old].yields) region.yields.push_back(mapped_.at(yield));
    for (ValueId value : constants) mapped_.erase(value);
    for (const auto& [value, known] : hidden) mapped_[value] = known;
    return to_.regions.push(std::move(region));
  }

  NodeId copy_node(NodeId old, bool outer = false) {
    Node node = from_.nodes[old];
    for (ValueId& operand : node.operands) operand = mapped_.at(operand);
    for_each_size(node.op, [&](Size& size) { size = mapped(size); });
    for (RegionId& region : node.regions) region = copy_region(region, outer);
    // Types of results may mention sibling results.
    const NodeId id{static_cast<std::uint32_t>(to_.nodes.size())};
    const NodeId made = to_.nodes.push(node);
    for (ValueId& result : node.results) result = new_value(result, id);
    to_.nodes[made].results = node.results;
    return made;
  }

  const Function& from_;
  Function& to_;
  std::unordered_map<ValueId, ValueId> mapped_;
};

}  // namespace

bool is_copied(const Function& function, ValueId value) {
  const NodeId node = function.values[value].node;
  if (!node.valid()) return false;
  const Op& op = function.nodes[node].op;
  return std::holds_alternative<Constant>(op) || std::holds_alternative<SizeOf>(op);
}

std::vector<ValueId> captures(const Function& function, NodeId node) {
  std::vector<ValueId> open;
  for (RegionId region : function.nodes[node].regions)
    for (ValueId value : free_values(function, region)) open.push_back(value);
  for_each_size_value(function.nodes[node].op, [&](ValueId symbol) { open.push_back(symbol); });
  for (ValueId result : function.nodes[node].results)
    for_each_size_value(function.values[result].type,
                        [&](ValueId symbol) { open.push_back(symbol); });
  const std::vector<ValueId>& results = function.nodes[node].results;
  const std::unordered_set<ValueId> own(results.begin(), results.end());
  std::erase_if(open, [&](ValueId value) { return own.contains(value); });
  // Sizes are named by shapes, so the values they stand for stay params.
  std::unordered_set<ValueId> named;
  const auto note = [&](ValueId symbol) { named.insert(symbol); };
  for_each_size_value(function.nodes[node].op, note);
  for (ValueId result : results) for_each_size_value(function.values[result].type, note);
  std::vector<ValueId> kept = function.nodes[node].operands;
  for (ValueId value : open)
    if (named.contains(value)) kept.push_back(value);
  return close(function, open, kept);
}

std::vector<ValueId> captures(const Function& function, const std::vector<RegionId>& regions) {
  std::vector<ValueId> open;
  for (RegionId region : regions)
    for (ValueId value : free_values(function, region)) open.push_back(value);
  return close(function, open, {});
}

std::vector<ValueId> copied_values(const Function& function, RegionId region) {
  std::vector<ValueId> result;
  std::unordered_set<ValueId> seen;
  for (ValueId value : free_values(function, region))
    if (is_copied(function, value) && seen.insert(value).second) result.push_back(value);
  return result;
}

namespace {

using Values = std::unordered_set<ValueId>;

// What a region reads from outside whatever branches it takes: also what both sides of one read.
void add_sure(const Function& function, Demands& demands, RegionId id, const Mask& yields,
              Values& sure) {
  const RegionDemand& demand = demands.region(id, yields);
  sure.insert(demand.captures.begin(), demand.captures.end());
  const std::vector<NodeId>& nodes = function.regions[id].nodes;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (demand.results[k].empty()) continue;
    const Node& node = function.nodes[nodes[k]];
    const std::vector<Mask> inner = demands.node(node, demand.results[k]).yields;
    if (!std::holds_alternative<Branch>(node.op)) {
      for (std::size_t r = 0; r < node.regions.size(); ++r)
        add_sure(function, demands, node.regions[r], inner[r], sure);
      continue;
    }
    Values sides[2];
    for (std::size_t r = 0; r < 2; ++r)
      add_sure(function, demands, node.regions[r], inner[r], sides[r]);
    for (ValueId value : sides[0])
      if (sides[1].contains(value)) sure.insert(value);
  }
}

}  // namespace

std::vector<bool> read_perhaps(const Outlined& outlined) {
  const Function& function = outlined.function;
  const Node& node = function.nodes[outlined.node];
  Demands demands(function);
  const NodeDemand demand = demands.node(node, Demands::all(node.results.size()));
  std::unordered_set<ValueId> sure(demand.values.begin(), demand.values.end());
  for (ValueId result : node.results)
    for_each_size_value(function.values[result].type, [&](ValueId value) { sure.insert(value); });
  for (std::size_t r = 0; r < node.regions.size(); ++r)
    add_sure(function, demands, node.regions[r], demand.yields[r], sure);
  // Shapes of what is read are needed as well.
  std::vector<ValueId> open(sure.begin(), sure.end());
  while (!open.empty()) {
    const Type& type = function.values[open.back()].type;
    open.pop_back();
    for_each_size_value(type, [&](ValueId value) {
      if (sure.insert(value).second) open.push_back(value);
    });
  }
  std::vector<bool> perhaps;
  for (ValueId param : function.params()) perhaps.push_back(!sure.contains(param));
  return perhaps;
}

Outlined outline(const Function& from, NodeId node, bool wrap, std::string name) {
  Outlined out;
  out.function.name = std::move(name);
  out.params = captures(from, node);
  if (wrap) {
    out.params = close(from, out.params, {});
  }
  Outliner(from, out).run(node, wrap, out);
  return out;
}

}  // namespace dvm::passes
