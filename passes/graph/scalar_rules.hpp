// Exact identities and constant folding for single scalar operations.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/graph/builder.hpp"

namespace dvm::passes {

// A scalar operation that is about to be built.
struct ScalarCall {
  graph::ScalarFn fn;
  std::vector<graph::ValueId> operands;  // in the builder's function
  ElementType result;
  // By operand: the identity may lose it, since computing it cannot fail.
  std::vector<bool> droppable;
};

// A value equal to the call bit for bit: one of its operands, a constant, or a cheaper operation,
// made where the builder stands. nullopt: build the call as it is. A call that would fail is left
// alone.
std::optional<graph::ValueId> simplify_scalar(graph::Builder& builder, const ScalarCall& call);

// The constant a value is, if it is one.
std::optional<Scalar> constant_of(graph::Builder& builder, graph::ValueId value);

// The equations of the table, for documentation and tests.
std::vector<std::string_view> scalar_rule_equations();

}  // namespace dvm::passes
