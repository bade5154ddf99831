// Writes nodes into the open regions of one graph function: folds integer constants, keeps a table
// of what is visible where, and proves index bounds from what is known in the open regions.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/lower/value.hpp"
#include "ir/graph/builder.hpp"

namespace dvm::lower {

enum class FrameKind : std::uint8_t {
  Function,
  Branch,    // may not be taken
  Step,      // of a loop: repeated, in order
  Parallel,  // body of map, reduce, …: repeated
  Scratch    // thrown away afterwards
};

struct Frame {
  RegionId region;
  FrameKind kind;
  std::vector<Size> facts;  // each is >= 0 here
  bool guards = false;      // a read was proven to be inside by facts of this frame
  std::map<std::pair<ElementType, std::uint64_t>, ValueId> constants;
  std::map<Size, ValueId> sizes;
};

class Emitter {
 public:
  Emitter(graph::Module& module, FunctionId function);

  graph::Module& module() { return module_; }
  FunctionId function_id() const { return function_id_; }
  graph::Function& function() { return module_.functions[function_id_]; }
  const graph::Type& type(ValueId value) { return function().values[value].type; }
  ElementType element(ValueId value) { return type(value).element; }

  // --- regions
  RegionId open(FrameKind kind);
  ValueId param(graph::Type type, const std::string& name);
  // A further parameter of the function, whatever regions are open.
  ValueId function_param(graph::Type type, const std::string& name);
  // Takes the innermost frame off; the region keeps its nodes.
  Frame leave();
  void reenter(Frame frame) { frames_.push_back(std::move(frame)); }
  void set_yields(RegionId region, std::vector<ValueId> yields) {
    function().regions[region].yields = std::move(yields);
  }
  RegionId current() const { return frames_.back().region; }
  Frame& top() { return frames_.back(); }
  const std::vector<Frame>& frames() const { return frames_; }
  // Takes all frames above `depth` frames off, to emit into an enclosing region.
  std::vector<Frame> rise(std::size_t depth);
  void sink(std::vector<Frame> frames);
  std::optional<std::size_t> depth_of(RegionId region) const;
  bool in_parallel() const;
  // The nodes of a region that was left become nodes of the current one.
  void splice(RegionId region);
  bool visible(ValueId value) const;
  // Symbols of the size are visible with only `depth` frames open.
  bool visible_at(const Size& size, std::size_t depth) const;
  std::size_t depth_needed(const std::vector<ValueId>& values) const;

  // --- nodes
  void set_loc(LocId loc) { loc_ = loc; }
  LocId loc() const { return loc_; }
  ValueId constant(Scalar value);
  ValueId constant_i64(std::int64_t value) { return constant(Scalar::of_i64(value)); }
  std::optional<Scalar> known(ValueId value);
  std::optional<bool> known_bool(ValueId value);
  ValueId size_value(const Size& size);
  Size as_size(ValueId value) { return sizes_.as_size(value); }
  ValueId scalar(ScalarFn fn, std::vector<ValueId> operands, CheckId check = {},
                 std::optional<ElementType> to = std::nullopt);
  ValueId convert(ValueId value, ElementType to) {
    return scalar(ScalarFn::Convert, {value}, {}, to);
  }
  ValueId read(ValueId array, std::vector<ValueId> indices, CheckId check = {});
  ValueId check(ValueId value, ValueId condition, std::vector<ValueId> values, CheckId check);
  graph::NodeId add(graph::Op op, std::vector<ValueId> operands, std::vector<RegionId> regions,
                    std::vector<graph::Type> types, CheckId check = {});
  graph::NodeId add_with_results(graph::Op op, std::vector<ValueId> operands,
                                 std::vector<RegionId> regions, std::vector<ValueId> results,
                                 CheckId check = {});
  ValueId new_value(graph::Type type);
  ValueId new_size();  // result of a node that is added to the current region next
  const std::vector<ValueId>& results(graph::NodeId node) { return function().nodes[node].results; }
  const graph::Node* node_of(ValueId value);
  void name(ValueId value, const std::string& name);
  CheckId new_check(std::string message);

  // --- what is known of failures
  // Computing both and choosing then loses nothing: see ir/graph/choice.hpp.
  bool may_select(ValueId condition, ValueId yes, ValueId no);

  // --- what is known of integers
  void add_fact(Size nonnegative);
  void add_index_facts(ValueId index, const Size& extent);
  // Facts that follow from the condition being true (or false).
  void assume(ValueId condition, bool holds);
  void mark_size(ValueId value) { size_symbols_.insert(value.index); }  // never negative
  bool proves_nonnegative(const Size& size);
  bool proves_index(ValueId index, const Size& extent);

 private:
  std::optional<Scalar> fold(ScalarFn fn, const std::vector<ValueId>& operands,
                             std::optional<ElementType> to);
  std::optional<ValueId> simplify(ScalarFn fn, const std::vector<ValueId>& operands);
  bool never_fails(ScalarFn fn, const std::vector<ValueId>& operands);
  bool is_safe(const graph::Node& node) const;
  void assume_branch(const graph::Node& node, ValueId result, bool holds);
  bool obviously_nonnegative(const Size& size) const;
  bool lower_bound(ValueId value, int depth);
  bool upper_bound(ValueId value, const Size& extent, int depth);

  graph::Module& module_;
  FunctionId function_id_;
  graph::Builder sizes_;  // only for as_size
  std::vector<Frame> frames_;
  std::vector<RegionId> region_of_;  // by value
  std::vector<bool> safe_;           // by value: see graph::ChoiceFacts
  std::set<std::uint32_t> size_symbols_;
  LocId loc_;
};

}  // namespace dvm::lower
