// Verification of one function. Used by verify*.cpp only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph/names.hpp"
#include "ir/graph/size_forms.hpp"

namespace dvm::graph {

class FunctionVerifier {
 public:
  FunctionVerifier(const Module& module, FunctionId function, bool elaborated,
                   std::vector<std::string>& problems);

  // Ids in range, every value and node in one place, nesting limited. The rest may only run when
  // this holds for all functions of the module.
  bool structure();
  // Scopes, types, checks.
  void meaning();

 private:
  // --- structure
  bool structure_of(RegionId region, std::vector<std::pair<RegionId, std::size_t>>& open,
                    std::size_t depth);
  bool sizes_in_range(const Op& op) const;
  bool sizes_in_range(const Type& type) const;

  // --- scopes
  void region(RegionId region);
  void node(NodeId node);
  void need_scope(ValueId value, std::string_view what);
  void need_size_scope(ValueId value, std::string_view what);
  void define(ValueId value);

  // --- types; one overload for each op, in verify_scalar.cpp, verify_types.cpp, verify_control.cpp
  void check_id(const Node& node);
  void types(const Constant& op, const Node& node);
  void types(const SizeOf& op, const Node& node);
  void types(const ScalarOp& op, const Node& node);
  void types(const Read& op, const Node& node);
  void types(const Check& op, const Node& node);
  void types(const Map& op, const Node& node);
  void types(const Reduce& op, const Node& node);
  void types(const Scan& op, const Node& node);
  void types(const Scatter& op, const Node& node);
  void types(const ReduceByKey& op, const Node& node);
  void types(const Concat& op, const Node& node);
  void types(const Reshape& op, const Node& node);
  void types(const Sort& op, const Node& node);
  void types(const Filter& op, const Node& node);
  void types(const Loop& op, const Node& node);
  void types(const While& op, const Node& node);
  void types(const Branch& op, const Node& node);
  void types(const Call& op, const Node& node);

  bool scalar_operands(ScalarFn fn, const std::vector<ElementType>& types, ElementType result);
  bool need_regions(const Node& node, std::size_t count);
  bool need_indices(const Region& region, std::size_t count);
  // The terms of the components and, where there are none, the operator in region 1. `first`:
  // yields before the terms. True when results are to be checked further.
  bool combination(const Node& node, const std::vector<Component>& components, std::size_t first,
                   bool fused_allowed);
  bool operator_region(const Node& node);
  bool key_depends_on_space(const Region& region);
  void states(std::span<const ValueId> params, std::span<const ValueId> initial,
              std::span<const ValueId> yields, std::span<const ValueId> results);

  const Type& type(ValueId value) const { return function_.values[value].type; }
  bool is_i64(ValueId value) const { return type(value) == Type{ElementType::I64, {}}; }
  bool is_bool(ValueId value) const { return type(value) == Type{ElementType::Bool, {}}; }
  bool same(const Size& a, const Size& b);
  bool same(const Type& a, const Type& b);
  bool same_shape(std::span<const Size> a, std::span<const Size> b);
  // `type` with the symbols `from` replaced by what `to` computes.
  Type renamed(const Type& type, std::span<const ValueId> from, std::span<const ValueId> to);

  void problem(std::string_view text);  // at the current node
  std::string text(ValueId value) const { return "`%" + (*names_)[value] + "`"; }
  std::string text(const Type& type) const { return "`" + names_->text(type) + "`"; }

  const Module& module_;
  const Function& function_;
  bool elaborated_;
  std::vector<std::string>& problems_;
  std::optional<ValueNames> names_;
  SizeForms forms_;
  std::vector<bool> in_scope_;
  bool scope_broken_ = false;
  std::vector<bool> region_seen_, node_seen_, value_seen_;
  const Node* current_ = nullptr;
};

}  // namespace dvm::graph
