// One run of a program: the expander, which turns families into tasks as sizes and conditions
// become known, and the execution of the tasks. Internal to the engine.
#pragma once

#include <tbb/task_group.h>

#include <array>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/engine/engine.hpp"
#include "backend/engine/program_facts.hpp"
#include "backend/engine/state.hpp"

namespace dvm::engine {

// An instance of a template: its slots, and what its families still wait for.
struct Instance : Link {
  const TemplateFacts* facts = nullptr;
  Path* path = nullptr;
  // Of the call it belongs to: `path` itself, or an ancestor of it where it is the side of a
  // branch.
  Path* frame = nullptr;
  bool tail = false;                   // what it yields is what that call gives
  std::int64_t depth = 0;              // of calls, tail calls left out
  std::uint32_t left = 0;              // families that have not fired
  std::vector<Value*> slots;           // null once nobody needs them here
  std::vector<std::uint32_t> uses;     // by slot: families still to fire that touch it
  std::vector<std::uint32_t> pending;  // by family: conditions that do not hold yet
};

// A running loop or while. Iterations are instantiated ahead of their completion, a few at a time.
struct Control : Link {
  const task::Family* family = nullptr;
  const TemplateFacts* condition = nullptr;  // while only
  const TemplateFacts* body = nullptr;
  Path* instance = nullptr;
  std::uint32_t index = 0;  // of the family
  std::int64_t depth = 0;
  std::int64_t count = 0;  // loop only
  std::int64_t step = 0;
  std::uint32_t pending = 0;
  bool ends = false;
  Value* holds = nullptr;  // while: the condition of this step
  std::vector<Value*> states, captures, results;
  std::vector<std::vector<Value*>> window;  // states of the latest iterations, oldest first
  // By result the states behind it, where there are others than itself; and by state the earliest
  // failure of a step. `leaving`: states of a step that are awaited, for their failures.
  const std::vector<std::vector<bool>>* behind = nullptr;
  std::vector<const FailureRecord*> lost;
  std::vector<Value*> leaving;
  std::vector<struct Stack*> stacks;
};

// A running `each`: the points of an operation whose body is a template.
struct EachRun : Link {
  const task::Family* family = nullptr;
  const TemplateFacts* body = nullptr;
  Path* instance = nullptr;
  std::uint32_t index = 0;  // of the family
  std::int64_t depth = 0;
  std::vector<std::int64_t> space;
  std::int64_t count = 0, step = 0;     // points, and the next to start
  std::size_t open = 0, most_open = 1;  // rows that are being made
  std::uint32_t pending = 0;            // captures to wait for when there is no point
  std::vector<Value*> captures;
  std::vector<struct Stack*> stacks;
};

// Per-step values being gathered in the rows of one array.
struct Stack : Link {
  Value* array = nullptr;
  std::int64_t left = 0;
  std::vector<std::int64_t> row_shape;
  std::size_t row_bytes = 0;
  int refs = 1;
  const FailureRecord* failure = nullptr;
};
struct StackPart : Link {
  Stack* stack = nullptr;
  Value* row = nullptr;  // a scalar to be stored, or the end of a copying task
  std::int64_t index = 0;
  Path* instance = nullptr;
  std::uint32_t family = 0;
  EachRun* each = nullptr;  // whose next point may start when the row is there
};

// A filter between counting and writing.
struct FilterStage : Link {
  const task::Family* family = nullptr;
  Path* instance = nullptr;
  std::uint32_t index = 0;
  std::int64_t extent = 0;
  double cost = 0;
  Value* counts = nullptr;
  std::vector<Value*> operands, results;
};

// An array operation about to fire: a family's, or a stage's of a chain.
struct WorkSite {
  Instance& instance;
  std::uint32_t family;
  const task::ArrayWork& work;
  const std::vector<task::SlotId>& operands;
  const std::vector<task::SlotId>& results;
};

struct Input {
  Value* value;
  task::Access access;
};
struct Output {
  Value* value;
  Layout layout;
};
struct IterationDim {
  int grid = -1;  // tile dimension, or -1: every task covers all of it
  std::int64_t extent = 0;
};
// What `make_op` turns into tasks.
struct OpPlan {
  const task::Kernel* kernel = nullptr;
  kernel::KernelFunction function = nullptr;
  std::unique_ptr<Builtin> builtin;
  std::vector<OpStage> stages;  // of a chain
  std::vector<LocalArray> locals;
  std::size_t local_bytes = 0;
  std::vector<Value*> passing;  // results that exist in locals alone
  Path* instance = nullptr;
  std::uint32_t family = 0;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<GridDim> grid;
  std::vector<IterationDim> iterations;
};

// Adds a tile dimension that counts blocks of `unit` iterations.
void add_blocks(OpPlan& plan, std::int64_t extent, std::int64_t unit, std::int64_t tile);

// The second step of an operation by blocks: what the first writes, and the operation that combines
// it.
struct Combination {
  std::vector<Value*> partials;  // retained by whoever asked
  std::int64_t block = 1, blocks = 0;
  OpPlan plan;
};

struct ChainCut;
struct SortJob;

class Run {
 public:
  Run(const package::Loaded& loaded, const ProgramFacts& facts, const RunOptions& options,
      Pool& pool, int workers, std::size_t memory_bytes);
  ~Run();

  void start(std::span<const Tensor> args);  // inside the arena; makes the first tasks ready
  void wait() { group_.wait(); }
  Result<std::vector<Tensor>, graph::RunError> finish(const std::shared_ptr<Pool>& pool);

  std::int64_t tasks_done() const;
  std::int64_t tasks_moved() const;
  int workers_used() const;

 private:
  using Ready = std::vector<Task*>;
  struct Event_ {
    Event event;
    void* target;
    std::uint32_t index;
    Value* source;
    const FailureRecord* failure;
  };

  // --- run.cpp: tasks
  void launch(Ready ready);  // for any worker to take
  void work(Ready stack, int from);
  void execute(Task& task, Ready& ready);
  const FailureRecord* compute(Op& op, std::size_t tile);
  const FailureRecord* record(const Op& op, const kernel::ErrorRecord& error);
  bool prepare(Op& op);
  bool ensure(Value& value);
  void overwrite_tile(const Op& op, const std::int64_t* low, const std::int64_t* high);
  void finish_task(Op& op, Task& task, const FailureRecord* failure, Ready& ready);
  void complete_op(Op& op);
  bool stopped() const;
  void abort(std::string message);  // with or without the mutex
  void abort(graph::RunError error);
  std::byte* scratch(std::size_t bytes);
  void note(const Op& op, std::size_t tile);

  // --- run_error.cpp
  graph::RunError error_of(const FailureRecord& failure) const;
  graph::RunError too_deep(const Instance& instance) const;
  graph::CheckId first_call(const Path* path) const;

  // --- values.cpp: the life of values; all below run under the mutex
  template <class T>
  T* enlist(T* object) {
    object->insert_after(objects_);
    return object;
  }
  Value* new_value(const task::Slot& slot);
  Value* new_value(ElementType element, bool scalar);
  Value* retain(Value* value) {
    ++value->refs;
    return value;
  }
  void release(Value* value);
  void release_all(std::vector<Value*>& values);
  Path* retain(Path* path) {
    ++path->refs;
    return path;
  }
  void release(Path* path);
  void release_storage(Storage* storage);
  bool shape_value(Value* value,
                   std::vector<std::int64_t> shape);  // shape and storage; not yet bound
  void bind(Value* value);
  void complete(Value* value, const FailureRecord* failure);
  void complete_scalar(Value* value, Scalar result);
  void await_bound(Value* value, Event event, void* target, std::uint32_t index = 0);
  void await_complete(Value* value, Event event, void* target, std::uint32_t index = 0);
  void notify(Waiter*& list, Value* source);
  void forward(Value* to, Value* from);  // `to` becomes what `from` is; consumes no reference
  void alias(Value* to, Value* from, std::vector<std::int64_t> shape);
  const FailureRecord* new_failure(Path* instance, std::uint32_t family, std::string message);

  // --- expander.cpp: templates to families
  Instance* instantiate(const TemplateFacts& facts, Path* parent, std::uint32_t family,
                        std::int64_t iteration, std::int64_t depth, const std::vector<Value*>& args,
                        const std::vector<Value*>& results, bool independent = false);
  void drain();
  void dispatch(const Event_& event);
  void fire(Instance& instance, std::uint32_t family);
  void fired(Instance& instance, std::uint32_t family);
  const FailureRecord* failed_condition(const Instance& instance, std::uint32_t family) const;
  std::optional<std::int64_t> evaluate(const Instance& instance, const Size& size) const;
  bool evaluate(const Instance& instance, const std::vector<Size>& sizes,
                std::vector<std::int64_t>& out) const;
  void fail_results(Instance& instance, std::uint32_t family, const FailureRecord* failure);
  void fail_results(Instance& instance, std::uint32_t family, std::string message);
  std::vector<Value*> operands(const Instance& instance, const task::Family& family) const;
  static std::vector<Value*> values_of(const Instance& instance,
                                       const std::vector<task::SlotId>& slots);
  bool shape_results(Instance& instance, std::uint32_t family);

  // --- scalar_families.cpp
  void fire_action(Instance& instance, std::uint32_t family, const task::ConstantOf& action);
  void fire_action(Instance& instance, std::uint32_t family, const task::SizeValue& action);
  void fire_action(Instance& instance, std::uint32_t family, const task::Compute& action);
  void fire_action(Instance& instance, std::uint32_t family, const task::ReadElement& action);
  void fire_action(Instance& instance, std::uint32_t family, const task::CheckValue& action);
  const FailureRecord* check_failure(Instance& instance, std::uint32_t family,
                                     std::span<const Value* const> values);
  // Fails a result that is made of `value`, which may fail too, and earlier in the program.
  void fail_behind(Value* result, Value* value, const FailureRecord* failure);

  // --- array_families.cpp
  void fire_action(Instance& instance, std::uint32_t family, const task::ArrayWork& action);
  bool takes_care(Instance& instance, std::uint32_t family, const task::ArrayWork& work);
  bool sizes_fit(const Instance& instance, const task::ArrayWork& work) const;
  void fire_work(const WorkSite& at);
  void fire_map(const WorkSite& at);
  void fire_reduce(const WorkSite& at);
  void fire_scan(const WorkSite& at);
  void fire_keys(const WorkSite& at);
  void fire_scatter(const WorkSite& at);
  void fire_filter(const WorkSite& at);  // filter_families.cpp
  void write_filtered(FilterStage& stage);
  double seconds_per_iteration(const WorkSite& at) const;
  std::vector<Value*> results(const Instance& instance, std::uint32_t family) const;
  OpPlan plan_of(const WorkSite& at, task::KernelId kernel) const;
  void add_inputs(OpPlan& plan, const WorkSite& at, bool all_whole) const;
  Value* partial(const Value& like, std::vector<std::int64_t> shape);
  Combination combination(const WorkSite& at);

  // --- chain_families.cpp
  void fire_action(Instance& instance, std::uint32_t family, const task::Chain& action);
  std::optional<ChainCut> cut_chain(Instance& instance, std::uint32_t family,
                                    const task::Chain& chain) const;
  void fire_chain(Instance& instance, std::uint32_t family, const task::Chain& chain,
                  const ChainCut& cut);
  void compute_chain(const Op& op, const std::int64_t* low, const std::int64_t* high,
                     std::byte* space, kernel::ErrorRecord& error, const std::int32_t* cancel);

  // --- data_families.cpp
  void fire_action(Instance& instance, std::uint32_t family, const task::Alias& action);
  void fire_action(Instance& instance, std::uint32_t family, const task::Concat& action);

  // --- sort_families.cpp
  void fire_action(Instance& instance, std::uint32_t family, const task::SortKeys& action);
  void fire_sort(Instance& instance, std::uint32_t family, const std::vector<Value*>& keys,
                 Value* order, Value* result, const SortJob& what);

  // --- control_families.cpp
  void fire_action(Instance& instance, std::uint32_t family, const task::Loop& action);
  void fire_action(Instance& instance, std::uint32_t family, const task::While& action);
  void fire_action(Instance& instance, std::uint32_t family, const task::Branch& action);
  void fire_action(Instance& instance, std::uint32_t family, const task::Call& action);
  Control* new_control(Instance& instance, std::uint32_t family, std::size_t first_state,
                       std::size_t states);
  void advance(Control& control);
  bool advance_loop(Control& control);
  bool advance_while(Control& control);
  bool settle(Control& control);  // counts what the next step waits for; true: nothing
  void end(Control& control);
  bool ask_needs(Control& control);   // true: asked now, come back when they are known
  bool ask_behind(Control& control);  // as well
  void note_failures(Control& control, std::vector<Value*>& states);  // releases the states
  const FailureRecord* lost_behind(const Control& control, std::size_t result) const;
  void end_joined(Control& control, const FailureRecord* failure);
  bool end_without_steps(Control& control);  // false: there is no further step

  // --- each_families.cpp
  void fire_action(Instance& instance, std::uint32_t family, const task::Each& action);
  void advance(EachRun& each);
  void start_point(EachRun& each);
  void end_without_points(EachRun& each);
  void end(EachRun& each);
  Stack* new_stack(Value* array, std::int64_t rows, std::size_t leading);
  void settle_in(Value& row, Stack& stack, std::int64_t at);
  void start_stacks(Control& control, Instance& instance);
  StackPart* stack_row(Stack& stack, Value* row, std::int64_t at, Path* instance,
                       std::uint32_t family);
  void part_done(StackPart& part);
  void release(Stack* stack);

  // --- make_op.cpp
  void make_op(OpPlan plan);
  void connect(Op& op, const OpPlan& plan);
  bool connect_band(Op& op, const OpPlan& plan, const Input& input, bool count_only,
                    std::size_t& edges);
  void add_edge(Op& op, std::size_t consumer, Task& producer);
  void open_gate(Op& op);
  void poison(Task& task, const FailureRecord* failure);
  void charge(std::size_t bytes);  // bookkeeping

  const package::Loaded& loaded_;
  const task::Program& program_;
  const ProgramFacts& facts_;
  const RunOptions& options_;
  Pool& pool_;
  std::size_t memory_bytes_;

  std::mutex mutex_;
  std::mutex storage_mutex_;
  Link objects_;
  std::vector<Event_> events_;
  Ready ready_;
  std::vector<Value*> results_;
  std::vector<Value*> constants_;  // by facts' numbering
  std::unordered_map<const task::Family*, std::vector<std::vector<bool>>> behind_;
  std::vector<std::unique_ptr<FailureRecord>> failures_;
  std::size_t bookkeeping_ = 0;
  std::atomic<bool> aborted_{false};
  std::mutex abort_mutex_;
  graph::RunError abort_error_;
  std::atomic<std::int32_t> stop_{0};  // what kernels poll

  struct alignas(64) Worker {
    std::atomic<std::int64_t> tasks{0}, moved{0};
    double task_seconds = 20e-6;  // of its latest tasks
    std::byte* scratch = nullptr;
    std::size_t scratch_bytes = 0;
    std::vector<kernel::View> views;  // of the stage it runs
    std::vector<std::string> trace;
  };
  std::vector<std::unique_ptr<Worker>> workers_;
  Worker& worker();
  tbb::task_group group_;
};

}  // namespace dvm::engine
