// Plain sums, indices that come in again at the other end, and what ranges prove.
#include "passes/analysis/cell_distance.hpp"

#include <utility>
#include <vector>

namespace dvm::passes {

using namespace graph;

bool CellDistances::is_choice(ValueId value) const {
  const NodeId id = function_.values[value].node;
  if (!id.valid()) return false;
  const auto* scalar = std::get_if<ScalarOp>(&function_.nodes[id].op);
  if (scalar == nullptr) return std::holds_alternative<Branch>(function_.nodes[id].op);
  return scalar->fn == ScalarFn::Min || scalar->fn == ScalarFn::Max ||
         scalar->fn == ScalarFn::Select;
}

std::optional<CellDistance> CellDistances::distance(ValueId index, ValueId own, const Size& extent,
                                                    int wraps) {
  const Affine difference = forms_.of(index) - Affine::variable(own);
  if (difference.is_size())
    if (const auto number = difference.constant.constant()) return CellDistance{*number, *number};
  if (auto turned = wraps > 0 ? wrapped(index, own, extent, wraps - 1) : std::nullopt)
    return turned;
  CellDistance found;
  for (const Affine::Term& term : difference.terms) found.clamped |= is_choice(term.variable);
  const auto low = greatest(difference, 1);
  const auto high = low ? greatest(difference, -1) : std::nullopt;
  if (!high) return std::nullopt;
  found.low = *low;
  found.high = -*high;
  return found;
}

// The greatest d up to max_distance with sign * difference >= d, if there is one.
std::optional<std::int64_t> CellDistances::greatest(const Affine& difference, std::int64_t sign) {
  for (std::int64_t d = max_distance; d >= -max_distance; --d)
    if (ranges_.never_negative(difference * Size(sign) - Affine(Size(d)))) return d;
  return std::nullopt;
}

// i + c where that is inside, else one extent further back or on.
std::optional<CellDistance> CellDistances::wrapped(ValueId index, ValueId own, const Size& extent,
                                                   int wraps) {
  const NodeId id = function_.values[index].node;
  if (!id.valid()) return std::nullopt;
  const Node& node = function_.nodes[id];
  std::vector<ValueId> sides;
  const auto* scalar = std::get_if<ScalarOp>(&node.op);
  if (scalar != nullptr && scalar->fn == ScalarFn::Select) {
    sides = {node.operands[1], node.operands[2]};
  } else if (scalar != nullptr && scalar->fn == ScalarFn::IntMod) {
    if (forms_.of(node.operands[1]) != Affine(extent)) return std::nullopt;
    sides = {node.operands[0]};
  } else if (std::holds_alternative<Branch>(node.op)) {
    const auto k = static_cast<std::size_t>(
        std::find(node.results.begin(), node.results.end(), index) - node.results.begin());
    for (RegionId side : node.regions) sides.push_back(function_.regions[side].yields[k]);
  } else {
    return std::nullopt;
  }
  if (sides.size() == 2 && !apart_by(sides[0], sides[1], extent)) return std::nullopt;
  // Both are the same cell of an array that goes on; the nearer one is the plain neighbour.
  std::optional<CellDistance> nearest;
  for (ValueId side : sides) {
    const auto at = distance(side, own, extent, wraps);
    if (at && (!nearest || std::max(-at->low, at->high) < std::max(-nearest->low, nearest->high)))
      nearest = at;
  }
  if (nearest) nearest->wrapped = true;
  return nearest;
}

// One is an extent more than the other, or than a side of the other that is chosen in turn.
bool CellDistances::apart_by(ValueId a, ValueId b, const Size& extent) const {
  const Affine difference = forms_.of(a) - forms_.of(b);
  if (difference == Affine(extent) || difference == Affine(-extent)) return true;
  for (const auto& [plain, chosen] : {std::pair(a, b), std::pair(b, a)}) {
    const NodeId id = function_.values[chosen].node;
    const auto* scalar = id.valid() ? std::get_if<ScalarOp>(&function_.nodes[id].op) : nullptr;
    if (scalar == nullptr || scalar->fn != ScalarFn::Select) continue;
    const std::vector<ValueId>& sides = function_.nodes[id].operands;
    const bool inner = forms_.of(sides[1]) - forms_.of(sides[2]) == Affine(extent) ||
                       forms_.of(sides[1]) - forms_.of(sides[2]) == Affine(-extent);
    for (std::size_t k = 1; inner && k < 3; ++k) {
      const Affine apart = forms_.of(plain) - forms_.of(sides[k]);
      if (apart == Affine(extent) || apart == Affine(-extent)) return true;
    }
  }
  return false;
}

}  // namespace dvm::passes
