// The tree over the blocks of a reduction, kept as a binary counter: level l holds the value of 2^l
// blocks.
#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

using graph::ScalarFn;

namespace {

constexpr std::int64_t stack_levels = 48;  // 2^48 blocks never run to an end

}  // namespace

// Joins two blocks, of which either may be without a value.
Cells Emitter::join(const graph::Node& n, const CounterStack& stack, const Cells& a,
                    const Cells& b) {
  if (!stack.optional) return combine(n, a, b);
  const Cells left(a.begin(), a.end() - 1), right(b.begin(), b.end() - 1);
  std::vector<Slot> slots;
  for (std::size_t i = 0; i < left.size(); ++i) {
    slots.push_back(make_slot(stack.like[i].element, stack.like[i].width));
    const Cell choose[] = {a.back(), left[i], right[i]};
    store_slot(slots.back(), apply(ScalarFn::Select, left[i].element, choose));
  }
  if_then(b_.CreateAnd(a.back().value, b.back().value), [&] {
    const Cells both = combine(n, left, right);
    for (std::size_t i = 0; i < both.size(); ++i) store_slot(slots[i], both[i]);
  });
  Cells result;
  for (const Slot& slot : slots) result.push_back(load_slot(slot));
  result.push_back(Cell::uniform(ElementType::Bool, b_.CreateOr(a.back().value, b.back().value)));
  return result;
}

Emitter::CounterStack Emitter::make_stack(const std::vector<Slot>& like) {
  CounterStack stack;
  stack.like = like;
  for (const Slot& slot : like) {
    stack.levels.push_back(entry_alloca(memory_type(slot.element), stack_levels * slot.width));
  }
  return stack;
}

Cell Emitter::stack_load(const CounterStack& stack, std::size_t component, Value level) {
  const Slot& slot = stack.like[component];
  llvm::Type* type = memory_type(slot.element, slot.width);
  Value place = b_.CreateGEP(type, stack.levels[component], level);
  Value value = from_memory(slot.element, b_.CreateAlignedLoad(type, place, llvm::Align(1)));
  return slot.width == 1 ? Cell::uniform(slot.element, value) : Cell::varying(slot.element, value);
}

void Emitter::stack_store(const CounterStack& stack, std::size_t component, Value level,
                          const Cell& cell) {
  const Slot& slot = stack.like[component];
  Value place = b_.CreateGEP(memory_type(slot.element, slot.width), stack.levels[component], level);
  Value value = slot.width == 1 ? cell.value : materialise(cell, slot.width);
  b_.CreateAlignedStore(to_memory(slot.element, value), place, llvm::Align(1));
}

// Joins the value of a block with what came before, as a binary counter carries: pairs at distance
// 1, 2, 4, …
void Emitter::push_block(const graph::Node& n, const CounterStack& stack, Value block_number,
                         Cells value) {
  std::vector<Slot> carried;
  for (std::size_t i = 0; i < value.size(); ++i) {
    carried.push_back(make_slot(stack.like[i].element, stack.like[i].width));
    store_slot(carried.back(), value[i]);
  }
  const Slot level = make_slot(ElementType::I64, 1);
  store_slot(level, uniform_i64(0));
  const auto load_all = [&] {
    Cells cells;
    for (const Slot& slot : carried) cells.push_back(load_slot(slot));
    return cells;
  };
  loop_down_while(
      [&] {
        Value bit = b_.CreateAnd(b_.CreateLShr(block_number, load_slot(level).value), i64(1));
        return b_.CreateICmpNE(bit, i64(0));
      },
      [&] {
        Value at = load_slot(level).value;
        Cells earlier;
        for (std::size_t i = 0; i < carried.size(); ++i)
          earlier.push_back(stack_load(stack, i, at));
        const Cells joined = join(n, stack, earlier, load_all());
        for (std::size_t i = 0; i < carried.size(); ++i) store_slot(carried[i], joined[i]);
        store_slot(level, Cell::uniform(ElementType::I64, b_.CreateAdd(at, i64(1))));
      });
  Value at = load_slot(level).value;
  const Cells last = load_all();
  for (std::size_t i = 0; i < carried.size(); ++i) stack_store(stack, i, at, last[i]);
}

// Joins what the counter holds after `blocks` >= 1 blocks, later blocks first.
Cells Emitter::collapse(const graph::Node& n, const CounterStack& stack, Value blocks) {
  Value first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, blocks, b_.getFalse());
  std::vector<Slot> joined;
  for (std::size_t i = 0; i < stack.like.size(); ++i) {
    joined.push_back(make_slot(stack.like[i].element, stack.like[i].width));
    store_slot(joined.back(), stack_load(stack, i, first));
  }
  Value top =
      b_.CreateSub(i64(64), b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, blocks, b_.getFalse()));
  loop(b_.CreateAdd(first, i64(1)), top, 1, [&](Value level) {
    Value bit = b_.CreateAnd(b_.CreateLShr(blocks, level), i64(1));
    if_then(b_.CreateICmpNE(bit, i64(0)), [&] {
      Cells earlier, later;
      for (std::size_t i = 0; i < joined.size(); ++i) {
        earlier.push_back(stack_load(stack, i, level));
        later.push_back(load_slot(joined[i]));
      }
      const Cells next = join(n, stack, earlier, later);
      for (std::size_t i = 0; i < joined.size(); ++i) store_slot(joined[i], next[i]);
    });
  });
  Cells result;
  for (const Slot& slot : joined) result.push_back(load_slot(slot));
  return result;
}

}  // namespace dvm::llvm_backend
