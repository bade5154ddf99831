// Copying nodes with hooks, and running a rewriter over whole modules.
#include "passes/graph/rebuild.hpp"

#include <algorithm>

#include "ir/graph/walk.hpp"
#include "passes/analysis/slots.hpp"
#include "passes/graph/drop_unneeded.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

void rebuild_from(Module& module, FunctionId id, const Function& from, Rewriter::Replace replace) {
  module.functions[id] = Rewriter(module, from, std::move(replace)).run();
  drop_unneeded_in(module, id);
}

}  // namespace

void rebuild(Module& module, FunctionId id, Rewriter::Replace replace) {
  const Function from = std::move(module.functions[id]);
  rebuild_from(module, id, from, std::move(replace));
}

void rebuild_each(Module& module, const std::function<Rewriter::Replace(const Function&)>& make) {
  for (std::uint32_t k = 0; k < module.functions.size(); ++k) {
    const FunctionId id{k};
    // Without dead nodes, so that a rule which walks a region by itself meets only what is copied.
    const std::vector<bool> needed = needed_nodes(module.functions[id]);
    if (std::find(needed.begin(), needed.end(), false) != needed.end())
      module.functions[id] = without_unneeded(module, module.functions[id]);
    Function from = std::move(module.functions[id]);
    Rewriter::Replace replace = make(from);
    if (replace)
      rebuild_from(module, id, from, std::move(replace));
    else
      module.functions[id] = std::move(from);
  }
}

NodeId copy_node(Rewriter& rewriter, NodeId old_node, const RegionHooks& hooks) {
  const Node& node = rewriter.from().nodes[old_node];
  if (node.regions.empty()) return rewriter.copy(old_node);
  const std::vector<ValueId> operands = mapped(rewriter, node.operands);
  Op op = mapped_sizes(rewriter, node.op);
  std::vector<RegionId> regions;
  for (std::size_t k = 0; k < node.regions.size(); ++k) {
    if (hooks.enter) hooks.enter(old_node, k);
    regions.push_back(rewriter.copy_region(node.regions[k]));
    if (hooks.leave) hooks.leave(old_node, k);
  }
  rewriter.builder().set_loc(node.loc);
  const std::vector<ValueId> results = new_results(rewriter, node.results);
  return rewriter.builder().add_with_results(std::move(op), operands, std::move(regions), results,
                                             node.check);
}

std::vector<ValueId> mapped(Rewriter& rewriter, const std::vector<ValueId>& old_values) {
  std::vector<ValueId> values;
  values.reserve(old_values.size());
  for (ValueId old_value : old_values) values.push_back(rewriter.mapped(old_value));
  return values;
}

Op mapped_sizes(Rewriter& rewriter, const Op& op) {
  return with_sizes(op, [&](const Size& size) { return rewriter.mapped(size); });
}

std::vector<ValueId> new_results(Rewriter& rewriter, const std::vector<ValueId>& old_results) {
  std::vector<ValueId> values;
  for (ValueId old_result : old_results) {
    const Value& value = rewriter.from().values[old_result];
    values.push_back(rewriter.builder().new_value(rewriter.mapped(value.type), value.name));
    rewriter.map(old_result, values.back());
  }
  return values;
}

void new_params(Rewriter& rewriter, const std::vector<ValueId>& old_params) {
  for (ValueId old_param : old_params) {
    const Value& value = rewriter.from().values[old_param];
    rewriter.map(old_param, rewriter.builder().add_param(rewriter.mapped(value.type), value.name));
  }
}

void map_results(Rewriter& rewriter, NodeId old_node, const std::vector<ValueId>& new_values) {
  const std::vector<ValueId>& results = rewriter.from().nodes[old_node].results;
  for (std::size_t k = 0; k < results.size(); ++k) rewriter.map(results[k], new_values[k]);
}

}  // namespace dvm::passes
