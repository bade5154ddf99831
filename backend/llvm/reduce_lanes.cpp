// A block of terms in 32 lanes: lanes that fill whole vectors, the rest of a block, and the fold of
// the lanes.
#include <algorithm>
#include <numeric>

#include "backend/kernel/lane_width.hpp"
#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

using graph::ScalarFn;

// Term t goes to lane t mod 32 (blocks start at multiples of 32).
Cells Emitter::reduce_in_lanes(const graph::Node& n, Value low, Value high) {
  const unsigned width = static_cast<unsigned>(graph::reduction_lanes);
  const graph::RegionId body = n.regions[0];
  const graph::ValueId term = region(body).params.back();
  const graph::RegionId regions[] = {body};
  const graph::ValueId seeds[] = {term};
  const kernel::Divergence divergence(function_, regions, seeds);
  const auto outer = std::tuple(mode_, divergence_, facts_);
  divergence_ = &divergence;
  facts_ = nullptr;
  mode_ = {width, nullptr};
  std::vector<Slot> slots;
  for (graph::ValueId result : n.results) slots.push_back(make_slot(type(result).element, width));
  set_identities(n, slots);

  Value count = b_.CreateSub(high, low);
  Value middle = b_.CreateAdd(low, b_.CreateAnd(count, i64(-static_cast<std::int64_t>(width))));
  loop(low, middle, width, [&](Value t) {
    mode_ = {width, nullptr};
    set_cell(term, Cell::affine(ElementType::I64, t, i64(1)));
    accumulate(n, slots, emit_region(body), nullptr, nullptr);
  });
  unsigned chunk =
      std::min(width, kernel::lane_width(function_, body, term, divergence, vector_bytes_));
  for (graph::ValueId result : n.results)
    chunk = std::min(chunk, native_lanes(type(result).element));
  if_then(b_.CreateICmpSLT(middle, high), [&] { lanes_rest(n, slots, middle, high, chunk); });
  mode_ = {width, nullptr};
  Cells lanes;
  for (const Slot& slot : slots) lanes.push_back(load_slot(slot));
  std::tie(mode_, divergence_, facts_) = outer;
  return fold_lanes(n, lanes);
}

// The last terms, fewer than 32: in pieces of one vector, so that short rows do not pay for 32
// lanes. A light body is there once for each piece and the accumulators stay in registers (rows of
// some ten terms take most of their time here); a heavy one is there once, with the lanes in
// memory.
void Emitter::lanes_rest(const graph::Node& n, const std::vector<Slot>& slots, Value low,
                         Value high, unsigned chunk) {
  constexpr int light = 64;  // nodes, over all pieces
  const int pieces = static_cast<int>(slots.empty() ? 1 : slots[0].width / chunk);
  if (kernel::node_count(function_, n.regions[0]) * pieces <= light) {
    lanes_rest_piece(n, slots, low, high, chunk, 0);
  } else {
    lanes_rest_in_memory(n, slots, low, high, chunk);
  }
}

// `chunk` terms from `low` on into the lanes from `lane` on, then the pieces after it if there are
// terms left.
void Emitter::lanes_rest_piece(const graph::Node& n, const std::vector<Slot>& slots, Value low,
                               Value high, unsigned chunk, unsigned lane) {
  mode_ = {chunk, nullptr};
  mode_.mask = tail_mask(b_.CreateSub(high, low));
  std::vector<Slot> pieces;
  for (const Slot& slot : slots) {
    pieces.push_back(make_slot(slot.element, chunk));
    std::vector<int> of_piece(chunk);
    std::iota(of_piece.begin(), of_piece.end(), static_cast<int>(lane));
    Value piece = b_.CreateShuffleVector(load_slot(slot).value, of_piece);
    store_slot(pieces.back(), Cell::varying(slot.element, piece));
  }
  const std::size_t mark = trail_.size();
  set_cell(region(n.regions[0]).params.back(), Cell::affine(ElementType::I64, low, i64(1)));
  accumulate(n, pieces, emit_region(n.regions[0]), nullptr, mode_.mask);
  forget(mark);  // the next piece has terms of its own
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const unsigned width = slots[i].width;
    std::vector<int> widened(width, llvm::PoisonMaskElem), merged(width);
    std::iota(widened.begin(), widened.begin() + chunk, 0);
    std::iota(merged.begin(), merged.end(), 0);
    std::iota(merged.begin() + lane, merged.begin() + lane + chunk, static_cast<int>(width));
    Value piece = b_.CreateShuffleVector(load_slot(pieces[i]).value, widened);
    Value all = b_.CreateShuffleVector(load_slot(slots[i]).value, piece, merged);
    store_slot(slots[i], Cell::varying(slots[i].element, all));
  }
  if (lane + chunk == slots[0].width) return;
  Value next = b_.CreateAdd(low, i64(chunk));
  if_then(b_.CreateICmpSLT(next, high),
          [&] { lanes_rest_piece(n, slots, next, high, chunk, lane + chunk); });
}

void Emitter::lanes_rest_in_memory(const graph::Node& n, const std::vector<Slot>& slots, Value low,
                                   Value high, unsigned chunk) {
  const graph::ValueId term = region(n.regions[0]).params.back();
  std::vector<llvm::AllocaInst*> spilled;
  std::vector<Slot> pieces;
  for (const Slot& slot : slots) {
    spilled.push_back(entry_alloca(memory_type(slot.element), slot.width));
    pieces.push_back(make_slot(slot.element, chunk));
    b_.CreateStore(to_memory(slot.element, load_slot(slot).value), spilled.back());
  }
  loop(low, high, chunk, [&](Value t) {
    mode_ = {chunk, nullptr};
    mode_.mask = tail_mask(b_.CreateSub(high, t));
    Value lane = b_.CreateSub(t, low);
    std::vector<Value> places;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      places.push_back(b_.CreateGEP(memory_type(slots[i].element), spilled[i], lane));
      Value held =
          b_.CreateAlignedLoad(memory_type(slots[i].element, chunk), places[i], llvm::Align(1));
      store_slot(pieces[i], Cell::varying(slots[i].element, from_memory(slots[i].element, held)));
    }
    set_cell(term, Cell::affine(ElementType::I64, t, i64(1)));
    accumulate(n, pieces, emit_region(n.regions[0]), nullptr, mode_.mask);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      b_.CreateAlignedStore(to_memory(slots[i].element, load_slot(pieces[i]).value), places[i],
                            llvm::Align(1));
    }
  });
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Value all = b_.CreateAlignedLoad(memory_type(slots[i].element, slots[i].width), spilled[i],
                                     llvm::Align(1));
    store_slot(slots[i], Cell::varying(slots[i].element, from_memory(slots[i].element, all)));
  }
}

// The same result with the lanes in memory, term by term: for bodies that are vectorised inside.
Cells Emitter::reduce_in_lanes_slowly(const graph::Node& n, Value low, Value high) {
  const auto& components = components_of(n);
  const unsigned width = static_cast<unsigned>(graph::reduction_lanes);
  std::vector<llvm::AllocaInst*> memory;
  std::vector<Slot> slots;
  for (std::size_t i = 0; i < n.results.size(); ++i) {
    const ElementType element = type(n.results[i]).element;
    memory.push_back(entry_alloca(memory_type(element), width));
    slots.push_back(make_slot(element, 1));
    Value start = splat(identity(components[i].combiner, element), width);
    b_.CreateAlignedStore(to_memory(element, start), memory[i], llvm::Align(1));
  }
  loop(low, high, 1, [&](Value t) {
    set_cell(region(n.regions[0]).params.back(), Cell::uniform(ElementType::I64, t));
    const Cells terms = emit_region(n.regions[0]);
    Value lane = b_.CreateAnd(t, i64(width - 1));
    std::vector<Value> places;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      llvm::Type* scalar = memory_type(slots[i].element);
      places.push_back(b_.CreateGEP(scalar, memory[i], lane));
      store_slot(slots[i],
                 Cell::uniform(slots[i].element,
                               from_memory(slots[i].element, b_.CreateLoad(scalar, places[i]))));
    }
    accumulate(n, slots, terms, nullptr, nullptr);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      b_.CreateStore(to_memory(slots[i].element, load_slot(slots[i]).value), places[i]);
    }
  });
  Cells lanes;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Value all =
        b_.CreateAlignedLoad(memory_type(slots[i].element, width), memory[i], llvm::Align(1));
    lanes.push_back(Cell::varying(slots[i].element, from_memory(slots[i].element, all)));
  }
  return fold_lanes(n, lanes);
}

// Lane l with l+16, then +8, +4, +2, +1.
Cells Emitter::fold_lanes(const graph::Node& n, const Cells& lanes) {
  const auto& components = components_of(n);
  Cells result;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const ElementType element = lanes[i].element;
    Value vector = lanes[i].value;
    for (unsigned half = static_cast<unsigned>(graph::reduction_lanes) / 2; half > 1; half /= 2) {
      std::vector<int> low, high;
      for (unsigned lane = 0; lane < half; ++lane) {
        low.push_back(static_cast<int>(lane));
        high.push_back(static_cast<int>(lane + half));
      }
      const Value x[] = {b_.CreateShuffleVector(vector, low), b_.CreateShuffleVector(vector, high)};
      vector = scalar_op(components[i].combiner, element, element, x);
    }
    const Value x[] = {b_.CreateExtractElement(vector, std::uint64_t{0}),
                       b_.CreateExtractElement(vector, std::uint64_t{1})};
    result.push_back(
        Cell::uniform(element, scalar_op(components[i].combiner, element, element, x)));
  }
  return result;
}

}  // namespace dvm::llvm_backend
