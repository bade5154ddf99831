// Scans: in order inside blocks of 4096 along the last dimension; a block's offset is the in-order
// combination of the totals before it.
//
// Note [Chains]. A block is one chain of dependent operations, so several blocks run side by side;
// each keeps its own order.
#include "backend/kernel/lane_width.hpp"
#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

using graph::ScalarFn;

namespace {

constexpr unsigned chains = 4;
constexpr std::int64_t block_length = graph::reduction_block;

}  // namespace

// One block of a scan in progress. `offset`: combination of all terms before the block, for blocks
// after the first.
struct Emitter::ScanChain {
  std::vector<Slot> local, last;  // last: the result before the next one
  Cells offset;
  Value first_block = nullptr;  // i1: there is no offset
  Value low = nullptr;
};

Emitter::ScanChain Emitter::start_chain(const graph::Node& n, Value low, Value first_block,
                                        Cells offset) {
  ScanChain chain;
  chain.local = accumulator_slots(n);
  chain.last = accumulator_slots(n);
  chain.first_block = first_block;
  chain.low = low;
  set_identities(n, chain.local);
  const auto& scan = std::get<graph::Scan>(n.op);
  for (std::size_t i = 0; i < n.results.size(); ++i) {
    const Cell choose[] = {Cell::uniform(ElementType::Bool, first_block), cell(n.operands[i]),
                           offset[i]};
    store_slot(chain.last[i], apply(ScalarFn::Select, offset[i].element, choose));
    if (!scan.components.empty()) {
      // The identity leaves the local values as they are, bit for bit.
      const Cell none = Cell::uniform(offset[i].element,
                                      identity(scan.components[i].combiner, offset[i].element));
      const Cell x[] = {Cell::uniform(ElementType::Bool, first_block), none, offset[i]};
      offset[i] = apply(ScalarFn::Select, offset[i].element, x);
    }
  }
  chain.offset = std::move(offset);
  return chain;
}

// Term t of a chain: combines, and stores the result at `row` + [t].
void Emitter::scan_step(const graph::Node& n, const ScanChain& chain, Value t,
                        std::span<const Cell> row,
                        std::span<const std::shared_ptr<ArrayCell>> results) {
  const auto& scan = std::get<graph::Scan>(n.op);
  const std::size_t mark = trail_.size();
  set_cell(region(n.regions[0]).params.back(), Cell::uniform(ElementType::I64, t));
  const Cells terms = emit_region(n.regions[0]);
  accumulate(n, chain.local, terms, b_.CreateICmpEQ(t, chain.low), nullptr);
  Cells local;
  for (const Slot& slot : chain.local) local.push_back(load_slot(slot));
  Cells indices(row.begin(), row.end());
  indices.push_back(Cell::uniform(ElementType::I64, t));
  const auto put = [&](const Cells& values) {
    for (std::size_t i = 0; i < results.size(); ++i)
      store(*results[i], offset_of(*results[i], indices), values[i]);
  };
  if (scan.exclusive) {
    Cells before;
    for (const Slot& slot : chain.last) before.push_back(load_slot(slot));
    put(before);
  }
  if (scan.components.empty()) {
    if_else(
        chain.first_block,
        [&] {
          for (std::size_t i = 0; i < local.size(); ++i) store_slot(chain.last[i], local[i]);
        },
        [&] {
          const Cells joined = combine(n, chain.offset, local);
          for (std::size_t i = 0; i < local.size(); ++i) store_slot(chain.last[i], joined[i]);
        });
  } else {
    const Cells joined = combine(n, chain.offset, local);
    for (std::size_t i = 0; i < local.size(); ++i) store_slot(chain.last[i], joined[i]);
  }
  if (!scan.exclusive) {
    Cells now;
    for (const Slot& slot : chain.last) now.push_back(load_slot(slot));
    put(now);
  }
  forget(mark);
}

// The whole row at the current point of the space.
void Emitter::scan_row(const graph::Node& n, std::span<const Cell> row,
                       std::span<const std::shared_ptr<ArrayCell>> results) {
  Value extent = uniform_size(std::get<graph::Scan>(n.op).extent, n.loc);
  Value blocks = b_.CreateLShr(b_.CreateAdd(extent, i64(block_length - 1)), i64(12));
  const std::vector<Slot> offset = accumulator_slots(n);
  for (std::size_t i = 0; i < offset.size(); ++i) store_slot(offset[i], cell(n.operands[i]));
  loop(i64(0), blocks, 1, [&](Value number) {
    Value low = b_.CreateMul(number, i64(block_length));
    Value high = smin(b_.CreateAdd(low, i64(block_length)), extent);
    Cells before;
    for (const Slot& slot : offset) before.push_back(load_slot(slot));
    Value first = b_.CreateICmpEQ(number, i64(0));
    const ScanChain chain = start_chain(n, low, first, before);
    loop(low, high, 1, [&](Value t) { scan_step(n, chain, t, row, results); });
    Cells total;
    for (const Slot& slot : chain.local) total.push_back(load_slot(slot));
    if_else(
        first,
        [&] {
          for (std::size_t i = 0; i < offset.size(); ++i) store_slot(offset[i], total[i]);
        },
        [&] {
          const Cells joined = combine(n, before, total);
          for (std::size_t i = 0; i < offset.size(); ++i) store_slot(offset[i], joined[i]);
        });
  });
}

void Emitter::emit_scan(graph::NodeId id) {
  const graph::Node& n = node(id);
  const auto& scan = std::get<graph::Scan>(n.op);
  std::vector<std::shared_ptr<ArrayCell>> results;
  for (graph::ValueId result : n.results) {
    const bool per_lane = mode_.width > 1 && divergence_ && divergence_->varying(result);
    results.push_back(local_array(type(result), per_lane, n.loc));
  }
  const Space space = whole_space(scan.space, region(n.regions[0]).params, n.regions, n.loc);
  for_points(space, [&] { scan_row(n, current_point(space), results); }, 1);
  for (std::size_t i = 0; i < n.results.size(); ++i) set_cell(n.results[i], array_cell(results[i]));
}

void Emitter::scan_whole_phase() {
  const graph::Node& n = node(main_);
  const auto& scan = std::get<graph::Scan>(n.op);
  const auto results = result_arrays(n, param_count(), scan.space.size() + 1);
  const Space space = tile_space(scan.space, region(n.regions[0]).params, n);
  for_points(space, [&] { scan_row(n, current_point(space), results); }, 1);
}

// Runs `body` for all blocks of the tile: `chains` full blocks at a time, then one by one.
void Emitter::for_block_groups(
    std::size_t tile_dim, Value extent,
    const std::function<void(Value first, unsigned count, Value high)>& body) {
  Value low = tile_bound(false, tile_dim), high = tile_bound(true, tile_dim);
  Value full = smin(high, b_.CreateLShr(extent, i64(12)));
  Value groups = b_.CreateUDiv(smax(b_.CreateSub(full, low), i64(0)), i64(chains));
  Value middle = b_.CreateAdd(low, b_.CreateMul(groups, i64(chains)));
  loop(low, middle, chains, [&](Value number) {
    poll_cancel();
    body(number, chains, nullptr);
  });
  loop(middle, high, 1, [&](Value number) {
    poll_cancel();
    body(number, 1, smin(b_.CreateMul(b_.CreateAdd(number, i64(1)), i64(block_length)), extent));
  });
}

void Emitter::scan_totals_phase() {
  const graph::Node& n = node(main_);
  const auto& scan = std::get<graph::Scan>(n.op);
  const std::size_t rank = scan.space.size();
  const auto results = result_arrays(n, param_count(), rank + 1);
  Space space = tile_space(scan.space, region(n.regions[0]).params, n);
  space.poll = false;
  Value extent = uniform_size(scan.extent, n.loc);
  const graph::ValueId term = region(n.regions[0]).params.back();
  for_points(
      space,
      [&] {
        for_block_groups(rank, extent, [&](Value first, unsigned count, Value last) {
          std::vector<std::vector<Slot>> slots;
          for (unsigned c = 0; c < count; ++c) {
            slots.push_back(accumulator_slots(n));
            set_identities(n, slots.back());
          }
          Value low = b_.CreateMul(first, i64(block_length));
          Value high = last ? last : b_.CreateAdd(low, i64(block_length));
          loop(low, high, 1, [&](Value t) {
            for (unsigned c = 0; c < count; ++c) {
              const std::size_t mark = trail_.size();
              set_cell(term,
                       Cell::uniform(ElementType::I64, b_.CreateAdd(t, i64(c * block_length))));
              const Cells terms = emit_region(n.regions[0]);
              accumulate(n, slots[c], terms, b_.CreateICmpEQ(t, low), nullptr);
              forget(mark);
            }
          });
          for (unsigned c = 0; c < count; ++c) {
            Cells indices = current_point(space);
            indices.push_back(Cell::uniform(ElementType::I64, b_.CreateAdd(first, i64(c))));
            for (std::size_t i = 0; i < results.size(); ++i) {
              store(*results[i], offset_of(*results[i], indices), load_slot(slots[c][i]));
            }
          }
        });
      },
      1);
}

void Emitter::scan_offsets_phase() {
  const graph::Node& n = node(main_);
  const auto& scan = std::get<graph::Scan>(n.op);
  const std::size_t rank = scan.space.size();
  const auto totals = result_arrays(n, param_count(), rank + 1);
  const auto results = result_arrays(n, param_count() + n.results.size(), rank + 1);
  const Space space = tile_space(scan.space, region(n.regions[0]).params, n);
  Value extent = uniform_size(scan.extent, n.loc);
  Value blocks = b_.CreateLShr(b_.CreateAdd(extent, i64(block_length - 1)), i64(12));
  for_points(
      space,
      [&] {
        const std::vector<Slot> offset = accumulator_slots(n);
        for (std::size_t i = 0; i < offset.size(); ++i) store_slot(offset[i], cell(n.operands[i]));
        loop(i64(0), blocks, 1, [&](Value number) {
          Cells indices = current_point(space);
          indices.push_back(Cell::uniform(ElementType::I64, number));
          Cells before, total;
          for (std::size_t i = 0; i < results.size(); ++i) {
            before.push_back(load_slot(offset[i]));
            store(*results[i], offset_of(*results[i], indices), before[i]);
            total.push_back(load(*totals[i], offset_of(*totals[i], indices), nullptr));
          }
          if_else(
              b_.CreateICmpEQ(number, i64(0)),
              [&] {
                for (std::size_t i = 0; i < offset.size(); ++i) store_slot(offset[i], total[i]);
              },
              [&] {
                const Cells joined = combine(n, before, total);
                for (std::size_t i = 0; i < offset.size(); ++i) store_slot(offset[i], joined[i]);
              });
        });
      },
      1);
}

void Emitter::scan_apply_phase() {
  const graph::Node& n = node(main_);
  const auto& scan = std::get<graph::Scan>(n.op);
  const std::size_t rank = scan.space.size();
  const auto offsets = result_arrays(n, param_count(), rank + 1);
  const auto results = result_arrays(n, param_count() + n.results.size(), rank + 1);
  Space space = tile_space(scan.space, region(n.regions[0]).params, n);
  space.poll = false;
  Value extent = uniform_size(scan.extent, n.loc);
  for_points(
      space,
      [&] {
        for_block_groups(rank, extent, [&](Value first, unsigned count, Value last) {
          const Cells row = current_point(space);
          std::vector<ScanChain> group;
          for (unsigned c = 0; c < count; ++c) {
            Value number = b_.CreateAdd(first, i64(c));
            Cells indices = row, offset;
            indices.push_back(Cell::uniform(ElementType::I64, number));
            for (const auto& array : offsets)
              offset.push_back(load(*array, offset_of(*array, indices), nullptr));
            group.push_back(start_chain(n, b_.CreateMul(number, i64(block_length)),
                                        b_.CreateICmpEQ(number, i64(0)), offset));
          }
          Value low = b_.CreateMul(first, i64(block_length));
          Value high = last ? last : b_.CreateAdd(low, i64(block_length));
          loop(low, high, 1, [&](Value t) {
            for (unsigned c = 0; c < count; ++c) {
              scan_step(n, group[c], b_.CreateAdd(t, i64(c * block_length)), row, results);
            }
          });
        });
      },
      1);
}

}  // namespace dvm::llvm_backend
