// Filters: counting, then writing.
#include "backend/engine/extents.hpp"
#include "backend/engine/run.hpp"

namespace dvm::engine {

using task::ArrayWork;

// Note [Filter]. Chunks of 4096 points count what they keep; when all have, the sum of the counts
// is the result's size, the sums before each chunk are where it writes, and the second step is
// expanded.
void Run::fire_filter(const WorkSite& at) {
  const task::Family& what = at.instance.facts->shape->families[at.family];
  const std::int64_t extent = *evaluate(at.instance, at.work.extent);
  const std::int64_t chunks = divide_up(extent, graph::reduction_block);
  FilterStage* stage = enlist(new FilterStage);
  stage->family = &what;
  stage->instance = retain(at.instance.path);
  stage->index = at.family;
  stage->extent = extent;
  stage->cost = seconds_per_iteration(at);
  for (Value* value : values_of(at.instance, at.operands)) stage->operands.push_back(retain(value));
  for (Value* value : values_of(at.instance, at.results)) stage->results.push_back(retain(value));
  Value like;
  like.element = ElementType::I64;
  stage->counts = partial(like, {chunks});
  await_complete(stage->counts, Event::Counts, stage);
  OpPlan plan = plan_of(at, at.work.kernels[0]);
  add_inputs(plan, at, false);
  plan.outputs.push_back({stage->counts, Layout::Leading});
  const std::vector<std::int64_t> dims{chunks};
  add_blocks(
      plan, extent, graph::reduction_block,
      task::tile_extents(program_.grain, dims, stage->cost * graph::reduction_block, false)[0]);
  make_op(std::move(plan));
}

void Run::write_filtered(FilterStage& stage) {
  const auto& work = std::get<ArrayWork>(stage.family->action);
  const FailureRecord* failure = stage.counts->failure;
  Value* offsets = nullptr;
  std::int64_t kept = 0;
  if (!failure) {
    offsets = partial(*stage.counts, stage.counts->shape);
    if (!ensure(*offsets) || !ensure(*stage.counts)) return;
    const auto* counts = reinterpret_cast<const std::int64_t*>(stage.counts->data());
    auto* before = reinterpret_cast<std::int64_t*>(offsets->data());
    for (std::int64_t k = 0; k < stage.counts->shape[0]; ++k) {
      before[k] = kept;
      kept += counts[k];
    }
    complete(offsets, nullptr);
  }
  OpPlan plan;
  for (std::size_t k = 0; k < stage.results.size(); ++k) {
    Value* result = stage.results[k];
    if (failure || (k > 0 && !shape_value(result, {kept}))) {
      complete(result, failure);
    } else if (k == 0) {
      complete_scalar(result, Scalar::of_i64(kept));
    } else {
      plan.outputs.push_back({result, Layout::Opaque});
    }
  }
  if (!plan.outputs.empty()) {
    plan.kernel = &program_.kernels[work.kernels[1]];
    plan.function = loaded_.functions[work.kernels[1].index];
    plan.instance = stage.instance;
    plan.family = stage.index;
    for (std::size_t k = 0; k < stage.operands.size(); ++k)
      plan.inputs.push_back({stage.operands[k], work.accesses[k]});
    plan.inputs.push_back({offsets, {}});
    const std::vector<std::int64_t> dims{stage.counts->shape[0]};
    add_blocks(
        plan, stage.extent, graph::reduction_block,
        task::tile_extents(program_.grain, dims, stage.cost * graph::reduction_block, false)[0]);
    make_op(std::move(plan));
  }
  if (offsets) release(offsets);
  release(stage.counts);
  release_all(stage.operands);
  release_all(stage.results);
  release(stage.instance);
  delete &stage;
}

}  // namespace dvm::engine
