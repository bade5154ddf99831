// LLVM types and constants of element types; cells as vectors.
#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

llvm::Type* Emitter::register_type(ElementType element, unsigned width) {
  llvm::Type* scalar = nullptr;
  if (element == ElementType::Bool) {
    scalar = b_.getInt1Ty();
  } else if (element == ElementType::F32) {
    scalar = b_.getFloatTy();
  } else if (element == ElementType::F64) {
    scalar = b_.getDoubleTy();
  } else {
    scalar = b_.getIntNTy(static_cast<unsigned>(byte_size(element)) * 8);
  }
  return width == 1 ? scalar : llvm::FixedVectorType::get(scalar, width);
}

llvm::Type* Emitter::memory_type(ElementType element, unsigned width) {
  if (element != ElementType::Bool) return register_type(element, width);
  return width == 1 ? static_cast<llvm::Type*>(b_.getInt8Ty())
                    : llvm::FixedVectorType::get(b_.getInt8Ty(), width);
}

Value Emitter::constant_of(Scalar scalar) {
  llvm::Type* type = register_type(scalar.type);
  if (!is_float(scalar.type)) return llvm::ConstantInt::get(type, scalar.bits);
  const llvm::fltSemantics& semantics = type->getFltSemantics();
  return llvm::ConstantFP::get(
      type, llvm::APFloat(semantics,
                          llvm::APInt(scalar.type == ElementType::F32 ? 32 : 64, scalar.bits)));
}

Value Emitter::iota(llvm::Type* element, unsigned width) {
  std::vector<llvm::Constant*> lanes;
  for (unsigned lane = 0; lane < width; ++lane)
    lanes.push_back(llvm::ConstantInt::get(element, lane));
  return llvm::ConstantVector::get(lanes);
}

Value Emitter::splat(Value scalar, unsigned width) {
  return width == 1 ? scalar : b_.CreateVectorSplat(width, scalar);
}

Value Emitter::materialise(const Cell& cell, unsigned width) {
  switch (cell.kind) {
    case Cell::Kind::Varying:
      return cell.value;
    case Cell::Kind::Affine: {
      Value lanes = iota(cell.value->getType(), width);
      return b_.CreateAdd(splat(cell.value, width), b_.CreateMul(lanes, splat(cell.stride, width)));
    }
    default:
      return splat(cell.value, width);
  }
}

Value Emitter::widen_bits(Value scalar, ElementType element) {
  if (element == ElementType::F64) return b_.CreateBitCast(scalar, b_.getInt64Ty());
  if (element == ElementType::F32) {
    return b_.CreateZExt(b_.CreateBitCast(scalar, b_.getInt32Ty()), b_.getInt64Ty());
  }
  return is_signed(element) && element != ElementType::Bool
             ? b_.CreateSExt(scalar, b_.getInt64Ty())
             : b_.CreateZExt(scalar, b_.getInt64Ty());
}

}  // namespace dvm::llvm_backend
