// Walks from values to what they need.
#include "ir/graph/choice.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "ir/graph/walk.hpp"

namespace dvm::graph {

namespace {

constexpr std::size_t most_values = 64;

using Values = std::unordered_set<ValueId>;

// What the node needs of its operands whenever one of its results is needed.
std::size_t needed_operands(const Node& node) {
  // The values of a check's message are only looked at when it fails.
  if (std::holds_alternative<Check>(node.op)) return std::min<std::size_t>(2, node.operands.size());
  return node.operands.size();
}

// The value, and what it needs through operands alone: those that may fail.
Values needed_with(const Function& function, ValueId value, const ChoiceFacts& facts) {
  Values seen;
  std::vector<ValueId> open = {value};
  while (!open.empty() && seen.size() < most_values) {
    const ValueId next = open.back();
    open.pop_back();
    if (facts.safe(next) || !seen.insert(next).second) continue;
    const NodeId id = function.values[next].node;
    if (!id.valid()) continue;
    const Node& node = function.nodes[id];
    const bool only_condition = std::holds_alternative<Branch>(node.op);
    if (!only_condition && !node.regions.empty()) continue;
    const std::size_t count = only_condition ? 1 : needed_operands(node);
    open.insert(open.end(), node.operands.begin(),
                node.operands.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return seen;
}

// Every failure that the value can have comes from one of `known`.
bool fails_by(const Function& function, ValueId value, const Values& known,
              const ChoiceFacts& facts) {
  Values seen;
  std::vector<ValueId> open = {value};
  while (!open.empty()) {
    const ValueId next = open.back();
    open.pop_back();
    if (facts.safe(next) || known.contains(next) || !seen.insert(next).second) continue;
    const NodeId id = function.values[next].node;
    if (!id.valid() || seen.size() > most_values) return false;
    const Node& node = function.nodes[id];
    const bool branch = std::holds_alternative<Branch>(node.op);
    if (!facts.total(id) || (!branch && !node.regions.empty()) ||
        std::holds_alternative<Call>(node.op))
      return false;
    open.insert(open.end(), node.operands.begin(), node.operands.end());
    for_each_size_value(node.op, [&](ValueId size) { open.push_back(size); });
    for (RegionId region : node.regions) {
      const std::vector<ValueId>& yields = function.regions[region].yields;
      open.insert(open.end(), yields.begin(), yields.end());
    }
  }
  return true;
}

}  // namespace

bool may_select(const Function& function, ValueId condition, ValueId yes, ValueId no,
                const ChoiceFacts& facts) {
  if (facts.safe(yes) && facts.safe(no)) return true;
  Values known = needed_with(function, condition, facts);
  const Values with_no = needed_with(function, no, facts);
  for (ValueId value : needed_with(function, yes, facts))
    if (with_no.contains(value)) known.insert(value);
  return fails_by(function, yes, known, facts) && fails_by(function, no, known, facts);
}

}  // namespace dvm::graph
