// One walk decides which readers let checks through, another carries the checks along.
#include "passes/graph/sink_checks.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "ir/graph/affine.hpp"
#include "passes/analysis/failure.hpp"
#include "passes/analysis/ranges.hpp"
#include "passes/analysis/users.hpp"
#include "passes/graph/rebuild.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

// Checks that one array carries along, and readers that are looked into.
constexpr std::size_t max_checks = 8;

bool is_array_check(const Function& function, NodeId id) {
  return id.valid() && std::holds_alternative<Check>(function.nodes[id].op) &&
         !function.values[function.nodes[id].results[0]].type.is_scalar();
}

class SinkChecks {
 public:
  explicit SinkChecks(const Function& function)
      : function_(function),
        forms_(function),
        ranges_(function, forms_),
        users_(function),
        needed_(always_needed(function)),
        carried_(function.values.size()),
        floats_(function.values.size(), false) {
    visit(function.body);
  }

  bool any() const { return any_; }

  bool replace(Rewriter& rewriter, NodeId id) {
    const Node& node = function_.nodes[id];
    if (is_array_check(function_, id)) {
      const ValueId result = node.results[0];
      if (carried_[result.index].empty()) return false;
      rewriter.map(result, rewriter.mapped(node.operands[0]));
    } else {
      if (std::none_of(node.results.begin(), node.results.end(),
                       [&](ValueId result) { return !carried_[result.index].empty(); }))
        return false;
      copy_node(rewriter, id, {});
    }
    for (ValueId result : node.results)
      if (!floats_[result.index]) attach(rewriter, result);
    return true;
  }

 private:
  using Checks = std::vector<NodeId>;  // inner ones first

  // What lets checks through: where its own checks begin, and which arrays its results need.
  struct Reader {
    bool open = false;
    std::uint32_t first_check = ~std::uint32_t{0};
    std::unordered_set<ValueId> arrays;
  };

  void visit(RegionId region) {
    for (NodeId id : function_.regions[region].nodes) {
      const Node& node = function_.nodes[id];
      for (std::size_t k = 0; k < node.regions.size(); ++k) {
        ranges_.enter(id, k);
        visit(node.regions[k]);
        ranges_.leave();
      }
      if (is_array_check(function_, id))
        decide_check(id);
      else if (carries_something(node))
        decide_reader(id);
    }
  }

  // A check whose array nobody wants as a whole does not stay where it is.
  void decide_check(NodeId id) {
    const Node& node = function_.nodes[id];
    const ValueId array = node.operands[0], result = node.results[0];
    const NodeId maker = function_.values[array].node;
    const bool by_map = maker.valid() && std::holds_alternative<Map>(function_.nodes[maker].op);
    Checks checks = floats_[array.index] ? carried_[array.index] : Checks{};
    checks.push_back(id);
    const bool sinks = (floats_[array.index] || (by_map && carried_[array.index].empty())) &&
                       passes(result, checks);
    // Behind a floating array the check itself is one that is attached.
    if (!sinks && !floats_[array.index]) return;
    carried_[result.index] = std::move(checks);
    floats_[result.index] = sinks;
    any_ = any_ || sinks;
  }

  bool carries_something(const Node& node) const {
    if (node.regions.empty()) return false;
    const std::vector<ValueId> reads = free_values(function_, node.regions[0]);
    return std::any_of(reads.begin(), reads.end(),
                       [&](ValueId value) { return floats_[value.index]; });
  }

  // Every floating array that it reads passed it when it was decided about.
  void decide_reader(NodeId id) {
    const Node& node = function_.nodes[id];
    if (!reader(id).open) return;
    Checks checks;
    for (ValueId value : free_values(function_, node.regions[0]))
      if (floats_[value.index])
        for (NodeId check : carried_[value.index])
          if (std::find(checks.begin(), checks.end(), check) == checks.end())
            checks.push_back(check);
    for (ValueId result : node.results) {
      carried_[result.index] = checks;
      floats_[result.index] = std::holds_alternative<Map>(node.op) && passes(result, checks);
    }
  }

  // All uses of an array read elements in any case, in operations that let these checks through.
  bool passes(ValueId array, const Checks& checks) {
    const std::span<const Use> uses = users_.of(array);
    if (uses.empty() || checks.size() > max_checks) return false;
    const RegionId home = users_.home(array);
    return std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
      if (use.kind != Use::Kind::Operand || use.position != 0) return false;
      if (use.region == home && is_array_check(function_, use.node)) return true;
      if (!std::holds_alternative<Read>(function_.nodes[use.node].op)) return false;
      const NodeId owner = owner_in(home, use.region);
      if (!owner.valid()) return false;
      const Reader& info = reader(owner);
      return info.open && info.arrays.contains(array) &&
             std::all_of(checks.begin(), checks.end(), [&](NodeId check) {
               return function_.nodes[check].check.index <= info.first_check;
             });
    });
  }

  // The node of the region `home` that the region `inner` is part of.
  NodeId owner_in(RegionId home, RegionId inner) const {
    while (inner.valid() && users_.parent(inner) != home) inner = users_.parent(inner);
    return inner.valid() ? users_.owner(inner) : NodeId{};
  }

  const Reader& reader(NodeId id) {
    const auto [found, fresh] = readers_.try_emplace(id);
    if (!fresh) return found->second;
    const Node& node = function_.nodes[id];
    if (!std::holds_alternative<Map>(node.op) && !std::holds_alternative<Reduce>(node.op))
      return found->second;
    Reader info;
    walked_.clear();
    reached_.clear();
    info.open = look_into(id, true, info);
    // What is walked over is not longer than what is read there, so that work for nothing is
    // bounded when the check fails.
    info.open = info.open && std::all_of(walked_.begin(), walked_.end(),
                                         [&](ValueId index) { return reached_.contains(index); });
    return readers_[id] = std::move(info);
  }

  // `always`: the node is evaluated whenever the reader is.
  bool look_into(NodeId id, bool always, Reader& info) {
    const Node& node = function_.nodes[id];
    if (node.check.valid()) info.first_check = std::min(info.first_check, node.check.index);
    if (std::holds_alternative<Read>(node.op)) return look_at_read(node, always, info);
    if (node.regions.empty()) return !std::holds_alternative<Call>(node.op);
    const bool branch = std::holds_alternative<Branch>(node.op);
    if (!branch && !std::holds_alternative<Map>(node.op) &&
        !std::holds_alternative<Reduce>(node.op))
      return false;
    for (std::size_t k = 0; k < node.regions.size(); ++k) {
      const Region& region = function_.regions[node.regions[k]];
      if (!branch && k == 0)
        walked_.insert(walked_.end(), region.params.begin(), region.params.end());
      ranges_.enter(id, k);
      const bool open = std::all_of(region.nodes.begin(), region.nodes.end(), [&](NodeId inner) {
        // A side of a branch may not be taken, an operator not be used.
        return look_into(inner, always && !branch && k == 0 && needed_[inner.index], info);
      });
      ranges_.leave();
      if (!open) return false;
    }
    return true;
  }

  bool look_at_read(const Node& node, bool always, Reader& info) {
    if (!node.check.valid() && !ranges_.read_in_range(node)) return false;
    if (always) info.arrays.insert(node.operands[0]);
    for (std::size_t k = 1; k < node.operands.size() && !node.check.valid(); ++k)
      for (const Affine::Term& term : forms_.of(node.operands[k]).terms)
        reached_.insert(term.variable);
    return true;
  }

  // The checks that a value carries, inner ones first.
  void attach(Rewriter& rewriter, ValueId value) {
    ValueId checked = rewriter.mapped(value);
    for (NodeId id : carried_[value.index]) {
      const Node& check = function_.nodes[id];
      rewriter.builder().set_loc(check.loc);
      checked = rewriter.builder().check(
          checked, rewriter.mapped(check.operands[1]),
          mapped(rewriter, {check.operands.begin() + 2, check.operands.end()}), check.check);
    }
    rewriter.map(value, checked);
  }

  const Function& function_;
  AffineForms forms_;
  Ranges ranges_;
  Users users_;
  std::vector<bool> needed_;     // by node: whenever its region is evaluated
  std::vector<Checks> carried_;  // by value: checks that it no longer contains
  std::vector<bool> floats_;     // by value: its readers carry its checks on
  std::unordered_map<NodeId, Reader> readers_;
  std::vector<ValueId> walked_;  // while one reader is looked into: indices, and those of reads
  std::unordered_set<ValueId> reached_;
  bool any_ = false;
};

}  // namespace

void sink_checks(Module& module) {
  rebuild_each(module, [](const Function& function) -> Rewriter::Replace {
    bool some = false;
    for (std::size_t k = 0; k < function.nodes.size() && !some; ++k)
      some = is_array_check(function, NodeId{static_cast<std::uint32_t>(k)});
    if (!some) return nullptr;
    auto rule = std::make_shared<SinkChecks>(function);
    if (!rule->any()) return nullptr;
    return [rule](Rewriter& rewriter, NodeId node) { return rule->replace(rewriter, node); };
  });
}

}  // namespace dvm::passes
