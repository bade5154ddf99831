// The size forms of i64 scalars.
#include "ir/graph/size_forms.hpp"

#include <unordered_set>
#include <utility>

#include "ir/graph/walk.hpp"

namespace dvm::graph {
namespace {

// Sizes with more terms stay symbols of their own, so that the work is linear in the program.
constexpr std::size_t most_terms = 32;

}  // namespace

// The size of a node whose operands' sizes are known; nullopt: a symbol of its own.
std::optional<Size> SizeForms::combined(const Node& node) const {
  if (const auto* constant = std::get_if<Constant>(&node.op)) return Size(constant->value.as_i64());
  if (const auto* size = std::get_if<SizeOf>(&node.op)) {
    return size->size.substitute([&](Size::Symbol symbol) { return forms_.at(ValueId{symbol}); });
  }
  const auto* scalar = std::get_if<ScalarOp>(&node.op);
  if (scalar == nullptr || std::cmp_not_equal(node.operands.size(), facts(scalar->fn).arity))
    return std::nullopt;
  auto operand = [&](std::size_t i) -> const Size& { return forms_.at(node.operands[i]); };
  switch (scalar->fn) {
    case ScalarFn::Neg:
      return -operand(0);
    case ScalarFn::Add:
      return operand(0) + operand(1);
    case ScalarFn::Sub:
      return operand(0) - operand(1);
    case ScalarFn::Mul:
      return operand(0) * operand(1);
    case ScalarFn::IntDiv: {
      const auto divisor = operand(1).constant();
      if (!divisor || *divisor < 1) return std::nullopt;
      return Size::quotient(operand(0), *divisor);
    }
    default:
      return std::nullopt;
  }
}

Size SizeForms::of(const Function& function, ValueId i64_scalar) {
  if (const auto known = forms_.find(i64_scalar); known != forms_.end()) return known->second;
  // Operands first, without recursion: chains of sums may be long.
  std::vector<ValueId> open = {i64_scalar};
  std::unordered_set<ValueId> visited;
  const Type i64{ElementType::I64, {}};
  while (!open.empty()) {
    const ValueId value = open.back();
    if (forms_.contains(value)) {
      open.pop_back();
      continue;
    }
    const NodeId id = function.values[value].node;
    const bool arithmetic = id.valid() && function.values[value].type == i64;
    const std::size_t before = open.size();
    auto first = [&](ValueId operand) {
      if (forms_.contains(operand)) return;
      if (function.values[operand].type == i64) {
        open.push_back(operand);
      } else {
        forms_.emplace(operand, Size::symbol(operand.index));  // bool or float: never looked at
      }
    };
    if (arithmetic) {
      const Node& node = function.nodes[id];
      if (std::holds_alternative<ScalarOp>(node.op)) {
        for (ValueId operand : node.operands) first(operand);
      }
      if (std::holds_alternative<SizeOf>(node.op)) for_each_size_value(node.op, first);
    }
    // The second time everything below is known, unless the function is malformed and depends on
    // itself.
    if (open.size() > before && visited.insert(value).second) continue;
    if (open.size() > before) {
      open.resize(before);
      forms_.insert_or_assign(value, Size::symbol(value.index));
      continue;
    }
    open.pop_back();
    std::optional<Size> size;
    if (arithmetic) size = combined(function.nodes[id]);
    if (!size || size->overflowed() || size->terms().size() > most_terms)
      size = Size::symbol(value.index);
    forms_.emplace(value, std::move(*size));
  }
  return forms_.at(i64_scalar);
}

Size SizeForms::expand(const Function& function, const Size& size) {
  return size.substitute([&](Size::Symbol symbol) {
    return symbol < function.values.size() ? of(function, ValueId{symbol}) : Size::symbol(symbol);
  });
}

}  // namespace dvm::graph
