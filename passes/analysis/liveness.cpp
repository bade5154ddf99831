// Liveness by a worklist from the results: near-linear, each value and node is expanded once.
#include "passes/analysis/liveness.hpp"

#include <unordered_map>

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
      if (auto found = per_param_.find(value); found != per_param_.end()) need_all(found->second);
      return;
    }
    const Node& node = function_.nodes[id];
    if (node.regions.empty()) {
      need_all(node.operands);
      for_each_size(node.op, [&](const Size& size) { need_size(size); });
      return;
    }
    auto [entry, fresh] = per_result_.try_emplace(id);
    if (fresh) {
      Slots node_slots = slots(function_, node);
      entry->second = std::move(node_slots.per_result);
      for (auto& [param, needed] : node_slots.per_param) per_param_[param] = std::move(needed);
      need_all(node_slots.always);
      for_each_size(node.op, [&](const Size& size) { need_size(size); });
    }
    const auto& per_result = per_result_[id];
    for (std::size_t k = 0; k < node.results.size() && k < per_result.size(); ++k)
      if (node.results[k] == value) need_all(per_result[k]);
  }

  const Function& function_;
  std::vector<bool> live_;
  std::vector<ValueId> work_;
  std::unordered_map<NodeId, std::vector<std::vector<ValueId>>> per_result_;
  std::unordered_map<ValueId, std::vector<ValueId>> per_param_;
};

}  // namespace

std::vector<bool> live_values(const Function& function) { return Liveness(function).run(); }

}  // namespace dvm::passes
