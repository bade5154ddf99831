// Filter: chunks of 4096 points are counted, then written behind one another.
#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

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
          for (std::size_t i = 0; i < values.size(); ++i) {
            Value place = b_.CreateGEP(memory_type(values[i]->element), values[i]->data,
                                       load_slot(position).value);
            Value vector = to_memory(values[i]->element, materialise(yields[i + 1]));
            b_.CreateMaskedCompressStore(vector, place, kept);
          }
        }
        Value bits = b_.CreateBitCast(kept, b_.getIntNTy(mode_.width));
        Value count = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits);
        advance(b_.CreateZExtOrTrunc(count, b_.getInt64Ty()));
      });
      mode_ = outer;
    });
    if (!write) store(*per_chunk, chunk_cell, load_slot(position));
  });
}

}  // namespace dvm::llvm_backend
