// Emits one kernel as an LLVM function with explicit vectors. See Note [Cells].
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/kernel/divergence.hpp"
#include "backend/kernel/kernel.hpp"
#include "backend/kernel/needs.hpp"
#include "backend/llvm/cell.hpp"
#include "backend/llvm/compile.hpp"
#include "ir/graph/graph.hpp"

namespace dvm::llvm_backend {

// Thrown inside this library for what kernels cannot do yet; becomes a diagnostic.
struct Unsupported {
  graph::LocId loc;
  std::string what;
};

// What may be taken for granted in the interior of a split range (see split.cpp).
struct Fact {
  enum class Kind { Outcome, Operand, ReadDims };
  Kind kind = Kind::Outcome;
  bool outcome = false;  // of a comparison
  unsigned operand = 0;  // min, max, mod: the result is this operand
  unsigned dims = 0;     // reads: bit d: dimension d is in range
};
using Facts = std::map<graph::NodeId, Fact>;

class Emitter {
 public:
  Emitter(llvm::Module& module, const graph::Module& graph, const kernel::Kernel& kernel,
          const Target& target);
  void run();  // throws Unsupported
  // Bytes of scratch over the kernel's params (symbol = position).
  const Size& scratch_bytes() const { return scratch_bytes_; }

 private:
  struct Mode {
    unsigned width = 1;
    Value mask = nullptr;  // <width x i1>; null: all lanes
  };
  // A variable in the entry block; promoted to registers later.
  struct Slot {
    llvm::AllocaInst* memory = nullptr;
    ElementType element = ElementType::F64;
    unsigned width = 1;
  };
  struct Interior {
    Facts facts;
    Value low = nullptr, high = nullptr;  // where the facts hold
    bool thin = true;                     // what is left outside is a few elements
  };
  using Body = std::function<void()>;

  // --- prologue.cpp: the function, its operands and tile bounds
  void begin_function();
  Value load_call_field(unsigned offset, llvm::Type* type);
  void bind_param(std::size_t position);
  std::shared_ptr<ArrayCell> operand_array(std::size_t operand, ElementType element,
                                           std::size_t rank);
  Value tile_bound(bool high, std::size_t dim);
  void poll_cancel();
  void emit_preamble();

  // --- types.cpp
  llvm::Type* register_type(ElementType element, unsigned width = 1);
  llvm::Type* memory_type(ElementType element, unsigned width = 1);
  Value constant_of(Scalar scalar);
  Value i64(std::int64_t value) { return b_.getInt64(static_cast<std::uint64_t>(value)); }
  Value iota(llvm::Type* element, unsigned width);
  Value splat(Value scalar, unsigned width);
  Value materialise(const Cell& cell, unsigned width);
  Value materialise(const Cell& cell) { return materialise(cell, mode_.width); }
  Value widen_bits(Value scalar, ElementType element);  // to i64, raw bits
  unsigned native_lanes(ElementType element) const {
    return vector_bytes_ / static_cast<unsigned>(byte_size(element));
  }

  // --- loops.cpp: control flow and variables
  llvm::BasicBlock* block(const char* name);
  void loop(Value low, Value high, std::int64_t step, const std::function<void(Value)>& body);
  void loop_down_while(const std::function<Value()>& condition, const Body& body);
  void if_then(Value condition, const Body& body, bool unlikely = false);
  void if_else(Value condition, const Body& yes, const Body& no);
  Slot make_slot(ElementType element, unsigned width);
  Slot make_slot(graph::ValueId like);  // vector when the value varies
  void store_slot(const Slot& slot, const Cell& cell);
  void blend_slot(const Slot& slot, const Cell& cell, Value mask);
  Cell load_slot(const Slot& slot);
  llvm::AllocaInst* entry_alloca(llvm::Type* type, std::int64_t count = 1);
  Value any_lane(Value mask);
  Value and_masks(Value a, Value b);
  Value tail_mask(Value active_lanes);  // lanes below it
  Value smin(Value a, Value b) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b); }
  Value smax(Value a, Value b) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b); }

  // --- scalar_ops.cpp: one function on scalars or vectors alike
  Value scalar_op(graph::ScalarFn fn, ElementType from, ElementType to, std::span<const Value> x);
  Value integer_division(graph::ScalarFn fn, ElementType type, Value dividend, Value divisor);
  Value convert(ElementType from, ElementType to, Value x);
  Value float_to_integer(graph::ScalarFn fn, ElementType from, ElementType to, Value x);
  Value compare(graph::ScalarFn fn, ElementType type, Value x, Value y);
  Value elementary(Elementary fn, ElementType type, std::span<const Value> x);
  Value identity(graph::ScalarFn fn, ElementType type);

  // --- cells.cpp: the same on cells
  Cell apply(graph::ScalarFn fn, ElementType to, std::span<const Cell> x);
  std::optional<Cell> apply_affine(graph::ScalarFn fn, ElementType to, std::span<const Cell> x);
  Cell add(const Cell& a, const Cell& b);
  Cell multiply(const Cell& a, const Cell& b);
  Cell uniform_i64(std::int64_t value) { return Cell::uniform(ElementType::I64, i64(value)); }
  Cell emit_scalar_node(graph::NodeId id);
  Cell emit_division(const graph::Node& node, graph::ScalarFn fn, const Cells& x);
  Cell emit_wrapped_index(const graph::Node& node, const Cells& x);
  Cell emit_shift(const graph::Node& node, graph::ScalarFn fn, const Cells& x);
  Cell emit_size(const Size& size);
  Value uniform_size(const Size& size, graph::LocId loc);

  // --- memory.cpp
  Cell emit_read(graph::NodeId id);
  Cell load(const ArrayCell& array, const Cell& offset, Value ok);
  void store(const ArrayCell& array, const Cell& offset, const Cell& cell);
  Cell load_uniform(const ArrayCell& array, Value offset, Value ok);
  Cell load_contiguous(const ArrayCell& array, Value offset, Value mask, bool reversed);
  Cell gather(const ArrayCell& array, Value offsets, Value mask);
  Cell offset_of(const ArrayCell& array, std::span<const Cell> indices);
  Cell lane_offset(const ArrayCell& array, const Cell& offset);
  void mark_load(llvm::Instruction* load, const ArrayCell& array);
  Value from_memory(ElementType element, Value value);
  Value to_memory(ElementType element, Value value);
  std::shared_ptr<ArrayCell> local_array(const graph::Type& type, bool per_lane, graph::LocId loc);
  Value scratch_memory(const Size& bytes);  // over positions of params; aligned to 64
  void store_point(const ArrayCell& array, std::span<const Cell> indices, const Cell& cell,
                   const graph::Type& type);
  Cell array_cell(std::shared_ptr<const ArrayCell> array);

  // --- failures.cpp
  Value fail_if(graph::CheckId check, const Cell& bad,
                std::span<const Cell> values);  // bad, active lanes only
  Value lane_value(const Cell& cell, Value lane);
  Value iteration_index(Value lane);
  llvm::Function* record_function();

  // --- region.cpp: nodes on demand
  void prepare(std::span<const graph::ValueId> values);
  Cells emit_region(graph::RegionId region);  // leaves what it defined in place; see Scope
  Cell cell(graph::ValueId value);
  Cell nothing(graph::ValueId value);
  Cell operand(graph::NodeId id, std::size_t index);
  void set_cell(graph::ValueId value, Cell cell);
  void forget(std::size_t mark);
  void emit_node(graph::NodeId id);
  void emit_branch(graph::NodeId id);
  void emit_uniform_branch(const graph::Node& node, Value condition);
  void emit_varying_branch(const graph::Node& node, Value condition);
  void emit_loop(graph::NodeId id);
  void emit_while(graph::NodeId id);
  void emit_masked_while(const graph::Node& node, const std::vector<Slot>& slots);
  std::vector<Slot> state_slots(graph::NodeId id, std::size_t first, std::size_t count);
  [[noreturn]] void unsupported(const graph::Node& node, std::string what);

  // --- space.cpp: loops over iteration spaces
  struct Space {
    std::vector<Value> low, high;
    std::vector<Size> sizes;               // for the split; of each dimension
    std::vector<graph::ValueId> params;    // of each dimension
    std::vector<graph::RegionId> regions;  // what runs at each point
    bool poll = false;
    bool in_order = false;  // points may not be taken out of order
  };
  // Runs `body` at every point; the innermost dimension in lanes where that is possible.
  void for_points(const Space& space, const Body& body, unsigned wanted_width = 0);
  void for_points_from(const Space& space, std::size_t dim, const Body& body,
                       unsigned wanted_width);
  void lane_loop(const Space& space, unsigned width, const Body& body);
  void scalar_range(const Space& space, Value low, Value high, const Body& body);
  void vector_range(const Space& space, Value low, Value high, unsigned width, const Body& body);
  void masked_step(const Space& space, Value at, Value high, unsigned width, const Body& body);
  unsigned choose_width(const Space& space);
  Space whole_space(const std::vector<Size>& sizes, std::span<const graph::ValueId> params,
                    std::vector<graph::RegionId> regions, graph::LocId loc);
  // --- split.cpp
  std::optional<Interior> find_interior(const Space& space);

  // --- map.cpp
  void emit_map(graph::NodeId id);
  void map_phase();
  void map_plain();
  void map_body(const graph::Node& node, std::span<const std::shared_ptr<ArrayCell>> results);

  // --- reduce_lanes.cpp
  Cells reduce_in_lanes(const graph::Node& node, Value low, Value high);
  void lanes_rest(const graph::Node& node, const std::vector<Slot>& slots, Value low, Value high,
                  unsigned chunk);
  void lanes_rest_piece(const graph::Node& node, const std::vector<Slot>& slots, Value low,
                        Value high, unsigned chunk, unsigned lane);
  void lanes_rest_in_memory(const graph::Node& node, const std::vector<Slot>& slots, Value low,
                            Value high, unsigned chunk);
  Cells reduce_in_lanes_slowly(const graph::Node& node, Value low, Value high);
  Cells fold_lanes(const graph::Node& node, const Cells& lanes);

  // --- short_rows.cpp
  struct ShortRows;
  bool find_short_rows(graph::RegionId region, std::optional<graph::NodeId> around,
                       ShortRows& rows) const;
  std::optional<ShortRows> plan_short_rows(const Space& space);
  bool is_of_point(const graph::Node& read, graph::NodeId reduce, const Space& space) const;
  void fill_panels(graph::NodeId outer);
  bool read_panel(graph::NodeId id, Cell& found);
  Cells reduce_short_row(graph::NodeId id);

  // --- reduce_tree.cpp
  struct CounterStack {
    std::vector<Value> levels;  // per component, [levels x vector]
    std::vector<Slot> like;
    bool optional = false;  // the last entry says whether there is a value at all
  };
  Cells join(const graph::Node& node, const CounterStack& stack, const Cells& a, const Cells& b);
  void push_block(const graph::Node& node, const CounterStack& stack, Value block, Cells value);
  Cells collapse(const graph::Node& node, const CounterStack& stack, Value blocks);
  CounterStack make_stack(const std::vector<Slot>& like);
  Cell stack_load(const CounterStack& stack, std::size_t component, Value level);
  void stack_store(const CounterStack& stack, std::size_t component, Value level, const Cell& cell);

  // --- reduce.cpp
  static const std::vector<graph::Component>& components_of(const graph::Node& node);
  Cells combine(const graph::Node& node, const Cells& a, const Cells& b);
  std::vector<Slot> accumulator_slots(const graph::Node& node);
  void accumulate(const graph::Node& node, const std::vector<Slot>& slots, const Cells& terms,
                  Value is_first, Value blend);
  Cells reduce_block(const graph::Node& node, Value low, Value high);
  Cells reduce_in_order(const graph::Node& node, Value low, Value high);
  void set_identities(const graph::Node& node, const std::vector<Slot>& slots);
  Cells reduce_lane_by_lane(graph::NodeId id);
  Cells reduce_at_point(graph::NodeId id);
  void emit_reduce(graph::NodeId id);
  void reduce_whole_phase();
  void reduce_whole_plain();
  void reduce_blocks_phase();
  void reduce_blocks_plain();
  void reduce_combine_phase();
  Space tile_space(const std::vector<Size>& sizes, std::span<const graph::ValueId> params,
                   const graph::Node& node);
  Cells current_point(const Space& space);
  std::vector<std::shared_ptr<ArrayCell>> result_arrays(const graph::Node& node, std::size_t first,
                                                        std::size_t rank);
  // --- tile.cpp: register tiles of ordered reductions
  struct TilePlan;
  struct TileAt {
    Value row, column;
    unsigned rows, vectors;
    Value mask;  // of the last vector
  };
  std::optional<TilePlan> plan_tiles(bool blocks);
  void tile_terms(const TilePlan& plan, const TileAt& at, const std::vector<Slot>& slots, Value low,
                  Value high);
  void start_tile(const graph::Node& node, const std::vector<Slot>& slots);
  Cells tile_point(const TilePlan& plan);
  void for_tile_parts(const TilePlan& plan, const TileAt& at,
                      const std::function<void(std::size_t)>& body);
  void emit_tile(const TilePlan& plan, const TileAt& at);
  void tile_panel(const TilePlan& plan, Value column, unsigned vectors, Value mask);
  void tile_columns(const TilePlan& plan);
  bool reduce_tiled(bool blocks);

  // --- contraction.cpp, contraction_tile.cpp, pack.cpp: register tiles from packed panels
  struct Panel;
  struct ContractionPlan;
  struct Chunk;      // of the terms of a piece of the result
  struct MicroTile;  // what the registers hold of it
  struct Stream;     // terms that lie together in the panels, with their accumulators
  // False: this is no contraction, nothing was emitted. `otherwise` does small and long ones.
  bool contract(bool blocks, const Body& otherwise);
  std::optional<ContractionPlan> plan_contraction(bool blocks);
  bool along_terms(const ContractionPlan& plan, graph::ValueId value, bool of_rows) const;
  void contract_points(ContractionPlan& plan, Value first_block, Value end_block);
  void contract_piece(const ContractionPlan& plan, Chunk chunk);
  void micro_tiles(const ContractionPlan& plan, const Chunk& chunk);
  void micro_tile(const ContractionPlan& plan, const Chunk& chunk, const MicroTile& at);
  void micro_lanes(const ContractionPlan& plan, const Chunk& chunk, const MicroTile& at,
                   const std::vector<Slot>& slots);
  void micro_terms(const ContractionPlan& plan, const Chunk& chunk, const MicroTile& at,
                   std::span<const Stream> streams, Value low, Value high);
  void micro_step(const ContractionPlan& plan, const Chunk& chunk, const MicroTile& at,
                  const std::vector<Slot>& slots, std::span<const ArrayCell> panels, Value turn);
  void keep_tile(const ContractionPlan& plan, const MicroTile& at, const std::vector<Slot>& slots,
                 Value lane, bool load);
  void end_block(const ContractionPlan& plan, const Chunk& chunk, const MicroTile& at,
                 const std::vector<Slot>& slots);
  void finish_tile(const ContractionPlan& plan, const Chunk& chunk, const MicroTile& at,
                   const std::vector<Slot>& slots);
  void finish_mapped(const ContractionPlan& plan, const Chunk& chunk, const MicroTile& at,
                     const std::vector<Slot>& slots);
  void pack(const ContractionPlan& plan, const Chunk& chunk, bool of_rows);
  void pack_along_side(const ContractionPlan& plan, const Chunk& chunk, bool of_rows);
  void pack_along_terms(const ContractionPlan& plan, const Chunk& chunk, const Panel& panel);
  std::vector<Value> interleave(std::vector<Value> rows);

  // --- scan.cpp
  struct ScanChain;
  ScanChain start_chain(const graph::Node& node, Value low, Value first_block, Cells offset);
  void scan_step(const graph::Node& node, const ScanChain& chain, Value t,
                 std::span<const Cell> row, std::span<const std::shared_ptr<ArrayCell>> results);
  void scan_row(const graph::Node& node, std::span<const Cell> row,
                std::span<const std::shared_ptr<ArrayCell>> results);
  void for_block_groups(std::size_t tile_dim, Value extent,
                        const std::function<void(Value first, unsigned count, Value high)>& body);
  void emit_scan(graph::NodeId id);
  void scan_whole_phase();
  void scan_totals_phase();
  void scan_offsets_phase();
  void scan_apply_phase();

  // --- by_key.cpp, scatter.cpp, filter.cpp
  void key_blocks_phase();
  void key_combine_phase();
  using Arrays = std::span<const std::shared_ptr<ArrayCell>>;
  struct Rows;  // those of a task
  void copy_rows(const ArrayCell& from, const ArrayCell& to, const Rows& rows);
  Value inside_rows(std::span<const Cell> indices, const Rows& rows);
  void scatter_phase();
  void scatter_point(const graph::Node& n, Arrays results, const Cells& indices);
  void store_single(const graph::Node& n, Arrays results, const Cells& indices, Value inside);
  bool terms_may_fail(const graph::Node& n) const;
  void filter_phase(bool write);
  void store_kept(const ArrayCell& array, Value place, const Cell& cell, Value kept);

  const graph::Node& node(graph::NodeId id) const { return function_.nodes[id]; }
  const graph::Region& region(graph::RegionId id) const { return function_.regions[id]; }
  const graph::Type& type(graph::ValueId id) const { return function_.values[id].type; }
  std::size_t param_count() const { return function_.params().size(); }

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const graph::Module& graph_;
  const kernel::Kernel& kernel_;
  const graph::Function& function_;
  const Target& target_;
  const unsigned vector_bytes_;
  llvm::IRBuilder<> b_;
  llvm::Function* fn_ = nullptr;
  llvm::BasicBlock* allocas_ = nullptr;
  Value call_ = nullptr, operands_ = nullptr, low_ = nullptr, high_ = nullptr;

  graph::NodeId main_;                 // the node that this kernel computes
  std::vector<Cell> cells_;            // by value
  std::vector<graph::ValueId> trail_;  // cells in the order they were set
  std::vector<std::uint32_t> order_;   // of nodes, for emission
  Mode mode_;
  std::optional<kernel::Needed> needed_;
  const kernel::Divergence* divergence_ = nullptr;
  graph::ValueId lane_;  // the index that runs along the lanes, inside of `lane_loop`
  const Facts* facts_ = nullptr;
  const ShortRows* short_rows_ = nullptr;  // while points run with them
  // The iteration index of failures: params of the main node and their sizes.
  std::vector<graph::ValueId> index_params_;
  std::vector<Size> index_sizes_;
  Size scratch_bytes_;
};

}  // namespace dvm::llvm_backend
