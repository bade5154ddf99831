// Bounds of affine expressions by substituting each index's extreme value, innermost index first.
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

void Ranges::enter(NodeId id, std::size_t region) {
  const Node& node = function_.nodes[id];
  Frame frame{facts_.size(), {}, {}};
  const std::vector<ValueId>& params = function_.regions[node.regions[region]].params;
  if (region == 0) {
    const std::vector<Size> extents = index_extents(node.op);
    for (std::size_t k = 0; k < extents.size(); ++k) add_index(params[k], extents[k], frame);
  }
  if (std::holds_alternative<Loop>(node.op)) {
    const Affine& count = forms_.of(node.operands[0]);
    last_[params[0]] = count - Affine(Size(1));
    order_.push_back(params[0]);
    frame.indices.push_back(params[0]);
    facts_.push_back(count - Affine(Size(1)));
  }
  if (std::holds_alternative<Branch>(node.op)) {
    comparisons_left_ = max_comparisons;
    add_condition(node.operands[0], region == 0, 0);
  }
  frames_.push_back(std::move(frame));
}

void Ranges::leave() {
  Frame& frame = frames_.back();
  facts_.resize(frame.facts);
  for (ValueId index : frame.indices) last_.erase(index);
  order_.resize(order_.size() - frame.indices.size());
  for (Size::Symbol symbol : frame.positive) --positive_[symbol];
  frames_.pop_back();
}

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
    form = form + (variable ? forms_.of(*variable) * factor : Affine(factor));
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
  } else {
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

// Sums of indices do not wrap around; what a program computed might (x + 1 < n holds for the
// greatest x), so other sides count only when they are one plain value.
bool Ranges::is_bounded(const Affine& value) const {
  // A value as it is, whatever it is.
  if (value.as_variable() || (value.is_size() && value.constant.as_symbol())) return true;
  bool bounded = std::all_of(value.terms.begin(), value.terms.end(), [&](const Affine::Term& term) {
    return last_.contains(term.variable);
  });
  // Extents of arrays and of what is walked over are far from 64 bits; other scalars may be at
  // them.
  value.constant.symbols([&](Size::Symbol symbol) {
    const auto walked = positive_.find(symbol);
    bounded &= not_negative_.contains(symbol) || (walked != positive_.end() && walked->second > 0);
  });
  return bounded;
}

void Ranges::add_comparison(const Node& node, bool holds) {
  if (node.operands.size() != 2 || !is_i64(function_, node.operands[0])) return;
  const Affine& a = forms_.of(node.operands[0]);
  const Affine& b = forms_.of(node.operands[1]);
  if (!is_bounded(a) || !is_bounded(b)) return;
  const Affine one(Size(1));
  auto at_least = [&](const Affine& high, const Affine& low) { facts_.push_back(high - low); };
  ScalarFn fn = std::get<ScalarOp>(node.op).fn;
  if (fn == ScalarFn::Eq || fn == ScalarFn::Ne) {
    if ((fn == ScalarFn::Eq) == holds) {
      at_least(a, b);
      at_least(b, a);
    } else if (never_negative(a - b)) {
      facts_.push_back(a - b - one);
    } else if (never_negative(b - a)) {
      facts_.push_back(b - a - one);
    }
    return;
  }
  if (fn == ScalarFn::Lt) at_least(holds ? b - one : a, holds ? a : b);
  if (fn == ScalarFn::Le) at_least(holds ? b : a - one, holds ? a : b);
  if (fn == ScalarFn::Gt) at_least(holds ? a - one : b, holds ? b : a);
  if (fn == ScalarFn::Ge) at_least(holds ? a : b - one, holds ? b : a);
}

bool Ranges::size_never_negative(const Size& size) const {
  if (auto constant = size.constant()) return *constant >= 0;
  auto positive = [&](Size::Symbol symbol) {
    auto found = positive_.find(symbol);
    return found != positive_.end() && found->second > 0;
  };
  // Symbols known to be at least 1 are written as 1 + something that is not negative.
  const Size shifted = size.substitute([&](Size::Symbol symbol) {
    return positive(symbol) ? Size::symbol(symbol) + Size(1) : Size::symbol(symbol);
  });
  return std::all_of(shifted.terms().begin(), shifted.terms().end(), [&](const Size::Term& term) {
    if (term.coefficient < 0) return false;
    return std::all_of(term.factors.begin(), term.factors.end(), [&](const Size::Atom& atom) {
      return atom.quotient ? size_never_negative(atom.quotient->numerator)
                           : not_negative_.contains(atom.symbol) || positive(atom.symbol);
    });
  });
}

bool Ranges::proves_by_bounds(Affine value) const {
  for (auto index = order_.rbegin(); index != order_.rend(); ++index) {
    const Size coefficient = value.coefficient(*index);
    if (coefficient == Size(0)) continue;
    const Affine own = Affine::variable(*index) * coefficient;
    if (size_never_negative(coefficient)) {
      value = value - own;  // least at index 0
    } else if (size_never_negative(-coefficient)) {
      const Affine& last = last_.at(*index);
      if (last.coefficient(*index) != Size(0)) return false;  // extent unknown
      value = value - own + last * coefficient;
    } else {
      return false;
    }
  }
  return value.is_size() && size_never_negative(value.constant);
}

bool Ranges::never_negative(const Affine& value) {
  steps_left_ = max_steps;
  return proves(value, max_cases);
}

bool Ranges::proves(const Affine& value, int cases) {
  if (--steps_left_ < 0) return false;
  if (proves_by_bounds(value)) return true;
  for (const Affine& fact : facts_) {
    if (--steps_left_ < 0) return false;
    if (proves_by_bounds(value - fact)) return true;
  }
  return cases > 0 && proves_by_cases(value, cases - 1);
}

bool Ranges::proves_by_cases(const Affine& value, int cases) {
  for (const Affine::Term& term : value.terms) {
    if (steps_left_ <= 0) return false;
    const NodeId id = function_.values[term.variable].node;
    const std::optional<std::int64_t> factor = term.coefficient.constant();
    if (!id.valid() || !factor || (*factor != 1 && *factor != -1)) continue;
    const Node& node = function_.nodes[id];
    const auto* scalar = std::get_if<ScalarOp>(&node.op);
    const bool branch = std::holds_alternative<Branch>(node.op);
    if (scalar == nullptr && !branch) continue;
    const bool up = *factor > 0;
    const Affine rest = value - Affine::variable(term.variable) * term.coefficient;
    auto with = [&](const Affine& part) { return proves(up ? rest + part : rest - part, cases); };
    auto operand = [&](std::size_t k) -> const Affine& { return forms_.of(node.operands[k]); };
    if (branch) {
      const auto k = static_cast<std::size_t>(
          std::find(node.results.begin(), node.results.end(), term.variable) -
          node.results.begin());
      auto side = [&](std::size_t region) {
        return with(forms_.of(function_.regions[node.regions[region]].yields[k]));
      };
      if (side(0) && side(1)) return true;
      continue;
    }
    switch (scalar->fn) {
      case ScalarFn::Max:
      case ScalarFn::Min: {
        const bool either = (scalar->fn == ScalarFn::Max) == up;
        const bool first = with(operand(0));
        if (first == either ? first : with(operand(1))) return true;
        break;
      }
      case ScalarFn::Select:
        if (with(operand(1)) && with(operand(2))) return true;
        break;
      case ScalarFn::IntMod: {
        // 0 <= x mod d <= d - 1 for d >= 1.
        const Affine divisor = operand(1);
        if (proves(divisor - Affine(Size(1)), 0) && with(up ? Affine() : divisor - Affine(Size(1))))
          return true;
        break;
      }
      default:
        break;
    }
  }
  return false;
}

bool Ranges::within(ValueId index, const Size& extent) {
  const std::optional<Affine> end = form_of(extent);
  const Affine& value = forms_.of(index);
  return end && never_negative(value) && never_negative(*end - Affine(Size(1)) - value);
}

std::optional<bool> Ranges::decide(const Node& node) {
  const auto* scalar = std::get_if<ScalarOp>(&node.op);
  if (scalar == nullptr || node.operands.size() != 2 || !is_i64(function_, node.operands[0]))
    return std::nullopt;
  const Affine& a = forms_.of(node.operands[0]);
  const Affine& b = forms_.of(node.operands[1]);
  const Affine one(Size(1));
  auto at_least = [&](const Affine& high, const Affine& low) { return never_negative(high - low); };
  auto either = [](bool yes, bool no) {
    return yes ? std::optional(true) : no ? std::optional(false) : std::nullopt;
  };
  const ScalarFn fn = scalar->fn;
  if (fn == ScalarFn::Eq || fn == ScalarFn::Ne) {
    if (a == b) return fn == ScalarFn::Eq;
  }
  // Order is decided without wrap-around, so only where no sum can leave 64 bits.
  if (!is_bounded(a) || !is_bounded(b)) return std::nullopt;
  switch (fn) {
    case ScalarFn::Lt:
      return either(at_least(b, a + one), at_least(a, b));
    case ScalarFn::Le:
      return either(at_least(b, a), at_least(a, b + one));
    case ScalarFn::Gt:
      return either(at_least(a, b + one), at_least(b, a));
    case ScalarFn::Ge:
      return either(at_least(a, b), at_least(b, a + one));
    case ScalarFn::Eq:
    case ScalarFn::Ne:
      if (at_least(a, b + one) || at_least(b, a + one)) return fn == ScalarFn::Ne;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

bool Ranges::read_in_range(const Node& read) {
  const std::vector<Size>& shape = function_.values[read.operands[0]].type.shape;
  for (std::size_t k = 0; k < shape.size(); ++k)
    if (!within(read.operands[k + 1], shape[k])) return false;
  return true;
}

bool Ranges::division_is_total(const Node& node) {
  const auto* scalar = std::get_if<ScalarOp>(&node.op);
  if (scalar == nullptr || !facts(scalar->fn).fails || node.operands.size() != 2) return false;
  if (!is_i64(function_, node.operands[1])) return false;
  const Affine& divisor = forms_.of(node.operands[1]);
  const bool shifts = scalar->fn == ScalarFn::Shl || scalar->fn == ScalarFn::Shr;
  return never_negative(shifts ? divisor : divisor - Affine(Size(1)));
}

}  // namespace dvm::passes
