// Replaces reads by bodies; reads at the same indices share one copy of the body.
#include "passes/graph/fuse_maps.hpp"

#include <map>
#include <memory>
#include <utility>

#include "passes/analysis/array_remark.hpp"
#include "passes/analysis/fusion_plan.hpp"
#include "passes/graph/rebuild.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

class FuseMaps {
 public:
  FuseMaps(const Function& function, std::vector<FusionDecision>* decisions)
      : function_(function), plan_(function, decisions), copies_(1) {}

  bool any() const { return plan_.any(); }

  bool replace(Rewriter& rewriter, NodeId id) {
    const Node& node = function_.nodes[id];
    if (std::holds_alternative<Read>(node.op) && plan_.is_fused(node.operands[0])) {
      rewriter.map(node.results[0], element(rewriter, node));
      return true;
    }
    if (std::holds_alternative<Map>(node.op)) {
      bool all = true;
      for (ValueId result : node.results) all &= plan_.is_fused(result);
      if (all) return true;
    }
    if (node.regions.empty()) return false;
    copy_node(rewriter, id,
              {[&](NodeId, std::size_t) { copies_.emplace_back(); },
               [&](NodeId, std::size_t) { copies_.pop_back(); }});
    return true;
  }

 private:
  // Copies of bodies by producer and indices, for each open region.
  using Key = std::pair<NodeId, std::vector<ValueId>>;
  using Copies = std::map<Key, std::vector<ValueId>>;

  ValueId element(Rewriter& rewriter, const Node& read) {
    const Value& array = function_.values[read.operands[0]];
    const Node& producer = function_.nodes[array.node];
    const std::vector<ValueId> indices =
        mapped(rewriter, {read.operands.begin() + 1, read.operands.end()});
    std::size_t position = 0;
    while (producer.results[position] != read.operands[0]) ++position;
    const Key key{array.node, indices};
    for (const Copies& copies : copies_)
      if (auto found = copies.find(key); found != copies.end()) return found->second[position];
    std::vector<ValueId> yields = rewriter.inline_region(producer.regions[0], indices);
    return copies_.back().emplace(key, std::move(yields)).first->second[position];
  }

  const Function& function_;
  FusionPlan plan_;
  std::vector<Copies> copies_;
};

void say(const Function& function, const std::vector<FusionDecision>& decisions, Remarks* remarks) {
  ArrayRemarks to(function, remarks);
  for (const FusionDecision& each : decisions)
    to.add(each.verdict == FusionVerdict::Fused ? Remark::Kind::Done : Remark::Kind::Kept,
           word_of(each.verdict), each.array, reason_of(function, each), each.reader);
}

}  // namespace

void fuse_maps(Module& module, Remarks* remarks) {
  rebuild_each(module, [&](const Function& function) -> Rewriter::Replace {
    std::vector<FusionDecision> decisions;
    auto rule = std::make_shared<FuseMaps>(function, remarks != nullptr ? &decisions : nullptr);
    if (remarks != nullptr) say(function, decisions, remarks);
    if (!rule->any()) return nullptr;
    return [rule](Rewriter& rewriter, NodeId node) { return rule->replace(rewriter, node); };
  });
}

}  // namespace dvm::passes
