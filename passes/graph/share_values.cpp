// Value numbering with one table per open region, so that a lookup sees what dominates.
#include "passes/graph/share_values.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "passes/analysis/array_remark.hpp"
#include "passes/analysis/failure.hpp"
#include "passes/analysis/node_key.hpp"
#include "passes/graph/rebuild.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

// Scopes beyond this many levels up are not searched.
constexpr std::size_t max_levels = 64;

class ShareValues {
 public:
  ShareValues(const Function& function, Remarks* remarks)
      : function_(function),
        remarks_(function, remarks),
        strict_(always_needed(function)),
        tables_(1) {}

  bool replace(Rewriter& rewriter, NodeId id) {
    const Node& node = function_.nodes[id];
    if (std::holds_alternative<Call>(node.op)) return false;
    const RegionHooks hooks{[&](NodeId, std::size_t) { tables_.emplace_back(); },
                            [&](NodeId, std::size_t) { tables_.pop_back(); }};
    const NodeId copy = copy_node(rewriter, id, hooks);
    Function& target = rewriter.builder().function();
    if (!keys_) keys_.emplace(target);
    std::string key = keys_->key(copy);
    const bool local =
        std::holds_alternative<Constant>(node.op) || std::holds_alternative<SizeOf>(node.op);
    for (std::size_t level = 0; level < std::min(tables_.size(), max_levels); ++level) {
      Table& table = tables_[tables_.size() - 1 - level];
      auto found = table.find(key);
      if (found != table.end() &&
          agree_on_failure(target, found->second, node.check, strict_[id.index], level)) {
        const std::vector<ValueId> shared = target.nodes[found->second.node].results;
        if (remarks_) say_shared(node);
        map_results(rewriter, id, shared);
        return true;
      }
      if (local) break;
    }
    tables_.back().emplace(std::move(key), Entry{copy, strict_[id.index]});
    return true;
  }

 private:
  struct Entry {
    NodeId node;
    bool strict;
  };
  using Table = std::unordered_map<std::string, Entry>;

  // See Note [Sharing what may fail]. May lower the check id of the earlier node.
  static bool agree_on_failure(Function& target, const Entry& earlier, CheckId check, bool strict,
                               std::size_t level) {
    CheckId& kept = target.nodes[earlier.node].check;
    if (kept == check || !kept.valid()) return true;
    if (!check.valid()) return true;
    if (!earlier.strict) return false;
    if (kept < check) return level > 0 || strict;
    if (level > 0 || !strict) return false;
    kept = check;
    return true;
  }

  void say_shared(const Node& node) {
    if (node.regions.empty() && function_.values[node.results[0]].type.is_scalar()) return;
    remarks_.add(Remark::Kind::Done, "shared", node.results[0],
                 "equal to what is computed already, and taken from there");
  }

  const Function& function_;
  ArrayRemarks remarks_;
  std::vector<bool> strict_;
  std::vector<Table> tables_;
  std::optional<NodeKeys> keys_;  // of the new function
};

}  // namespace

void share_values(Module& module, Remarks* remarks) {
  rebuild_each(module, [&](const Function& function) -> Rewriter::Replace {
    return [rule = std::make_shared<ShareValues>(function, remarks)](
               Rewriter& rewriter, NodeId node) { return rule->replace(rewriter, node); };
  });
}

// Note [Sharing what may fail]
// Which failure is reported must not change: the least check id among the needed values. Say an
// earlier node has check e, a later equal one check l; they fail together.
// - e and l the same, or the earlier one cannot fail: share.
// - the later one cannot fail where it stands (its check was proven true): share; reading the
// earlier
//   one there cannot fail either.
// - Otherwise the shared node reports min(e, l), which is right only if the other one is needed as
// well
//   whenever this one is: both are evaluated whenever their common region is; or the later one
//   stands in an inner region and the earlier, with the smaller id, is evaluated in any case.

}  // namespace dvm::passes
