// Proofs that an index lies inside an array, from linear facts: a size is >= 0 when it is a fact,
// or the sum of two, plus something that cannot be negative.
#include "frontend/lower/emitter.hpp"

#include <algorithm>

namespace dvm::lower {

namespace {
constexpr int max_depth = 8;            // of min, max, select around an index
constexpr std::size_t max_facts = 200;  // per frame; more only cost time
}  // namespace

void Emitter::add_fact(Size nonnegative) {
  if (nonnegative.constant() || top().facts.size() >= max_facts) return;
  top().facts.push_back(std::move(nonnegative));
}

void Emitter::add_index_facts(ValueId index, const Size& extent) {
  const Size i = Size::symbol(index.index);
  add_fact(i);
  add_fact(extent - i - Size(1));
}

void Emitter::assume(ValueId condition, bool holds) {
  const graph::Node* node = node_of(condition);
  if (node == nullptr) return;
  if (std::holds_alternative<graph::Branch>(node->op))
    return assume_branch(*node, condition, holds);
  const auto* op = std::get_if<graph::ScalarOp>(&node->op);
  if (op == nullptr || node->operands.empty()) return;
  const std::vector<ValueId> operands = node->operands;
  if (op->fn == ScalarFn::Not) return assume(operands[0], !holds);
  if ((op->fn == ScalarFn::And && holds) || (op->fn == ScalarFn::Or && !holds)) {
    if (element(condition) != ElementType::Bool) return;
    assume(operands[0], holds);
    assume(operands[1], holds);
    return;
  }
  if (operands.size() != 2 || element(operands[0]) != ElementType::I64) return;
  const Size a = as_size(operands[0]);
  const Size b = as_size(operands[1]);
  switch (op->fn) {
    case ScalarFn::Eq:
    case ScalarFn::Ne:
      if ((op->fn == ScalarFn::Eq) == holds) {
        add_fact(a - b);
        add_fact(b - a);
      } else {  // different: one side of a bound that is known is sharpened
        if (proves_nonnegative(a - b)) add_fact(a - b - Size(1));
        if (proves_nonnegative(b - a)) add_fact(b - a - Size(1));
      }
      return;
    case ScalarFn::Lt:
      return add_fact(holds ? b - a - Size(1) : a - b);
    case ScalarFn::Le:
      return add_fact(holds ? b - a : a - b - Size(1));
    case ScalarFn::Gt:
      return add_fact(holds ? a - b - Size(1) : b - a);
    case ScalarFn::Ge:
      return add_fact(holds ? a - b : b - a - Size(1));
    default:
      return;
  }
}

// A choice one side of which is the opposite: the other side was taken, as for `a && b` and `a ||
// b` where b is only evaluated when it is asked for.
void Emitter::assume_branch(const graph::Node& node, ValueId result, bool holds) {
  if (element(result) != ElementType::Bool || !type(result).is_scalar()) return;
  const auto k = static_cast<std::size_t>(
      std::find(node.results.begin(), node.results.end(), result) - node.results.begin());
  const ValueId condition = node.operands[0];
  const ValueId sides[] = {function().regions[node.regions[0]].yields[k],
                           function().regions[node.regions[1]].yields[k]};
  for (const std::size_t side : {0, 1}) {
    if (known_bool(sides[1 - side]) != !holds) continue;
    assume(condition, side == 0);
    return assume(sides[side], holds);
  }
}

bool Emitter::obviously_nonnegative(const Size& size) const {
  for (const Size::Term& term : size.terms()) {
    if (term.coefficient < 0) return false;
    for (const Size::Atom& atom : term.factors) {
      if (atom.quotient) {
        if (!obviously_nonnegative(atom.quotient->numerator)) return false;
      } else if (!size_symbols_.contains(atom.symbol)) {
        return false;
      }
    }
  }
  return true;
}

bool Emitter::proves_nonnegative(const Size& size) {
  if (obviously_nonnegative(size)) return true;
  if (size.terms().size() > 16) return false;
  // Each fact with the frame it belongs to (none for facts about quotients).
  std::vector<std::pair<Size, Frame*>> facts;
  for (Frame& frame : frames_)
    for (const Size& fact : frame.facts) facts.emplace_back(fact, &frame);
  for (const Size::Term& term : size.terms())
    for (const Size::Atom& atom : term.factors)
      if (atom.quotient && obviously_nonnegative(atom.quotient->numerator)) {
        const Size quotient = Size::quotient(atom.quotient->numerator, atom.quotient->divisor);
        facts.emplace_back(quotient, nullptr);
        facts.emplace_back(atom.quotient->numerator - quotient * Size(atom.quotient->divisor),
                           nullptr);
      }
  for (auto& [first, frame] : facts) {
    const Size rest = size - first;
    if (obviously_nonnegative(rest)) {
      if (frame != nullptr) frame->guards = true;
      return true;
    }
  }
  for (auto& [first, frame] : facts) {
    const Size rest = size - first;
    if (rest.terms().size() > size.terms().size() + 1) continue;
    for (auto& [second, other] : facts) {
      if (!obviously_nonnegative(rest - second)) continue;
      if (frame != nullptr) frame->guards = true;
      if (other != nullptr) other->guards = true;
      return true;
    }
  }
  return false;
}

bool Emitter::lower_bound(ValueId value, int depth) {
  if (proves_nonnegative(as_size(value))) return true;
  const graph::Node* node = node_of(value);
  if (node == nullptr || depth > max_depth) return false;
  const auto* op = std::get_if<graph::ScalarOp>(&node->op);
  if (op == nullptr) return false;
  const std::vector<ValueId> operands = node->operands;
  switch (op->fn) {
    case ScalarFn::Max:
      return lower_bound(operands[0], depth + 1) || lower_bound(operands[1], depth + 1);
    case ScalarFn::Min:
      return lower_bound(operands[0], depth + 1) && lower_bound(operands[1], depth + 1);
    case ScalarFn::IntMod:  // by zero fails, so the divisor is positive when it is not negative
      return lower_bound(operands[1], depth + 1);
    case ScalarFn::Convert: {
      const ElementType from = element(operands[0]);
      return is_integer(from) && !is_signed(from) && byte_size(from) < 8;
    }
    default:
      return false;
  }
}

bool Emitter::upper_bound(ValueId value, const Size& extent, int depth) {
  if (proves_nonnegative(extent - as_size(value) - Size(1))) return true;
  const graph::Node* node = node_of(value);
  if (node == nullptr || depth > max_depth) return false;
  const auto* op = std::get_if<graph::ScalarOp>(&node->op);
  if (op == nullptr) return false;
  const std::vector<ValueId> operands = node->operands;
  switch (op->fn) {
    case ScalarFn::Min:
      return upper_bound(operands[0], extent, depth + 1) ||
             upper_bound(operands[1], extent, depth + 1);
    case ScalarFn::Max:
      return upper_bound(operands[0], extent, depth + 1) &&
             upper_bound(operands[1], extent, depth + 1);
    case ScalarFn::IntMod:
      return lower_bound(operands[1], depth + 1) &&
             proves_nonnegative(extent - as_size(operands[1]));
    default:
      return false;
  }
}

bool Emitter::proves_index(ValueId index, const Size& extent) {
  return lower_bound(index, 0) && upper_bound(index, extent, 0);
}

}  // namespace dvm::lower
