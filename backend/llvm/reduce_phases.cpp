// Reductions as kernels: whole, block by block, and joining the blocks.
#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

namespace {

// Element width decides how many points of the space go side by side.
unsigned narrowest_lanes(const graph::Function& function, const graph::Node& n,
                         unsigned vector_bytes) {
  unsigned lanes = vector_bytes;
  for (graph::ValueId result : n.results) {
    lanes = std::min(lanes, vector_bytes / static_cast<unsigned>(
                                               byte_size(function.values[result].type.element)));
  }
  return lanes;
}

}  // namespace

Emitter::Space Emitter::tile_space(const std::vector<Size>& sizes,
                                   std::span<const graph::ValueId> params, const graph::Node& n) {
  Space space = whole_space(sizes, params, n.regions, n.loc);
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    space.low[d] = tile_bound(false, d);
    space.high[d] = tile_bound(true, d);
  }
  space.poll = true;
  return space;
}

Cells Emitter::current_point(const Space& space) {
  Cells indices;
  for (graph::ValueId param : space.params) indices.push_back(cells_[param.index]);
  return indices;
}

std::vector<std::shared_ptr<ArrayCell>> Emitter::result_arrays(const graph::Node& n,
                                                               std::size_t first,
                                                               std::size_t rank) {
  std::vector<std::shared_ptr<ArrayCell>> arrays;
  for (std::size_t i = 0; i < n.results.size(); ++i) {
    arrays.push_back(operand_array(first + i, type(n.results[i]).element, rank));
  }
  return arrays;
}

void Emitter::reduce_whole_phase() {
  if (!contract(false, [&] { reduce_whole_plain(); })) reduce_whole_plain();
}

void Emitter::reduce_whole_plain() {
  const graph::Node& n = node(main_);
  const auto& reduce = std::get<graph::Reduce>(n.op);
  if (reduce_tiled(false)) return;
  const auto results = result_arrays(n, param_count(), reduce.space.size());
  const Space space = tile_space(reduce.space, region(n.regions[0]).params, n);
  const unsigned width = reduce.tree == graph::Tree::Lanes ? 1 : 0;
  for_points(
      space,
      [&] {
        const Cells cells = reduce_at_point(main_);
        for (std::size_t i = 0; i < results.size(); ++i) {
          store(*results[i], offset_of(*results[i], current_point(space)), cells[i]);
        }
      },
      width);
}

void Emitter::reduce_blocks_phase() {
  if (!contract(true, [&] { reduce_blocks_plain(); })) reduce_blocks_plain();
}

void Emitter::reduce_blocks_plain() {
  const graph::Node& n = node(main_);
  const auto& reduce = std::get<graph::Reduce>(n.op);
  if (reduce_tiled(true)) return;
  const std::size_t rank = reduce.space.size();
  const auto results = result_arrays(n, param_count(), rank + 1);
  Space space = tile_space(reduce.space, region(n.regions[0]).params, n);
  space.poll = false;
  Value extent = uniform_size(reduce.extent, n.loc);
  const unsigned width = reduce.tree == graph::Tree::Lanes ? 1 : 0;
  loop(tile_bound(false, rank), tile_bound(true, rank), 1, [&](Value number) {
    poll_cancel();
    Value low = b_.CreateMul(number, i64(graph::reduction_block));
    Value high = smin(b_.CreateAdd(low, i64(graph::reduction_block)), extent);
    for_points(
        space,
        [&] {
          const Cells cells = reduce_block(n, low, high);
          Cells indices{Cell::uniform(ElementType::I64, number)};
          for (const Cell& index : current_point(space)) indices.push_back(index);
          for (std::size_t i = 0; i < results.size(); ++i) {
            store(*results[i], offset_of(*results[i], indices), cells[i]);
          }
        },
        width);
  });
}

void Emitter::reduce_combine_phase() {
  const graph::Node& n = node(main_);
  const auto& reduce = std::get<graph::Reduce>(n.op);
  const std::size_t rank = reduce.space.size();
  const auto partial = result_arrays(n, param_count(), rank + 1);
  const auto results = result_arrays(n, param_count() + n.results.size(), rank);
  const Space space = tile_space(reduce.space, region(n.regions[0]).params, n);
  Value extent = uniform_size(reduce.extent, n.loc);
  Value blocks = b_.CreateLShr(b_.CreateAdd(extent, i64(graph::reduction_block - 1)), i64(12));
  const unsigned width =
      reduce.components.empty() ? 1 : narrowest_lanes(function_, n, vector_bytes_);
  for_points(
      space,
      [&] {
        const std::vector<Slot> joined = accumulator_slots(n);
        for (std::size_t i = 0; i < joined.size(); ++i) store_slot(joined[i], cell(n.operands[i]));
        if_then(b_.CreateICmpSGT(blocks, i64(0)), [&] {
          const CounterStack stack = make_stack(joined);
          loop(i64(0), blocks, 1, [&](Value number) {
            Cells indices{Cell::uniform(ElementType::I64, number)};
            for (const Cell& index : current_point(space)) indices.push_back(index);
            Cells value;
            for (const auto& array : partial)
              value.push_back(load(*array, offset_of(*array, indices), nullptr));
            push_block(n, stack, number, value);
          });
          const Cells value = collapse(n, stack, blocks);
          for (std::size_t i = 0; i < joined.size(); ++i) store_slot(joined[i], value[i]);
        });
        for (std::size_t i = 0; i < results.size(); ++i) {
          store(*results[i], offset_of(*results[i], current_point(space)), load_slot(joined[i]));
        }
      },
      width);
}

}  // namespace dvm::llvm_backend
