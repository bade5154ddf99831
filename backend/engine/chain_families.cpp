// Chains: several array operations cut into tiles together. See ir/task/program.hpp, Note [Chains].
#include <algorithm>
#include <numeric>

#include "backend/engine/extents.hpp"
#include "backend/engine/run.hpp"

namespace dvm::engine {

namespace {

using task::ArrayWork;
using task::Chain;
using task::SlotId;
using task::Stage;

constexpr std::int64_t register_rows = 16;    // register tiles end at multiples of it
constexpr double most_partials = 1 << 26;     // elements: what blocks may hand to their combination
constexpr std::int64_t tasks_per_worker = 2;  // fewer leave some idle
constexpr double largest_tile = 64;           // times the bytes that a task should hand on

bool has(const std::vector<SlotId>& slots, SlotId slot) {
  return std::find(slots.begin(), slots.end(), slot) != slots.end();
}

bool reads(const Chain& chain, SlotId slot) {
  return std::any_of(chain.stages.begin(), chain.stages.end(),
                     [&](const Stage& stage) { return has(stage.operands, slot); });
}

// Makes tiles smaller until they hold what is allowed, in units.
void shrink(std::vector<std::int64_t>& tile, double allowed, bool whole_registers) {
  for (std::size_t d = 0; d < tile.size(); ++d) {
    const double held = product(tile);
    if (held <= allowed) return;
    const double others = held / static_cast<double>(tile[d]);
    auto fit = std::max<std::int64_t>(1, static_cast<std::int64_t>(allowed / others));
    if (whole_registers && fit > register_rows) fit -= fit % register_rows;
    tile[d] = std::min(tile[d], fit);
  }
}

// A result of a stage is an output of the operation, or an array local to each task.
struct Place {
  bool local = false;
  std::size_t index = 0;
};

}  // namespace

// How a chain is cut: from sizes and the grain alone.
struct ChainCut {
  std::vector<std::int64_t> extents;      // of the shared dimensions, in iterations
  std::vector<std::int64_t> units, tile;  // the same in units, and what one task takes
  std::int64_t unit = 1;                  // iterations; more than one only for one dimension
  std::int64_t tasks = 1;

  std::int64_t span(std::size_t d) const { return std::min(tile[d] * unit, extents[d]); }
};

void Run::fire_action(Instance& instance, std::uint32_t family, const Chain& chain) {
  for (const Stage& stage : chain.stages)
    if (!sizes_fit(instance, stage.work))
      return fail_results(instance, family, "a size is negative or too large for this machine");
  if (!shape_results(instance, family)) return;
  if (const auto cut = cut_chain(instance, family, chain))
    return fire_chain(instance, family, chain, *cut);
  for (const Stage& stage : chain.stages)
    fire_work({instance, family, stage.work, stage.operands, stage.results});
}

// None: as one operation it would leave workers idle, or hold too much in a task.
std::optional<ChainCut> Run::cut_chain(Instance& instance, std::uint32_t family,
                                       const Chain& chain) const {
  ChainCut cut;
  double seconds = 0, handed_on = 0;
  bool reuses = false;
  // What goes by blocks has the chain's dimension for its extent, not for its space.
  const Stage& first = chain.stages[0];
  evaluate(instance, first.by_blocks ? std::vector<Size>{first.work.extent} : first.work.space,
           cut.extents);
  cut.extents.resize(chain.dims);
  for (const Stage& stage : chain.stages) {
    const ArrayWork& work = stage.work;
    std::vector<std::int64_t> space;
    evaluate(instance, work.space, space);
    const bool maps = work.kind == ArrayWork::Kind::Map;
    const std::int64_t extent = maps ? 1 : *evaluate(instance, work.extent);
    const std::int64_t block = work.kind == ArrayWork::Kind::Keys
                                   ? graph::key_block(*evaluate(instance, work.keys))
                                   : graph::reduction_block;
    const std::int64_t blocks = divide_up(extent, block);
    const double points = product(space);
    seconds += seconds_per_iteration({instance, family, work, stage.operands, stage.results}) *
               points * static_cast<double>(extent);
    if (stage.by_blocks) {
      if (points * static_cast<double>(blocks) > most_partials) return std::nullopt;
      cut.unit = std::lcm(cut.unit, block);
    } else if (work.reuses) {
      if (blocks > 1) return std::nullopt;  // one block of terms should serve many points
      reuses = true;
    }
    for (SlotId result : stage.results)
      if (reads(chain, result))
        handed_on += static_cast<double>(instance.slots[result.index]->bytes());
  }
  for (std::int64_t extent : cut.extents) cut.units.push_back(divide_up(extent, cut.unit));
  const double units = product(cut.units);
  if (units == 0) return std::nullopt;
  cut.tile =
      task::tile_extents(program_.grain, cut.units, seconds / units, reuses && chain.dims >= 2);
  const double bytes = handed_on / units;
  if (bytes > 0) shrink(cut.tile, program_.grain.tile_bytes / bytes, reuses);
  if (product(cut.tile) * bytes > largest_tile * program_.grain.tile_bytes) return std::nullopt;
  for (std::size_t d = 0; d < cut.tile.size(); ++d)
    cut.tasks *= divide_up(cut.units[d], cut.tile[d]);
  const std::int64_t wanted = task::wanted_tasks(program_.grain, seconds);
  if (cut.tasks < wanted && cut.tasks < tasks_per_worker * program_.grain.workers)
    return std::nullopt;
  return cut;
}

namespace {

// Strides of one tile of a local array, which stands after `offset` bytes of others.
LocalArray local_array(const Value& value, const Chain& chain, const ChainCut& cut,
                       std::size_t& offset) {
  LocalArray array;
  array.element_bytes = byte_size(value.element);
  array.offset = offset;
  array.strides.resize(value.shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = value.shape.size(); d-- > 0;) {
    array.strides[d] = stride;
    stride *= d < chain.dims ? cut.span(d) : value.shape[d];
  }
  offset += static_cast<std::size_t>(divide_up(stride * array.element_bytes, 64) * 64);
  return array;
}

// The dimensions in which the kernel of a stage is called.
std::vector<OpStage::Dim> stage_dims(const Stage& stage, const std::vector<std::int64_t>& space,
                                     std::int64_t block, const Chain& chain, bool whole) {
  std::vector<OpStage::Dim> dims;
  if (stage.work.kind != ArrayWork::Kind::Keys)
    for (std::size_t d = 0; d < space.size(); ++d)
      dims.push_back(!stage.by_blocks && d < chain.dims
                         ? OpStage::Dim{static_cast<int>(d), 1, space[d]}
                         : OpStage::Dim{-1, 1, space[d]});
  if (stage.by_blocks && !whole) dims.push_back({0, block, 0});
  return dims;
}

}  // namespace

void Run::fire_chain(Instance& instance, std::uint32_t family, const Chain& chain,
                     const ChainCut& cut) {
  OpPlan plan;
  plan.instance = instance.path;
  plan.family = family;
  for (std::size_t d = 0; d < cut.extents.size(); ++d) {
    plan.iterations.push_back({static_cast<int>(d), cut.extents[d]});
    plan.grid.push_back({cut.units[d], cut.tile[d], cut.unit, cut.extents[d]});
  }
  std::vector<Combination> combinations;
  std::unordered_map<std::uint32_t, Place> made;  // by slot
  std::vector<std::vector<Place>> places;         // by stage, of what its kernel writes
  for (const Stage& stage : chain.stages) {
    const WorkSite at{instance, family, stage.work, stage.operands, stage.results};
    const bool keyed = stage.work.kind == ArrayWork::Kind::Keys;
    const bool whole = stage.by_blocks && cut.tasks == 1 && !keyed;
    OpStage& own = plan.stages.emplace_back();
    const task::KernelId kernel = stage.work.kernels[stage.by_blocks && !whole && !keyed ? 1 : 0];
    own.kernel = &program_.kernels[kernel];
    own.function = loaded_.functions[kernel.index];
    // Where the operands stand is known when all inputs and outputs are: below.
    for (std::size_t k = 0; k < stage.operands.size(); ++k) {
      if (made.contains(stage.operands[k].index)) continue;
      task::Access access = stage.work.accesses[k];
      if (stage.by_blocks && access.dim == stage.work.space.size())
        access.dim = 0;
      else if (stage.by_blocks || access.dim >= chain.dims)
        access = {};
      plan.inputs.push_back({instance.slots[stage.operands[k].index], access});
    }
    std::vector<Place>& own_places = places.emplace_back();
    std::int64_t block = 1;
    if (stage.by_blocks && !whole) {
      const Combination& second = combinations.emplace_back(combination(at));
      block = second.block;
      for (Value* value : second.partials) {
        own_places.push_back({false, plan.outputs.size()});
        plan.outputs.push_back({value, Layout::Opaque});
      }
    } else {
      for (SlotId slot : stage.results) {
        Value* value = instance.slots[slot.index];
        const Place place{!has(chain.kept, slot),
                          has(chain.kept, slot) ? plan.outputs.size() : plan.locals.size()};
        if (place.local) {
          plan.locals.push_back(local_array(*value, chain, cut, plan.local_bytes));
          plan.passing.push_back(value);
        } else {
          plan.outputs.push_back({value, stage.by_blocks ? Layout::Opaque : Layout::Leading});
        }
        own_places.push_back(place);
        made[slot.index] = place;
      }
    }
    std::vector<std::int64_t> space;
    evaluate(instance, stage.work.space, space);
    own.dims = stage_dims(stage, space, block, chain, whole);
  }
  const auto view = [&](const Place& place) {
    return plan.inputs.size() + (place.local ? plan.outputs.size() : 0) + place.index;
  };
  std::size_t input = 0;
  for (std::size_t s = 0; s < chain.stages.size(); ++s) {
    OpStage& own = plan.stages[s];
    for (SlotId operand : chain.stages[s].operands) {
      const auto known = made.find(operand.index);
      own.views.push_back(known == made.end() ? input++ : view(known->second));
    }
    for (const Place& place : places[s]) own.views.push_back(view(place));
  }
  if (!stopped()) {
    make_op(std::move(plan));
    for (Combination& second : combinations) make_op(std::move(second.plan));
  }
  for (Combination& second : combinations) release_all(second.partials);
}

// The stages one after another, on one tile. What the first that fails says is what the tile says.
void Run::compute_chain(const Op& op, const std::int64_t* low, const std::int64_t* high,
                        std::byte* space, kernel::ErrorRecord& error, const std::int32_t* cancel) {
  std::int64_t from[kernel::max_rank] = {}, to[kernel::max_rank] = {};  // iterations
  for (std::size_t d = 0; d < op.grid.size(); ++d) {
    from[d] = low[d] * op.grid[d].unit;
    to[d] = std::min(high[d] * op.grid[d].unit, op.grid[d].limit);
  }
  std::vector<kernel::View>& views = worker().views;
  for (const OpStage& stage : op.stages) {
    views.clear();
    for (std::size_t at : stage.views) {
      if (at < op.views.size()) {
        views.push_back(op.views[at]);
        continue;
      }
      const LocalArray& array = op.locals[at - op.views.size()];
      kernel::View& view = views.emplace_back();
      std::int64_t before = 0;  // elements of the whole array that are not there
      for (std::size_t d = 0; d < array.strides.size(); ++d) {
        view.strides[d] = array.strides[d];
        if (d < op.grid.size()) before += from[d] * array.strides[d];
      }
      const auto start = reinterpret_cast<std::uintptr_t>(space + array.offset);
      view.data = reinterpret_cast<void*>(
          start - static_cast<std::uintptr_t>(before * array.element_bytes));
    }
    std::int64_t stage_low[kernel::max_rank] = {}, stage_high[kernel::max_rank] = {};
    for (std::size_t d = 0; d < stage.dims.size(); ++d) {
      const OpStage::Dim& dim = stage.dims[d];
      stage_low[d] = dim.grid < 0 ? 0 : from[dim.grid] / dim.unit;
      stage_high[d] = dim.grid < 0 ? dim.extent : divide_up(to[dim.grid], dim.unit);
    }
    const kernel::KernelCall call{views.data(),           stage_low, stage_high,
                                  space + op.local_bytes, &error,    cancel};
    stage.function(&call);
    if (error.check >= 0 || *cancel != 0) return;
  }
}

}  // namespace dvm::engine
