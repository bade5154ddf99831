// Liveness by a worklist from the results: near-linear, each value and node is expanded once.
#include "passes/analysis/liveness.hpp"

#include <unordered_map>
#include <unordered_set>

#include "ir/graph/walk.hpp"
#include "passes/analysis/slots.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

class Liveness {
 public:
  explicit Liveness(const Function& function)
      : function_(function), live_(function.values.size(), false) {}

  std::vector<bool> run() {
    for (ValueId param : function_.params()) need(param);
    for (ValueId result : function_.results()) need(result);
    while (!work_.empty()) {
      const ValueId value = work_.back();
      work_.pop_back();
      expand(value);
    }
    return std::move(live_);
  }

 private:
  void need(ValueId value) {
    if (live_[value.index]) return;
    live_[value.index] = true;
    work_.push_back(value);
  }
  void need_all(const std::vector<ValueId>& values) {
    for (ValueId value : values) need(value);
  }
  void need_size(const Size& size) {
    size.symbols([&](Size::Symbol symbol) { need(ValueId{symbol}); });
  }

  void expand(ValueId value) {
    for (const Size& size : function_.values[value].type.shape) need_size(size);
    const NodeId id = function_.values[value].node;
    if (!id.valid()) {
      need_parts(value);
      return;
    }
    const Node& node = function_.nodes[id];
    if (node.regions.empty()) {
      need_all(node.operands);
      for_each_size(node.op, [&](const Size& size) { need_size(size); });
      return;
    }
    if (expanded_.insert(id).second) {
      Slots node_slots = slots(function_, node);
      for (std::size_t k = 0; k < node.results.size() && k < node_slots.per_result.size(); ++k)
        parts_[node.results[k]] = std::move(node_slots.per_result[k]);
      for (auto& [param, needed] : node_slots.per_param) parts_[param] = std::move(needed);
      need_all(node_slots.always);
      for_each_size(node.op, [&](const Size& size) { need_size(size); });
    }
    need_parts(value);
  }
  void need_parts(ValueId value) {
    if (auto found = parts_.find(value); found != parts_.end()) need_all(found->second);
  }

  const Function& function_;
  std::vector<bool> live_;
  std::vector<ValueId> work_;
  std::unordered_set<NodeId> expanded_;  // nodes with regions whose parts are known
  // What one result or region param of such a node needs beside what all of them need.
  std::unordered_map<ValueId, std::vector<ValueId>> parts_;
};

}  // namespace

std::vector<bool> live_values(const Function& function) { return Liveness(function).run(); }

}  // namespace dvm::passes
