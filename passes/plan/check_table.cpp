// The checks of a module as the task IR carries them.
#include "passes/plan/check_table.hpp"

#include <fmt/format.h>

namespace dvm::passes {

using namespace graph;

namespace {

constexpr int longest_path = 32;  // calls that are named

std::string place_of(const Loc& loc, const SourceMap* sources) {
  if (!sources || !loc.span.valid() || loc.span.file.index >= sources->size()) return "";
  const LineColumn place = sources->place(loc.span.file, loc.span.begin);
  return fmt::format("{}:{}:{}", sources->file(loc.span.file).path, place.line, place.column);
}

// Types of the values that an engine reports with a failure of the node.
std::vector<ElementType> reported(const Function& function, const Node& node) {
  const auto type = [&](std::size_t operand) {
    return function.values[node.operands[operand]].type.element;
  };
  if (std::holds_alternative<Check>(node.op)) {
    std::vector<ElementType> types;
    for (std::size_t k = 2; k < node.operands.size() && k < 6; ++k) types.push_back(type(k));
    return types;
  }
  if (const auto* scalar = std::get_if<ScalarOp>(&node.op)) {
    const bool division = scalar->fn == ScalarFn::IntDiv || scalar->fn == ScalarFn::IntMod ||
                          scalar->fn == ScalarFn::IntQuot || scalar->fn == ScalarFn::IntRem;
    return {type(division ? 0 : node.operands.size() - 1)};
  }
  return {ElementType::I64, ElementType::I64};  // read: index and extent; reshape: both counts
}

}  // namespace

PlaceText place_text(const Module& module, LocId at, const SourceMap* sources) {
  PlaceText text;
  if (!at.valid()) return text;
  const Loc* loc = &module.locs[at];
  text.place = place_of(*loc, sources);
  for (int steps = 0; loc->caller.valid() && steps < longest_path; ++steps) {
    const Loc& caller = module.locs[loc->caller];
    text.path.push_back(
        fmt::format("`{}`, called at {}", loc->function, place_of(caller, sources)));
    loc = &caller;
  }
  std::size_t more = 0;
  for (; loc->caller.valid(); loc = &module.locs[loc->caller]) ++more;
  if (more > 0) text.path.push_back(fmt::format("… {} more", more));
  // A recursive function is there once, whoever calls it.
  if (!loc->caller.valid() && !loc->function.empty() && !module.functions.empty() &&
      loc->function != module.functions[FunctionId{0}].name)
    text.path.push_back(fmt::format("in `{}`, a recursive function", loc->function));
  return text;
}

IdVector<CheckId, task::Check> check_table(const Module& module, const SourceMap* sources) {
  IdVector<CheckId, task::Check> table;
  for (const CheckInfo& info : module.checks) {
    task::Check check;
    check.message = info.message;
    PlaceText where = place_text(module, info.loc, sources);
    check.place = std::move(where.place);
    check.path = std::move(where.path);
    table.push(std::move(check));
  }
  std::vector<bool> known(module.checks.size(), false);
  for (const Function& function : module.functions)
    for (const Node& node : function.nodes) {
      if (!node.check.valid() || !table.contains(node.check) || known[node.check.index]) continue;
      known[node.check.index] = true;
      table[node.check].values = reported(function, node);
    }
  return table;
}

}  // namespace dvm::passes
