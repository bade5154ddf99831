// Control flow and variables of the function being emitted.
#include <llvm/IR/MDBuilder.h>

#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

llvm::BasicBlock* Emitter::block(const char* name) {
  return llvm::BasicBlock::Create(context_, name, fn_);
}

// for (i = low; i < high; i += step) body(i), in rotated form; nothing runs when low >= high.
void Emitter::loop(Value low, Value high, std::int64_t step,
                   const std::function<void(Value)>& body) {
  auto* run = block("loop");
  auto* exit = block("loop_exit");
  auto* before = b_.GetInsertBlock();
  b_.CreateCondBr(b_.CreateICmpSLT(low, high), run, exit);
  b_.SetInsertPoint(run);
  auto* index = b_.CreatePHI(b_.getInt64Ty(), 2, "i");
  index->addIncoming(low, before);
  const std::size_t mark = trail_.size();
  body(index);
  forget(mark);
  Value next = b_.CreateNSWAdd(index, i64(step));
  index->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpSLT(next, high), run, exit);
  b_.SetInsertPoint(exit);
}

// Asks every so many steps whether the run was cancelled: nothing bounds how many there are.
void Emitter::loop_down_while(const std::function<Value()>& condition, const Body& body) {
  auto* steps = entry_alloca(b_.getInt64Ty());
  b_.CreateStore(i64(0), steps);
  auto* head = block("while");
  auto* run = block("while_body");
  auto* exit = block("while_exit");
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  const std::size_t mark = trail_.size();
  Value go = condition();
  b_.CreateCondBr(go, run, exit);
  b_.SetInsertPoint(run);
  Value step = b_.CreateAdd(b_.CreateLoad(b_.getInt64Ty(), steps), i64(1));
  b_.CreateStore(step, steps);
  if_then(b_.CreateICmpEQ(b_.CreateAnd(step, i64(1023)), i64(0)), [&] { poll_cancel(); }, true);
  body();
  forget(mark);
  b_.CreateBr(head);
  b_.SetInsertPoint(exit);
}

void Emitter::if_then(Value condition, const Body& body, bool unlikely) {
  auto* yes = block(unlikely ? "cold" : "then");
  auto* exit = block("join");
  auto* branch = b_.CreateCondBr(condition, yes, exit);
  if (unlikely) {
    branch->setMetadata(llvm::LLVMContext::MD_prof,
                        llvm::MDBuilder(context_).createBranchWeights(1, 1 << 20));
  }
  b_.SetInsertPoint(yes);
  const std::size_t mark = trail_.size();
  body();
  forget(mark);
  b_.CreateBr(exit);
  b_.SetInsertPoint(exit);
}

void Emitter::if_else(Value condition, const Body& yes_body, const Body& no_body) {
  auto* yes = block("then");
  auto* no = block("else");
  auto* exit = block("join");
  b_.CreateCondBr(condition, yes, no);
  const std::size_t mark = trail_.size();
  b_.SetInsertPoint(yes);
  yes_body();
  forget(mark);
  b_.CreateBr(exit);
  b_.SetInsertPoint(no);
  no_body();
  forget(mark);
  b_.CreateBr(exit);
  b_.SetInsertPoint(exit);
}

llvm::AllocaInst* Emitter::entry_alloca(llvm::Type* type, std::int64_t count) {
  llvm::IRBuilder<> entry(allocas_, allocas_->begin());
  auto* slot = entry.CreateAlloca(
      type, count == 1 ? nullptr : entry.getInt64(static_cast<std::uint64_t>(count)));
  slot->setAlignment(llvm::Align(64));
  return slot;
}

Emitter::Slot Emitter::make_slot(ElementType element, unsigned width) {
  return {entry_alloca(register_type(element, width)), element, width};
}

Emitter::Slot Emitter::make_slot(graph::ValueId like) {
  const bool vector = mode_.width > 1 && divergence_ && divergence_->varying(like);
  return make_slot(type(like).element, vector ? mode_.width : 1);
}

void Emitter::store_slot(const Slot& slot, const Cell& cell) {
  b_.CreateStore(slot.width == 1 ? cell.value : materialise(cell, slot.width), slot.memory);
}

void Emitter::blend_slot(const Slot& slot, const Cell& cell, Value mask) {
  if (!mask || slot.width == 1) return store_slot(slot, cell);
  Value old = b_.CreateLoad(slot.memory->getAllocatedType(), slot.memory);
  b_.CreateStore(b_.CreateSelect(mask, materialise(cell, slot.width), old), slot.memory);
}

Cell Emitter::load_slot(const Slot& slot) {
  Value value = b_.CreateLoad(slot.memory->getAllocatedType(), slot.memory);
  return slot.width == 1 ? Cell::uniform(slot.element, value) : Cell::varying(slot.element, value);
}

Value Emitter::any_lane(Value mask) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (!vector) return mask;
  Value bits = b_.CreateBitCast(mask, b_.getIntNTy(vector->getNumElements()));
  return b_.CreateICmpNE(bits, llvm::ConstantInt::get(bits->getType(), 0));
}

Value Emitter::and_masks(Value a, Value b) {
  if (!a) return b;
  if (!b) return a;
  return b_.CreateAnd(a, b);
}

Value Emitter::tail_mask(Value active_lanes) {
  const unsigned width = mode_.width;
  // Compared in the narrowest type that keeps the vector in one register.
  const unsigned bits = width > 32 ? 8 : width > 16 ? 16 : width > 8 ? 32 : 64;
  llvm::Type* lane = b_.getIntNTy(bits);
  Value count = b_.CreateTrunc(smin(active_lanes, i64(width)), lane);
  return b_.CreateICmpULT(iota(lane, width), splat(count, width));
}

}  // namespace dvm::llvm_backend
