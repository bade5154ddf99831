// Affine forms in one walk over a function, definitions before uses.
#include "ir/graph/affine.hpp"

#include <algorithm>

namespace dvm::graph {

namespace {

// Longer sums are not index arithmetic; treating them as opaque keeps the walk linear.
constexpr std::size_t max_terms = 16;
constexpr std::size_t max_size_terms = 32;
// Beyond it, products of coefficients might leave 64 bits.
constexpr std::int64_t max_coefficient = std::int64_t{1} << 31;

bool is_modest(const Size& size) {
  if (size.terms().size() > max_size_terms) return false;
  return std::all_of(size.terms().begin(), size.terms().end(), [](const Size::Term& term) {
    return term.coefficient <= max_coefficient && term.coefficient >= -max_coefficient &&
           term.factors.size() <= 8;
  });
}

bool is_modest(const Affine& form) {
  return form.terms.size() <= max_terms && is_modest(form.constant) &&
         std::all_of(form.terms.begin(), form.terms.end(),
                     [](const Affine::Term& term) { return is_modest(term.coefficient); });
}

Affine combine(const Affine& a, const Affine& b, std::int64_t sign) {
  Affine result(sign > 0 ? a.constant + b.constant : a.constant - b.constant);
  auto push = [&](ValueId variable, Size coefficient) {
    if (coefficient != Size(0)) result.terms.push_back({variable, std::move(coefficient)});
  };
  auto left = a.terms.begin();
  auto right = b.terms.begin();
  while (left != a.terms.end() || right != b.terms.end()) {
    if (right == b.terms.end() || (left != a.terms.end() && left->variable < right->variable)) {
      push(left->variable, left->coefficient);
      ++left;
    } else if (left == a.terms.end() || right->variable < left->variable) {
      push(right->variable, sign > 0 ? right->coefficient : -right->coefficient);
      ++right;
    } else {
      push(left->variable, sign > 0 ? left->coefficient + right->coefficient
                                    : left->coefficient - right->coefficient);
      ++left;
      ++right;
    }
  }
  return result;
}

}  // namespace

Affine Affine::variable(ValueId value) {
  Affine result;
  result.terms.push_back({value, Size(1)});
  return result;
}

Size Affine::coefficient(ValueId variable) const {
  for (const Term& term : terms)
    if (term.variable == variable) return term.coefficient;
  return Size(0);
}

std::optional<ValueId> Affine::as_variable() const {
  if (terms.size() != 1 || constant != Size(0) || terms[0].coefficient != Size(1))
    return std::nullopt;
  return terms[0].variable;
}

Affine Affine::operator+(const Affine& other) const { return combine(*this, other, 1); }
Affine Affine::operator-(const Affine& other) const { return combine(*this, other, -1); }

Affine Affine::operator*(const Size& factor) const {
  if (factor == Size(0)) return {};
  Affine result(constant * factor);
  for (const Term& term : terms) result.terms.push_back({term.variable, term.coefficient * factor});
  return result;
}

AffineForms::AffineForms(const Function& function)
    : forms_(function.values.size()), top_level_(function.values.size(), false) {
  visit_region(function, function.body, true);
}

void AffineForms::visit_region(const Function& function, RegionId region, bool top_level) {
  for (ValueId param : function.regions[region].params) {
    top_level_[param.index] = top_level;
    const Type& type = function.values[param].type;
    if (type.is_scalar() && type.element == ElementType::I64) forms_[param.index] = atom(param);
  }
  for (NodeId node : function.regions[region].nodes) visit_node(function, node, top_level);
}

void AffineForms::visit_node(const Function& function, NodeId id, bool top_level) {
  const Node& node = function.nodes[id];
  for (ValueId result : node.results) top_level_[result.index] = top_level;
  for (RegionId region : node.regions) visit_region(function, region, false);
  for (ValueId result : node.results) {
    const Type& type = function.values[result].type;
    if (!type.is_scalar() || type.element != ElementType::I64) continue;
    Affine form = node.results.size() == 1 ? form_of(function, node) : atom(result);
    forms_[result.index] = is_modest(form) ? std::move(form) : atom(result);
  }
}

Affine AffineForms::atom(ValueId value) const {
  return top_level_[value.index] ? Affine(Size::symbol(value.index)) : Affine::variable(value);
}

// Note [Quotients and wrapping]
// Sums and products wrap on both sides of an equation alike; quotients do not: (s + s) / 2 = s and
// (s + 2) / 2 = s / 2 + 1 hold only where the numerator fits in 64 bits. So a quotient may take the
// normal form of sizes where nothing leaves it, or where it is made of sizes of arrays.
namespace {

bool is_itself(const Size& quotient, const Size& numerator, std::int64_t divisor) {
  if (numerator.constant()) return true;
  if (quotient.terms().size() != 1) return false;
  const Size::Term& term = quotient.terms()[0];
  return term.coefficient == 1 && term.factors.size() == 1 && term.factors[0].quotient &&
         term.factors[0].quotient->numerator == numerator &&
         term.factors[0].quotient->divisor == divisor;
}

// Less than 2^62 whatever the arrays are, which have less than 2^48 elements a dimension.
bool fits(const Function& function, const Size& numerator) {
  constexpr std::int64_t most = 256;  // and 32 terms at most: see is_modest
  const auto& params = function.params();
  return std::all_of(
      numerator.terms().begin(), numerator.terms().end(), [&](const Size::Term& term) {
        if (term.factors.empty())
          return term.coefficient < (std::int64_t{1} << 60) &&
                 term.coefficient > -(std::int64_t{1} << 60);
        if (term.factors.size() > 1 || term.coefficient > most || term.coefficient < -most)
          return false;
        if (term.factors[0].quotient) return fits(function, term.factors[0].quotient->numerator);
        const ValueId symbol{term.factors[0].symbol};
        const auto sizes = params.begin() + static_cast<std::ptrdiff_t>(function.size_params);
        if (std::find(params.begin(), sizes, symbol) != sizes) return true;
        const NodeId node = function.values[symbol].node;
        return node.valid() && std::holds_alternative<Filter>(function.nodes[node].op) &&
               function.nodes[node].results[0] == symbol;
      });
}

}  // namespace

Affine AffineForms::form_of(const Function& function, const Node& node) const {
  const Affine opaque = atom(node.results[0]);
  if (const auto* constant = std::get_if<Constant>(&node.op)) return Size(constant->value.as_i64());
  if (const auto* size = std::get_if<SizeOf>(&node.op)) {
    // A size may mention i64 values of inner regions (an inner filter's count): those are
    // variables.
    bool invariant = true;
    size->size.symbols([&](Size::Symbol symbol) { invariant &= bool{top_level_[symbol]}; });
    if (invariant) return size->size;
    const std::optional<Size::Symbol> symbol = size->size.as_symbol();
    return symbol ? forms_[*symbol] : opaque;
  }
  // A check is opaque, so that nobody takes its value for the unchecked one.
  const auto* scalar = std::get_if<ScalarOp>(&node.op);
  if (scalar == nullptr) return opaque;
  // Converted operands are not i64 and have no form.
  for (ValueId operand : node.operands)
    if (function.values[operand].type.element != ElementType::I64) return opaque;
  const Affine& a = of(node.operands[0]);
  switch (scalar->fn) {
    case ScalarFn::Add:
      return a + of(node.operands[1]);
    case ScalarFn::Sub:
      return a - of(node.operands[1]);
    case ScalarFn::Neg:
      return a * Size(-1);
    case ScalarFn::Mul: {
      const Affine& b = of(node.operands[1]);
      if (a.is_size()) return b * a.constant;
      return b.is_size() ? a * b.constant : opaque;
    }
    case ScalarFn::Convert:
      return a;
    case ScalarFn::IntDiv: {
      const Affine& b = of(node.operands[1]);
      const std::optional<std::int64_t> divisor =
          b.is_size() ? b.constant.constant() : std::nullopt;
      if (!a.is_size() || !divisor || *divisor < 1) return opaque;
      Size quotient = Size::quotient(a.constant, *divisor);
      return is_itself(quotient, a.constant, *divisor) || fits(function, a.constant)
                 ? Affine(std::move(quotient))
                 : opaque;
    }
    default:
      return opaque;
  }
}

}  // namespace dvm::graph
