// Type rules of loop, while, branch and call.
#include <fmt/format.h>

#include "ir/graph/verify_function.hpp"
#include "ir/graph/walk.hpp"

namespace dvm::graph {

// The type of a state may mention earlier states: what holds between the region's parameters must
// hold between the initial values, between the yields and between the results.
void FunctionVerifier::states(std::span<const ValueId> params, std::span<const ValueId> initial,
                              std::span<const ValueId> yields, std::span<const ValueId> results) {
  if (initial.size() != params.size() || yields.size() != params.size() ||
      results.size() != params.size()) {
    return problem(fmt::format("it has {} initial states, {} parameters, {} yields and {} results",
                               initial.size(), params.size(), yields.size(), results.size()));
  }

  for (std::size_t i = 0; i < params.size(); ++i) {
    const Type& state = type(params[i]);
    if (!same(renamed(state, params, initial), type(initial[i]))) {
      problem("initial state " + text(initial[i]) + " has not the type of " + text(params[i]));
    }
    if (!same(renamed(state, params, yields), type(yields[i]))) {
      problem("yielded state " + text(yields[i]) + " has not the type of " + text(params[i]));
    }
    if (!same(renamed(state, params, results), type(results[i]))) {
      problem("result " + text(results[i]) + " has not the type of " + text(params[i]));
    }
  }
}

void FunctionVerifier::types(const Loop& op, const Node& node) {
  if (node.operands.empty() || !is_i64(node.operands[0]))
    return problem("its count must be an i64 scalar");
  if (!need_regions(node, 1)) return;
  const Region& body = function_.regions[node.regions[0]];
  if (body.params.empty() || !is_i64(body.params[0]))
    return problem("its body first takes the i64 step");
  const std::size_t count = body.params.size() - 1;
  if (body.yields.size() != count + op.stacked || node.results.size() != count + op.stacked) {
    return problem(
        "its body must yield, and it must have as results, the states and the stacked values");
  }
  states(std::span(body.params).subspan(1), std::span(node.operands).subspan(1),
         std::span(body.yields).first(count), std::span(node.results).first(count));
  for (std::size_t i = count; i < node.results.size(); ++i) {
    Type stacked = type(body.yields[i]);
    stacked.shape.insert(stacked.shape.begin(), function_.size_of(node.operands[0]));
    if (!same(type(node.results[i]), stacked)) {
      problem("result " + text(node.results[i]) + " is not the stack of what each step yields");
    }
  }
}

void FunctionVerifier::types(const While&, const Node& node) {
  if (!need_regions(node, 2)) return;
  const Region& condition = function_.regions[node.regions[0]];
  const Region& body = function_.regions[node.regions[1]];
  if (condition.yields.size() != 1 || !is_bool(condition.yields[0])) {
    return problem("its first region must yield one bool");
  }
  states(body.params, node.operands, body.yields, node.results);
  if (condition.params.size() != body.params.size())
    return problem("its regions differ in their parameters");
  for (std::size_t i = 0; i < body.params.size(); ++i) {
    if (!same(renamed(type(condition.params[i]), condition.params, body.params),
              type(body.params[i]))) {
      problem("its regions differ in the type of " + text(body.params[i]));
    }
  }
}

void FunctionVerifier::types(const Branch&, const Node& node) {
  if (node.operands.size() != 1 || !is_bool(node.operands[0]))
    return problem("its condition must be one bool scalar");
  if (!need_regions(node, 2)) return;
  for (RegionId id : node.regions) {
    const Region& region = function_.regions[id];
    if (!region.params.empty()) return problem("its regions have no parameters");
    if (region.yields.size() != node.results.size())
      return problem("its regions must yield one value for each result");
    for (std::size_t i = 0; i < node.results.size(); ++i) {
      if (!same(renamed(type(node.results[i]), node.results, region.yields),
                type(region.yields[i]))) {
        problem("yielded value " + text(region.yields[i]) + " has not the type of result " +
                text(node.results[i]));
      }
    }
  }
}

void FunctionVerifier::types(const Call& op, const Node& node) {
  if (!module_.functions.contains(op.callee)) return problem("its function does not exist");
  const Function& callee = module_.functions[op.callee];
  const std::vector<ValueId>& params = callee.params();
  const std::vector<ValueId>& results = callee.results();
  if (params.size() != node.operands.size() || results.size() != node.results.size()) {
    return problem(fmt::format("`@{}` has {} parameters and {} results", callee.name, params.size(),
                               results.size()));
  }
  SizeForms callee_forms;
  // A type of the callee in terms of this call; nullopt when it depends on the callee's inside.
  auto here = [&](const Type& there) -> std::optional<Type> {
    Type result{there.element, {}};
    bool inside = false;
    for (const Size& size : there.shape) {
      result.shape.push_back(
          callee_forms.expand(callee, size).substitute([&](Size::Symbol symbol) -> Size {
            for (std::size_t i = 0; i < params.size(); ++i) {
              if (params[i].index == symbol) return forms_.of(function_, node.operands[i]);
            }
            for (std::size_t i = 0; i < results.size(); ++i) {
              if (results[i].index == symbol) return forms_.of(function_, node.results[i]);
            }
            inside = true;
            return Size();
          }));
    }
    if (inside) return std::nullopt;
    return result;
  };
  for (std::size_t i = 0; i < params.size(); ++i) {
    const auto expected = here(callee.values[params[i]].type);
    if (!expected || !same(*expected, type(node.operands[i]))) {
      problem("argument " + text(node.operands[i]) + " has not the type of the parameter");
    }
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto expected = here(callee.values[results[i]].type);
    if (!expected) {
      problem(fmt::format(
          "the type of result {} of `@{}` depends on a value that is no parameter or result", i,
          callee.name));
    } else if (!same(*expected, type(node.results[i]))) {
      problem("result " + text(node.results[i]) + " has not the type of the function's result");
    }
  }
}

}  // namespace dvm::graph
