// Filter: chunks of 4096 points are counted, then written behind one another.
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>

#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

namespace {

Value count_lanes(llvm::IRBuilder<>& b, Value mask) {
  const auto lanes = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  Value bits = b.CreateBitCast(mask, b.getIntNTy(lanes));
  Value count = b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits);
  return b.CreateZExtOrTrunc(count, b.getInt64Ty());
}

}  // namespace

// Stores the lanes of the mask behind one another from a place on.
//
// Note [Compressing]. With AVX-512 a register's lanes are moved together in the register and then
// stored under a mask: the instruction that compresses to memory takes a hundred cycles on some
// processors. Narrow elements travel in lanes of 32 bits. Without AVX-512 the lanes are stored one
// by one; those not kept go to a place that nobody reads, so that no branch depends on the data.
void Emitter::store_kept(const ArrayCell& array, Value place, const Cell& cell, Value kept) {
  const ElementType element = array.element;
  llvm::Type* scalar = memory_type(element);
  Value vector = to_memory(element, materialise(cell));
  if (target_.isa != VectorIsa::Avx512) {
    Value nowhere = entry_alloca(scalar);
    for (unsigned lane = 0; lane < mode_.width; ++lane) {
      Value keep = b_.CreateExtractElement(kept, lane);
      Value to = b_.CreateSelect(keep, b_.CreateGEP(scalar, array.data, place), nowhere);
      b_.CreateAlignedStore(b_.CreateExtractElement(vector, lane), to, llvm::Align(1));
      place = b_.CreateAdd(place, b_.CreateZExt(keep, b_.getInt64Ty()));
    }
    return;
  }
  const bool narrow = byte_size(element) < 4;
  const unsigned piece = narrow ? 16 : std::min(native_lanes(element), mode_.width);
  for (unsigned first = 0; first < mode_.width; first += piece) {
    std::vector<int> lanes;  // past the end: false, and then the value does not matter
    for (unsigned lane = 0; lane < piece; ++lane)
      lanes.push_back(static_cast<int>(std::min(first + lane, mode_.width)));
    Value mask = b_.CreateShuffleVector(kept, llvm::Constant::getNullValue(kept->getType()), lanes);
    Value part = b_.CreateShuffleVector(vector, llvm::PoisonValue::get(vector->getType()), lanes);
    if (narrow) part = b_.CreateZExt(part, llvm::FixedVectorType::get(b_.getInt32Ty(), piece));
    Value packed = b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_compress, {part->getType()},
                                      {part, llvm::Constant::getNullValue(part->getType()), mask});
    if (narrow) packed = b_.CreateTrunc(packed, llvm::FixedVectorType::get(scalar, piece));
    const unsigned width = mode_.width;
    mode_.width = piece;
    Value count = count_lanes(b_, mask);
    b_.CreateMaskedStore(packed, b_.CreateGEP(scalar, array.data, place), llvm::Align(1),
                         tail_mask(count));
    mode_.width = width;
    place = b_.CreateAdd(place, count);
  }
}

void Emitter::filter_phase(bool write) {
  const graph::Node& n = node(main_);
  const graph::Region& body = region(n.regions[0]);
  const std::size_t first = param_count();
  Value extent = uniform_size(std::get<graph::Filter>(n.op).extent, n.loc);
  // Counting: one result. Writing: the offsets, then the values.
  const auto per_chunk = operand_array(first, ElementType::I64, 1);
  std::vector<std::shared_ptr<ArrayCell>> values;
  if (write) {
    for (std::size_t i = 1; i < n.results.size(); ++i) {
      values.push_back(operand_array(first + i, type(n.results[i]).element, 1));
    }
  }
  const Slot position = make_slot(ElementType::I64, 1);
  const auto advance = [&](Value by) {
    store_slot(position,
               Cell::uniform(ElementType::I64, b_.CreateAdd(load_slot(position).value, by)));
  };
  Space space;
  space.params = {body.params[0]};
  space.sizes = {std::get<graph::Filter>(n.op).extent};
  space.regions = n.regions;
  space.in_order = true;
  loop(tile_bound(false, 0), tile_bound(true, 0), 1, [&](Value chunk) {
    poll_cancel();
    const Cell chunk_cell = Cell::uniform(ElementType::I64, chunk);
    Value low = b_.CreateMul(chunk, i64(graph::reduction_block));
    space.low = {low};
    space.high = {smin(b_.CreateAdd(low, i64(graph::reduction_block)), extent)};
    store_slot(position, write ? load(*per_chunk, chunk_cell, nullptr) : uniform_i64(0));
    for_points(space, [&] {
      prepare(std::span(body.yields).first(1));
      const Cell keep = cell(body.yields[0]);
      if (mode_.width == 1) {
        if_then(keep.value, [&] {
          if (write) {
            const Cells yields = emit_region(n.regions[0]);
            for (std::size_t i = 0; i < values.size(); ++i)
              store(*values[i], load_slot(position), yields[i + 1]);
          }
          advance(i64(1));
        });
        return;
      }
      const Mode outer = mode_;
      Value kept = and_masks(mode_.mask, materialise(keep));
      mode_.mask = kept;
      if_then(any_lane(kept), [&] {
        if (write) {
          const Cells yields = emit_region(n.regions[0]);
          for (std::size_t i = 0; i < values.size(); ++i)
            store_kept(*values[i], load_slot(position).value, yields[i + 1], kept);
        }
        advance(count_lanes(b_, kept));
      });
      mode_ = outer;
    });
    if (!write) store(*per_chunk, chunk_cell, load_slot(position));
  });
}

}  // namespace dvm::llvm_backend
