// Families that sort: one task where the keys are few, else the phases of sort.hpp.
#include "backend/engine/run.hpp"
#include "backend/engine/sort.hpp"

namespace dvm::engine {

// What the operations of one sort share. Their inputs begin with the keys, then comes the order.
struct SortJob {
  std::vector<bool> descending;
  bool ordered = false;  // there is an order
  bool values = false;
  SortShape shape;

  std::size_t inputs() const { return descending.size() + (ordered ? 1 : 0); }
};

namespace {

using SharedJob = std::shared_ptr<const SortJob>;

// The task of a call: what it points to lies in the call's operation.
struct TaskOf {
  std::vector<SortKey> keys;
  SortTask task;

  TaskOf(const Builtin::Call& call, const SortJob& job) {
    for (std::size_t k = 0; k < job.descending.size(); ++k)
      keys.push_back({call.op.inputs[k]->element, call.op.data(k), job.descending[k]});
    task.keys = keys;
    task.count = job.shape.count;
    task.values = job.values;
    task.cancel = call.cancel;
    task.scratch = call.scratch;
    if (job.ordered) task.order = reinterpret_cast<const std::int64_t*>(call.op.data(keys.size()));
  }
  TaskOf(const TaskOf&) = delete;
  TaskOf& operator=(const TaskOf&) = delete;
};

template <class T>
T* operand(const Builtin::Call& call, std::size_t at) {
  return reinterpret_cast<T*>(call.op.data(at));
}

class SortWhole : public Builtin {
 public:
  explicit SortWhole(SharedJob job) : job_(std::move(job)) {}
  std::string_view name() const override { return "sort"; }
  void run(const Call& call) const override {
    sort_whole(TaskOf(call, *job_).task, call.op.data(job_->inputs()));
  }

 private:
  SharedJob job_;
};

class SortOrders : public Builtin {
 public:
  explicit SortOrders(SharedJob job) : job_(std::move(job)) {}
  std::string_view name() const override { return "sort_orders"; }
  void run(const Call& call) const override {
    const TaskOf of(call, *job_);
    auto* orders = operand<std::int64_t>(call, job_->inputs());
    for (std::int64_t part = call.low; part < call.high; ++part)
      orders[part] =
          order_of_part(of.task, job_->shape.part_begin(part), job_->shape.part_begin(part + 1));
  }

 private:
  SharedJob job_;
};

// Inputs: also the orders, unless there is an order.
class SortSplitters : public Builtin {
 public:
  explicit SortSplitters(SharedJob job) : job_(std::move(job)) {}
  std::string_view name() const override { return "sort_splitters"; }
  void run(const Call& call) const override {
    std::span<const std::int64_t> orders;
    std::size_t next = job_->inputs();
    if (!job_->ordered)
      orders = {operand<const std::int64_t>(call, next++),
                static_cast<std::size_t>(job_->shape.parts)};
    find_splitters(TaskOf(call, *job_).task, job_->shape, orders,
                   operand<std::uint64_t>(call, next));
  }

 private:
  SharedJob job_;
};

// Inputs: also the plan. Results: begins, words, and places where there are such.
class SortSpread : public Builtin {
 public:
  explicit SortSpread(SharedJob job) : job_(std::move(job)) {}
  std::string_view name() const override { return "sort_spread"; }
  void run(const Call& call) const override {
    const std::size_t next = job_->inputs();
    const TaskOf of(call, *job_);
    for (std::int64_t block = call.low; block < call.high; ++block)
      spread_block(of.task, job_->shape, operand<const std::uint64_t>(call, next), block,
                   call.op.data(next + 2),
                   job_->values ? nullptr : operand<std::uint16_t>(call, next + 3),
                   operand<std::uint32_t>(call, next + 1));
  }

 private:
  SharedJob job_;
};

// Inputs: plan, begins.
class SortPlaces : public Builtin {
 public:
  explicit SortPlaces(SharedJob job) : job_(std::move(job)) {}
  std::string_view name() const override { return "sort_places"; }
  void run(const Call& call) const override {
    bucket_places(job_->shape, operand<const std::uint64_t>(call, 0),
                  operand<const std::uint32_t>(call, 1), operand<std::int64_t>(call, 2));
  }

 private:
  SharedJob job_;
};

// Inputs: also plan, begins, where buckets begin, words, places where there are such.
class SortBuckets : public Builtin {
 public:
  explicit SortBuckets(SharedJob job) : job_(std::move(job)) {}
  std::string_view name() const override { return "sort_buckets"; }
  void run(const Call& call) const override {
    const std::size_t next = job_->inputs();
    const SpreadWords spread{operand<const std::uint64_t>(call, next), call.op.data(next + 3),
                             job_->values ? nullptr : operand<const std::uint16_t>(call, next + 4),
                             operand<const std::uint32_t>(call, next + 1),
                             operand<const std::int64_t>(call, next + 2)};
    const TaskOf of(call, *job_);
    std::byte* result = call.op.data(next + (job_->values ? 4 : 5));
    for (std::int64_t bucket = call.low; bucket < call.high; ++bucket)
      finish_bucket(of.task, job_->shape, spread, bucket, result);
  }

 private:
  SharedJob job_;
};

std::vector<SortKey> kinds_of(const std::vector<Value*>& keys) {
  std::vector<SortKey> kinds;
  for (const Value* key : keys) kinds.push_back({key->element, nullptr, false});
  return kinds;
}

}  // namespace

// More keys than fit a word are sorted by in groups, the last ones first.
void Run::fire_action(Instance& instance, std::uint32_t family, const task::SortKeys& action) {
  if (!shape_results(instance, family)) return;
  const task::Family& what = instance.facts->shape->families[family];
  Value* result = instance.slots[what.results[0].index];
  const std::vector<Value*> keys = operands(instance, what);
  for (const Value* key : keys)
    if (key->shape != result->shape)
      return fail_results(instance, family, "sort keys differ in length");
  const std::vector<SortKey> kinds = kinds_of(keys);
  Value* order = nullptr;
  for (std::size_t end = keys.size(); end > 0 && !stopped();) {
    const std::size_t begin = group_begin(kinds, end);
    const auto at = static_cast<std::ptrdiff_t>(begin), to = static_cast<std::ptrdiff_t>(end);
    Value* next = begin == 0 ? retain(result) : partial(*result, result->shape);
    SortJob job{{action.descending.begin() + at, action.descending.begin() + to},
                order != nullptr,
                action.values,
                SortShape(result->shape[0])};
    if (!stopped())
      fire_sort(instance, family, {keys.begin() + at, keys.begin() + to}, order, next, job);
    if (order) release(order);
    order = next;
    end = begin;
  }
  if (order) release(order);
}

void Run::fire_sort(Instance& instance, std::uint32_t family, const std::vector<Value*>& keys,
                    Value* order, Value* result, const SortJob& what) {
  const auto job = std::make_shared<const SortJob>(what);
  const SortShape& shape = job->shape;
  const auto plan_for = [&](std::unique_ptr<Builtin> builtin, bool reads_keys, std::int64_t tasks) {
    OpPlan plan;
    plan.instance = instance.path;
    plan.family = family;
    plan.builtin = std::move(builtin);
    if (tasks > 0) plan.grid.push_back({tasks, 1, 1, tasks});
    if (reads_keys) {
      for (Value* key : keys) plan.inputs.push_back({key, {}});
      if (order) plan.inputs.push_back({order, {}});
    }
    return plan;
  };
  if (!SortShape::worthwhile(shape.count)) {
    OpPlan plan = plan_for(std::make_unique<SortWhole>(job), true, 0);
    plan.outputs.push_back({result, Layout::Leading});
    return make_op(std::move(plan));
  }
  std::vector<Value*> partials;
  const auto add = [&](ElementType element, std::vector<std::int64_t> extents) {
    Value like;
    like.element = element;
    partials.push_back(partial(like, std::move(extents)));
    return partials.back();
  };
  const bool narrow = key_bits(kinds_of(keys)) <= 32;
  Value* todo = add(ElementType::U64, {shape.buckets});
  Value* begins = add(ElementType::U32, {shape.blocks, shape.buckets + 1});
  Value* bucket_begins = add(ElementType::I64, {shape.buckets + 1});
  Value* words = add(narrow ? ElementType::U32 : ElementType::U64, {shape.count});
  std::vector<Value*> spread_words{words};
  if (!job->values) spread_words.push_back(add(ElementType::U16, {shape.count}));
  OpPlan splitters = plan_for(std::make_unique<SortSplitters>(job), true, 0);
  if (!order) {
    OpPlan orders = plan_for(std::make_unique<SortOrders>(job), true, shape.parts);
    Value* parts = add(ElementType::I64, {shape.parts});
    orders.outputs.push_back({parts, Layout::Leading});
    splitters.inputs.push_back({parts, {}});
    if (!stopped()) make_op(std::move(orders));
  }
  splitters.outputs.push_back({todo, Layout::Leading});
  OpPlan spread = plan_for(std::make_unique<SortSpread>(job), true, 0);
  spread.grid.push_back({shape.blocks, 1, shape.block, shape.count});
  spread.inputs.push_back({todo, {}});
  spread.outputs.push_back({begins, Layout::Leading});
  OpPlan places = plan_for(std::make_unique<SortPlaces>(job), false, 0);
  for (Value* value : {todo, begins}) places.inputs.push_back({value, {}});
  places.outputs.push_back({bucket_begins, Layout::Leading});
  OpPlan buckets = plan_for(std::make_unique<SortBuckets>(job), true, shape.buckets);
  for (Value* value : {todo, begins, bucket_begins}) buckets.inputs.push_back({value, {}});
  for (Value* value : spread_words) {
    spread.outputs.push_back({value, Layout::Leading});
    buckets.inputs.push_back({value, {}});
  }
  buckets.outputs.push_back({result, Layout::Opaque});
  if (!stopped())
    for (OpPlan* plan : {&splitters, &spread, &places, &buckets}) make_op(std::move(*plan));
  release_all(partials);
}

}  // namespace dvm::engine
