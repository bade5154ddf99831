// What lives while a program runs: values, tasks and the operations they belong to.
//
// Note [Life of a value]. A value (array or scalar) is created with the instance of the template
// that defines it, unbound. It is *bound* when its shape and the tasks that will write it are
// known, and *complete* when they have run. Scalars go from unbound to complete. Memory is taken
// when the first writing task starts and goes back when the last reader is done. Counts, states and
// lists of waiters are guarded by the run's mutex; tasks notify each other with atomics alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/engine/pool.hpp"
#include "ir/task/program.hpp"
#include "ir/type/tensor.hpp"

namespace dvm::engine {

// Objects of a run form lists, so that an aborted run leaves nothing behind.
struct Link {
  Link* previous = this;
  Link* next = this;
  Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  virtual ~Link() { unlink(); }
  void unlink() {
    previous->next = next;
    next->previous = previous;
    previous = next = this;
  }
  void insert_after(Link& head) {
    next = head.next;
    previous = &head;
    head.next->previous = this;
    head.next = this;
  }
};

// Where an instance stands: the family that made it in the instance above, and which iteration. The
// same for every schedule.
struct Path : Link {
  Path* parent = nullptr;
  std::uint32_t family = 0;
  std::int32_t calls = 0;  // that are open here
  std::int64_t iteration = 0;
  int refs = 1;
  bool independent = false;      // a point of an `each`, not a step of a loop
  std::uint16_t each_depth = 0;  // points around it
};
std::string to_text(const Path* path);

// A check that failed, or a size that cannot be. Never changed after it was made; lives as long as
// the run.
struct FailureRecord {
  std::int64_t check = -1;
  std::int64_t index = 0;
  std::int64_t values[4] = {};
  std::string message;  // when there is no check
  Path* instance = nullptr;
  std::uint32_t family = 0;
};
// The one earlier in program order: at the innermost common instance the earlier step of a loop;
// else the smaller check id, then the earlier point, then row-major index, then family. Null is
// later than all.
const FailureRecord* earlier(const FailureRecord* a, const FailureRecord* b);

struct Storage : Link {
  int refs = 1;
  std::size_t bytes = 0;
  std::atomic<std::byte*> data{nullptr};
  std::shared_ptr<std::byte> borrowed;  // of an input; else the pool owns `data`
  Pool* pool = nullptr;

  ~Storage() override {
    std::byte* block = data.load(std::memory_order_relaxed);
    if (block && !borrowed) pool->release(block, bytes);
  }
};

struct Op;
struct Waiter;

struct Value : Link {
  enum class State : std::uint8_t { Unbound, Bound, Complete };

  int refs = 1;
  ElementType element = ElementType::F64;
  State state = State::Unbound;
  std::vector<std::int64_t> shape;
  bool scalar = false;
  std::uint64_t bits = 0;      // of a scalar, as in memory
  Storage* storage = nullptr;  // of an array that is bound
  std::size_t offset = 0;      // bytes from its start
  // A row of a larger array: where it is written if it has the bytes expected.
  Storage* home = nullptr;
  std::size_t home_offset = 0, home_bytes = 0;
  const FailureRecord* failure = nullptr;
  // By task of the producing operation, when some of them failed.
  std::shared_ptr<std::vector<const FailureRecord*>> tile_failures;
  // The producing operation while bound. Its task of tile row r and any column writes elements
  // r * row_elements …; rows = 0: no such rule.
  Op* producer = nullptr;
  std::int64_t row_elements = 0, rows = 0, columns = 0;
  Waiter* on_bound = nullptr;
  Waiter* on_complete = nullptr;

  ~Value() override;
  bool is_bound() const { return scalar ? state == State::Complete : storage != nullptr; }
  bool is_complete() const { return state == State::Complete; }
  std::int64_t count() const;
  std::size_t bytes() const {
    return static_cast<std::size_t>(count()) * static_cast<std::size_t>(byte_size(element));
  }
  std::byte* data() const {  // null: memory was not taken yet
    std::byte* start = storage->data.load(std::memory_order_acquire);
    return start ? start + offset : nullptr;
  }
  std::int64_t as_i64() const { return static_cast<std::int64_t>(bits); }
};

enum class Event : std::uint8_t {
  Fire,       // target: Instance, index: family; all its conditions hold
  Condition,  // target: Instance, index: family; one more holds
  Gate,       // target: Op
  Forward,    // target: Value, source: the value it stands for
  Control,    // target: Control (a running loop)
  Counts,     // target: FilterStage
  Part,       // target: StackPart
  Each,       // target: EachRun without points
};

struct Waiter {
  Event event;
  void* target;
  std::uint32_t index;
  Waiter* next;
};

struct Task {
  std::atomic<std::int32_t> pending{1};  // predecessors, and one for the operation as a whole
  std::atomic<struct Edge*> successors{nullptr};
  std::atomic<const FailureRecord*> failure{nullptr};
  Op* op = nullptr;
};
struct Edge {
  Edge* next;
  Task* to;
};
extern Edge closed_edge;  // marks the successors of a finished task

// Work written in C++ instead of by the code generator.
struct Builtin {
  struct Call {
    const Op& op;
    std::int64_t low, high;      // of the first tile dimension
    const std::int32_t* cancel;  // to poll
    // Memory of the worker until the next request, 64-byte aligned; null: the run is aborted.
    std::function<std::byte*(std::size_t bytes)> scratch;
  };
  virtual ~Builtin() = default;
  virtual std::string_view name() const = 0;
  virtual void run(const Call& call) const = 0;
};

// One tile dimension. A tile spans `tile` units of `unit` iterations each, the last one less.
struct GridDim {
  std::int64_t extent = 0;  // units
  std::int64_t tile = 1;
  std::int64_t unit = 1;
  std::int64_t limit = 0;  // iterations
  std::int64_t tiles() const { return extent == 0 ? 0 : (extent + tile - 1) / tile; }
};

enum class Layout : std::uint8_t {
  Leading,      // the first dimensions of the result are the tile dimensions (times their units)
  BlocksFirst,  // dimension 0 is the last tile dimension, then come the others
  Opaque        // a tile writes somewhere
};

// One kernel of a chain (ir/task/program.hpp, Note [Chains]).
struct OpStage {
  // Where a tile dimension of the kernel lies: along a tile dimension of the operation, in units of
  // so many iterations, or (grid = -1) whole in every task.
  struct Dim {
    int grid = -1;
    std::int64_t unit = 1, extent = 0;  // extent: units, of a whole dimension
  };
  const task::Kernel* kernel = nullptr;
  kernel::KernelFunction function = nullptr;
  std::vector<Dim> dims;
  // Operands, then results: places in the operation's views, or after them in its locals.
  std::vector<std::size_t> views;
};
// An array of which each task has its own tile, in its worker's scratch memory.
struct LocalArray {
  std::vector<std::int64_t> strides;  // elements
  std::int64_t element_bytes = 1;
  std::size_t offset = 0;  // in the scratch memory
};

// A fired step of a family: its tasks and what they read and write.
struct Op : Link {
  const task::Kernel* kernel = nullptr;
  kernel::KernelFunction function = nullptr;
  std::unique_ptr<Builtin> builtin;
  std::vector<OpStage> stages;  // of a chain, instead of one kernel
  std::vector<LocalArray> locals;
  std::size_t local_bytes = 0;  // of one task
  Path* instance = nullptr;
  std::uint32_t family = 0;
  std::vector<Value*> inputs, outputs;
  std::vector<Layout> layouts;  // of the first outputs; forwarded ones are appended to outputs
  std::size_t written = 0;      // outputs that the kernel writes
  std::vector<GridDim> grid;
  std::vector<kernel::View> views;  // inputs, then written outputs; filled by the first task
  std::size_t tiles = 0;
  std::unique_ptr<Task[]> tasks;
  std::vector<Edge> edges;  // into this operation's tasks
  std::atomic<std::int64_t> remaining{0};
  std::atomic<bool> failed{false};
  std::atomic<bool> prepared{false};
  std::size_t scratch_bytes = 0;
  int gate = 0;  // operands that must be complete before any task runs
  const FailureRecord* gate_failure = nullptr;

  std::byte* data(std::size_t operand) const {
    return static_cast<std::byte*>(views[operand].data);
  }
};

}  // namespace dvm::engine
