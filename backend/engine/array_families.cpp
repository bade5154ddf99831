// Array operations done by compiled kernels: which phases, which tiles. All choices follow from
// shapes and the program's grain, so they are the same for every run.
#include <algorithm>
#include <cstring>

#include "backend/engine/extents.hpp"
#include "backend/engine/run.hpp"

namespace dvm::engine {

namespace {

using task::ArrayWork;

// Tile dimensions for a space, and its iterations.
void add_space(OpPlan& plan, const std::vector<std::int64_t>& space,
               const std::vector<std::int64_t>& tiles) {
  for (std::size_t d = 0; d < space.size(); ++d) {
    plan.iterations.push_back({static_cast<int>(plan.grid.size()), space[d]});
    plan.grid.push_back({space[d], tiles[d], 1, space[d]});
  }
}
void add_inside(OpPlan& plan, std::int64_t extent) { plan.iterations.push_back({-1, extent}); }

}  // namespace

void add_blocks(OpPlan& plan, std::int64_t extent, std::int64_t unit, std::int64_t tile) {
  plan.iterations.push_back({static_cast<int>(plan.grid.size()), extent});
  plan.grid.push_back({divide_up(extent, unit), tile, unit, extent});
}

OpPlan Run::plan_of(const WorkSite& at, task::KernelId kernel) const {
  OpPlan plan;
  plan.kernel = &program_.kernels[kernel];
  plan.function = loaded_.functions[kernel.index];
  plan.instance = at.instance.path;
  plan.family = at.family;
  return plan;
}

// `all_whole`: for later phases, which read neutral values and what operators capture.
void Run::add_inputs(OpPlan& plan, const WorkSite& at, bool all_whole) const {
  for (std::size_t k = 0; k < at.operands.size(); ++k)
    plan.inputs.push_back({at.instance.slots[at.operands[k].index],
                           all_whole ? task::Access{} : at.work.accesses[k]});
}

// An array between two phases.
Value* Run::partial(const Value& like, std::vector<std::int64_t> shape) {
  Value* value = new_value(like.element, false);
  if (!shape_value(value, std::move(shape)))
    abort("not enough memory for what an operation keeps between its phases");
  return value;
}

// What is read only in a branch may have failed: then points are evaluated one by one.
bool Run::takes_care(Instance& instance, std::uint32_t family, const ArrayWork& work) {
  if (!work.careful) return false;
  const std::vector<Value*> values = operands(instance, instance.facts->shape->families[family]);
  bool lost = false;
  for (std::size_t k = 0; k < values.size(); ++k)
    lost = lost || (work.accesses[k].perhaps && values[k]->failure);
  if (lost)
    instantiate(facts_.templates[work.careful->index], instance.path, family, 0, instance.depth,
                values, results(instance, family));
  return lost;
}

bool Run::sizes_fit(const Instance& instance, const ArrayWork& work) const {
  std::vector<std::int64_t> sizes;
  const auto extent = evaluate(instance, work.extent);
  const auto keys = evaluate(instance, work.keys);
  return evaluate(instance, work.space, sizes) && extent && *extent >= 0 && keys && *keys >= 0;
}

void Run::fire_action(Instance& instance, std::uint32_t family, const ArrayWork& work) {
  if (takes_care(instance, family, work)) return;
  if (!sizes_fit(instance, work))
    return fail_results(instance, family, "a size is negative or too large for this machine");
  const task::Family& what = instance.facts->shape->families[family];
  const WorkSite at{instance, family, work, what.operands, what.results};
  if (work.kind == ArrayWork::Kind::Filter) return fire_filter(at);
  if (shape_results(instance, family)) fire_work(at);
}

// Its results have their shapes.
void Run::fire_work(const WorkSite& at) {
  switch (at.work.kind) {
    case ArrayWork::Kind::Map:
      return fire_map(at);
    case ArrayWork::Kind::Reduce:
      return fire_reduce(at);
    case ArrayWork::Kind::Scan:
      return fire_scan(at);
    case ArrayWork::Kind::Keys:
      return fire_keys(at);
    default:
      return fire_scatter(at);
  }
}

double Run::seconds_per_iteration(const WorkSite& at) const {
  const Instance& instance = at.instance;
  double bytes = 0;
  for (const std::vector<task::SlotId>* slots : {&at.operands, &at.results})
    for (task::SlotId slot : *slots) {
      const Value& value = *instance.slots[slot.index];
      if (value.storage) bytes += static_cast<double>(value.bytes());
    }
  const bool cached = bytes <= program_.grain.cache_bytes;
  double nanoseconds = 0;
  for (const task::CostTerm& term : at.work.cost) {
    const auto times = evaluate(instance, term.times);
    if (times && *times > 0)
      nanoseconds +=
          (cached ? term.cached_nanoseconds : term.nanoseconds) * static_cast<double>(*times);
  }
  return nanoseconds * 1e-9;
}

std::vector<Value*> Run::results(const Instance& instance, std::uint32_t family) const {
  return values_of(instance, instance.facts->shape->families[family].results);
}

void Run::fire_map(const WorkSite& at) {
  std::vector<std::int64_t> space;
  evaluate(at.instance, at.work.space, space);
  OpPlan plan = plan_of(at, at.work.kernels[0]);
  add_inputs(plan, at, false);
  for (Value* result : values_of(at.instance, at.results))
    plan.outputs.push_back({result, Layout::Leading});
  const double cost = seconds_per_iteration(at);
  add_space(plan, space, task::tile_extents(program_.grain, space, cost, at.work.reuses));
  make_op(std::move(plan));
}

// Of a reduction or a sum by keys: an array over the blocks for each result (and which keys a block
// has seen), and the operation that makes the results of them.
Combination Run::combination(const WorkSite& at) {
  std::vector<std::int64_t> space;
  evaluate(at.instance, at.work.space, space);
  const std::int64_t extent = *evaluate(at.instance, at.work.extent);
  const bool keyed = at.work.kind == ArrayWork::Kind::Keys;
  const std::int64_t keys = keyed ? *evaluate(at.instance, at.work.keys) : 0;
  Combination result;
  result.block = keyed ? graph::key_block(keys) : graph::reduction_block;
  result.blocks = divide_up(extent, result.block);
  result.plan = plan_of(at, at.work.kernels.back());
  add_inputs(result.plan, at, true);
  const auto add = [&](const Value& like, std::vector<std::int64_t> shape) {
    shape.insert(shape.begin(), result.blocks);
    result.partials.push_back(partial(like, std::move(shape)));
    result.plan.inputs.push_back({result.partials.back(), {}});
  };
  for (Value* value : values_of(at.instance, at.results)) {
    add(*value, value->shape);
    result.plan.outputs.push_back({value, Layout::Leading});
  }
  double cost = static_cast<double>(result.blocks) * 1e-9;
  if (keyed) {
    Value seen;
    seen.element = ElementType::Bool;
    add(seen, {keys});
    cost *= product(space);
    space = {keys};
  }
  add_space(result.plan, space, task::tile_extents(program_.grain, space, cost, false));
  if (!keyed) add_inside(result.plan, extent);
  return result;
}

// One task can do all blocks of its points; where points are few and long, tasks share the blocks.
void Run::fire_reduce(const WorkSite& at) {
  std::vector<std::int64_t> space;
  evaluate(at.instance, at.work.space, space);
  const std::int64_t extent = *evaluate(at.instance, at.work.extent);
  const std::int64_t blocks = divide_up(extent, graph::reduction_block);
  const double cost = seconds_per_iteration(at);
  const double points = product(space);
  const std::int64_t wanted =
      task::wanted_tasks(program_.grain, points * static_cast<double>(extent) * cost);
  // Where operands are reused, a block of terms that stays in the cache serves many points.
  constexpr double most_partials = 1 << 26;
  const bool by_block = at.work.reuses && points * static_cast<double>(blocks) <= most_partials;
  if (blocks <= 1 || wanted == 1 || (points >= static_cast<double>(wanted) && !by_block)) {
    OpPlan plan = plan_of(at, at.work.kernels[0]);
    add_inputs(plan, at, false);
    for (Value* result : values_of(at.instance, at.results))
      plan.outputs.push_back({result, Layout::Leading});
    add_space(plan, space,
              task::tile_extents(program_.grain, space, cost * static_cast<double>(extent),
                                 at.work.reuses));
    add_inside(plan, extent);
    return make_op(std::move(plan));
  }
  OpPlan first = plan_of(at, at.work.kernels[1]);
  add_inputs(first, at, false);
  Combination second = combination(at);
  for (Value* value : second.partials)
    first.outputs.push_back({value, space.empty() ? Layout::Leading : Layout::BlocksFirst});
  // Blocks are shared out first: a row of the space lies together in memory, its columns do not.
  constexpr double one_row = 64;
  std::vector<std::int64_t> tiles = space, block_tile{1};
  if (by_block) {
    tiles = task::tile_extents(program_.grain, space, cost * graph::reduction_block, true, blocks);
  } else if (points <= one_row || blocks >= wanted) {
    const std::vector<std::int64_t> dims{blocks};
    block_tile =
        task::tile_extents(program_.grain, dims, points * cost * graph::reduction_block, false);
  } else {
    tiles = task::tile_extents(program_.grain, space,
                               cost * graph::reduction_block * static_cast<double>(blocks), false);
  }
  for (std::int64_t& tile : tiles) tile = std::max<std::int64_t>(tile, 1);
  add_space(first, space, tiles);
  add_blocks(first, extent, graph::reduction_block, block_tile[0]);
  if (!stopped()) {
    make_op(std::move(first));
    make_op(std::move(second.plan));
  }
  release_all(second.partials);
}

void Run::fire_scan(const WorkSite& at) {
  std::vector<std::int64_t> space;
  evaluate(at.instance, at.work.space, space);
  const std::int64_t extent = *evaluate(at.instance, at.work.extent);
  const std::int64_t blocks = divide_up(extent, graph::reduction_block);
  const double cost = seconds_per_iteration(at);
  const double points = product(space);
  const std::int64_t wanted =
      task::wanted_tasks(program_.grain, points * static_cast<double>(extent) * cost);
  if (blocks <= 1 || wanted == 1 || points >= static_cast<double>(wanted)) {
    OpPlan plan = plan_of(at, at.work.kernels[0]);
    add_inputs(plan, at, false);
    for (Value* result : values_of(at.instance, at.results))
      plan.outputs.push_back({result, Layout::Leading});
    add_space(plan, space,
              task::tile_extents(program_.grain, space, cost * static_cast<double>(extent), false));
    add_inside(plan, extent);
    return make_op(std::move(plan));
  }
  OpPlan totals = plan_of(at, at.work.kernels[1]);
  OpPlan offsets = plan_of(at, at.work.kernels[2]);
  OpPlan apply = plan_of(at, at.work.kernels[3]);
  add_inputs(totals, at, false);
  add_inputs(offsets, at, true);
  add_inputs(apply, at, false);
  std::vector<Value*> partials;
  for (Value* result : values_of(at.instance, at.results)) {
    std::vector<std::int64_t> shape = result->shape;
    shape[space.size()] = blocks;
    Value* total = partial(*result, shape);
    Value* offset = partial(*result, shape);
    totals.outputs.push_back({total, Layout::Leading});
    offsets.inputs.push_back({total, {}});
    offsets.outputs.push_back({offset, Layout::Leading});
    apply.inputs.push_back({offset, {}});
    apply.outputs.push_back({result, Layout::Leading});
    partials.push_back(total);
    partials.push_back(offset);
  }
  std::vector<std::int64_t> dims = space;
  dims.push_back(blocks);
  const auto tiles = task::tile_extents(program_.grain, dims, cost * graph::reduction_block, false);
  for (OpPlan* plan : {&totals, &apply}) {
    add_space(*plan, space, tiles);
    add_blocks(*plan, extent, graph::reduction_block, tiles.back());
  }
  const double combine = static_cast<double>(blocks) * 1e-9;
  add_space(offsets, space, task::tile_extents(program_.grain, space, combine, false));
  add_inside(offsets, extent);
  if (!stopped()) {
    make_op(std::move(totals));
    make_op(std::move(offsets));
    make_op(std::move(apply));
  }
  release_all(partials);
}

void Run::fire_keys(const WorkSite& at) {
  std::vector<std::int64_t> space;
  evaluate(at.instance, at.work.space, space);
  const std::int64_t extent = *evaluate(at.instance, at.work.extent);
  OpPlan first = plan_of(at, at.work.kernels[0]);
  add_inputs(first, at, false);
  Combination second = combination(at);
  for (Value* value : second.partials) first.outputs.push_back({value, Layout::Leading});
  const double cost =
      seconds_per_iteration(at) * static_cast<double>(second.block) * product(space);
  const std::vector<std::int64_t> dims{second.blocks};
  for (std::size_t d = 0; d < space.size(); ++d) add_inside(first, space[d]);
  add_blocks(first, extent, second.block, task::tile_extents(program_.grain, dims, cost, false)[0]);
  if (!stopped()) {
    make_op(std::move(first));
    make_op(std::move(second.plan));
  }
  release_all(second.partials);
}

// Each task walks over all points and takes those of its rows. That pays where the points cost
// little and the destinations are so large that most writes miss the caches.
void Run::fire_scatter(const WorkSite& at) {
  constexpr std::size_t rows_bytes = std::size_t{8} << 20;
  constexpr double cheap = 20e-9;
  OpPlan plan = plan_of(at, at.work.kernels[0]);
  add_inputs(plan, at, true);
  std::size_t bytes = 0;
  std::int64_t rows = 0;
  for (Value* result : values_of(at.instance, at.results)) {
    plan.outputs.push_back({result, Layout::Leading});
    bytes += result->bytes();
    rows = result->shape[0];
  }
  const std::int64_t extent = *evaluate(at.instance, at.work.extent);
  std::int64_t tasks = 1;
  if (static_cast<std::size_t>(extent) >= bytes / 64 && seconds_per_iteration(at) <= cheap)
    tasks = std::clamp<std::int64_t>(static_cast<std::int64_t>(bytes / rows_bytes), 1,
                                     std::int64_t{program_.grain.workers});
  const std::vector<std::int64_t> tiles{std::max<std::int64_t>(divide_up(rows, tasks), 1)};
  if (rows > 0) add_space(plan, {rows}, tiles);  // else one task looks at the points
  make_op(std::move(plan));
}

}  // namespace dvm::engine
