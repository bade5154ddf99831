// Builds a function node by node. Computes result types; constants and sizes are not shared here
// (that is `share-values`' work).
#pragma once

#include <span>
#include <string_view>

#include "ir/graph/graph.hpp"
#include "ir/graph/size_forms.hpp"

namespace dvm::graph {

// The type that a scalar function gives for the types of its first two operands (the first twice
// when there is one); conversions give `to`.
Type scalar_type(ScalarFn fn, const Type& first, const Type& second, std::optional<ElementType> to);

class Builder {
 public:
  // Appends to the body region of `function` (made when there is none); opening a region makes it
  // the current one.
  Builder(Module& module, FunctionId function);
  // The same for a function that is not (yet) in the module's table; it must outlive the builder.
  Builder(Module& module, Function& function);

  Function& function() { return outside_ != nullptr ? *outside_ : module_.functions[function_]; }
  Module& module() { return module_; }

  // --- regions
  RegionId open_region();                               // a new region becomes current
  ValueId add_param(Type type, std::string_view name);  // of the current region
  void close_region(std::vector<ValueId> yields);       // back to the enclosing one
  RegionId current_region() const { return open_.back(); }

  // --- place of the nodes that follow
  void set_loc(LocId loc) { loc_ = loc; }
  LocId loc() const { return loc_; }

  // --- scalars
  ValueId constant(Scalar value);
  ValueId constant_i64(std::int64_t value) { return constant(Scalar::of_i64(value)); }
  ValueId size(const Size& size);
  // Result type from the operands; Convert, Truncate, Floor, Ceiling and Round need `to`.
  ValueId scalar(ScalarFn fn, std::vector<ValueId> operands, CheckId check = {},
                 std::optional<ElementType> to = std::nullopt);
  ValueId read(ValueId array, std::vector<ValueId> indices, CheckId check = {});
  ValueId check(ValueId value, ValueId condition, std::vector<ValueId> message_values,
                CheckId check);

  // --- any node: the caller gives the result types (needed where they mention sibling results: use
  // `add_result_values` first)
  NodeId add(Op op, std::vector<ValueId> operands, std::vector<RegionId> regions,
             std::vector<Type> result_types, CheckId check = {});
  // Reserves result values so that types may mention them, then add_node_with uses them.
  ValueId new_value(Type type, std::string_view name = "");
  NodeId add_with_results(Op op, std::vector<ValueId> operands, std::vector<RegionId> regions,
                          std::vector<ValueId> results, CheckId check = {});

  const std::vector<ValueId>& results(NodeId node) { return function().nodes[node].results; }
  const Type& type(ValueId value) { return function().values[value].type; }
  // The value as a size (SizeForms): constants fold to numbers, `size` nodes to their polynomial, …
  Size as_size(ValueId i64_scalar);

 private:
  Module& module_;
  FunctionId function_;
  Function* outside_ = nullptr;
  SizeForms sizes_;
  std::vector<RegionId> open_;
  LocId loc_;
};

}  // namespace dvm::graph
