// Recording failures: of all that happen the least (check, iteration index) stays.
#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

using Kind = Cell::Kind;

// void dvm_record(ErrorRecord*, i64 check, i64 index, i64 v0, i64 v1, i64 v2, i64 v3)
llvm::Function* Emitter::record_function() {
  constexpr const char* symbol = "dvm_record";
  if (llvm::Function* made = module_.getFunction(symbol)) return made;
  llvm::IRBuilder<> b(context_);
  std::vector<llvm::Type*> params{b.getPtrTy()};
  for (int i = 0; i < 6; ++i) params.push_back(b.getInt64Ty());
  auto* record = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), params, false),
                                        llvm::Function::InternalLinkage, symbol, module_);
  record->addFnAttr(llvm::Attribute::NoInline);
  record->addFnAttr(llvm::Attribute::Cold);
  record->setDoesNotThrow();
  auto* entry = llvm::BasicBlock::Create(context_, "entry", record);
  auto* write = llvm::BasicBlock::Create(context_, "write", record);
  auto* done = llvm::BasicBlock::Create(context_, "done", record);
  const auto field = [&](unsigned i) {
    return b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), record->getArg(0), i);
  };
  b.SetInsertPoint(entry);
  Value check = b.CreateLoad(b.getInt64Ty(), field(0));
  Value index = b.CreateLoad(b.getInt64Ty(), field(1));
  Value new_check = record->getArg(1);
  Value new_index = record->getArg(2);
  Value earlier =
      b.CreateOr(b.CreateICmpSLT(new_check, check),
                 b.CreateAnd(b.CreateICmpEQ(new_check, check), b.CreateICmpSLT(new_index, index)));
  b.CreateCondBr(b.CreateOr(b.CreateICmpSLT(check, b.getInt64(0)), earlier), write, done);
  b.SetInsertPoint(write);
  for (unsigned i = 0; i < 6; ++i) b.CreateStore(record->getArg(i + 1), field(i));
  b.CreateBr(done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  return record;
}

Value Emitter::lane_value(const Cell& cell, Value lane) {
  switch (cell.kind) {
    case Kind::Varying:
      return b_.CreateExtractElement(cell.value, lane);
    case Kind::Affine:
      return b_.CreateAdd(
          cell.value,
          b_.CreateMul(cell.stride, b_.CreateIntCast(lane, cell.stride->getType(), true)));
    default:
      return cell.value;
  }
}

// Row-major over the whole operation; dimensions that are not running (in an operator that joins
// blocks) count as 0.
Value Emitter::iteration_index(Value lane) {
  Value index = i64(0);
  for (std::size_t d = 0; d < index_params_.size(); ++d) {
    Value extent = emit_size(index_sizes_[d]).value;
    index = b_.CreateMul(index, extent);
    const Cell& at = cells_[index_params_[d].index];
    if (at.is(Kind::Absent)) continue;
    index = b_.CreateAdd(index, lane_value(at, lane));
  }
  return index;
}

Value Emitter::fail_if(graph::CheckId check, const Cell& bad, std::span<const Cell> values) {
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(bad.value); known && known->isZero())
    return bad.value;
  Value lanes = bad.value;
  if (!bad.is(Kind::Uniform)) lanes = and_masks(mode_.mask, materialise(bad));
  if_then(
      any_lane(lanes),
      [&] {
        Value lane = i64(0);
        Value active = bad.is(Kind::Uniform) ? mode_.mask : lanes;
        if (active && mode_.width > 1) {
          Value bits = b_.CreateBitCast(active, b_.getIntNTy(mode_.width));
          lane = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b_.getFalse());
          lane = b_.CreateAnd(b_.CreateZExt(lane, b_.getInt64Ty()), i64(mode_.width - 1));
        }
        std::vector<Value> args{load_call_field(offsetof(kernel::KernelCall, error), b_.getPtrTy()),
                                i64(check.index), iteration_index(lane)};
        for (std::size_t i = 0; i < 4; ++i) {
          args.push_back(i < values.size()
                             ? widen_bits(lane_value(values[i], lane), values[i].element)
                             : i64(0));
        }
        b_.CreateCall(record_function(), args);
      },
      true);
  return lanes;
}

}  // namespace dvm::llvm_backend
