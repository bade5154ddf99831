// One walk with the old function's analyses (affine forms, ranges) and the new function's
// constants.
#include "passes/graph/simplify.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "ir/graph/affine.hpp"
#include "ir/graph/choice.hpp"
#include "ir/graph/walk.hpp"
#include "passes/analysis/failure.hpp"
#include "passes/analysis/ranges.hpp"
#include "passes/analysis/users.hpp"
#include "passes/cost/cost.hpp"
#include "passes/graph/rebuild.hpp"
#include "passes/graph/scalar_rules.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

// Sides of a branch up to this many nodes, of operations up to this cost, become selects.
constexpr int max_select_nodes = 16;
constexpr double max_select_operations = 3;
// Reductions in bodies up to this many terms, with bodies of so many nodes in all, are written out.
constexpr std::int64_t max_terms = 8;
constexpr std::size_t max_term_nodes = 64;

class Simplify {
 public:
  explicit Simplify(const Function& function)
      : function_(function),
        forms_(function),
        ranges_(function, forms_),
        safe_(values_without_failure(function, forms_)) {}

  bool replace(Rewriter& rewriter, NodeId id) {
    rewriter_ = &rewriter;
    const Node& node = function_.nodes[id];
    bring_literals(node);
    const bool done = std::visit([&](const auto& op) { return rule(op, id, node); }, node.op);
    if (!done) copy(id);
    for (ValueId result : node.results) note_literal(rewriter.mapped(result));
    return true;
  }

 private:
  Builder& builder() { return rewriter_->builder(); }
  ValueId mapped(ValueId old_value) { return rewriter_->mapped(old_value); }

  // --- literals stand where they are used

  struct Moved {
    ValueId old_value, outer;
  };

  // A literal of an outer region is copied into the current one, for uses by this region only.
  void bring_literals(const Node& node) {
    if (undo_.empty()) return;
    for (ValueId operand : node.operands) {
      const ValueId value = mapped(operand);
      auto home = literal_home_.find(value);
      if (home == literal_home_.end() || home->second == builder().current_region()) continue;
      const Op op = builder().function().nodes[builder().function().values[value].node].op;
      const NodeId copy = builder().add(op, {}, {}, {builder().type(value)});
      const ValueId local = builder().results(copy)[0];
      undo_.back().push_back({operand, value});
      rewriter_->map(operand, local);
      note_literal(local);
    }
  }
  void note_literal(ValueId value) {
    const NodeId id = builder().function().values[value].node;
    if (!id.valid()) return;
    const Op& op = builder().function().nodes[id].op;
    if (std::holds_alternative<Constant>(op) || std::holds_alternative<SizeOf>(op))
      literal_home_.emplace(value, builder().current_region());
  }

  // --- copying, with what is known inside regions

  void copy(NodeId id) {
    copy_node(*rewriter_, id,
              {[&](NodeId node, std::size_t region) { enter(node, region); },
               [&](NodeId node, std::size_t) { leave(node); }});
  }
  void enter(NodeId node, std::size_t region) {
    ranges_.enter(node, region);
    if (!std::holds_alternative<Branch>(function_.nodes[node].op)) ++bodies_;
    undo_.emplace_back();
  }
  void leave(NodeId node) {
    if (!std::holds_alternative<Branch>(function_.nodes[node].op)) --bodies_;
    for (auto moved = undo_.back().rbegin(); moved != undo_.back().rend(); ++moved)
      rewriter_->map(moved->old_value, moved->outer);
    undo_.pop_back();
    ranges_.leave();
  }

  // --- rules, by op; false: copy the node

  template <class AnyOp>
  bool rule(const AnyOp&, NodeId, const Node&) {
    return false;
  }

  bool rule(const SizeOf& op, NodeId, const Node& node) {
    rewriter_->map(node.results[0], builder().size(rewriter_->mapped(op.size)));
    return true;
  }

  bool rule(const ScalarOp& op, NodeId, const Node& node) {
    const ValueId result = node.results[0];
    if (all_safe(node.operands)) {
      if (auto same = by_form(result)) {
        rewriter_->map(result, *same);
        return true;
      }
      if (auto known = ranges_.decide(node)) {
        rewriter_->map(result, builder().constant(Scalar::of_bool(*known)));
        return true;
      }
    }
    ScalarCall call{op.fn,
                    dvm::passes::mapped(*rewriter_, node.operands),
                    function_.values[result].type.element,
                    {}};
    for (ValueId operand : node.operands) call.droppable.push_back(safe_[operand.index]);
    if (auto simpler = simplify_scalar(builder(), call)) {
      rewriter_->map(result, *simpler);
      return true;
    }
    if (!node.check.valid() || !never_fails(call)) return false;
    rewriter_->map(result, builder().scalar(call.fn, call.operands));
    return true;
  }

  // A division by a constant other than zero, a shift by a constant that is not negative.
  bool never_fails(const ScalarCall& call) {
    const std::optional<Scalar> right = constant_of(builder(), call.operands[1]);
    if (!right) return false;
    const bool shifts = call.fn == ScalarFn::Shl || call.fn == ScalarFn::Shr;
    return shifts ? right->as_i64() >= 0 : right->as_u64() != 0;
  }

  bool all_safe(const std::vector<ValueId>& values) const {
    return std::all_of(values.begin(), values.end(),
                       [&](ValueId value) { return bool{safe_[value.index]}; });
  }

  // An integer whose affine form is a number or one other value.
  std::optional<ValueId> by_form(ValueId value) {
    const Type& type = function_.values[value].type;
    if (type.element != ElementType::I64) return std::nullopt;
    const Affine& form = forms_.of(value);
    if (form.is_size()) {
      if (auto number = form.constant.constant()) return builder().constant_i64(*number);
      const std::optional<Size::Symbol> symbol = form.constant.as_symbol();
      if (symbol && ValueId{*symbol} != value) return mapped(ValueId{*symbol});
      return std::nullopt;
    }
    const std::optional<ValueId> variable = form.as_variable();
    if (variable && *variable != value) return mapped(*variable);
    return std::nullopt;
  }

  bool rule(const Check&, NodeId, const Node& node) {
    const std::optional<Scalar> condition = constant_of(builder(), mapped(node.operands[1]));
    if (!(condition && condition->as_bool()) && !checked_before(node)) return false;
    // The values of the message are computed in any case, and may fail themselves.
    if (!all_safe({node.operands.begin() + 2, node.operands.end()})) return false;
    rewriter_->map(node.results[0], mapped(node.operands[0]));
    return true;
  }

  // The value has passed an earlier check of the same condition, which fails instead of this one.
  bool checked_before(const Node& node) {
    const ValueId condition = mapped(node.operands[1]);
    NodeId id = builder().function().values[mapped(node.operands[0])].node;
    for (int near = 16; id.valid() && near > 0; --near) {
      const Node& before = builder().function().nodes[id];
      if (!std::holds_alternative<Check>(before.op)) return false;
      if (before.operands[1] == condition && before.check.index <= node.check.index) return true;
      id = builder().function().values[before.operands[0]].node;
    }
    return false;
  }

  bool rule(const Read&, NodeId, const Node& node) {
    if (!node.check.valid() || !ranges_.read_in_range(node)) return false;
    std::vector<ValueId> operands = dvm::passes::mapped(*rewriter_, node.operands);
    const ValueId array = operands[0];
    operands.erase(operands.begin());
    rewriter_->map(node.results[0], builder().read(array, std::move(operands)));
    return true;
  }

  bool rule(const Reshape&, NodeId, const Node& node) {
    if (node.check.valid()) return same_shape(node, mapped(node.operands[0]));
    // What was reshaped before is reshaped once, from what it was.
    ValueId source = mapped(node.operands[0]);
    const NodeId from = builder().function().values[source].node;
    if (from.valid()) {
      const Node& before = builder().function().nodes[from];
      if (std::holds_alternative<Reshape>(before.op) && !before.check.valid())
        source = before.operands[0];
    }
    if (same_shape(node, source)) return true;
    if (source == mapped(node.operands[0])) return false;
    const Type type = rewriter_->mapped(function_.values[node.results[0]].type);
    rewriter_->map(node.results[0],
                   builder().results(builder().add(Reshape{}, {source}, {}, {type}))[0]);
    return true;
  }
  bool same_shape(const Node& reshape, ValueId source) {
    if (builder().type(source) != rewriter_->mapped(function_.values[reshape.results[0]].type))
      return false;
    rewriter_->map(reshape.results[0], source);
    return true;
  }

  bool rule(const Concat&, NodeId, const Node& node) {
    if (node.operands.size() != 1) return false;
    rewriter_->map(node.results[0], mapped(node.operands[0]));
    return true;
  }

  bool rule(const Branch&, NodeId id, const Node& node) {
    const ValueId condition = mapped(node.operands[0]);
    if (auto known = constant_of(builder(), condition); known && needs_stay(node)) {
      map_results(*rewriter_, id, inline_region(node.regions[known->as_bool() ? 0 : 1], {}));
      return true;
    }
    if (!becomes_select(id)) return false;
    const std::vector<ValueId> yes = inline_region(node.regions[0], {});
    const std::vector<ValueId> no = inline_region(node.regions[1], {});
    for (std::size_t k = 0; k < node.results.size(); ++k) {
      const ScalarCall call{ScalarFn::Select,
                            {condition, yes[k], no[k]},
                            builder().type(yes[k]).element,
                            {safe_[node.operands[0].index], false, false}};
      const std::optional<ValueId> simpler = simplify_scalar(builder(), call);
      rewriter_->map(node.results[k],
                     simpler ? *simpler : builder().scalar(call.fn, call.operands));
    }
    return true;
  }

  // States that no step changes are what they were before.
  bool rule(const While&, NodeId id, const Node&) { return copy_with_constant_states(id, 0); }
  bool copy_with_constant_states(NodeId id, std::size_t first) {
    const Node& node = function_.nodes[id];
    const std::vector<std::size_t> states = constant_states(node, first);
    if (states.empty()) return false;
    const std::vector<ValueId> operands = dvm::passes::mapped(*rewriter_, node.operands);
    Op op = mapped_sizes(*rewriter_, node.op);
    std::vector<RegionId> regions;
    for (std::size_t k = 0; k < node.regions.size(); ++k) {
      const Region& region = function_.regions[node.regions[k]];
      enter(id, k);
      regions.push_back(builder().open_region());
      new_params(*rewriter_, region.params);
      std::vector<ValueId> kept;  // each is given on, as before
      for (std::size_t state : states) {
        kept.push_back(mapped(region.params[state]));
        rewriter_->map(region.params[state], operands[state]);
      }
      for (NodeId inner : region.nodes) rewriter_->visit(inner);
      std::vector<ValueId> yields = dvm::passes::mapped(*rewriter_, region.yields);
      if (k + 1 == node.regions.size())
        for (std::size_t s = 0; s < states.size(); ++s) yields[states[s] - first] = kept[s];
      builder().close_region(std::move(yields));
      leave(id);
    }
    builder().set_loc(node.loc);
    const std::vector<ValueId> results = new_results(*rewriter_, node.results);
    builder().add_with_results(std::move(op), operands, std::move(regions), results, node.check);
    // Nobody needs the loop for them, unless its count fails or it may not end.
    if (first == 1 && all_safe({node.operands[0]}))
      for (std::size_t state : states) rewriter_->map(node.results[state - first], operands[state]);
    return true;
  }
  // Positions among the params of the last region, whose first `first` ones are no states. Those
  // that types mention are sizes and stay.
  std::vector<std::size_t> constant_states(const Node& node, std::size_t first) const {
    const Region& step = function_.regions[node.regions.back()];
    std::unordered_set<ValueId> sizes;
    for (ValueId param : step.params)
      for_each_size_value(function_.values[param].type,
                          [&](ValueId symbol) { sizes.insert(symbol); });
    std::vector<std::size_t> states;
    for (std::size_t k = first; k < step.params.size(); ++k)
      if (step.yields[k - first] == step.params[k] && !sizes.contains(step.params[k]))
        states.push_back(k);
    return states;
  }

  bool rule(const Loop& op, NodeId id, const Node& node) {
    const std::optional<Scalar> count = constant_of(builder(), mapped(node.operands[0]));
    // A state that later steps would have needed may not be needed now: its failure must not
    // vanish.
    if (!count || op.stacked != 0 || count->as_i64() < 0 || count->as_i64() > 1 ||
        !all_safe(node.operands) || !all_safe(function_.regions[node.regions[0]].yields))
      return copy_with_constant_states(id, 1);
    std::vector<ValueId> states = dvm::passes::mapped(*rewriter_, node.operands);
    if (count->as_i64() == 1) {
      states[0] = builder().constant_i64(0);
      states = inline_region(node.regions[0], states);
    } else {
      states.erase(states.begin());
    }
    map_results(*rewriter_, id, states);
    return true;
  }

  // In a body, a reduction of a few terms is cheaper as scalars: the same tree, written out.
  bool rule(const Reduce& op, NodeId, const Node& node) {
    const auto extent = op.extent.constant();
    if (bodies_ == 0 || !op.space.empty() || !extent || *extent < 1 || *extent > max_terms ||
        op.tree == Tree::Unset)
      return false;
    // With one term neither the neutral values nor the operator remain, and with an operator each
    // result needs all terms: their failures must not go.
    if (!all_safe(node.operands)) return false;
    if (op.components.empty() && !(all_safe(function_.regions[node.regions[0]].yields) &&
                                   all_safe(free_values(function_, node.regions[1]))))
      return false;
    const RegionId body = node.regions[0];
    if (count_nodes(body) * static_cast<std::size_t>(*extent) > max_term_nodes) return false;
    std::vector<std::vector<ValueId>> terms;
    for (std::int64_t t = 0; t < *extent; ++t)
      terms.push_back(inline_region(body, {builder().constant_i64(t)}));
    const std::vector<ValueId> sum =
        op.tree == Tree::Lanes ? by_lanes(op, node, terms) : in_order(op, node, terms);
    for (std::size_t k = 0; k < sum.size(); ++k) rewriter_->map(node.results[k], sum[k]);
    return true;
  }
  // Tree::Ordered: each term is added to the sum of those before; fused products round once.
  std::vector<ValueId> in_order(const Reduce& op, const Node& node,
                                const std::vector<std::vector<ValueId>>& terms) {
    std::vector<ValueId> sum = whole_terms(op, terms[0]);
    for (std::size_t t = 1; t < terms.size(); ++t) {
      if (op.components.empty()) {
        sum = combined(op, node, sum, terms[t]);
        continue;
      }
      std::size_t at = 0;
      for (std::size_t k = 0; k < sum.size(); ++k) {
        const Component& part = op.components[k];
        sum[k] = part.fused_product
                     ? builder().scalar(ScalarFn::Fma, {terms[t][at], terms[t][at + 1], sum[k]})
                     : builder().scalar(part.combiner, {sum[k], terms[t][at]});
        at += part.fused_product ? 2 : 1;
      }
    }
    return sum;
  }
  // Tree::Lanes: no more terms than lanes, so that each lane holds one; then halves are joined.
  std::vector<ValueId> by_lanes(const Reduce& op, const Node& node,
                                const std::vector<std::vector<ValueId>>& terms) {
    static_assert(max_terms <= reduction_lanes);
    std::vector<std::vector<ValueId>> lanes;
    for (const std::vector<ValueId>& term : terms) lanes.push_back(whole_terms(op, term));
    for (auto half = static_cast<std::size_t>(reduction_lanes) / 2; half > 0; half /= 2) {
      for (std::size_t l = 0; l < half && l + half < lanes.size(); ++l)
        lanes[l] = combined(op, node, lanes[l], lanes[l + half]);
      if (lanes.size() > half) lanes.resize(half);
    }
    return lanes[0];
  }
  // Products that would be fused into a sum, on their own.
  std::vector<ValueId> whole_terms(const Reduce& op, const std::vector<ValueId>& term) {
    if (op.components.empty()) return term;
    std::vector<ValueId> whole;
    std::size_t at = 0;
    for (const Component& part : op.components) {
      whole.push_back(part.fused_product ? builder().scalar(ScalarFn::Mul, {term[at], term[at + 1]})
                                         : term[at]);
      at += part.fused_product ? 2 : 1;
    }
    return whole;
  }
  std::vector<ValueId> combined(const Reduce& op, const Node& node,
                                const std::vector<ValueId>& left,
                                const std::vector<ValueId>& right) {
    if (op.components.empty()) {
      std::vector<ValueId> args = left;
      args.insert(args.end(), right.begin(), right.end());
      return inline_region(node.regions[1], args);
    }
    std::vector<ValueId> sum;
    for (std::size_t k = 0; k < left.size(); ++k)
      sum.push_back(builder().scalar(op.components[k].combiner, {left[k], right[k]}));
    return sum;
  }
  std::size_t count_nodes(RegionId region) const {
    std::size_t count = 0;
    for (NodeId id : function_.regions[region].nodes) {
      ++count;
      for (RegionId inner : function_.nodes[id].regions) count += count_nodes(inner);
    }
    return count;
  }

  // What a body needs counts as needed even if the body never runs, but what a branch in it needs
  // only when the branch is taken. Outside of bodies a branch with a known condition is taken for
  // sure.
  bool needs_stay(const Node& branch) const {
    if (bodies_ == 0) return true;
    return std::all_of(branch.regions.begin(), branch.regions.end(),
                       [&](RegionId region) { return all_safe(free_values(function_, region)); });
  }

  // A region's nodes at the current place. Literals brought from outside stay valid: the place is
  // the current region's.
  std::vector<ValueId> inline_region(RegionId region, const std::vector<ValueId>& args) {
    return rewriter_->inline_region(region, args);
  }

  // Both sides can be computed without harm and for less than a branch costs.
  bool becomes_select(NodeId id) {
    const Node& node = function_.nodes[id];
    for (ValueId result : node.results)
      if (!function_.values[result].type.is_scalar()) return false;
    int budget = max_select_nodes;
    for (RegionId region : node.regions)
      if (!is_cheap(region, budget) || !is_total(function_, region, ranges_)) return false;
    if (all_safe(free_values(function_, node.regions[0])) &&
        all_safe(free_values(function_, node.regions[1])))
      return true;
    // In a body that never runs the branch is not taken: see needs_stay.
    return bodies_ == 0 && !chooses(node.regions[0]) && !chooses(node.regions[1]) &&
           may_select(node);
  }
  // What both sides need together does not fail where the branch would not.
  bool may_select(const Node& node) const {
    std::unordered_set<NodeId> inside;
    for (RegionId region : node.regions)
      inside.insert(function_.regions[region].nodes.begin(), function_.regions[region].nodes.end());
    const ChoiceFacts facts{
        [&](ValueId value) { return safe_[value.index] || !function_.values[value].node.valid(); },
        [&](NodeId id) { return inside.contains(id) || !function_.nodes[id].check.valid(); }};
    for (std::size_t k = 0; k < node.results.size(); ++k) {
      const ValueId yes = function_.regions[node.regions[0]].yields[k];
      const ValueId no = function_.regions[node.regions[1]].yields[k];
      if (!graph::may_select(function_, node.operands[0], yes, no, facts)) return false;
    }
    return true;
  }
  bool chooses(RegionId region) const {
    const std::vector<NodeId>& nodes = function_.regions[region].nodes;
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](NodeId id) { return !function_.nodes[id].regions.empty(); });
  }
  bool is_cheap(RegionId region, int& budget) const {
    const std::vector<NodeId>& nodes = function_.regions[region].nodes;
    return std::all_of(nodes.begin(), nodes.end(), [&](NodeId id) {
      const Node& node = function_.nodes[id];
      if (--budget < 0) return false;
      if (const auto* scalar = std::get_if<ScalarOp>(&node.op))
        return operations(scalar->fn, function_.values[node.results[0]].type.element) <=
               max_select_operations;
      if (std::holds_alternative<Branch>(node.op))
        return is_cheap(node.regions[0], budget) && is_cheap(node.regions[1], budget);
      return std::holds_alternative<Constant>(node.op) || std::holds_alternative<SizeOf>(node.op) ||
             std::holds_alternative<Read>(node.op);
    });
  }

  const Function& function_;
  AffineForms forms_;
  Ranges ranges_;
  std::vector<bool> safe_;  // by old value: cannot fail
  Rewriter* rewriter_ = nullptr;
  int bodies_ = 0;  // open regions that may run any number of times
  std::unordered_map<ValueId, RegionId> literal_home_;
  std::vector<std::vector<Moved>> undo_;  // by open region: mappings to restore when it closes
};

}  // namespace

void simplify(Module& module) {
  rebuild_each(module, [](const Function& function) -> Rewriter::Replace {
    return [rule = std::make_shared<Simplify>(function)](Rewriter& rewriter, NodeId node) {
      return rule->replace(rewriter, node);
    };
  });
}

}  // namespace dvm::passes
