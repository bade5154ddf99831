// Bounds of affine expressions by substituting each index's extreme value, innermost index first.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "passes/analysis/ranges.hpp"

namespace dvm::passes {

using namespace graph;

// Note [Exact forms]
// A form is arithmetic in unbounded integers; the value it stands for wraps around at 64 bits. A
// form is *exact* where both are the same: a constant, a variable as it is, a size, and sums that
// are far from 64 bits since all they are made of is. An index may be proved to be in range by a
// form that is not: if the integer lies in 0 .. extent - 1, so does the value, which is the same.
// But both bounds have to be of one form; so what bounds a value from one side only (an operand of
// min, a comparison) has to be exact, as has what must not be negative and has no upper bound.
namespace {

// Extents of arrays and of what is walked over, and what is below them. A product of sizes counts
// the elements of an array, or so much work that no run gets to its end.
constexpr double most_elements = 281474976710656.0;    // 2^48
constexpr double exact_below = 4611686018427387904.0;  // 2^62
constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr int magnitude_depth = 3;
// Coefficients of quotients that are multiplied by the divisor stay small.
constexpr std::int64_t max_divisor = std::int64_t{1} << 20;

}  // namespace

bool Ranges::is_positive(Size::Symbol symbol) const {
  const auto found = positive_.find(symbol);
  return found != positive_.end() && found->second > 0;
}

// Not less than any absolute value of it.
double Ranges::magnitude(const Size& size) const {
  double sum = 0;
  for (const Size::Term& term : size.terms()) {
    double product = 1;
    for (const Size::Atom& atom : term.factors) {
      double factor = most_elements;
      if (atom.quotient)
        factor = magnitude(atom.quotient->numerator);
      else if (!not_negative_.contains(atom.symbol) && !is_positive(atom.symbol))
        factor = unbounded;
      product = std::max(product, factor);
    }
    sum += std::abs(static_cast<double>(term.coefficient)) * product;
  }
  return sum;
}

double Ranges::magnitude(const Affine& value, int depth) const {
  double sum = magnitude(value.constant);
  for (const Affine::Term& term : value.terms) {
    const double variable = magnitude_of_variable(term.variable, depth);
    const std::optional<std::int64_t> factor = term.coefficient.constant();
    sum += factor ? std::abs(static_cast<double>(*factor)) * variable
                  : std::max(magnitude(term.coefficient), variable);
  }
  return sum;
}

double Ranges::magnitude_of_variable(ValueId value, int depth) const {
  if (last_.contains(value)) return most_elements;
  const NodeId id = function_.values[value].node;
  if (!id.valid() || depth == 0) return unbounded;
  const Node& node = function_.nodes[id];
  auto of = [&](ValueId operand) { return magnitude(forms_.of(operand), depth - 1); };
  auto operand = [&](std::size_t k) { return of(node.operands[k]); };
  if (std::holds_alternative<Branch>(node.op)) {
    const auto k = static_cast<std::size_t>(
        std::find(node.results.begin(), node.results.end(), value) - node.results.begin());
    return std::max(of(function_.regions[node.regions[0]].yields[k]),
                    of(function_.regions[node.regions[1]].yields[k]));
  }
  const auto* scalar = std::get_if<ScalarOp>(&node.op);
  if (scalar == nullptr) return unbounded;
  switch (scalar->fn) {
    case ScalarFn::Min:
    case ScalarFn::Max:
      return std::max(operand(0), operand(1));
    case ScalarFn::Select:
      return std::max(operand(1), operand(2));
    case ScalarFn::IntMod:
      return operand(1);
    case ScalarFn::IntRem:
      return std::min(operand(0), operand(1));
    case ScalarFn::IntDiv:
    case ScalarFn::IntQuot:
      return operand(0);
    case ScalarFn::Convert: {
      const ElementType from = function_.values[node.operands[0]].type.element;
      return is_float(from) || byte_size(from) > 4 ? unbounded : std::exp2(8 * byte_size(from));
    }
    default:
      return unbounded;
  }
}

bool Ranges::is_exact(const Affine& value) const {
  if (value.as_variable()) return true;
  if (value.is_size() && (value.constant.as_symbol() || value.constant.constant())) return true;
  return magnitude(value, magnitude_depth) < exact_below;
}

bool Ranges::is_exact(ValueId value) const {
  const NodeId id = function_.values[value].node;
  // The evaluation of a size does not wrap around.
  return (id.valid() && std::holds_alternative<SizeOf>(function_.nodes[id].op)) ||
         is_exact(forms_.of(value));
}

bool Ranges::size_never_negative(const Size& size, int quotients) const {
  if (auto constant = size.constant()) return *constant >= 0;
  // Symbols known to be at least 1 are written as 1 + something that is not negative.
  const Size shifted = size.substitute([&](Size::Symbol symbol) {
    return is_positive(symbol) ? Size::symbol(symbol) + Size(1) : Size::symbol(symbol);
  });
  const bool all =
      std::all_of(shifted.terms().begin(), shifted.terms().end(), [&](const Size::Term& term) {
        if (term.coefficient < 0) return false;
        return std::all_of(term.factors.begin(), term.factors.end(), [&](const Size::Atom& atom) {
          return atom.quotient ? size_never_negative(atom.quotient->numerator, quotients)
                               : not_negative_.contains(atom.symbol) || is_positive(atom.symbol);
        });
      });
  if (all) return true;
  if (quotients == 0) return false;
  // s - d + 1 <= d * floor(s / d) <= s, in a multiple of the whole; integers above -1 are >= 0.
  for (const Size::Term& term : size.terms()) {
    if (term.factors.size() != 1 || !term.factors[0].quotient) continue;
    const Size& numerator = term.factors[0].quotient->numerator;
    const std::int64_t divisor = term.factors[0].quotient->divisor;
    if (divisor > max_divisor) continue;
    const Size own = Size::quotient(numerator, divisor) * Size(term.coefficient);
    const Size least = numerator + Size(term.coefficient > 0 ? 1 - divisor : 0);
    if (size_never_negative(
            (size - own) * Size(divisor) + least * Size(term.coefficient) + Size(divisor - 1),
            quotients - 1))
      return true;
  }
  return false;
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
  proving_ = true;
  const bool proved = proves(value, max_cases);
  proving_ = false;
  return proved;
}

bool Ranges::proves(const Affine& value, int cases) {
  if (--steps_left_ < 0) return false;
  return proves_by_bounds(value) || proves_by_facts(value, max_facts) ||
         (cases > 0 && proves_by_cases(value, cases - 1));
}

// Only facts say something of a variable that is no index: the first of those in the value has to
// go.
bool Ranges::proves_by_facts(const Affine& value, int facts) {
  const auto loose =
      std::find_if(value.terms.begin(), value.terms.end(),
                   [&](const Affine::Term& term) { return !last_.contains(term.variable); });
  for (const Affine& fact : facts_) {
    if (loose != value.terms.end() && fact.coefficient(loose->variable) != loose->coefficient)
      continue;
    if (--steps_left_ < 0) return false;
    const Affine rest = value - fact;
    if (proves_by_bounds(rest)) return true;
    if (loose != value.terms.end() && facts > 1 && proves_by_facts(rest, facts - 1)) return true;
  }
  return false;
}

bool Ranges::proves_by_cases(const Affine& value, int cases) {
  for (const Affine::Term& term : value.terms) {
    if (steps_left_ <= 0) return false;
    const NodeId id = function_.values[term.variable].node;
    if (!id.valid()) continue;
    const Node& node = function_.nodes[id];
    const Affine rest = value - Affine::variable(term.variable) * term.coefficient;
    const auto* scalar = std::get_if<ScalarOp>(&node.op);
    if (std::holds_alternative<Branch>(node.op) ||
        (scalar != nullptr && scalar->fn == ScalarFn::Select)) {
      if (proves_by_choice(rest, term.coefficient, term.variable, cases)) return true;
      continue;
    }
    if (scalar == nullptr) continue;
    const std::optional<std::int64_t> factor = term.coefficient.constant();
    if (factor && scalar->fn == ScalarFn::IntDiv) {
      if (proves_by_quotient(rest, *factor, node, cases)) return true;
      continue;
    }
    const bool up = size_never_negative(term.coefficient);
    if (!up && !size_never_negative(-term.coefficient)) continue;
    const std::optional<Cases> bounds = cases_of(node, up);
    if (!bounds) continue;
    auto does = [&](const Affine& part) { return proves(rest + part * term.coefficient, cases); };
    const auto& parts = bounds->parts;
    if (bounds->one_is_enough ? std::any_of(parts.begin(), parts.end(), does)
                              : std::all_of(parts.begin(), parts.end(), does))
      return true;
  }
  return false;
}

// rest + factor * floor(s / d), in a multiple of the whole: s - d + 1 <= d * floor(s / d) <= s.
bool Ranges::proves_by_quotient(const Affine& rest, std::int64_t factor, const Node& node,
                                int cases) {
  const Affine& divided = forms_.of(node.operands[0]);
  const std::optional<std::int64_t> divisor = forms_.of(node.operands[1]).constant.constant();
  if (!forms_.of(node.operands[1]).is_size() || !divisor || *divisor < 1 ||
      *divisor > max_divisor || std::abs(factor) > max_divisor || !is_exact(node.operands[0]))
    return false;
  // The quotient of what is not negative is not negative.
  if (factor > 0 && proves(rest, cases) && proves(divided, 0)) return true;
  const Affine least = divided + Affine(Size(factor > 0 ? 1 - *divisor : 0));
  return proves(rest * Size(*divisor) + least * Size(factor) + Affine(Size(*divisor - 1)), cases);
}

// Each side under its condition.
bool Ranges::proves_by_choice(const Affine& rest, const Size& factor, ValueId chosen, int cases) {
  const Node& node = function_.nodes[function_.values[chosen].node];
  std::vector<ValueId> sides;
  if (std::holds_alternative<Branch>(node.op)) {
    const auto k = static_cast<std::size_t>(
        std::find(node.results.begin(), node.results.end(), chosen) - node.results.begin());
    for (RegionId region : node.regions) sides.push_back(function_.regions[region].yields[k]);
  } else {
    sides = {node.operands[1], node.operands[2]};
  }
  for (std::size_t side = 0; side < 2; ++side) {
    if (!is_exact(sides[side])) return false;
    const Mark before = mark();
    const int comparisons = std::exchange(comparisons_left_, max_cases_comparisons);
    add_condition(node.operands[0], side == 0, 0);
    comparisons_left_ = comparisons;
    const bool proved = proves(rest + forms_.of(sides[side]) * factor, cases);
    forget_since(before);
    if (!proved) return false;
  }
  return true;
}

// Bounds of a node's value from below, or from above.
std::optional<Ranges::Cases> Ranges::cases_of(const Node& node, bool from_below) {
  const Affine one(Size(1));
  auto operand = [&](std::size_t k) -> const Affine& { return forms_.of(node.operands[k]); };
  const ScalarFn fn = std::get<ScalarOp>(node.op).fn;
  if (fn == ScalarFn::Convert) {
    const ElementType from = function_.values[node.operands[0]].type.element;
    if (is_float(from) || byte_size(from) > 4) return std::nullopt;
    const std::int64_t values =
        from == ElementType::Bool ? 2 : std::int64_t{1} << (8 * byte_size(from));
    const std::int64_t least = is_signed(from) ? -values / 2 : 0;
    return Cases{{Affine(Size(from_below ? least : least + values - 1))}};
  }
  if (node.operands.size() != 2 || !is_exact(node.operands[0]) || !is_exact(node.operands[1]))
    return std::nullopt;
  switch (fn) {
    case ScalarFn::Max:
    case ScalarFn::Min:
      return Cases{{operand(0), operand(1)}, (fn == ScalarFn::Max) == from_below};
    case ScalarFn::IntRem:
      if (!proves(operand(0), 0)) return std::nullopt;
      [[fallthrough]];
    case ScalarFn::IntMod:  // 0 <= x mod d <= d - 1 for d >= 1.
      if (!proves(operand(1) - one, 0)) return std::nullopt;
      return Cases{{from_below ? Affine() : operand(1) - one}};
    case ScalarFn::And: {  // Of a mask that is not negative: 0 <= x & mask <= mask.
      Cases masks{{}, true};
      for (std::size_t k = 0; k < 2; ++k)
        if (proves(operand(k), 0)) masks.parts.push_back(from_below ? Affine() : operand(k));
      return masks;
    }
    default:
      return std::nullopt;
  }
}

bool Ranges::within(ValueId index, const Size& extent) {
  const std::optional<Affine> end = form_of(extent);
  if (!end) return false;
  auto in_range = [&](const Affine& value) {
    return never_negative(value) && never_negative(*end - Affine(Size(1)) - value);
  };
  const Affine& value = forms_.of(index);
  if (in_range(value)) return true;
  for (const Wrapped& known : wrapped_) {
    const Affine further = value - known.form;
    if (further.is_size() && further.constant.constant() &&
        in_range(Affine::variable(known.name) + further))
      return true;
  }
  return false;
}

std::optional<bool> Ranges::decide(const Node& node) {
  const auto* scalar = std::get_if<ScalarOp>(&node.op);
  if (scalar == nullptr || node.operands.size() != 2) return std::nullopt;
  const Type& type = function_.values[node.operands[0]].type;
  if (!type.is_scalar() || type.element != ElementType::I64) return std::nullopt;
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
  if (!is_exact(node.operands[0]) || !is_exact(node.operands[1])) return std::nullopt;
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
  const Type& type = function_.values[node.operands[1]].type;
  if (!type.is_scalar() || type.element != ElementType::I64 || !is_exact(node.operands[1]))
    return false;
  const Affine& divisor = forms_.of(node.operands[1]);
  const bool shifts = scalar->fn == ScalarFn::Shl || scalar->fn == ScalarFn::Shr;
  return never_negative(shifts ? divisor : divisor - Affine(Size(1)));
}

}  // namespace dvm::passes
