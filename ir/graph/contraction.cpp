// Dependence on row, column and term, value by value in one walk.
#include "ir/graph/contraction.hpp"

#include <algorithm>
#include <unordered_map>

namespace dvm::graph {

namespace {

constexpr std::size_t most_parts = 3;  // of one side: each takes a panel of memory

constexpr unsigned on_row = 1, on_column = 2, on_term = 4;
constexpr unsigned row_side = on_row | on_term, column_side = on_column | on_term;

class Search {
 public:
  explicit Search(const Function& function) : function_(function) {}

  std::optional<Contraction> run(NodeId id) {
    const Node& node = function_.nodes[id];
    if (const auto* reduce = std::get_if<Reduce>(&node.op)) {
      if (reduce->space.size() < 2) return std::nullopt;
      set_space(node.regions[0], reduce->space.size());
      if (!terms(id)) return std::nullopt;
    } else if (const auto* map = std::get_if<Map>(&node.op)) {
      if (map->space.size() < 2 || !mapped(node, map->space.size())) return std::nullopt;
    } else {
      return std::nullopt;
    }
    if (found_.of_rows.empty() || found_.of_columns.empty()) return std::nullopt;
    if (found_.of_rows.size() > most_parts || found_.of_columns.size() > most_parts)
      return std::nullopt;
    return found_;
  }

 private:
  // What is known of a value made inside; nothing is known of others: they do not change here.
  struct Facts {
    unsigned depends = 0;
    bool reads = false;  // contains a read that changes with the term
  };

  Facts facts(ValueId value) const {
    const auto known = facts_.find(value);
    return known == facts_.end() ? Facts{} : known->second;
  }
  void set_space(RegionId region, std::size_t rank) {
    const std::vector<ValueId>& params = function_.regions[region].params;
    found_.row = params[rank - 2];
    found_.column = params[rank - 1];
    for (ValueId param : params) facts_[param] = {};
    facts_[found_.row].depends = on_row;
    facts_[found_.column].depends = on_column;
  }

  // The body of a map: scalars, one reduction, scalars.
  bool mapped(const Node& map, std::size_t rank) {
    const Region& body = function_.regions[map.regions[0]];
    set_space(map.regions[0], rank);
    bool reduced = false;
    for (NodeId id : body.nodes) {
      const Node& node = function_.nodes[id];
      if (node.check.valid()) return false;
      const auto* reduce = std::get_if<Reduce>(&node.op);
      if (reduce != nullptr) {
        if (reduced || !reduce->space.empty() || !terms(id)) return false;
        reduced = true;
      } else if (!node.regions.empty()) {
        if (!is_plain_branch(node)) return false;
        for (ValueId result : node.results) behind(result);
      } else {
        visit(node);
      }
    }
    return reduced && std::all_of(body.yields.begin(), body.yields.end(), [&](ValueId yield) {
             return function_.values[yield].type.is_scalar();
           });
  }

  bool is_plain_branch(const Node& node) const {
    if (!std::holds_alternative<Branch>(node.op)) return false;
    return std::all_of(node.regions.begin(), node.regions.end(), [&](RegionId side) {
      const std::vector<NodeId>& nodes = function_.regions[side].nodes;
      return std::all_of(nodes.begin(), nodes.end(), [&](NodeId id) {
        const Node& inner = function_.nodes[id];
        return !inner.check.valid() && (inner.regions.empty() || is_plain_branch(inner));
      });
    });
  }

  // Depends on both sides and may not be part of a term.
  void behind(ValueId value) { facts_[value] = {on_row | on_column | on_term, true}; }

  // What a value that a node makes depends on; a branch depends on all that its sides mention.
  void visit(const Node& node) {
    Facts made;
    const auto add = [&](ValueId value) {
      const Facts part = facts(value);
      made.depends |= part.depends;
      made.reads |= part.reads;
    };
    for (ValueId operand : node.operands) add(operand);
    for (RegionId side : node.regions) {
      for (NodeId inner : function_.regions[side].nodes) {
        visit(function_.nodes[inner]);
        for (ValueId result : function_.nodes[inner].results) add(result);
      }
      for (ValueId yield : function_.regions[side].yields) add(yield);
    }
    made.reads |= std::holds_alternative<Read>(node.op) && (made.depends & on_term) != 0;
    for (ValueId result : node.results) facts_[result] = made;
  }

  // The body of the reduction; false when it does not fall into sides.
  bool terms(NodeId id) {
    const Node& node = function_.nodes[id];
    const auto& reduce = std::get<Reduce>(node.op);
    if (reduce.components.empty()) return false;
    bool even = true;  // the same number of terms for each point
    reduce.extent.symbols(
        [&](Size::Symbol symbol) { even = even && !facts_.contains(ValueId{symbol}); });
    if (!even) return false;
    const Region& body = function_.regions[node.regions[0]];
    found_.reduce = id;
    found_.term = body.params.back();
    facts_[found_.term].depends = on_term;
    for (NodeId inner_id : body.nodes) {
      const Node& inner = function_.nodes[inner_id];
      if (inner.check.valid() || (!inner.regions.empty() && !is_plain_branch(inner))) return false;
      visit(inner);
      const Facts made = facts(inner.results[0]);
      const bool both = (made.depends & on_row) != 0 && (made.depends & on_column) != 0;
      // Parts of the sides of a branch may be made only where it is taken.
      if (both && (std::holds_alternative<Read>(inner.op) || !inner.regions.empty())) return false;
      if (both)
        for (ValueId operand : inner.operands) take(operand);
      if (both || !made.reads || made.depends == on_term) ++found_.rest;
    }
    for (ValueId yield : body.yields) take(yield);
    for (ValueId result : node.results) behind(result);
    return true;
  }

  void take(ValueId value) {
    const Facts part = facts(value);
    if (!part.reads) return;
    if (part.depends != row_side && part.depends != column_side) return;
    std::vector<ValueId>& side = part.depends == row_side ? found_.of_rows : found_.of_columns;
    if (std::find(side.begin(), side.end(), value) == side.end()) side.push_back(value);
  }

  const Function& function_;
  std::unordered_map<ValueId, Facts> facts_;
  Contraction found_;
};

}  // namespace

std::optional<Contraction> contraction_of(const Function& function, NodeId node) {
  return Search(function).run(node);
}

}  // namespace dvm::graph
