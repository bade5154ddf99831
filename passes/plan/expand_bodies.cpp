// Bodies that no kernel can hold are taken out of reductions and the like. See expand_bodies.hpp.
#include "passes/plan/expand_bodies.hpp"

#include <algorithm>
#include <unordered_set>

#include "ir/graph/demand.hpp"
#include "ir/graph/rewrite.hpp"
#include "ir/graph/walk.hpp"
#include "passes/analysis/users.hpp"
#include "passes/plan/kernel_limits.hpp"
#include "passes/plan/needed_together.hpp"
#include "passes/plan/operator_loops.hpp"
#include "passes/plan/outline.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

bool is_parallel(const Op& op) {
  return std::holds_alternative<Map>(op) || std::holds_alternative<Reduce>(op) ||
         std::holds_alternative<Scan>(op) || std::holds_alternative<Scatter>(op) ||
         std::holds_alternative<ReduceByKey>(op) || std::holds_alternative<Filter>(op);
}

// The dimensions of region 0, in the order of its params.
std::vector<Size> dims_of(const Op& op) {
  std::vector<Size> dims;
  std::visit(
      [&](const auto& one) {
        using T = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<T, Scatter> || std::is_same_v<T, ReduceByKey>)
          dims.push_back(one.extent);
        if constexpr (requires { one.space; })
          dims.insert(dims.end(), one.space.begin(), one.space.end());
        if constexpr (std::is_same_v<T, Reduce> || std::is_same_v<T, Scan> ||
                      std::is_same_v<T, Filter>)
          dims.push_back(one.extent);
      },
      op);
  return dims;
}

class Expander {
 public:
  Expander(Module& module, Diagnostics& out) : module_(module), out_(out) {}

  // Whether anything is to be done.
  bool plan(const Function& function) {
    function_ = &function;
    collect(function.body);
    return !split_.empty();
  }
  void choose(const Function& function, NodeId node) {
    function_ = &function;
    opens_operators_ = true;
    if (!std::holds_alternative<Map>(function.nodes[node].op)) split_.insert(node);
  }
  Function run() {
    const Function from = *function_;  // replacing may add functions to the module
    return Rewriter(
               module_, from,
               [this](Rewriter& to, NodeId id) { return split_.contains(id) && replace(to, id); })
        .run();
  }

 private:
  // Regions whose nodes the engine sees: those of control, and the bodies that become templates.
  void collect(RegionId region) {
    for (NodeId id : function_->regions[region].nodes) {
      const Node& node = function_->nodes[id];
      const bool parallel = is_parallel(node.op);
      if (parallel && fits_kernel(*function_, id)) continue;
      if (parallel && !std::holds_alternative<Map>(node.op)) split_.insert(id);
      for (std::size_t r = 0; r < node.regions.size(); ++r)
        if (!parallel || !fits_kernel(*function_, node.regions[r]) || has_heavy_operator(node))
          collect(node.regions[r]);
    }
  }
  bool has_heavy_operator(const Node& node) const {
    return is_parallel(node.op) && node.regions.size() > 1 &&
           !fits_kernel(*function_, node.regions[1]);
  }

  // What an operator reads from outside may be asked for in one of its branches alone.
  bool reads_in_operator(const Node& node) const {
    if (node.regions.size() < 2) return false;
    const std::vector<ValueId> read = free_values(*function_, node.regions[1]);
    return std::any_of(read.begin(), read.end(),
                       [&](ValueId value) { return !is_copied(*function_, value); });
  }

  bool replace(Rewriter& to, NodeId id) {
    const Node& node = to.from().nodes[id];
    if (has_heavy_operator(node)) {
      if (reduce_by_loops(to, id) || scan_by_loop(to, id)) return true;
      refuse(node);
      return false;
    }
    if (opens_operators_ && reads_in_operator(node) &&
        (reduce_by_loops(to, id) || scan_by_loop(to, id)))
      return true;
    const bool filters = std::holds_alternative<Filter>(node.op);
    const std::vector<ValueId> terms = filters ? filter_terms(to, id) : map_terms(to, id);
    light_operation(to, id, terms);
    return true;
  }

  void refuse(const Node& node) {
    Diagnostic diagnostic;
    diagnostic.code = "not-supported";
    diagnostic.message = std::string("an operator of `") + std::string(facts(node.op).mnemonic) +
                         "` that sorts, filters, calls recursive functions or loops over arrays is "
                         "not supported yet";
    if (node.loc.valid()) diagnostic.span = module_.locs[node.loc].span;
    out_.add(std::move(diagnostic));
  }

  std::vector<ValueId> open_map(Rewriter& to, const std::vector<Size>& dims, RegionId region) {
    Builder& b = to.builder();
    b.open_region();
    std::vector<ValueId> indices;
    for (std::size_t d = 0; d < dims.size(); ++d)
      indices.push_back(b.add_param({ElementType::I64, {}},
                                    to.from().values[to.from().regions[region].params[d]].name));
    return indices;
  }
  std::vector<ValueId> close_map(Rewriter& to, const std::vector<Size>& dims,
                                 std::vector<ValueId> yields) {
    Builder& b = to.builder();
    std::vector<Type> types;
    for (ValueId yield : yields) types.push_back({b.type(yield).element, dims});
    const RegionId body = b.current_region();
    b.close_region(std::move(yields));
    return b.results(b.add(Map{dims}, {}, {body}, std::move(types)));
  }
  std::vector<Size> mapped_dims(Rewriter& to, const Op& op) {
    std::vector<Size> dims = dims_of(op);
    for (Size& dim : dims) dim = to.mapped(dim);
    return dims;
  }

  // All that region 0 yields, as arrays over its dimensions.
  std::vector<ValueId> map_terms(Rewriter& to, NodeId id) {
    const Node& node = to.from().nodes[id];
    const std::vector<Size> dims = mapped_dims(to, node.op);
    const std::vector<ValueId> indices = open_map(to, dims, node.regions[0]);
    std::vector<ValueId> yields = to.inline_region(node.regions[0], indices);
    if (!std::holds_alternative<ReduceByKey>(node.op) || dims.size() == 1)
      return close_map(to, dims, std::move(yields));
    // The key does not depend on the space, and must not seem to.
    yields.erase(yields.begin());
    std::vector<ValueId> terms = close_map(to, dims, std::move(yields));
    const std::vector<Size> first{dims[0]};
    std::vector<ValueId> point = open_map(to, first, node.regions[0]);
    while (point.size() < dims.size()) point.push_back(to.builder().constant_i64(0));
    const ValueId key = to.inline_region(node.regions[0], point)[0];
    terms.insert(terms.begin(), close_map(to, first, {key})[0]);
    return terms;
  }

  // Nodes of the region that its yield `position` needs.
  std::unordered_set<NodeId> needed_for(const Function& from, RegionId region,
                                        std::size_t position) {
    const Region& body = from.regions[region];
    std::unordered_set<ValueId> values{body.yields[position]};
    std::unordered_set<NodeId> nodes;
    for (auto id = body.nodes.rbegin(); id != body.nodes.rend(); ++id) {
      const Node& node = from.nodes[*id];
      bool needed = false;
      for (ValueId result : node.results) needed = needed || values.contains(result);
      if (!needed) continue;
      nodes.insert(*id);
      values.insert(node.operands.begin(), node.operands.end());
      for (ValueId value : free_values(from, *id)) values.insert(value);
      for (ValueId result : node.results)
        for_each_size_value(from.values[result].type, [&](ValueId v) { values.insert(v); });
    }
    return nodes;
  }

  // What the values of a filter need whatever is kept, and its condition does not need anyway.
  std::vector<ValueId> needed_by_values(Rewriter& to, RegionId region) {
    Demands demands(to.from());
    Mask condition(to.from().regions[region].yields.size(), false);
    condition[0] = true;
    const std::vector<ValueId>& anyway = demands.region(region, condition).captures;
    std::vector<ValueId> values;
    for (ValueId value : demands.region(region, Demands::all(condition.size())).captures)
      if (std::find(anyway.begin(), anyway.end(), value) == anyway.end() &&
          !is_copied(to.from(), value))
        values.push_back(to.mapped(value));
    return values;
  }

  // Whether a point is kept, and the values: in the taken side of a branch, zeros elsewhere.
  std::vector<ValueId> filter_terms(Rewriter& to, NodeId id) {
    const Node& node = to.from().nodes[id];
    const Region& region = to.from().regions[node.regions[0]];
    const std::vector<Size> dims = mapped_dims(to, node.op);
    Builder& b = to.builder();
    const std::vector<ValueId> needed = needed_by_values(to, node.regions[0]);
    const ValueId fine = needed.empty() ? ValueId{} : needed_together(b, needed);
    const std::vector<ValueId> indices = open_map(to, dims, node.regions[0]);
    to.map(region.params[0], indices[0]);
    const std::unordered_set<NodeId> condition = needed_for(to.from(), node.regions[0], 0);
    const auto visit = [&](bool first) {
      for (NodeId inner : region.nodes)
        if (condition.contains(inner) == first) to.visit(inner);
    };
    visit(true);
    ValueId keep = to.mapped(region.yields[0]);
    if (fine.valid()) keep = b.scalar(ScalarFn::And, {keep, fine});
    std::vector<ValueId> yields{keep};
    if (region.yields.size() > 1) {
      const RegionId taken = b.open_region();
      visit(false);
      std::vector<ValueId> values, zeros;
      std::vector<Type> types;
      for (std::size_t k = 1; k < region.yields.size(); ++k) {
        values.push_back(to.mapped(region.yields[k]));
        types.push_back(b.type(values.back()));
      }
      b.close_region(values);
      const RegionId otherwise = b.open_region();
      for (const Type& type : types) zeros.push_back(b.constant(Scalar{type.element, 0}));
      b.close_region(zeros);
      for (ValueId value : b.results(b.add(Branch{}, {keep}, {taken, otherwise}, types)))
        yields.push_back(value);
    }
    return close_map(to, dims, std::move(yields));
  }

  // The operation itself, with terms that are read.
  void light_operation(Rewriter& to, NodeId id, const std::vector<ValueId>& terms) {
    const Node& node = to.from().nodes[id];
    Builder& b = to.builder();
    Op op = node.op;
    for_each_size(op, [&](Size& size) { size = to.mapped(size); });
    std::vector<ValueId> operands;
    for (ValueId operand : node.operands) operands.push_back(to.mapped(operand));
    std::vector<RegionId> regions{b.open_region()};
    std::vector<ValueId> indices, yields;
    for (ValueId param : to.from().regions[node.regions[0]].params)
      indices.push_back(b.add_param({ElementType::I64, {}}, to.from().values[param].name));
    for (ValueId term : terms) {
      std::vector<ValueId> at = indices;
      at.resize(b.type(term).shape.size());
      yields.push_back(b.read(term, at));
    }
    b.close_region(std::move(yields));
    if (node.regions.size() > 1) regions.push_back(to.copy_region(node.regions[1]));
    std::vector<ValueId> results;
    for (ValueId result : node.results) {
      const Value& value = to.from().values[result];
      results.push_back(b.new_value(to.mapped(value.type), value.name));
      to.map(result, results.back());
    }
    b.set_loc(node.loc);
    b.add_with_results(std::move(op), std::move(operands), std::move(regions), std::move(results),
                       node.check);
  }

  Module& module_;
  Diagnostics& out_;
  const Function* function_ = nullptr;
  std::unordered_set<NodeId> split_;
  bool opens_operators_ = false;
};

}  // namespace

Module expand_bodies(Module module, Diagnostics& out) {
  for (std::uint32_t k = 0; k < module.functions.size(); ++k) {
    const FunctionId id{k};
    Expander expander(module, out);
    if (expander.plan(module.functions[id])) module.functions[id] = expander.run();
  }
  return module;
}

Function expand_terms(Module& module, const Function& function, NodeId node) {
  Diagnostics none;
  Expander expander(module, none);
  expander.choose(function, node);
  return expander.run();
}

}  // namespace dvm::passes
