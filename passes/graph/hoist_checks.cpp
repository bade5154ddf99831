// Finds for each check the outermost map or reduction that its condition does not change in.
#include "passes/graph/hoist_checks.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "passes/analysis/array_remark.hpp"
#include "passes/analysis/failure.hpp"
#include "passes/analysis/users.hpp"
#include "passes/graph/rebuild.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

// Of the scalars that a condition and its message are made of.
constexpr int most_scalars = 64;

class HoistChecks {
 public:
  explicit HoistChecks(const Function& function)
      : function_(function),
        users_(function),
        safe_(values_without_failure(function, AffineForms(function))),
        needed_(always_needed(function)),
        leaves_(function.nodes.size(), false),
        checked_(function.nodes.size()) {
    visit(function.body);
  }

  bool any() const { return !hoists_.empty(); }

  void say(Remarks* remarks) const {
    ArrayRemarks to(function_, remarks);
    if (!to) return;
    for (std::uint32_t k = 0; k < function_.nodes.size(); ++k) {
      if (!hoists_.contains(NodeId{k})) continue;
      const ValueId result = function_.nodes[NodeId{k}].results[0];
      if (!function_.values[result].type.is_scalar())
        to.add(Remark::Kind::Done, "checked-once", result,
               "what every point checked is the same for all of them: it is checked once");
    }
  }

  bool replace(Rewriter& rewriter, NodeId id) {
    const Node& node = function_.nodes[id];
    if (const auto hoists = hoists_.find(id); hoists != hoists_.end())
      for (const Hoist& hoist : hoists->second) put(rewriter, hoist);
    if (leaves_[id.index]) {
      // A check is gone; a scalar that it needs was made before the body.
      if (std::holds_alternative<Check>(node.op))
        rewriter.map(node.results[0], rewriter.mapped(node.operands[0]));
      return true;
    }
    if (!checked_[id.index].valid()) return false;
    std::vector<ValueId> indices = mapped(rewriter, node.operands);
    indices.erase(indices.begin());
    const ValueId element =
        rewriter.builder().read(checked_[id.index], std::move(indices), node.check);
    rewriter.map(node.results[0], element);
    return true;
  }

 private:
  struct Hoist {
    NodeId check, read;
    std::vector<NodeId> scalars;  // from inside, which the check needs, definitions first
    std::vector<Size> space;      // of all the bodies between
  };

  void visit(RegionId region) {
    for (NodeId id : function_.regions[region].nodes) {
      const Node& node = function_.nodes[id];
      for (RegionId inner : node.regions) visit(inner);
      if (std::holds_alternative<Check>(node.op) && needed_[id.index]) find(id);
    }
  }

  // The farther out, the fewer times it is checked; there may be something in the way there.
  void find(NodeId check) {
    std::vector<NodeId> owners;
    std::vector<Size> space;
    for (RegionId region = users_.region_of(check); is_points(region);
         region = users_.parent(region)) {
      owners.push_back(users_.owner(region));
      const std::vector<Size> sizes = sizes_of(function_.nodes[owners.back()]);
      space.insert(space.end(), sizes.begin(), sizes.end());
      if (!is_invariant(check, space, depth_around(owners.back()))) {
        owners.pop_back();
        break;
      }
    }
    for (; !owners.empty(); owners.pop_back()) {
      const NodeId owner = owners.back();
      const NodeId read = read_beside(check, depth_around(owner));
      if (!read.valid() || !is_least(check, owner)) continue;
      Hoist hoist{check, read, {}, {}};
      for (NodeId each : owners) {
        const std::vector<Size> sizes = sizes_of(function_.nodes[each]);
        hoist.space.insert(hoist.space.end(), sizes.begin(), sizes.end());
      }
      for (ValueId value : needed_for(check, hoist.space))
        take(value, depth_around(owner), hoist.scalars);
      leaves_[check.index] = true;
      hoists_[owner].push_back(std::move(hoist));
      return;
    }
  }

  // A body that runs at every point of a space.
  bool is_points(RegionId region) const {
    const NodeId owner = users_.owner(region);
    if (!owner.valid()) return false;
    const Node& node = function_.nodes[owner];
    return (std::holds_alternative<Map>(node.op) || std::holds_alternative<Reduce>(node.op)) &&
           node.regions[0] == region;
  }

  int depth_around(NodeId owner) const { return users_.depth(users_.region_of(owner)); }
  bool is_outside(ValueId value, int depth) const {
    return users_.depth(users_.home(value)) <= depth;
  }

  static std::vector<Size> sizes_of(const Node& node) {
    if (const auto* map = std::get_if<Map>(&node.op)) return map->space;
    const auto& reduce = std::get<Reduce>(node.op);
    std::vector<Size> sizes = reduce.space;
    sizes.push_back(reduce.extent);
    return sizes;
  }

  // Condition, message and sizes.
  std::vector<ValueId> needed_for(NodeId check, const std::vector<Size>& space) const {
    const Node& node = function_.nodes[check];
    std::vector<ValueId> values(node.operands.begin() + 1, node.operands.end());
    for (const Size& size : space)
      size.symbols([&](Size::Symbol symbol) { values.push_back(ValueId{symbol}); });
    return values;
  }

  // All of it can be computed at this depth, and cannot fail.
  bool is_invariant(NodeId check, const std::vector<Size>& space, int depth) const {
    const std::vector<ValueId> values = needed_for(check, space);
    int budget = most_scalars;
    return std::all_of(values.begin(), values.end(), [&](ValueId value) {
      return safe_[value.index] && is_invariant(value, depth, budget);
    });
  }
  bool is_invariant(ValueId value, int depth, int& budget) const {
    if (is_outside(value, depth)) return true;
    const NodeId maker = function_.values[value].node;
    if (!maker.valid() || --budget < 0) return false;
    const Node& node = function_.nodes[maker];
    bool all = true;
    if (const auto* size = std::get_if<SizeOf>(&node.op)) {
      size->size.symbols(
          [&](Size::Symbol symbol) { all = all && is_invariant(ValueId{symbol}, depth, budget); });
      return all;
    }
    if (std::holds_alternative<Constant>(node.op)) return true;
    if (!std::holds_alternative<ScalarOp>(node.op) || node.check.valid()) return false;
    return std::all_of(node.operands.begin(), node.operands.end(),
                       [&](ValueId operand) { return is_invariant(operand, depth, budget); });
  }

  void take(ValueId value, int depth, std::vector<NodeId>& scalars) {
    if (is_outside(value, depth)) return;
    const NodeId maker = function_.values[value].node;
    const Node& node = function_.nodes[maker];
    for (ValueId operand : node.operands) take(operand, depth, scalars);
    if (const auto* size = std::get_if<SizeOf>(&node.op))
      size->size.symbols([&](Size::Symbol symbol) { take(ValueId{symbol}, depth, scalars); });
    leaves_[maker.index] = true;
    if (std::find(scalars.begin(), scalars.end(), maker) == scalars.end()) scalars.push_back(maker);
  }

  // A read of an array from outside that is needed where the check is. Of several one of an array
  // that no node makes: a check would stand between the maker and its readers.
  NodeId read_beside(NodeId check, int depth) const {
    NodeId best;
    for (NodeId id : function_.regions[users_.region_of(check)].nodes) {
      const Node& node = function_.nodes[id];
      if (!std::holds_alternative<Read>(node.op) || !needed_[id.index]) continue;
      if (!is_outside(node.operands[0], depth)) continue;
      if (!function_.values[node.operands[0]].node.valid()) return id;
      if (!best.valid()) best = id;
    }
    return best;
  }

  // No check of the node or inside of it comes before this one.
  bool is_least(NodeId check, NodeId owner) const {
    std::vector<NodeId> open{owner};
    while (!open.empty()) {
      const Node& node = function_.nodes[open.back()];
      open.pop_back();
      if (node.check.valid() && node.check < function_.nodes[check].check) return false;
      for (RegionId region : node.regions) {
        const std::vector<NodeId>& inner = function_.regions[region].nodes;
        open.insert(open.end(), inner.begin(), inner.end());
      }
    }
    return true;
  }

  void put(Rewriter& rewriter, const Hoist& hoist) {
    for (NodeId scalar : hoist.scalars)
      if (!rewriter.is_mapped(function_.nodes[scalar].results[0])) rewriter.copy(scalar);
    const Node& check = function_.nodes[hoist.check];
    ValueId& array = checked_[hoist.read.index];
    if (!array.valid()) array = rewriter.mapped(function_.nodes[hoist.read].operands[0]);
    std::vector<ValueId> operands =
        mapped(rewriter, {check.operands.begin() + 1, check.operands.end()});
    const ValueId condition = or_empty(rewriter, operands[0], hoist.space);
    operands.erase(operands.begin());
    rewriter.builder().set_loc(check.loc);
    array = rewriter.builder().check(array, condition, std::move(operands), check.check);
  }

  // A body reads nothing where there is no point, but needs the array even then.
  static ValueId or_empty(Rewriter& rewriter, ValueId condition, const std::vector<Size>& space) {
    Builder& builder = rewriter.builder();
    for (const Size& size : space) {
      const Size now = rewriter.mapped(size);
      if (const auto constant = now.constant(); constant && *constant > 0) continue;
      const ValueId empty =
          builder.scalar(ScalarFn::Eq, {builder.size(now), builder.constant_i64(0)});
      condition = builder.scalar(ScalarFn::Or, {condition, empty});
    }
    return condition;
  }

  const Function& function_;
  Users users_;
  std::vector<bool> safe_;
  std::vector<bool> needed_;  // by node: whenever its region is evaluated
  std::vector<bool> leaves_;  // by node: it does not stay in its body
  std::unordered_map<NodeId, std::vector<Hoist>> hoists_;  // by the node they go before
  std::vector<ValueId> checked_;  // by read: the new array, when checks were put on it
};

}  // namespace

void hoist_checks(Module& module, Remarks* remarks) {
  rebuild_each(module, [&](const Function& function) -> Rewriter::Replace {
    auto rule = std::make_shared<HoistChecks>(function);
    if (!rule->any()) return nullptr;
    rule->say(remarks);
    return [rule](Rewriter& rewriter, NodeId node) { return rule->replace(rewriter, node); };
  });
}

}  // namespace dvm::passes
