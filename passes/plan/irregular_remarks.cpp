// A walk over the maps at task level.
#include "passes/plan/irregular_remarks.hpp"

#include <algorithm>

#include "passes/analysis/array_remark.hpp"
#include "passes/analysis/users.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

// A reduction whose extent is a value of the body that it stands in.
bool has_own_extent(const Function& function, const Users& users, NodeId id) {
  const auto* reduce = std::get_if<Reduce>(&function.nodes[id].op);
  if (reduce == nullptr) return false;
  bool own = false;
  reduce->extent.symbols([&](Size::Symbol symbol) {
    own = own || users.home(ValueId{symbol}) == users.region_of(id);
  });
  return own;
}

void visit(const Function& function, const Users& users, RegionId region, ArrayRemarks& to) {
  for (NodeId id : function.regions[region].nodes) {
    const Node& node = function.nodes[id];
    if (!std::holds_alternative<Map>(node.op)) {
      const bool control = std::holds_alternative<Loop>(node.op) ||
                           std::holds_alternative<While>(node.op) ||
                           std::holds_alternative<Branch>(node.op);
      for (std::size_t k = 0; control && k < node.regions.size(); ++k)
        visit(function, users, node.regions[k], to);
      continue;
    }
    const std::vector<NodeId>& body = function.regions[node.regions[0]].nodes;
    if (std::any_of(body.begin(), body.end(),
                    [&](NodeId inner) { return has_own_extent(function, users, inner); }))
      to.add(
          Remark::Kind::Done, "irregular", node.results[0],
          "the sum at a point goes from its first term to its last in one task, as its length is "
          "known only there: points run side by side, the terms of one do not");
  }
}

}  // namespace

void say_irregular(const Module& module, Remarks& remarks) {
  for (const Function& function : module.functions) {
    ArrayRemarks to(function, &remarks);
    visit(function, Users(function), function.body, to);
  }
}

}  // namespace dvm::passes
