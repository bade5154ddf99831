// The rule for trees: see Note [Which tree].
#include "passes/graph/fix_rounding.hpp"

#include <algorithm>
#include <memory>
#include <unordered_set>

#include "ir/graph/affine.hpp"
#include "passes/analysis/users.hpp"
#include "passes/graph/rebuild.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

// Too few terms for lanes to pay.
constexpr std::int64_t short_extent = 16;

class FixRounding {
 public:
  explicit FixRounding(const Function& function)
      : function_(function), forms_(function), users_(function) {}

  bool replace(Rewriter& rewriter, NodeId id) const {
    const Node& node = function_.nodes[id];
    const auto* reduce = std::get_if<Reduce>(&node.op);
    if (reduce == nullptr || reduce->tree != Tree::Unset) return false;
    Reduce op = std::get<Reduce>(mapped_sizes(rewriter, node.op));
    op.tree = tree_of(id, *reduce);
    const std::vector<ValueId> yields = fuse_products(node, op.components);

    Builder& builder = rewriter.builder();
    const std::vector<ValueId> operands = mapped(rewriter, node.operands);
    const Region& body = function_.regions[node.regions[0]];
    std::vector<RegionId> regions{builder.open_region()};
    new_params(rewriter, body.params);
    for (NodeId inner : body.nodes)
      if (!replace(rewriter, inner)) rewriter.copy(inner);
    builder.close_region(mapped(rewriter, yields));
    if (node.regions.size() > 1) regions.push_back(rewriter.copy_region(node.regions[1]));
    builder.set_loc(node.loc);
    const std::vector<ValueId> results = new_results(rewriter, node.results);
    builder.add_with_results(op, operands, std::move(regions), results, node.check);
    return true;
  }

 private:
  using Values = std::unordered_set<ValueId>;

  Tree tree_of(NodeId id, const Reduce& reduce) const {
    if (reduce.components.empty()) return Tree::Ordered;
    if (auto extent = reduce.extent.constant(); extent && *extent <= short_extent)
      return Tree::Ordered;
    const std::optional<ValueId> inner = innermost_index(id);
    const RegionId body = function_.nodes[id].regions[0];
    Values depends{function_.regions[body].params.back()};
    return inner && reads_along(body, *inner, depends) ? Tree::Ordered : Tree::Lanes;
  }

  // The index along which neighbouring results lie: of the space, else of the nearest space around.
  std::optional<ValueId> innermost_index(NodeId id) const {
    while (id.valid()) {
      const Node& node = function_.nodes[id];
      std::size_t rank = 0;
      if (const auto* map = std::get_if<Map>(&node.op)) rank = map->space.size();
      if (const auto* reduce = std::get_if<Reduce>(&node.op)) rank = reduce->space.size();
      if (const auto* scan = std::get_if<Scan>(&node.op)) rank = scan->space.size();
      if (rank > 0) return function_.regions[node.regions[0]].params[rank - 1];
      id = users_.owner(users_.region_of(id));
    }
    return std::nullopt;
  }

  // Some read that varies with the reduced index walks along `inner` in its last dimension.
  // `depends` is filled on the way: values that vary with the reduced index.
  bool reads_along(RegionId region, ValueId inner, Values& depends) const {
    for (NodeId id : function_.regions[region].nodes) {
      const Node& node = function_.nodes[id];
      auto varies = [&](ValueId value) { return depends.contains(value); };
      bool any = std::any_of(node.operands.begin(), node.operands.end(), varies);
      for (RegionId nested : node.regions) {
        // What goes into a region's params comes from operands; a varying yield makes results vary.
        if (any)
          for (ValueId param : function_.regions[nested].params) depends.insert(param);
        if (reads_along(nested, inner, depends)) return true;
        const std::vector<ValueId>& yields = function_.regions[nested].yields;
        any |= std::any_of(yields.begin(), yields.end(), varies);
      }
      if (any)
        for (ValueId result : node.results) depends.insert(result);
      if (!std::holds_alternative<Read>(node.op) || node.operands.size() < 2) continue;
      const bool index_varies = std::any_of(node.operands.begin() + 1, node.operands.end(), varies);
      if (index_varies && forms_.of(node.operands.back()).coefficient(inner) == Size(1))
        return true;
    }
    return false;
  }

  // The new yields; components whose term is a product made in the body become fused.
  std::vector<ValueId> fuse_products(const Node& node, std::vector<Component>& components) const {
    const Region& body = function_.regions[node.regions[0]];
    if (components.empty()) return body.yields;
    std::vector<ValueId> yields;
    for (std::size_t c = 0; c < components.size(); ++c) {
      const ValueId term = body.yields[c];
      const NodeId id = function_.values[term].node;
      const bool made_here = id.valid() && users_.region_of(id) == node.regions[0];
      const auto* scalar = made_here ? std::get_if<ScalarOp>(&function_.nodes[id].op) : nullptr;
      const bool fuses = scalar != nullptr && scalar->fn == ScalarFn::Mul &&
                         components[c].combiner == ScalarFn::Add &&
                         is_float(function_.values[term].type.element);
      components[c].fused_product = fuses;
      if (fuses) {
        const std::vector<ValueId>& factors = function_.nodes[id].operands;
        yields.insert(yields.end(), factors.begin(), factors.end());
      } else {
        yields.push_back(term);
      }
    }
    return yields;
  }

  const Function& function_;
  AffineForms forms_;
  Users users_;
};

}  // namespace

void fix_rounding(Module& module) {
  rebuild_each(module, [](const Function& function) -> Rewriter::Replace {
    return [rule = std::make_shared<FixRounding>(function)](Rewriter& rewriter, NodeId node) {
      return rule->replace(rewriter, node);
    };
  });
}

// Note [Which tree]
// Two trees exist (ir/graph/op.hpp): terms in order, or 32 interleaved lanes. In order suits
// kernels that vectorise over neighbouring results, lanes suit kernels that vectorise along the sum
// itself.
// - A general operator is only known to be associative: in order.
// - Up to 16 terms: lanes would mostly be empty: in order.
// - Let s be the innermost index of the reduction's space; when the space is empty, of the nearest
// map,
//   reduce or scan around with a space. If some read that varies with the reduced index has s with
//   coefficient 1 in its last dimension, neighbours in s lie side by side in memory: in order (a
//   matrix product reads b[k, j]: ordered over k, vectorised over j). Otherwise lanes.

}  // namespace dvm::passes
