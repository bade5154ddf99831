// Rebuilding functions.
#include "ir/graph/rewrite.hpp"

#include <algorithm>
#include <stdexcept>

#include "ir/graph/walk.hpp"

namespace dvm::graph {

namespace {

bool all_needed(const Function& function) {
  const std::vector<bool> needed = needed_nodes(function);
  return std::find(needed.begin(), needed.end(), false) == needed.end();
}

}  // namespace

Rewriter::Rewriter(Module& module, const Function& from, Replace replace)
    : module_(module),
      from_(from),
      needed_(needed_nodes(from_)),
      replace_(std::move(replace)),
      builder_(module_, target_),
      mapped_(from_.values.size()) {
  target_.name = from_.name;
  target_.size_params = from_.size_params;
  target_.result_names = from_.result_names;
}

Function Rewriter::run() {
  const Region& body = from_.body_region();
  for (ValueId param : body.params) {
    const Value& old = from_.values[param];
    map(param, builder_.add_param(mapped(old.type), old.name));
  }
  visit_nodes(body);
  std::vector<ValueId> yields;
  for (ValueId yield : body.yields) yields.push_back(mapped(yield));
  builder_.close_region(std::move(yields));
  if (!replace_ || all_needed(target_)) return std::move(target_);
  return without_unneeded(module_, target_);
}

void Rewriter::map(ValueId old_value, ValueId new_value) {
  std::string& name = target_.values[new_value].name;
  if (name.empty()) name = from_.values[old_value].name;
  mapped_.at(old_value.index) = new_value;
}

ValueId Rewriter::mapped(ValueId old_value) const {
  const ValueId value = mapped_.at(old_value.index);
  if (!value.valid()) throw std::out_of_range("a value is used before it was made");
  return value;
}

Size Rewriter::mapped(const Size& size) {
  return size.substitute(
      [&](Size::Symbol symbol) { return builder_.as_size(mapped(ValueId{symbol})); });
}

Type Rewriter::mapped(const Type& type) {
  Type result{type.element, {}};
  result.shape.reserve(type.shape.size());
  for (const Size& size : type.shape) result.shape.push_back(mapped(size));
  return result;
}

NodeId Rewriter::copy(NodeId old_node) {
  const Node& old = from_.nodes[old_node];
  Op op = old.op;
  for_each_size(op, [&](Size& size) { size = mapped(size); });
  std::vector<ValueId> operands;
  operands.reserve(old.operands.size());
  for (ValueId operand : old.operands) operands.push_back(mapped(operand));
  std::vector<RegionId> regions;
  for (RegionId region : old.regions) regions.push_back(copy_region(region));
  // One after the other, since types may mention earlier results.
  std::vector<ValueId> results;
  for (ValueId result : old.results) {
    const Value& value = from_.values[result];
    results.push_back(builder_.new_value(mapped(value.type), value.name));
    map(result, results.back());
  }
  const LocId loc = builder_.loc();
  builder_.set_loc(old.loc);
  const NodeId node = builder_.add_with_results(std::move(op), std::move(operands),
                                                std::move(regions), std::move(results), old.check);
  builder_.set_loc(loc);
  return node;
}

std::vector<ValueId> Rewriter::inline_region(RegionId old_region,
                                             const std::vector<ValueId>& args) {
  const Region& region = from_.regions[old_region];
  for (std::size_t i = 0; i < region.params.size(); ++i)
    mapped_.at(region.params[i].index) = args.at(i);
  visit_nodes(region);
  std::vector<ValueId> yields;
  for (ValueId yield : region.yields) yields.push_back(mapped(yield));
  return yields;
}

RegionId Rewriter::copy_region(RegionId old_region) {
  const Region& region = from_.regions[old_region];
  const RegionId copy = builder_.open_region();
  for (ValueId param : region.params) {
    const Value& old = from_.values[param];
    map(param, builder_.add_param(mapped(old.type), old.name));
  }
  visit_nodes(region);
  std::vector<ValueId> yields;
  for (ValueId yield : region.yields) yields.push_back(mapped(yield));
  builder_.close_region(std::move(yields));
  return copy;
}

void Rewriter::visit(NodeId old_node) {
  if (!needed_[old_node.index]) return;
  builder_.set_loc(from_.nodes[old_node].loc);
  if (!replace_ || !replace_(*this, old_node)) copy(old_node);
}

void Rewriter::visit_nodes(const Region& region) {
  for (NodeId node : region.nodes) visit(node);
}

Function without_unneeded(Module& module, const Function& from) {
  return Rewriter(module, from, nullptr).run();
}

}  // namespace dvm::graph
