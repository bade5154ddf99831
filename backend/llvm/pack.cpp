// Packing: what belongs to one side of a contraction, made once for a chunk of terms.
#include <algorithm>

#include "backend/llvm/contraction.hpp"

namespace dvm::llvm_backend {

namespace {

constexpr std::int64_t strip = 16;  // terms packed group by group, so that neither side is far off

// In lanes, the terms of one lane lie together, of columns at least: those are read from further.
Value place(llvm::IRBuilder<>& b, bool permuted, std::int64_t chunk, Value term) {
  if (!permuted) return term;
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
    Value at = place(b_, plan.in_lanes && !of_rows, plan.chunk, term);
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

// Vectors along the terms, for as many rows (or columns) as a group or a vector has, then
// interleaved. Rows behind the end repeat the last; places behind the last term are there, and
// nobody looks at them.
void Emitter::pack_along_terms(const ContractionPlan& plan, const Chunk& chunk,
                               const Panel& panel) {
  const std::int64_t group = plan.group(panel.of_rows);
  const unsigned width = plan.width;
  const auto together = static_cast<unsigned>(std::min<std::int64_t>(group, width));
  const graph::ValueId side = panel.of_rows ? plan.what.row : plan.what.column;
  Value start = panel.of_rows ? chunk.row : chunk.column;
  Value last = b_.CreateSub(panel.of_rows ? chunk.row_end : chunk.column_end, i64(1));
  ArrayCell made;
  made.element = panel.memory.element;
  made.data = entry_alloca(memory_type(made.element), std::int64_t{together} * width);
  const auto row_of = [&](Value number) {
    return Cell::affine(ElementType::I64, b_.CreateMul(number, i64(width)), i64(1));
  };
  const auto one = [&](Value first, Value low, bool whole) {
    Value from = b_.CreateAdd(start, first);
    const auto make = [&](Value number) {
      const std::size_t mark = trail_.size();
      mode_ = {width, nullptr};
      if (!whole) mode_.mask = tail_mask(b_.CreateSub(chunk.terms, low));
      set_cell(side, Cell::uniform(ElementType::I64, smin(b_.CreateAdd(from, number), last)));
      set_cell(plan.what.term,
               Cell::affine(ElementType::I64, b_.CreateAdd(chunk.term, low), i64(1)));
      const Cell value = cell(panel.value);
      mode_.mask = nullptr;
      store(made, row_of(number), value);
      forget(mark);
    };
    loop(i64(0), i64(together), 1, make);
    mode_ = {width, nullptr};
    std::vector<Value> rows;
    for (unsigned number = 0; number < together; ++number)
      rows.push_back(materialise(load(made, row_of(i64(number)), nullptr)));
    rows = interleave(std::move(rows));
    Value number = b_.CreateSDiv(first, i64(group));
    Value within = b_.CreateSub(first, b_.CreateMul(number, i64(group)));
    const unsigned terms_each = width / together;
    for (unsigned t = 0; t < together; ++t) {
      Value term = b_.CreateAdd(low, i64(std::int64_t{t} * terms_each));
      Value at = place(b_, plan.in_lanes && !panel.of_rows, plan.chunk, term);
      Value offset =
          b_.CreateMul(b_.CreateAdd(b_.CreateMul(number, i64(plan.chunk)), at), i64(group));
      store(panel.memory, Cell::affine(ElementType::I64, b_.CreateAdd(offset, within), i64(1)),
            Cell::varying(made.element, rows[t]));
    }
  };
  Value middle = b_.CreateAnd(chunk.terms, i64(-static_cast<std::int64_t>(width)));
  // Row by row: each is a stream that the processor sees coming.
  loop(i64(0), b_.CreateAdd(b_.CreateSub(last, start), i64(1)), together, [&](Value first) {
    loop(i64(0), middle, width, [&](Value low) { one(first, low, true); });
    if_then(b_.CreateICmpSLT(middle, chunk.terms), [&] { one(first, middle, false); });
  });
}

// Element j of row i becomes element j * rows + i of all rows one after the other: halves of the
// rows are merged like cards, again and again.
std::vector<Value> Emitter::interleave(std::vector<Value> rows) {
  const std::size_t count = rows.size();
  if (count == 1) return rows;
  auto* type = llvm::cast<llvm::FixedVectorType>(rows[0]->getType());
  const auto width = static_cast<int>(type->getNumElements());
  std::vector<Value> even(count / 2), odd(count / 2);
  for (std::size_t i = 0; i < count / 2; ++i) {
    even[i] = rows[2 * i];
    odd[i] = rows[2 * i + 1];
  }
  even = interleave(std::move(even));
  odd = interleave(std::move(odd));
  std::vector<int> low, high;
  for (int lane = 0; lane < width; ++lane) {
    const int source = lane / 2 + (lane % 2) * width;
    low.push_back(source);
    high.push_back(source + width / 2);
  }
  for (std::size_t i = 0; i < count / 2; ++i) {
    rows[2 * i] = b_.CreateShuffleVector(even[i], odd[i], low);
    rows[2 * i + 1] = b_.CreateShuffleVector(even[i], odd[i], high);
  }
  return rows;
}

}  // namespace dvm::llvm_backend
