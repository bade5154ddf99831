// Builds the operations over rows, then the body that reads them.
#include "passes/graph/lift_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "ir/graph/walk.hpp"
#include "passes/analysis/array_remark.hpp"
#include "passes/analysis/row_parts.hpp"
#include "passes/analysis/users.hpp"
#include "passes/graph/rebuild.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

class LiftRows {
 public:
  explicit LiftRows(const Function& function)
      : function_(function), parts_(function), users_(function) {}

  bool any() const { return parts_.any(); }

  void say(Remarks* remarks) const {
    ArrayRemarks to(function_, remarks);
    for (std::uint32_t k = 0; k < function_.nodes.size(); ++k) {
      const std::vector<RowPart>* parts = parts_.of(NodeId{k});
      if (parts == nullptr) continue;
      for (const RowPart& part : *parts)
        for (ValueId value : part.given)
          to.add(
              Remark::Kind::Done, "lifted", value,
              part.alone
                  ? "a sum of its own, cut into tasks along its terms: the map around it "
                    "has too few points to keep workers busy"
                  : fmt::format("computed once for a row, instead of at each of its {:.0f} points",
                                part.times));
    }
  }

  bool replace(Rewriter& rewriter, NodeId id) {
    const Node& node = function_.nodes[id];
    if (std::holds_alternative<Read>(node.op)) {
      const auto lifted = lifted_.find(node.operands[0]);
      if (lifted == lifted_.end()) return false;
      rewriter.map(
          node.results[0],
          element(rewriter, lifted->second,
                  mapped(rewriter, {node.operands.begin() + 1, node.operands.end()}), node.check));
      return true;
    }
    const std::vector<RowPart>* parts = parts_.of(id);
    if (parts == nullptr) return false;
    for (const RowPart& part : *parts) {
      lift(rewriter, id, part);
      moved_.insert(part.moves.begin(), part.moves.end());
    }
    rest(rewriter, id);
    return true;
  }

 private:
  // An array that holds a value of a body for each point of some of its indices.
  struct Lifted {
    ValueId array;
    std::vector<ValueId> params;  // old ones, of these indices
  };

  // --- rewriting

  void lift(Rewriter& rewriter, NodeId id, const RowPart& part) {
    const Node& node = function_.nodes[id];
    const Region& body = function_.regions[node.regions[0]];
    const std::vector<Size> extents = body_extents(node.op);
    std::vector<Size> space;
    std::vector<ValueId> params;
    for (std::size_t k : part.dims) {
      space.push_back(rewriter.mapped(extents[k]));
      params.push_back(body.params[k]);
    }
    const std::optional<NodeId> sum = only_sum(part);
    const NodeId made = sum ? lift_sum(rewriter, part, *sum, space, params)
                            : lift_map(rewriter, part, space, params);
    for (std::size_t k = 0; k < part.given.size(); ++k)
      lifted_[part.given[k]] = {rewriter.builder().results(made)[k], params};
  }

  // A sum that is all there is, beside literals, becomes one over rows.
  std::optional<NodeId> only_sum(const RowPart& part) const {
    if (part.moves.size() != 1) return std::nullopt;
    const NodeId id = *part.moves.begin();
    const Node& node = function_.nodes[id];
    const auto* reduce = std::get_if<Reduce>(&node.op);
    if (reduce == nullptr || !reduce->space.empty() || part.given != node.results)
      return std::nullopt;
    for (NodeId inner : part.nodes)
      if (const Op& op = function_.nodes[inner].op;
          inner != id && !std::holds_alternative<Constant>(op) && !is_outer_size(op, id))
        return std::nullopt;
    // Literals have been looked at; a neutral value may also be an index.
    bool outside = std::all_of(node.operands.begin(), node.operands.end(), [&](ValueId neutral) {
      return function_.values[neutral].node.valid() || users_.home(neutral) != users_.region_of(id);
    });
    reduce->extent.symbols([&](Size::Symbol symbol) {
      outside = outside && users_.home(ValueId{symbol}) != users_.region_of(id);
    });
    return outside ? std::optional(id) : std::nullopt;
  }

  bool is_outer_size(const Op& op, NodeId id) const {
    bool outer = std::holds_alternative<SizeOf>(op);
    for_each_size_value(
        op, [&](ValueId value) { outer = outer && users_.home(value) != users_.region_of(id); });
    return outer;
  }

  NodeId lift_sum(Rewriter& rewriter, const RowPart& part, NodeId id,
                  const std::vector<Size>& space, const std::vector<ValueId>& params) {
    const Node& node = function_.nodes[id];
    Builder& builder = rewriter.builder();
    for (NodeId inner : part.nodes)
      if (inner != id) rewriter.visit(inner);
    const std::vector<ValueId> operands = mapped(rewriter, node.operands);
    Reduce op = std::get<Reduce>(mapped_sizes(rewriter, node.op));
    op.space = space;
    std::vector<RegionId> regions{builder.open_region()};
    const Region& terms = function_.regions[node.regions[0]];
    new_params(rewriter, params);
    new_params(rewriter, terms.params);
    for (NodeId inner : terms.nodes) rewriter.visit(inner);
    builder.close_region(mapped(rewriter, terms.yields));
    for (std::size_t k = 1; k < node.regions.size(); ++k)
      regions.push_back(rewriter.copy_region(node.regions[k]));
    return finish(rewriter, std::move(op), operands, std::move(regions), part, space);
  }

  NodeId lift_map(Rewriter& rewriter, const RowPart& part, const std::vector<Size>& space,
                  const std::vector<ValueId>& params) {
    const RegionId region = rewriter.builder().open_region();
    new_params(rewriter, params);
    for (NodeId inner : part.nodes) point(rewriter, inner);
    rewriter.builder().close_region(mapped(rewriter, part.given));
    return finish(rewriter, Map{space}, {}, {region}, part, space);
  }

  NodeId finish(Rewriter& rewriter, Op op, const std::vector<ValueId>& operands,
                std::vector<RegionId> regions, const RowPart& part,
                const std::vector<Size>& space) {
    Builder& builder = rewriter.builder();
    std::vector<ValueId> results;
    for (ValueId value : part.given) {
      Type type = rewriter.mapped(function_.values[value].type);
      type.shape.insert(type.shape.begin(), space.begin(), space.end());
      results.push_back(builder.new_value(std::move(type), function_.values[value].name));
    }
    builder.set_loc(function_.nodes[function_.values[part.given[0]].node].loc);
    return builder.add_with_results(std::move(op), operands, std::move(regions), results);
  }

  // A node of the body, in the body or in what is lifted out of it.
  void point(Rewriter& rewriter, NodeId inner) {
    if (!moved_.contains(inner)) return rewriter.visit(inner);
    for (ValueId value : function_.nodes[inner].results)
      if (const auto lifted = lifted_.find(value);
          lifted != lifted_.end() && function_.values[value].type.is_scalar())
        rewriter.map(value, element(rewriter, lifted->second, {}, {}));
  }

  ValueId element(Rewriter& rewriter, const Lifted& lifted, const std::vector<ValueId>& further,
                  CheckId check) {
    std::vector<ValueId> at = mapped(rewriter, lifted.params);
    at.insert(at.end(), further.begin(), further.end());
    return rewriter.builder().read(lifted.array, std::move(at), check);
  }

  void rest(Rewriter& rewriter, NodeId id) {
    const Node& node = function_.nodes[id];
    const Region& body = function_.regions[node.regions[0]];
    Builder& builder = rewriter.builder();
    const std::vector<ValueId> operands = mapped(rewriter, node.operands);
    Op op = mapped_sizes(rewriter, node.op);
    std::vector<RegionId> regions{builder.open_region()};
    new_params(rewriter, body.params);
    for (NodeId inner : body.nodes) point(rewriter, inner);
    builder.close_region(mapped(rewriter, body.yields));
    for (std::size_t k = 1; k < node.regions.size(); ++k)
      regions.push_back(rewriter.copy_region(node.regions[k]));
    builder.set_loc(node.loc);
    const std::vector<ValueId> results = new_results(rewriter, node.results);
    builder.add_with_results(std::move(op), operands, std::move(regions), results, node.check);
  }

  const Function& function_;
  RowParts parts_;
  Users users_;
  std::unordered_map<ValueId, Lifted> lifted_;  // of bodies that were split
  std::unordered_set<NodeId> moved_;
};

}  // namespace

void lift_rows(Module& module, Remarks* remarks) {
  rebuild_each(module, [&](const Function& function) -> Rewriter::Replace {
    auto rule = std::make_shared<LiftRows>(function);
    if (!rule->any()) return nullptr;
    if (remarks != nullptr) rule->say(remarks);
    return [rule](Rewriter& rewriter, NodeId node) { return rule->replace(rewriter, node); };
  });
}

}  // namespace dvm::passes
