// What is known at a place: bounds of indices, and what the conditions around say.
#include "passes/analysis/ranges.hpp"

#include <algorithm>

namespace dvm::passes {

using namespace graph;

namespace {

bool is_i64(const Function& function, ValueId value) {
  const Type& type = function.values[value].type;
  return type.is_scalar() && type.element == ElementType::I64;
}

// The counted dimensions of a region's leading params.
std::vector<Size> index_extents(const Op& op) {
  std::vector<Size> extents;
  if (const auto* map = std::get_if<Map>(&op)) extents = map->space;
  if (const auto* reduce = std::get_if<Reduce>(&op)) {
    extents = reduce->space;
    extents.push_back(reduce->extent);
  }
  if (const auto* scan = std::get_if<Scan>(&op)) {
    extents = scan->space;
    extents.push_back(scan->extent);
  }
  if (const auto* scatter = std::get_if<Scatter>(&op)) {
    extents = scatter->space;
    extents.insert(extents.begin(), scatter->extent);
  }
  if (const auto* keyed = std::get_if<ReduceByKey>(&op)) {
    extents = keyed->space;
    extents.insert(extents.begin(), keyed->extent);
  }
  if (const auto* filter = std::get_if<Filter>(&op)) extents = {filter->extent};
  return extents;
}

bool is_comparison(ScalarFn fn) {
  return fn == ScalarFn::Eq || fn == ScalarFn::Ne || fn == ScalarFn::Lt || fn == ScalarFn::Le ||
         fn == ScalarFn::Gt || fn == ScalarFn::Ge;
}

}  // namespace

Ranges::Ranges(const Function& function, const AffineForms& forms)
    : function_(function), forms_(forms) {
  const std::vector<ValueId>& params = function.params();
  for (std::size_t k = 0; k < function.size_params; ++k) not_negative_.insert(params[k].index);
  // The extents of arrays that came in, and the counts of filters, are sizes too.
  for (ValueId param : params)
    for (const Size& size : function.values[param].type.shape)
      if (auto symbol = size.as_symbol()) not_negative_.insert(*symbol);
  for (NodeId node : function.body_region().nodes)
    if (std::holds_alternative<Filter>(function.nodes[node].op))
      not_negative_.insert(function.nodes[node].results[0].index);
}

void Ranges::enter(NodeId id, std::size_t region) { enter(id, region, nullptr); }

void Ranges::enter_part(NodeId id, const std::vector<bool>& indices) { enter(id, 0, &indices); }

void Ranges::enter(NodeId id, std::size_t region, const std::vector<bool>* indices) {
  const Node& node = function_.nodes[id];
  Frame frame{mark(), {}, {}};
  const std::vector<ValueId>& params = function_.regions[node.regions[region]].params;
  if (region == 0) {
    const std::vector<Size> extents = index_extents(node.op);
    for (std::size_t k = 0; k < extents.size(); ++k)
      if (indices == nullptr || (*indices)[k]) add_index(params[k], extents[k], frame);
  }
  if (std::holds_alternative<Loop>(node.op)) {
    const Affine last = (is_exact(node.operands[0]) ? forms_.of(node.operands[0])
                                                    : Affine::variable(node.operands[0])) -
                        Affine(Size(1));
    last_[params[0]] = last;
    order_.push_back(params[0]);
    frame.indices.push_back(params[0]);
    facts_.push_back(last);
  }
  if (std::holds_alternative<Branch>(node.op)) {
    comparisons_left_ = max_comparisons;
    add_condition(node.operands[0], region == 0, 0);
  }
  frames_.push_back(std::move(frame));
}

void Ranges::leave() {
  Frame& frame = frames_.back();
  forget_since(frame.mark);
  for (ValueId index : frame.indices) last_.erase(index);
  order_.resize(order_.size() - frame.indices.size());
  for (Size::Symbol symbol : frame.positive) --positive_[symbol];
  frames_.pop_back();
}

void Ranges::forget_since(const Mark& mark) {
  facts_.resize(mark.facts);
  unequal_.resize(mark.unequal);
  wrapped_.resize(mark.wrapped);
}

// A size is evaluated without wrapping around, the values it mentions are not.
std::optional<Affine> Ranges::form_of(const Size& size) const {
  Affine form;
  for (const Size::Term& term : size.terms()) {
    Size factor(term.coefficient);
    std::optional<ValueId> variable;
    for (const Size::Atom& atom : term.factors) {
      bool invariant = true;
      if (atom.quotient) {
        atom.quotient->numerator.symbols(
            [&](Size::Symbol symbol) { invariant &= forms_.is_top_level(ValueId{symbol}); });
        if (!invariant) return std::nullopt;
        factor = factor * Size::quotient(atom.quotient->numerator, atom.quotient->divisor);
      } else if (forms_.is_top_level(ValueId{atom.symbol})) {
        factor = factor * Size::symbol(atom.symbol);
      } else if (variable) {
        return std::nullopt;
      } else {
        variable = ValueId{atom.symbol};
      }
    }
    if (variable) {
      form = form +
             (is_exact(*variable) ? forms_.of(*variable) : Affine::variable(*variable)) * factor;
    } else {
      form = form + Affine(factor);
    }
  }
  return form;
}

void Ranges::add_index(ValueId param, const Size& extent, Frame& frame) {
  const std::optional<Affine> form = form_of(extent);
  // Unknown extents: the index is still at least 0, which a bound that is its own value expresses.
  last_[param] = form ? *form - Affine(Size(1)) : Affine::variable(param);
  order_.push_back(param);
  frame.indices.push_back(param);
  if (!form) return;
  facts_.push_back(*form - Affine(Size(1)));
  if (auto symbol = extent.as_symbol(); symbol && forms_.is_top_level(ValueId{*symbol})) {
    ++positive_[*symbol];
    frame.positive.push_back(*symbol);
  }
}

void Ranges::add_condition(ValueId condition, bool holds, int depth) {
  const NodeId id = function_.values[condition].node;
  if (!id.valid() || depth > max_condition_depth || comparisons_left_ <= 0) return;
  const Node& node = function_.nodes[id];
  if (std::holds_alternative<Branch>(node.op)) return add_choice(node, condition, holds, depth);
  const auto* scalar = std::get_if<ScalarOp>(&node.op);
  if (scalar == nullptr) return;
  if ((scalar->fn == ScalarFn::And && holds) || (scalar->fn == ScalarFn::Or && !holds)) {
    for (ValueId part : node.operands) add_condition(part, holds, depth + 1);
  } else if (scalar->fn == ScalarFn::Not) {
    add_condition(node.operands[0], !holds, depth + 1);
  } else if (is_comparison(scalar->fn)) {
    --comparisons_left_;
    add_comparison(node, holds);
  }
}

// Where one side of a choice is the opposite, the other side was taken, and its condition held: `a
// && b` is such a choice when b is only evaluated where a holds.
void Ranges::add_choice(const Node& branch, ValueId result, bool holds, int depth) {
  const auto k = static_cast<std::size_t>(
      std::find(branch.results.begin(), branch.results.end(), result) - branch.results.begin());
  for (std::size_t side = 0; side < 2; ++side) {
    const ValueId other = function_.regions[branch.regions[1 - side]].yields[k];
    const NodeId made = function_.values[other].node;
    const auto* constant =
        made.valid() ? std::get_if<Constant>(&function_.nodes[made].op) : nullptr;
    if (constant == nullptr || constant->value.as_bool() == holds) continue;
    add_condition(branch.operands[0], side == 0, depth + 1);
    return add_condition(function_.regions[branch.regions[side]].yields[k], holds, depth + 1);
  }
}

// The value as a comparison sees it: x + 1 < n holds for the greatest x, where x + 1 wraps, so it
// says nothing of x. It does of the value that x + 1 has, wherever that is an index.
Affine Ranges::compared(ValueId value) {
  const Affine& form = forms_.of(value);
  if (is_exact(value)) return form;
  for (const Wrapped& known : wrapped_)
    if (known.form == form) return Affine::variable(known.name);
  wrapped_.push_back({form, value});
  return Affine::variable(value);
}

void Ranges::add_comparison(const Node& node, bool holds) {
  if (node.operands.size() != 2 || !is_i64(function_, node.operands[0])) return;
  const Affine a = compared(node.operands[0]);
  const Affine b = compared(node.operands[1]);
  const Affine one(Size(1));
  auto at_least = [&](const Affine& high, const Affine& low) { facts_.push_back(high - low); };
  const ScalarFn fn = std::get<ScalarOp>(node.op).fn;
  if (fn == ScalarFn::Eq || fn == ScalarFn::Ne) {
    if ((fn == ScalarFn::Eq) == holds) {
      at_least(a, b);
      at_least(b, a);
    } else if (unequal_.size() < max_unequal) {
      unequal_.push_back(a - b);
    }
  }
  if (fn == ScalarFn::Lt) at_least(holds ? b - one : a, holds ? a : b);
  if (fn == ScalarFn::Le) at_least(holds ? b : a - one, holds ? a : b);
  if (fn == ScalarFn::Gt) at_least(holds ? a - one : b, holds ? b : a);
  if (fn == ScalarFn::Ge) at_least(holds ? a : b - one, holds ? b : a);
  settle_unequal();
}

// What is not 0 and not negative is at least 1; conditions come in any order.
void Ranges::settle_unequal() {
  const Affine one(Size(1));
  auto known = [&](const Affine& value) {
    return proving_ ? proves_by_bounds(value) : never_negative(value);
  };
  // Proofs add to the list and take away again, behind what stands there now.
  for (std::size_t k = 0, count = unequal_.size(); k < count; ++k) {
    const Affine difference = unequal_[k];
    for (const Affine& side : {difference, difference * Size(-1)})
      if (known(side) && !known(side - one)) facts_.push_back(side - one);
  }
}

}  // namespace dvm::passes
