// Estimates from the sizes that operations mention.
#include "passes/analysis/repetition.hpp"

#include <algorithm>

#include "passes/cost/cost.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

constexpr double assumed_size = 1000;

}  // namespace

double estimate(const Size& size) {
  double sum = 0;
  for (const Size::Term& term : size.terms()) {
    double product = static_cast<double>(term.coefficient);
    for (const Size::Atom& atom : term.factors)
      product *= atom.quotient ? estimate(atom.quotient->numerator) /
                                     static_cast<double>(atom.quotient->divisor)
                               : assumed_size;
    sum += product;
  }
  return std::max(sum, 1.0);
}

double count_of(const std::vector<Size>& shape) {
  double count = 1;
  for (const Size& dim : shape) count *= estimate(dim);
  return count;
}

std::vector<RepeatedDim> dims_of(const Function& function, const Node& node, RegionId region) {
  std::vector<RepeatedDim> dims;
  const std::vector<ValueId>& params = function.regions[region].params;
  std::vector<Size> extents;
  std::visit(
      [&](const auto& op) {
        using T = std::decay_t<decltype(op)>;
        constexpr bool extent_first = std::is_same_v<T, Scatter> || std::is_same_v<T, ReduceByKey>;
        if constexpr (requires { op.extent; })
          if (extent_first) extents.push_back(op.extent);
        if constexpr (requires { op.space; })
          for (const Size& size : op.space) extents.push_back(size);
        if constexpr (requires { op.extent; })
          if (!extent_first) extents.push_back(op.extent);
      },
      node.op);
  for (std::size_t k = 0; k < extents.size() && k < params.size(); ++k)
    dims.push_back({params[k], estimate(extents[k])});
  if (std::holds_alternative<Loop>(node.op)) {
    const NodeId count = function.values[node.operands[0]].node;
    const auto* number = count.valid() ? std::get_if<Constant>(&function.nodes[count].op) : nullptr;
    dims.push_back({params[0], number != nullptr
                                   ? std::max(1.0, static_cast<double>(number->value.as_i64()))
                                   : static_cast<double>(assumed_trips)});
  }
  if (std::holds_alternative<While>(node.op))
    dims.push_back({ValueId{}, static_cast<double>(assumed_trips)});
  return dims;
}

}  // namespace dvm::passes
