// The life of values, paths and failures. Everything here runs under the run's mutex.
#include <cstring>

#include "backend/engine/run.hpp"

namespace dvm::engine {

namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 46;

}  // namespace

Value* Run::new_value(ElementType element, bool scalar) {
  Value* value = enlist(new Value);
  value->element = element;
  value->scalar = scalar;
  charge(sizeof(Value));
  return value;
}

Value* Run::new_value(const task::Slot& slot) { return new_value(slot.element, slot.is_scalar()); }

void Run::release(Value* value) {
  if (--value->refs > 0) return;
  if (value->storage) release_storage(value->storage);
  if (value->home) release_storage(value->home);
  bookkeeping_ -= sizeof(Value);
  delete value;
}

void Run::release_all(std::vector<Value*>& values) {
  for (Value* value : values) release(value);
  values.clear();
}

void Run::release(Path* path) {
  while (path && --path->refs == 0) {
    Path* parent = path->parent;
    bookkeeping_ -= sizeof(Path);
    delete path;
    path = parent;
  }
}

void Run::release_storage(Storage* storage) {
  if (--storage->refs == 0) delete storage;
}

bool Run::shape_value(Value* value, std::vector<std::int64_t> shape) {
  std::int64_t bytes = byte_size(value->element);
  for (std::int64_t extent : shape) {
    if (extent < 0) return false;
    if (extent > 0 && bytes > most_bytes / extent) bytes = most_bytes;
    bytes = extent == 0 ? 0 : bytes * extent;
    if (bytes == 0) break;
  }
  if (bytes >= most_bytes) return false;
  value->shape = std::move(shape);
  if (value->home && static_cast<std::size_t>(bytes) == value->home_bytes) {
    value->storage = value->home;
    value->offset = value->home_offset;
    value->home = nullptr;
    return true;
  }
  value->storage = enlist(new Storage);
  value->storage->pool = &pool_;
  value->storage->bytes = static_cast<std::size_t>(bytes);
  return true;
}

void Run::await_bound(Value* value, Event event, void* target, std::uint32_t index) {
  Waiter*& list = value->scalar ? value->on_complete : value->on_bound;
  list = new Waiter{event, target, index, list};
}

void Run::await_complete(Value* value, Event event, void* target, std::uint32_t index) {
  value->on_complete = new Waiter{event, target, index, value->on_complete};
}

void Run::notify(Waiter*& list, Value* source) {
  while (list) {
    Waiter* next = list->next;
    const bool keeps = list->event == Event::Forward || list->event == Event::Part;
    events_.push_back({list->event, list->target, list->index, keeps ? retain(source) : nullptr,
                       source->failure});
    delete list;
    list = next;
  }
}

void Run::bind(Value* value) {
  value->state = Value::State::Bound;
  notify(value->on_bound, value);
}

void Run::complete(Value* value, const FailureRecord* failure) {
  value->state = Value::State::Complete;
  value->failure = failure;
  value->producer = nullptr;
  notify(value->on_bound, value);
  notify(value->on_complete, value);
}

void Run::complete_scalar(Value* value, Scalar result) {
  value->bits = 0;
  result.store(&value->bits);
  complete(value, nullptr);
}

void Run::forward(Value* to, Value* from) { alias(to, from, from->shape); }

// Note [Forwarding]. The result of a branch, call or loop is the value that a template inside
// yields. Where that value is made by a family of the template, the family writes the result
// itself; where it is a param, the result copies what the param becomes: its storage, and its
// producer's tasks.
void Run::alias(Value* to, Value* from, std::vector<std::int64_t> shape) {
  if (!from->is_bound() && !from->is_complete()) {
    retain(to);
    return await_bound(from, Event::Forward, to);
  }
  if (from->scalar) {
    to->bits = from->bits;
    return complete(to, from->failure);
  }
  if (!from->storage) return complete(to, from->failure);  // failed before it was bound
  to->shape = std::move(shape);
  to->storage = from->storage;
  to->offset = from->offset;
  ++to->storage->refs;
  to->row_elements = from->row_elements;
  to->rows = from->rows;
  to->columns = from->columns;
  if (from->is_complete()) {
    to->tile_failures = from->tile_failures;
    return complete(to, from->failure);
  }
  to->producer = from->producer;
  if (from->producer) {
    from->producer->outputs.push_back(retain(to));
  } else {
    retain(to);
    await_complete(from, Event::Forward, to, 1);
  }
  bind(to);
}

const FailureRecord* Run::new_failure(Path* instance, std::uint32_t family, std::string message) {
  auto record = std::make_unique<FailureRecord>();
  record->message = std::move(message);
  record->instance = retain(instance);
  record->family = family;
  failures_.push_back(std::move(record));
  return failures_.back().get();
}

}  // namespace dvm::engine
