// Register tiles of ordered reductions: unroll and jam.
//
// Note [Tiles]. A tile is R rows (of the last but one dimension) by V vectors of the innermost; its
// accumulators stay in registers while the reduced index runs. The body is emitted once for each
// row and vector; loads they share are found equal later. Columns go in panels so that what a panel
// reads stays in the cache while the rows pass. For the same reason a block of a reduction by
// blocks goes in chunks of terms: between chunks the accumulators wait in the result, unrounded,
// since they have its type. Every point still sees its terms in order, so the bits do not depend on
// the tile.
#include <algorithm>

#include "backend/kernel/lane_width.hpp"
#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

namespace {

constexpr std::int64_t block_length = graph::reduction_block;
constexpr std::int64_t chunk_length = 256;  // terms: what a panel reads for one fits the L2 cache
constexpr int largest_body = 24;

}  // namespace

struct Emitter::TilePlan {
  const graph::Node* node;
  unsigned width = 1;  // lanes of one vector
  unsigned rows = 1, vectors = 1;
  graph::ValueId row;  // none when the space has one dimension
  graph::ValueId lane, term;
  Value extent = nullptr;
  Value block = nullptr;                // the block to compute, or null: all
  Value low = nullptr, high = nullptr;  // the chunk of the block's terms
  Value is_first_chunk = nullptr;
  std::vector<std::shared_ptr<ArrayCell>> results;
  Space space;
};

std::optional<Emitter::TilePlan> Emitter::plan_tiles(bool blocks) {
  const graph::Node& n = node(main_);
  const auto& reduce = std::get<graph::Reduce>(n.op);
  const std::size_t rank = reduce.space.size();
  if (reduce.tree == graph::Tree::Lanes || reduce.components.empty() || rank == 0)
    return std::nullopt;
  const graph::Region& body = region(n.regions[0]);
  if (static_cast<int>(body.nodes.size()) > largest_body) return std::nullopt;
  for (graph::NodeId id : body.nodes) {
    if (!node(id).regions.empty() || node(id).check.valid()) return std::nullopt;
  }
  TilePlan plan;
  plan.node = &n;
  plan.space = tile_space(reduce.space, body.params, n);
  plan.width = choose_width(plan.space);
  if (plan.width < 2) return std::nullopt;
  for (graph::ValueId result : n.results)
    plan.width = std::min(plan.width, native_lanes(type(result).element));
  const unsigned registers = target_.isa == VectorIsa::Avx512 ? 24 : 12;
  const unsigned tiles = registers / static_cast<unsigned>(n.results.size());
  if (tiles < 2) return std::nullopt;
  plan.term = body.params[rank];
  plan.lane = body.params[rank - 1];
  if (rank >= 2) {
    plan.row = body.params[rank - 2];
    plan.vectors = std::min(3U, tiles);
    plan.rows = std::max(1U, tiles / plan.vectors);
  } else {
    plan.vectors = std::min(4U, tiles);
  }
  plan.extent = uniform_size(reduce.extent, n.loc);
  plan.results = result_arrays(n, param_count(), rank + (blocks ? 1 : 0));
  return plan;
}

// Adds terms [low, high) of a tile whose first point is (row, column) to the accumulators, which
// stand by row, vector, component.
void Emitter::tile_terms(const TilePlan& plan, const TileAt& at, const std::vector<Slot>& slots,
                         Value low, Value high) {
  const graph::Node& n = *plan.node;
  const std::size_t parts = n.results.size();
  loop(low, high, 1, [&](Value t) {
    for_tile_parts(plan, at, [&](std::size_t part) {
      set_cell(plan.term, Cell::uniform(ElementType::I64, t));
      const auto first = slots.begin() + static_cast<std::ptrdiff_t>(part * parts);
      accumulate(n, {first, first + static_cast<std::ptrdiff_t>(parts)}, emit_region(n.regions[0]),
                 nullptr, nullptr);
    });
  });
}

void Emitter::start_tile(const graph::Node& n, const std::vector<Slot>& slots) {
  const std::size_t parts = n.results.size();
  for (std::size_t i = 0; i < slots.size(); i += parts) {
    set_identities(n, {slots.begin() + static_cast<std::ptrdiff_t>(i),
                       slots.begin() + static_cast<std::ptrdiff_t>(i + parts)});
  }
}

// Where a tile's point lies in the result arrays; its indices are set.
Cells Emitter::tile_point(const TilePlan& plan) {
  Cells indices;
  if (plan.block) indices.push_back(Cell::uniform(ElementType::I64, plan.block));
  for (const Cell& index : current_point(plan.space)) indices.push_back(index);
  return indices;
}

// Runs `body(part)` with the indices of each row and vector of the tile set.
void Emitter::for_tile_parts(const TilePlan& plan, const TileAt& at,
                             const std::function<void(std::size_t)>& body) {
  const Mode outer = mode_;
  std::size_t part = 0;
  for (unsigned r = 0; r < at.rows; ++r) {
    for (unsigned v = 0; v < at.vectors; ++v, ++part) {
      const std::size_t mark = trail_.size();
      mode_ = {plan.width, v + 1 == at.vectors ? at.mask : nullptr};
      if (at.row) set_cell(plan.row, Cell::uniform(ElementType::I64, b_.CreateAdd(at.row, i64(r))));
      set_cell(plan.lane, Cell::affine(ElementType::I64,
                                       b_.CreateAdd(at.column, i64(v * plan.width)), i64(1)));
      body(part);
      forget(mark);
    }
  }
  mode_ = outer;
}

void Emitter::emit_tile(const TilePlan& plan, const TileAt& at) {
  const graph::Node& n = *plan.node;
  const std::size_t parts = n.results.size();
  const auto make_all = [&] {
    std::vector<Slot> slots;
    for (unsigned i = 0; i < at.rows * at.vectors; ++i) {
      for (graph::ValueId result : n.results)
        slots.push_back(make_slot(type(result).element, plan.width));
    }
    return slots;
  };
  const std::vector<Slot> slots = make_all();
  const auto load_all = [&] {
    Cells cells;
    for (const Slot& slot : slots) cells.push_back(load_slot(slot));
    return cells;
  };
  const Mode outer = mode_;
  if (plan.block) {
    if_else(
        plan.is_first_chunk, [&] { start_tile(n, slots); },
        [&] {
          for_tile_parts(plan, at, [&](std::size_t part) {
            const Cells indices = tile_point(plan);
            for (std::size_t i = 0; i < parts; ++i) {
              store_slot(slots[part * parts + i],
                         load(*plan.results[i], offset_of(*plan.results[i], indices), nullptr));
            }
          });
        });
    tile_terms(plan, at, slots, plan.low, plan.high);
  } else {
    const std::vector<Slot> results = make_all();
    const CounterStack stack = make_stack(slots);
    for (std::size_t i = 0; i < results.size(); ++i)
      store_slot(results[i], cell(n.operands[i % parts]));
    Value blocks = b_.CreateLShr(b_.CreateAdd(plan.extent, i64(block_length - 1)), i64(12));
    Value single = b_.CreateICmpSLE(plan.extent, i64(block_length));
    loop(i64(0), blocks, 1, [&](Value number) {
      Value low = b_.CreateMul(number, i64(block_length));
      start_tile(n, slots);
      tile_terms(plan, at, slots, low, smin(b_.CreateAdd(low, i64(block_length)), plan.extent));
      mode_ = {plan.width, nullptr};
      if_else(
          single,
          [&] {
            for (std::size_t i = 0; i < slots.size(); ++i)
              store_slot(results[i], load_slot(slots[i]));
          },
          [&] { push_block(n, stack, number, load_all()); });
    });
    mode_ = {plan.width, nullptr};
    if_then(b_.CreateNot(single), [&] {
      const Cells joined = collapse(n, stack, blocks);
      for (std::size_t i = 0; i < joined.size(); ++i) store_slot(results[i], joined[i]);
    });
    for (std::size_t i = 0; i < slots.size(); ++i) store_slot(slots[i], load_slot(results[i]));
  }
  mode_ = outer;
  for_tile_parts(plan, at, [&](std::size_t part) {
    const Cells indices = tile_point(plan);
    for (std::size_t i = 0; i < parts; ++i) {
      store(*plan.results[i], offset_of(*plan.results[i], indices),
            load_slot(slots[part * parts + i]));
    }
  });
}

// All rows of the space for `vectors` vectors of columns.
void Emitter::tile_panel(const TilePlan& plan, Value column, unsigned vectors, Value mask) {
  TileAt at{nullptr, column, 1, vectors, mask};
  if (!plan.row.valid()) return emit_tile(plan, at);
  const std::size_t dim = plan.space.params.size() - 2;
  Value low = plan.space.low[dim], high = plan.space.high[dim];
  Value groups = b_.CreateSDiv(b_.CreateSub(high, low), i64(plan.rows));
  Value middle = b_.CreateAdd(low, b_.CreateMul(groups, i64(plan.rows)));
  if (plan.rows > 1) {
    loop(low, middle, plan.rows, [&](Value row) {
      at.row = row;
      at.rows = plan.rows;
      emit_tile(plan, at);
    });
  }
  loop(plan.rows > 1 ? middle : low, high, 1, [&](Value row) {
    at.row = row;
    at.rows = 1;
    emit_tile(plan, at);
  });
}

void Emitter::tile_columns(const TilePlan& plan) {
  Value low = plan.space.low.back(), high = plan.space.high.back();
  const std::int64_t panel = static_cast<std::int64_t>(plan.width) * plan.vectors;
  Value panels = b_.CreateSDiv(smax(b_.CreateSub(high, low), i64(0)), i64(panel));
  Value middle = b_.CreateAdd(low, b_.CreateMul(panels, i64(panel)));
  loop(low, middle, panel, [&](Value column) {
    poll_cancel();
    tile_panel(plan, column, plan.vectors, nullptr);
  });
  if (plan.row.valid()) {
    // What is left, vector by vector: rows alone fill the registers well enough, and the code stays
    // small.
    loop(middle, high, plan.width, [&](Value column) {
      const Mode outer = mode_;
      mode_.width = plan.width;
      Value mask = tail_mask(b_.CreateSub(high, column));
      mode_ = outer;
      tile_panel(plan, column, 1, mask);
    });
    return;
  }
  // Without rows a second pass would read everything again, so one pass takes as few vectors as it
  // needs.
  Value rest = b_.CreateSub(high, middle);
  for (unsigned vectors = 1; vectors <= plan.vectors; ++vectors) {
    const std::int64_t before = static_cast<std::int64_t>(plan.width) * (vectors - 1);
    Value fits =
        b_.CreateAnd(b_.CreateICmpSGT(rest, i64(before)),
                     b_.CreateICmpSLE(rest, i64(before + static_cast<std::int64_t>(plan.width))));
    if_then(fits, [&] {
      const Mode outer = mode_;
      mode_.width = plan.width;
      Value mask = tail_mask(b_.CreateSub(rest, i64(before)));
      mode_ = outer;
      tile_panel(plan, middle, vectors, mask);
    });
  }
}

bool Emitter::reduce_tiled(bool blocks) {
  auto plan = plan_tiles(blocks);
  if (!plan) return false;
  const graph::ValueId seeds[] = {plan->lane};
  const kernel::Divergence divergence(function_, plan->node->regions, seeds);
  divergence_ = &divergence;
  // Outer dimensions point by point.
  const std::size_t tiled = plan->row.valid() ? 2 : 1;
  const std::function<void(std::size_t)> over = [&](std::size_t d) {
    if (d + tiled >= plan->space.params.size()) return tile_columns(*plan);
    loop(plan->space.low[d], plan->space.high[d], 1, [&](Value i) {
      set_cell(plan->space.params[d], Cell::uniform(ElementType::I64, i));
      over(d + 1);
    });
  };
  if (blocks) {
    const std::size_t rank = plan->space.params.size();
    loop(tile_bound(false, rank), tile_bound(true, rank), 1, [&](Value number) {
      poll_cancel();
      plan->block = number;
      Value start = b_.CreateMul(number, i64(block_length));
      Value end = smin(b_.CreateAdd(start, i64(block_length)), plan->extent);
      loop(start, end, chunk_length, [&](Value low) {
        plan->low = low;
        plan->high = smin(b_.CreateAdd(low, i64(chunk_length)), end);
        plan->is_first_chunk = b_.CreateICmpEQ(low, start);
        over(0);
      });
    });
  } else {
    over(0);
  }
  divergence_ = nullptr;
  return true;
}

}  // namespace dvm::llvm_backend
