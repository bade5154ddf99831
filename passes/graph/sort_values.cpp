// Replaces sorts whose permutation only serves to read their key.
#include "passes/graph/sort_values.hpp"

#include <memory>
#include <unordered_map>

#include "passes/analysis/users.hpp"
#include "passes/graph/rebuild.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

class SortValues {
 public:
  explicit SortValues(const Function& function) : function_(function), users_(function) {
    for (std::uint32_t k = 0; k < function.nodes.size(); ++k) examine(NodeId{k});
  }
  bool fires() const { return !sorts_.empty(); }

  bool replace(Rewriter& rewriter, NodeId id) {
    const Node& node = function_.nodes[id];
    if (std::holds_alternative<Sort>(node.op) && sorts_.contains(node.results[0])) {
      Sort op = std::get<Sort>(node.op);
      op.values = true;
      const ValueId key = rewriter.mapped(node.operands[0]);
      const Type type = rewriter.builder().type(key);
      rewriter.builder().set_loc(node.loc);
      const NodeId sorted = rewriter.builder().add(std::move(op), {key}, {}, {type});
      sorts_[node.results[0]] = rewriter.builder().results(sorted)[0];
      return true;
    }
    if (std::holds_alternative<Map>(node.op)) return replace_copy(rewriter, node);
    if (!std::holds_alternative<Read>(node.op)) return false;
    if (sorts_.contains(node.operands[0])) return true;  // the position: nobody asks for it now
    const auto found = reads_.find(id);
    if (found == reads_.end()) return false;
    const Node& place = function_.nodes[found->second];
    rewriter.builder().set_loc(node.loc);
    rewriter.map(node.results[0], rewriter.builder().read(sorts_.at(place.operands[0]),
                                                          {rewriter.mapped(place.operands[1])}));
    return true;
  }

 private:
  // A sort by one key; all that is read of it are positions at which that key is read.
  void examine(NodeId id) {
    const Node& node = function_.nodes[id];
    const auto* sort = std::get_if<Sort>(&node.op);
    if (sort == nullptr || sort->values || node.operands.size() != 1) return;
    std::vector<std::pair<NodeId, NodeId>> found;
    for (const Use& use : users_.of(node.results[0])) {
      if (use.kind != Use::Kind::Operand || use.position != 0) return;
      const Node& place = function_.nodes[use.node];
      if (!std::holds_alternative<Read>(place.op) || place.check.valid()) return;
      for (const Use& next : users_.of(place.results[0])) {
        if (next.kind != Use::Kind::Operand || next.position != 1) return;
        const Node& read = function_.nodes[next.node];
        if (!std::holds_alternative<Read>(read.op) || read.operands[0] != node.operands[0]) return;
        found.emplace_back(next.node, use.node);
      }
    }
    if (found.empty()) return;
    sorts_[node.results[0]] = ValueId{};
    for (const auto& [read, place] : found) reads_[read] = place;
  }

  // A map whose elements are the sorted values in order.
  bool replace_copy(Rewriter& rewriter, const Node& node) const {
    const Map& op = std::get<Map>(node.op);
    const Region& body = function_.regions[node.regions[0]];
    if (op.space.size() != 1) return false;
    std::vector<ValueId> values;
    for (ValueId yield : body.yields) {
      const auto found = reads_.find(function_.values[yield].node);
      if (found == reads_.end()) return false;
      const Node& place = function_.nodes[found->second];
      const ValueId order = place.operands[0];
      if (place.operands[1] != body.params[0] || function_.values[order].type.shape != op.space)
        return false;
      values.push_back(sorts_.at(order));
      if (!values.back().valid()) return false;  // sorted in the body itself
    }
    for (std::size_t k = 0; k < values.size(); ++k) rewriter.map(node.results[k], values[k]);
    return true;
  }

  const Function& function_;
  Users users_;
  std::unordered_map<ValueId, ValueId> sorts_;  // permutation: the values, once they are made
  std::unordered_map<NodeId, NodeId> reads_;    // of a key: the read of the position
};

}  // namespace

void sort_values(Module& module) {
  rebuild_each(module, [](const Function& function) -> Rewriter::Replace {
    auto rule = std::make_shared<SortValues>(function);
    if (!rule->fires()) return nullptr;
    return [rule](Rewriter& rewriter, NodeId node) { return rule->replace(rewriter, node); };
  });
}

}  // namespace dvm::passes
