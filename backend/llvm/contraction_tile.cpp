// Register tiles over packed panels. See Note [Contractions].
#include <algorithm>

#include "backend/llvm/contraction.hpp"

namespace dvm::llvm_backend {

// All register tiles of a piece: a group of columns stays in the cache while the rows pass.
void Emitter::micro_tiles(const ContractionPlan& plan, const Chunk& chunk) {
  Value rows = b_.CreateSub(chunk.row_end, chunk.row);
  Value groups = b_.CreateSDiv(b_.CreateAdd(rows, i64(plan.rows - 1)), i64(plan.rows));
  Value columns = b_.CreateSub(chunk.column_end, chunk.column);
  Value whole = b_.CreateMul(b_.CreateSDiv(columns, i64(plan.columns())), i64(plan.vectors));
  const auto all_rows = [&](Value column_vector, unsigned vectors, Value mask) {
    loop(i64(0), groups, 1, [&](Value group) {
      micro_tile(plan, chunk, MicroTile{group, column_vector, vectors, mask});
    });
  };
  loop(i64(0), whole, plan.vectors,
       [&](Value column_vector) { all_rows(column_vector, plan.vectors, nullptr); });
  // What is left, vector by vector, so that the code stays small.
  Value left = b_.CreateSDiv(b_.CreateAdd(columns, i64(plan.width - 1)), i64(plan.width));
  loop(whole, left, 1, [&](Value column_vector) {
    const Mode outer = mode_;
    mode_.width = plan.width;
    Value mask = tail_mask(b_.CreateSub(columns, b_.CreateMul(column_vector, i64(plan.width))));
    mode_ = outer;
    all_rows(column_vector, 1, mask);
  });
}

void Emitter::micro_tile(const ContractionPlan& plan, const Chunk& chunk, const MicroTile& at) {
  const graph::Node& n = *plan.reduce;
  std::vector<Slot> slots;
  for (unsigned i = 0; i < plan.rows * at.vectors; ++i) {
    for (graph::ValueId result : n.results)
      slots.push_back(make_slot(type(result).element, plan.width));
  }
  const Mode outer = mode_;
  mode_ = {plan.width, nullptr};
  if (plan.in_lanes) {
    micro_lanes(plan, chunk, at, slots);
  } else {
    if_else(
        chunk.is_first, [&] { start_tile(n, slots); },
        [&] { keep_tile(plan, at, slots, i64(0), true); });
    const Stream streams[] = {{&slots, i64(0), chunk.term}};
    micro_terms(plan, chunk, at, streams, i64(0), chunk.terms);
    if_else(
        chunk.is_last, [&] { end_block(plan, chunk, at, slots); },
        [&] { keep_tile(plan, at, slots, i64(0), false); });
  }
  mode_ = outer;
}

// Two lanes at a time, in the order in which a counter joins pairs as the tree wants.
void Emitter::micro_lanes(const ContractionPlan& plan, const Chunk& chunk, const MicroTile& at,
                          const std::vector<Slot>& slots) {
  const graph::Node& n = *plan.reduce;
  constexpr std::int64_t half = graph::reduction_lanes / 2;
  const CounterStack stack = make_stack(slots);
  std::vector<Slot> later;
  for (const Slot& slot : slots) later.push_back(make_slot(slot.element, slot.width));
  const auto load_all = [&](const std::vector<Slot>& from) {
    Cells cells;
    for (const Slot& slot : from) cells.push_back(load_slot(slot));
    return cells;
  };
  loop(i64(0), i64(half), 1, [&](Value number) {
    Value lane =
        b_.CreateLShr(b_.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, number), i64(64 - 4));
    const auto stream = [&](const std::vector<Slot>& of, Value which) {
      return Stream{&of, b_.CreateMul(which, i64(plan.chunk / graph::reduction_lanes)),
                    b_.CreateAdd(chunk.term, which)};
    };
    Value partner = b_.CreateAdd(lane, i64(half));
    const Stream streams[] = {stream(slots, lane), stream(later, partner)};
    const auto turns = [&](Value which) {
      return b_.CreateAShr(
          b_.CreateAdd(b_.CreateSub(chunk.terms, which), i64(graph::reduction_lanes - 1)), i64(5));
    };
    if_else(
        chunk.is_first,
        [&] {
          start_tile(n, slots);
          start_tile(n, later);
        },
        [&] {
          keep_tile(plan, at, slots, lane, true);
          keep_tile(plan, at, later, partner, true);
        });
    Value both = turns(partner);
    micro_terms(plan, chunk, at, streams, i64(0), both);
    micro_terms(plan, chunk, at, std::span(streams, 1), both, turns(lane));
    if_else(
        chunk.is_last,
        [&] { push_block(n, stack, number, combine(n, load_all(slots), load_all(later))); },
        [&] {
          keep_tile(plan, at, slots, lane, false);
          keep_tile(plan, at, later, partner, false);
        });
  });
  if_then(chunk.is_last, [&] {
    for (std::size_t i = 0; i < slots.size(); ++i)
      store_slot(slots[i], stack_load(stack, i, i64(4)));
    end_block(plan, chunk, at, slots);
  });
}

// Adds turns [low, high) of some streams of terms to the accumulators of each.
void Emitter::micro_terms(const ContractionPlan& plan, const Chunk& chunk, const MicroTile& at,
                          std::span<const Stream> streams, Value low, Value high) {
  std::vector<std::vector<ArrayCell>> panels;  // from a stream's first term on
  Value column_group = b_.CreateSDiv(at.column_vector, i64(plan.vectors));
  Value within =
      b_.CreateMul(b_.CreateSub(at.column_vector, b_.CreateMul(column_group, i64(plan.vectors))),
                   i64(plan.width));
  for (const Stream& stream : streams) {
    panels.emplace_back();
    for (const Panel& panel : plan.panels) {
      Value group = panel.of_rows ? at.row_group : column_group;
      Value first = panel.of_rows ? b_.CreateSub(stream.first_term, chunk.term) : stream.first;
      Value place = b_.CreateAdd(b_.CreateMul(group, i64(plan.chunk)), first);
      Value offset = b_.CreateMul(place, i64(plan.group(panel.of_rows)));
      if (!panel.of_rows) offset = b_.CreateAdd(offset, within);
      panels.back().push_back(panel.memory);
      panels.back().back().data =
          b_.CreateGEP(memory_type(panel.memory.element), panel.memory.data, offset);
    }
  }
  const std::int64_t step = plan.in_lanes ? graph::reduction_lanes : 1;
  loop(low, high, 1, [&](Value turn) {
    for (std::size_t s = 0; s < streams.size(); ++s) {
      Value term = b_.CreateAdd(streams[s].first_term, b_.CreateMul(turn, i64(step)));
      const std::size_t mark = trail_.size();
      set_cell(plan.what.term, Cell::uniform(ElementType::I64, term));
      micro_step(plan, chunk, at, *streams[s].slots, panels[s], turn);
      forget(mark);
    }
  });
}

// One term for all points of a register tile; its index is set.
void Emitter::micro_step(const ContractionPlan& plan, const Chunk& chunk, const MicroTile& at,
                         const std::vector<Slot>& slots, std::span<const ArrayCell> panels,
                         Value turn) {
  const graph::Node& n = *plan.reduce;
  const std::size_t parts = n.results.size();
  Value row = b_.CreateAdd(chunk.row, b_.CreateMul(at.row_group, i64(plan.rows)));
  Value column = b_.CreateAdd(chunk.column, b_.CreateMul(at.column_vector, i64(plan.width)));
  const std::int64_t row_step = plan.rows * (plan.in_lanes ? graph::reduction_lanes : 1);
  std::vector<Cells> of_columns(panels.size());
  for (std::size_t p = 0; p < panels.size(); ++p) {
    if (plan.panels[p].of_rows) continue;
    for (unsigned v = 0; v < at.vectors; ++v) {
      Value offset =
          b_.CreateAdd(b_.CreateMul(turn, i64(plan.columns())), i64(std::int64_t{v} * plan.width));
      of_columns[p].push_back(
          load(panels[p], Cell::affine(ElementType::I64, offset, i64(1)), nullptr));
    }
  }
  for (unsigned r = 0; r < plan.rows; ++r) {
    Cells of_rows(panels.size());
    for (std::size_t p = 0; p < panels.size(); ++p) {
      if (!plan.panels[p].of_rows) continue;
      Value offset = b_.CreateAdd(b_.CreateMul(turn, i64(row_step)), i64(r));
      of_rows[p] = load(panels[p], Cell::uniform(ElementType::I64, offset), nullptr);
    }
    for (unsigned v = 0; v < at.vectors; ++v) {
      const std::size_t mark = trail_.size();
      set_cell(plan.what.row, Cell::uniform(ElementType::I64, b_.CreateAdd(row, i64(r))));
      set_cell(plan.what.column,
               Cell::affine(ElementType::I64,
                            b_.CreateAdd(column, i64(std::int64_t{v} * plan.width)), i64(1)));
      for (std::size_t p = 0; p < panels.size(); ++p)
        set_cell(plan.panels[p].value, plan.panels[p].of_rows ? of_rows[p] : of_columns[p][v]);
      const auto slot = slots.begin() + static_cast<std::ptrdiff_t>((r * at.vectors + v) * parts);
      accumulate(n, {slot, slot + static_cast<std::ptrdiff_t>(parts)}, emit_region(n.regions[0]),
                 nullptr, nullptr);
      forget(mark);
    }
  }
}

// Accumulators to the memory where they wait for the next chunk, or back.
void Emitter::keep_tile(const ContractionPlan& plan, const MicroTile& at,
                        const std::vector<Slot>& slots, Value lane, bool load_them) {
  const std::size_t parts = plan.reduce->results.size();
  Value base = b_.CreateAdd(
      b_.CreateMul(lane, i64(plan.plane())),
      b_.CreateMul(plan.first_vector(b_, at.row_group, at.column_vector), i64(plan.width)));
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const ArrayCell& array = plan.waiting[i % parts];
    const Cell offset = Cell::affine(
        ElementType::I64,
        b_.CreateAdd(base, i64(static_cast<std::int64_t>(i / parts) * plan.width)), i64(1));
    if (load_them) {
      store_slot(slots[i], load(array, offset, nullptr));
    } else {
      store(array, offset, load_slot(slots[i]));
    }
  }
}

// A block's sums are there; when there are several, they join those of the blocks before.
void Emitter::end_block(const ContractionPlan& plan, const Chunk& chunk, const MicroTile& at,
                        const std::vector<Slot>& slots) {
  if (plan.stacks.empty()) return finish_tile(plan, chunk, at, slots);
  const graph::Node& n = *plan.reduce;
  const std::size_t parts = n.results.size();
  CounterStack stack;
  stack.like = slots;
  Value first = plan.first_vector(b_, at.row_group, at.column_vector);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const ArrayCell& array = plan.stacks[i % parts];
    Value vector = b_.CreateAdd(first, i64(static_cast<std::int64_t>(i / parts)));
    stack.levels.push_back(
        b_.CreateGEP(memory_type(array.element), array.data,
                     b_.CreateMul(vector, i64(ContractionPlan::stack_levels * plan.width))));
  }
  Value several = b_.CreateICmpSGT(plan.end_block, i64(1));
  Value last = b_.CreateICmpEQ(b_.CreateAdd(chunk.block, i64(1)), plan.end_block);
  if_then(several, [&] {
    Cells cells;
    for (const Slot& slot : slots) cells.push_back(load_slot(slot));
    push_block(n, stack, chunk.block, cells);
    if_then(last, [&] {
      const Cells joined = collapse(n, stack, plan.end_block);
      for (std::size_t i = 0; i < slots.size(); ++i) store_slot(slots[i], joined[i]);
    });
  });
  if_then(last, [&] { finish_tile(plan, chunk, at, slots); });
}

// The sums are there: what is behind the piece's end is dropped.
void Emitter::finish_tile(const ContractionPlan& plan, const Chunk& chunk, const MicroTile& at,
                          const std::vector<Slot>& slots) {
  if (plan.mapped()) return finish_mapped(plan, chunk, at, slots);
  const std::size_t parts = plan.reduce->results.size();
  const Mode outer = mode_;
  Value first = b_.CreateAdd(chunk.row, b_.CreateMul(at.row_group, i64(plan.rows)));
  for (unsigned r = 0; r < plan.rows; ++r) {
    Value row = b_.CreateAdd(first, i64(r));
    if_then(b_.CreateICmpSLT(row, chunk.row_end), [&] {
      for (unsigned v = 0; v < at.vectors; ++v) {
        const std::size_t mark = trail_.size();
        mode_ = {plan.width, v + 1 == at.vectors ? at.mask : nullptr};
        set_cell(plan.what.row, Cell::uniform(ElementType::I64, row));
        Value vector = b_.CreateAdd(at.column_vector, i64(v));
        Value column = b_.CreateAdd(chunk.column, b_.CreateMul(vector, i64(plan.width)));
        set_cell(plan.what.column, Cell::affine(ElementType::I64, column, i64(1)));
        Cells indices;
        if (plan.apart) indices.push_back(Cell::uniform(ElementType::I64, chunk.block));
        for (const Cell& index : current_point(plan.space)) indices.push_back(index);
        for (std::size_t i = 0; i < parts; ++i) {
          store(*plan.results[i], offset_of(*plan.results[i], indices),
                load_slot(slots[(r * at.vectors + v) * parts + i]));
        }
        forget(mark);
      }
    });
  }
  mode_ = outer;
}

// What the map makes of the sums, vector by vector in a loop, so that its code is there once.
void Emitter::finish_mapped(const ContractionPlan& plan, const Chunk& chunk, const MicroTile& at,
                            const std::vector<Slot>& slots) {
  const graph::Node& n = *plan.reduce;
  const std::size_t parts = n.results.size();
  std::vector<ArrayCell> sums(parts);
  for (std::size_t i = 0; i < parts; ++i) {
    sums[i].element = type(n.results[i]).element;
    sums[i].data = entry_alloca(memory_type(sums[i].element),
                                std::int64_t{plan.rows} * at.vectors * plan.width);
  }
  const auto place = [&](Value tile_vector) {
    return Cell::affine(ElementType::I64, b_.CreateMul(tile_vector, i64(plan.width)), i64(1));
  };
  for (std::size_t i = 0; i < slots.size(); ++i) {
    store(sums[i % parts], place(i64(static_cast<std::int64_t>(i / parts))), load_slot(slots[i]));
  }
  const Mode outer = mode_;
  Value first = b_.CreateAdd(chunk.row, b_.CreateMul(at.row_group, i64(plan.rows)));
  Value count = smin(b_.CreateSub(chunk.row_end, first), i64(plan.rows));
  loop(i64(0), count, 1, [&](Value r) {
    set_cell(plan.what.row, Cell::uniform(ElementType::I64, b_.CreateAdd(first, r)));
    loop(i64(0), i64(at.vectors), 1, [&](Value v) {
      mode_ = {plan.width, at.mask};
      Value vector = b_.CreateAdd(at.column_vector, v);
      Value column = b_.CreateAdd(chunk.column, b_.CreateMul(vector, i64(plan.width)));
      set_cell(plan.what.column, Cell::affine(ElementType::I64, column, i64(1)));
      const Cell offset = place(b_.CreateAdd(b_.CreateMul(r, i64(at.vectors)), v));
      for (std::size_t i = 0; i < parts; ++i)
        set_cell(n.results[i], load(sums[i], offset, nullptr));
      map_body(*plan.main, plan.results);
    });
  });
  mode_ = outer;
}

}  // namespace dvm::llvm_backend
