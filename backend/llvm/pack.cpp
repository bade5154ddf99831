// Packing: what belongs to one side of a contraction, made once for a chunk of terms.
#include <algorithm>

#include "backend/llvm/contraction.hpp"

namespace dvm::llvm_backend {

namespace {

constexpr std::int64_t strip = 16;  // terms packed group by group, so that neither side is far off

// In lanes, the terms of one lane lie together.
Value place(llvm::IRBuilder<>& b, const bool in_lanes, std::int64_t chunk, Value term) {
  if (!in_lanes) return term;
  const auto number = [&](std::int64_t x) { return b.getInt64(static_cast<std::uint64_t>(x)); };
  Value lane = b.CreateAnd(term, number(graph::reduction_lanes - 1));
  Value turn = b.CreateLShr(term, number(5));
  return b.CreateAdd(b.CreateMul(lane, number(chunk / graph::reduction_lanes)), turn);
}

}  // namespace

void Emitter::pack(const ContractionPlan& plan, const Chunk& chunk, bool of_rows) {
  const Mode outer = mode_;
  const bool any = std::any_of(plan.panels.begin(), plan.panels.end(), [&](const Panel& panel) {
    return panel.of_rows == of_rows && !panel.along_terms;
  });
  if (any) pack_along_side(plan, chunk, of_rows);
  for (const Panel& panel : plan.panels) {
    if (panel.of_rows == of_rows && panel.along_terms) pack_along_terms(plan, chunk, panel);
  }
  mode_ = outer;
}

// For each term, vectors of rows (or of columns). Lanes behind the end of the piece are off.
void Emitter::pack_along_side(const ContractionPlan& plan, const Chunk& chunk, bool of_rows) {
  const std::int64_t group = plan.group(of_rows);
  const auto width = static_cast<unsigned>(std::min<std::int64_t>(group, plan.width));
  const graph::ValueId side = of_rows ? plan.what.row : plan.what.column;
  Value start = of_rows ? chunk.row : chunk.column;
  Value end = of_rows ? chunk.row_end : chunk.column_end;
  const auto one = [&](Value number, Value term, bool whole) {
    Value at = place(b_, plan.in_lanes, plan.chunk, term);
    Value row = b_.CreateMul(b_.CreateAdd(b_.CreateMul(number, i64(plan.chunk)), at), i64(group));
    set_cell(plan.what.term, Cell::uniform(ElementType::I64, b_.CreateAdd(chunk.term, term)));
    for (std::int64_t piece = 0; piece < group; piece += width) {
      const std::size_t mark = trail_.size();
      Value first = b_.CreateAdd(start, b_.CreateAdd(b_.CreateMul(number, i64(group)), i64(piece)));
      mode_ = {width, nullptr};
      if (!whole) mode_.mask = tail_mask(smax(b_.CreateSub(end, first), i64(0)));
      set_cell(side, Cell::affine(ElementType::I64, first, i64(1)));
      Cells made;
      for (const Panel& panel : plan.panels) {
        if (panel.of_rows == of_rows && !panel.along_terms) made.push_back(cell(panel.value));
      }
      mode_.mask = nullptr;
      const Cell offset = Cell::affine(ElementType::I64, b_.CreateAdd(row, i64(piece)), i64(1));
      std::size_t next = 0;
      for (const Panel& panel : plan.panels) {
        if (panel.of_rows == of_rows && !panel.along_terms)
          store(panel.memory, offset, made[next++]);
      }
      forget(mark);
    }
  };
  Value whole_groups = b_.CreateSDiv(b_.CreateSub(end, start), i64(group));
  Value rest = b_.CreateICmpSLT(b_.CreateMul(whole_groups, i64(group)), b_.CreateSub(end, start));
  loop(i64(0), chunk.terms, strip, [&](Value low) {
    Value high = smin(b_.CreateAdd(low, i64(strip)), chunk.terms);
    loop(i64(0), whole_groups, 1,
         [&](Value number) { loop(low, high, 1, [&](Value term) { one(number, term, true); }); });
    if_then(rest, [&] { loop(low, high, 1, [&](Value term) { one(whole_groups, term, false); }); });
  });
}

// Squares: vectors along the terms for as many rows (or columns), then transposed. Rows behind the
// end repeat the last; places behind the last term are there, and nobody looks at them.
void Emitter::pack_along_terms(const ContractionPlan& plan, const Chunk& chunk,
                               const Panel& panel) {
  const std::int64_t group = plan.group(panel.of_rows);
  const auto width = static_cast<unsigned>(std::min<std::int64_t>(group, plan.width));
  const graph::ValueId side = panel.of_rows ? plan.what.row : plan.what.column;
  Value start = panel.of_rows ? chunk.row : chunk.column;
  Value end = panel.of_rows ? chunk.row_end : chunk.column_end;
  ArrayCell square;
  square.element = panel.memory.element;
  square.data = entry_alloca(memory_type(square.element), std::int64_t{width} * width);
  const auto one = [&](Value first, Value low, bool whole) {
    Value from = b_.CreateAdd(start, first);
    loop(i64(0), i64(width), 1, [&](Value lane) {
      mode_ = {width, nullptr};
      if (!whole) mode_.mask = tail_mask(b_.CreateSub(chunk.terms, low));
      set_cell(side, Cell::uniform(ElementType::I64,
                                   smin(b_.CreateAdd(from, lane), b_.CreateSub(end, i64(1)))));
      set_cell(plan.what.term,
               Cell::affine(ElementType::I64, b_.CreateAdd(chunk.term, low), i64(1)));
      const Cell made = cell(panel.value);
      mode_.mask = nullptr;
      store(square, Cell::affine(ElementType::I64, b_.CreateMul(lane, i64(width)), i64(1)), made);
    });
    mode_ = {width, nullptr};
    std::vector<Value> rows;
    for (unsigned lane = 0; lane < width; ++lane) {
      const Cell offset = Cell::affine(ElementType::I64, i64(std::int64_t{lane} * width), i64(1));
      rows.push_back(materialise(load(square, offset, nullptr)));
    }
    rows = transpose(std::move(rows));
    Value number = b_.CreateSDiv(first, i64(group));
    Value within = b_.CreateSub(first, b_.CreateMul(number, i64(group)));
    for (unsigned t = 0; t < width; ++t) {
      Value at = place(b_, plan.in_lanes, plan.chunk, b_.CreateAdd(low, i64(t)));
      Value offset = b_.CreateAdd(
          b_.CreateMul(b_.CreateAdd(b_.CreateMul(number, i64(plan.chunk)), at), i64(group)),
          within);
      store(panel.memory, Cell::affine(ElementType::I64, offset, i64(1)),
            Cell::varying(square.element, rows[t]));
    }
  };
  Value middle = b_.CreateAnd(chunk.terms, i64(-static_cast<std::int64_t>(width)));
  Value wanted = b_.CreateSub(end, start);
  loop(i64(0), middle, width, [&](Value low) {
    loop(i64(0), wanted, width, [&](Value first) { one(first, low, true); });
  });
  if_then(b_.CreateICmpSLT(middle, chunk.terms),
          [&] { loop(i64(0), wanted, width, [&](Value first) { one(first, middle, false); }); });
}

// Exchanges halves of pairs of rows, then quarters, …: lane i of row j becomes lane j of row i.
std::vector<Value> Emitter::transpose(std::vector<Value> rows) {
  const std::size_t width = rows.size();
  for (std::size_t half = width / 2; half >= 1; half /= 2) {
    for (std::size_t i = 0; i < width; ++i) {
      if ((i & half) != 0) continue;
      std::vector<int> low, high;
      for (std::size_t lane = 0; lane < width; ++lane) {
        const bool upper = (lane & half) != 0;
        low.push_back(static_cast<int>(upper ? width + lane - half : lane));
        high.push_back(static_cast<int>(upper ? width + lane : lane + half));
      }
      Value a = rows[i], b = rows[i + half];
      rows[i] = b_.CreateShuffleVector(a, b, low);
      rows[i + half] = b_.CreateShuffleVector(a, b, high);
    }
  }
  return rows;
}

}  // namespace dvm::llvm_backend
