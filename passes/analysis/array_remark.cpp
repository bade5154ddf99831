// Takes from the function what a remark says of its array.
#include "passes/analysis/array_remark.hpp"

#include <fmt/format.h>

namespace dvm::passes {

using namespace graph;

ArrayRemarks::ArrayRemarks(const Function& function, Remarks* remarks)
    : function_(function), remarks_(remarks) {
  if (remarks != nullptr) names_.emplace(function);
}

void ArrayRemarks::add(Remark::Kind kind, std::string_view verdict, ValueId array,
                       std::string reason, NodeId other) {
  if (remarks_ == nullptr) return;
  const Value& value = function_.values[array];
  Remark remark;
  remark.kind = kind;
  remark.verdict = verdict;
  if (value.node.valid()) {
    const Node& node = function_.nodes[value.node];
    remark.op = facts(node.op).mnemonic;
    remark.loc = node.loc;
  }
  remark.array = value.name;
  remark.type = names_->text(value.type);
  remark.reason = std::move(reason);
  if (other.valid()) {
    const Node& node = function_.nodes[other];
    remark.other = node.loc;
    if (!node.results.empty()) remark.other_array = function_.values[node.results[0]].name;
  }
  remarks_->add(std::move(remark));
}

std::string ArrayRemarks::called(ValueId array) const {
  const Value& value = function_.values[array];
  if (!value.name.empty()) return fmt::format("`{}`", value.name);
  if (!value.node.valid()) return "an array";
  return fmt::format("a {}", facts(function_.nodes[value.node].op).mnemonic);
}

}  // namespace dvm::passes
