// One rule on sums; the products vanish because nothing needs them any more.
#include "passes/graph/contract.hpp"

#include <memory>
#include <optional>

#include "passes/analysis/users.hpp"
#include "passes/graph/rebuild.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

class Contract {
 public:
  explicit Contract(const Function& function) : function_(function), users_(function) {}

  bool replace(Rewriter& rewriter, NodeId id) const {
    const Node& node = function_.nodes[id];
    const auto* sum = std::get_if<ScalarOp>(&node.op);
    if (sum == nullptr || (sum->fn != ScalarFn::Add && sum->fn != ScalarFn::Sub)) return false;
    if (!is_float(function_.values[node.results[0]].type.element)) return false;
    const bool subtracts = sum->fn == ScalarFn::Sub;
    // Of two products the left one goes into the sum.
    for (std::size_t side = 0; side < 2; ++side) {
      const std::optional<NodeId> product = product_for(node.operands[side], id);
      if (!product) continue;
      const std::vector<ValueId> factors = mapped(rewriter, function_.nodes[*product].operands);
      ValueId left = factors[0];
      ValueId rest = rewriter.mapped(node.operands[1 - side]);
      Builder& builder = rewriter.builder();
      builder.set_loc(node.loc);
      if (subtracts) {
        ValueId& turned = side == 0 ? rest : left;
        turned = builder.scalar(ScalarFn::Neg, {turned});
      }
      rewriter.map(node.results[0], builder.scalar(ScalarFn::Fma, {left, factors[1], rest}));
      return true;
    }
    return false;
  }

 private:
  // The product that `value` is, when the sum alone uses it and stands in its region.
  std::optional<NodeId> product_for(ValueId value, NodeId sum) const {
    const NodeId id = function_.values[value].node;
    if (!id.valid() || users_.region_of(id) != users_.region_of(sum)) return std::nullopt;
    const auto* scalar = std::get_if<ScalarOp>(&function_.nodes[id].op);
    if (scalar == nullptr || scalar->fn != ScalarFn::Mul || users_.of(value).size() != 1)
      return std::nullopt;
    return id;
  }

  const Function& function_;
  Users users_;
};

}  // namespace

void contract(Module& module) {
  rebuild_each(module, [](const Function& function) -> Rewriter::Replace {
    return [rule = std::make_shared<Contract>(function)](Rewriter& rewriter, NodeId node) {
      return rule->replace(rewriter, node);
    };
  });
}

}  // namespace dvm::passes
