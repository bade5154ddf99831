// Contractions: which reductions go through packed panels, and the loops around register tiles.
// See Note [Contractions].
#include "backend/llvm/contraction.hpp"

#include <algorithm>
#include <bit>

#include "backend/kernel/lane_width.hpp"
#include "ir/graph/affine.hpp"

namespace dvm::llvm_backend {

namespace {

constexpr std::int64_t block_length = graph::reduction_block;
constexpr std::int64_t ordered_chunk = 256;  // terms: a group of rows stays in the L1 cache
constexpr std::int64_t lanes_chunk = 2048;   // 64 for each lane, so that lanes are joined seldom
// A piece of the result: panels and waiting accumulators fit the L2 cache, nearly.
constexpr std::int64_t piece_rows = 256, piece_columns = 240;
// With 32 accumulators for each point.
constexpr std::int64_t lanes_piece_rows = 128, lanes_piece_columns = 96;
constexpr int largest_rest = 24;
// Below these, packing costs more than it saves.
constexpr std::int64_t least_terms = 16;

std::int64_t whole_groups(std::int64_t wanted, std::int64_t group) {
  return std::max<std::int64_t>(1, wanted / group) * group;
}

}  // namespace

// Whether most reads behind the value walk along the reduced index rather than along its side.
bool Emitter::along_terms(const ContractionPlan& plan, graph::ValueId value, bool of_rows) const {
  const graph::AffineForms forms(function_);
  const graph::ValueId side = of_rows ? plan.what.row : plan.what.column;
  int votes = 0;
  std::vector<graph::ValueId> open{value};
  std::vector<bool> seen(function_.values.size(), false);
  while (!open.empty()) {
    const graph::ValueId next = open.back();
    open.pop_back();
    const graph::NodeId maker = function_.values[next].node;
    if (seen[next.index] || !maker.valid()) continue;
    seen[next.index] = true;
    const graph::Node& n = node(maker);
    open.insert(open.end(), n.operands.begin(), n.operands.end());
    if (!std::holds_alternative<graph::Read>(n.op) || n.operands.size() < 2) continue;
    const auto walks = [&](graph::ValueId index) {
      if (forms.of(n.operands.back()).coefficient(index) != Size(1)) return false;
      return std::all_of(n.operands.begin() + 1, n.operands.end() - 1, [&](graph::ValueId other) {
        return forms.of(other).coefficient(index) == Size(0);
      });
    };
    votes += (walks(plan.what.term) ? 1 : 0) - (walks(side) ? 1 : 0);
  }
  return votes > 0;
}

std::optional<Emitter::ContractionPlan> Emitter::plan_contraction(bool blocks) {
  auto what = graph::contraction_of(function_, main_);
  if (!what || what->rest > largest_rest) return std::nullopt;
  ContractionPlan plan;
  plan.what = *what;
  plan.main = &node(main_);
  plan.reduce = &node(what->reduce);
  const auto& reduce = std::get<graph::Reduce>(plan.reduce->op);
  plan.in_lanes = reduce.tree == graph::Tree::Lanes;
  const std::vector<Size>& sizes =
      plan.mapped() ? std::get<graph::Map>(plan.main->op).space : reduce.space;
  const graph::Region& body = region(plan.main->regions[0]);
  plan.space = tile_space(sizes, body.params, *plan.main);
  if (mode_.width > 1) return std::nullopt;

  const graph::RegionId terms = plan.reduce->regions[0];
  const graph::RegionId regions[] = {terms};
  const graph::ValueId seeds[] = {what->column};
  const kernel::Divergence divergence(function_, regions, seeds);
  plan.width = kernel::lane_width(function_, terms, what->column, divergence, vector_bytes_);
  for (graph::ValueId result : plan.reduce->results)
    plan.width = std::min(plan.width, native_lanes(type(result).element));
  const unsigned registers = target_.isa == VectorIsa::Avx512 ? 24 : 12;
  const unsigned tiles = registers / static_cast<unsigned>(plan.reduce->results.size());
  plan.vectors = std::min(3U, tiles);
  plan.rows = plan.vectors == 0 ? 0 : std::bit_floor(tiles / plan.vectors);
  if (plan.in_lanes) plan.rows /= 2;  // two lanes at a time
  if (plan.width < 2 || plan.rows < 2) return std::nullopt;

  plan.chunk = plan.in_lanes ? lanes_chunk : ordered_chunk;
  plan.all_rows = piece_rows;
  plan.all_columns = whole_groups(piece_columns, plan.columns());
  plan.most_rows = plan.in_lanes ? lanes_piece_rows : piece_rows;
  plan.most_columns =
      plan.in_lanes ? whole_groups(lanes_piece_columns, plan.columns()) : plan.all_columns;
  plan.extent = uniform_size(reduce.extent, plan.reduce->loc);
  plan.results = result_arrays(*plan.main, param_count(), sizes.size() + (blocks ? 1 : 0));
  const auto memory = [&](ElementType element, std::int64_t count) {
    ArrayCell array;
    array.element = element;
    array.data = scratch_memory(Size(count * byte_size(element)));
    return array;
  };
  for (const bool of_rows : {true, false}) {
    for (graph::ValueId value : of_rows ? what->of_rows : what->of_columns) {
      const std::int64_t most = of_rows ? plan.all_rows : plan.all_columns;
      plan.panels.push_back({value, of_rows, along_terms(plan, value, of_rows),
                             memory(type(value).element, most * plan.chunk)});
    }
  }
  plan.apart = blocks;
  const auto constant = reduce.extent.constant();
  const bool joins = !blocks && !(constant && *constant <= block_length);
  for (graph::ValueId result : plan.reduce->results) {
    const ElementType element = type(result).element;
    plan.waiting.push_back(
        memory(element, plan.plane() * (plan.in_lanes ? graph::reduction_lanes : 1)));
    if (joins) plan.stacks.push_back(memory(element, plan.plane() * ContractionPlan::stack_levels));
  }
  return plan;
}

bool Emitter::contract(bool blocks, const Body& otherwise) {
  auto plan = plan_contraction(blocks);
  if (!plan) return false;
  const std::size_t rank = plan->space.params.size();
  const auto at_least = [&](Value low, Value high, std::int64_t least) {
    return b_.CreateICmpSGE(b_.CreateSub(high, low), i64(least));
  };
  Value fits =
      b_.CreateAnd(at_least(plan->space.low[rank - 2], plan->space.high[rank - 2], plan->rows),
                   at_least(plan->space.low[rank - 1], plan->space.high[rank - 1], plan->width));
  fits = b_.CreateAnd(fits, b_.CreateICmpSGE(plan->extent, i64(least_terms)));
  const graph::ValueId seeds[] = {plan->what.column};
  const graph::RegionId regions[] = {plan->main->regions[0]};
  const kernel::Divergence divergence(function_, regions, seeds);
  const auto packed = [&] {
    divergence_ = &divergence;
    if (blocks) {
      loop(tile_bound(false, rank), tile_bound(true, rank), 1,
           [&](Value number) { contract_points(*plan, number, b_.CreateAdd(number, i64(1))); });
    } else {
      contract_points(*plan, i64(0),
                      b_.CreateLShr(b_.CreateAdd(plan->extent, i64(block_length - 1)), i64(12)));
    }
    divergence_ = nullptr;
  };
  if_else(fits, packed, otherwise);
  return true;
}

// All points of the kernel's tile, some blocks of their terms: outer dimensions point by point.
void Emitter::contract_points(ContractionPlan& plan, Value first_block, Value end_block) {
  const std::size_t rank = plan.space.params.size();
  plan.first_block = first_block;
  plan.end_block = end_block;
  // More than one chunk, or more than one block.
  Value start = b_.CreateMul(first_block, i64(block_length));
  Value one_chunk = b_.CreateICmpSLE(
      b_.CreateSub(smin(plan.extent, b_.CreateMul(end_block, i64(block_length))), start),
      i64(plan.chunk));
  const auto piece = [&](std::int64_t all, std::int64_t most) -> Value {
    if (all == most) return i64(all);
    return b_.CreateSelect(one_chunk, i64(all), i64(most));
  };
  Value rows = piece(plan.all_rows, plan.most_rows);
  Value columns = piece(plan.all_columns, plan.most_columns);
  const auto pieces = [&](std::size_t dim, Value size, const std::function<void(Value)>& body) {
    Value from = plan.space.low[dim], to = plan.space.high[dim];
    Value count =
        b_.CreateSDiv(b_.CreateAdd(b_.CreateSub(to, from), b_.CreateSub(size, i64(1))), size);
    loop(i64(0), count, 1,
         [&](Value number) { body(b_.CreateAdd(from, b_.CreateMul(number, size))); });
  };
  const std::function<void(std::size_t)> over = [&](std::size_t d) {
    if (d + 2 < rank) {
      loop(plan.space.low[d], plan.space.high[d], 1, [&](Value i) {
        set_cell(plan.space.params[d], Cell::uniform(ElementType::I64, i));
        over(d + 1);
      });
      return;
    }
    pieces(rank - 1, columns, [&](Value column) {
      pieces(rank - 2, rows, [&](Value row) {
        poll_cancel();
        Chunk chunk{};
        chunk.row = row;
        chunk.row_end = smin(b_.CreateAdd(row, rows), plan.space.high[rank - 2]);
        chunk.column = column;
        chunk.column_end = smin(b_.CreateAdd(column, columns), plan.space.high[rank - 1]);
        contract_piece(plan, chunk);
      });
    });
  };
  over(0);
}

// Block by block, and these chunk by chunk.
void Emitter::contract_piece(const ContractionPlan& plan, Chunk chunk) {
  loop(plan.first_block, plan.end_block, 1, [&](Value block) {
    chunk.block = block;
    Value low = b_.CreateMul(block, i64(block_length));
    Value high = smin(b_.CreateAdd(low, i64(block_length)), plan.extent);
    loop(low, high, plan.chunk, [&](Value first) {
      Value end = smin(b_.CreateAdd(first, i64(plan.chunk)), high);
      chunk.term = first;
      chunk.terms = b_.CreateSub(end, first);
      chunk.is_first = b_.CreateICmpEQ(first, low);
      chunk.is_last = b_.CreateICmpEQ(end, high);
      pack(plan, chunk, false);
      pack(plan, chunk, true);
      micro_tiles(plan, chunk);
    });
  });
}

}  // namespace dvm::llvm_backend
