// Reads and writes of arrays: scalar, contiguous, reversed or gathered, with masks where lanes are
// off.
#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

using Kind = Cell::Kind;
using graph::ScalarFn;

namespace {

std::optional<std::int64_t> known_stride(const Cell& cell) {
  auto* constant = llvm::dyn_cast_or_null<llvm::ConstantInt>(cell.stride);
  if (!constant) return std::nullopt;
  return constant->getSExtValue();
}

bool known_false(Value value) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  return constant && constant->isNullValue();
}

}  // namespace

Cell Emitter::array_cell(std::shared_ptr<const ArrayCell> array) {
  Cell cell;
  cell.kind = Kind::Array;
  cell.element = array->element;
  cell.array = std::move(array);
  return cell;
}

void Emitter::mark_load(llvm::Instruction* load, const ArrayCell& array) {
  if (array.invariant)
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
}

Value Emitter::from_memory(ElementType element, Value value) {
  if (element != ElementType::Bool) return value;
  return b_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
}

Value Emitter::to_memory(ElementType element, Value value) {
  if (element != ElementType::Bool) return value;
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return b_.CreateZExt(value, memory_type(element, vector ? vector->getNumElements() : 1));
}

Cell Emitter::offset_of(const ArrayCell& array, std::span<const Cell> indices) {
  Cell offset = uniform_i64(0);
  for (std::size_t d = 0; d < indices.size(); ++d) {
    offset = add(offset, multiply(indices[d], Cell::uniform(ElementType::I64, array.strides[d])));
  }
  return offset;
}

// Arrays that every lane has for itself lie element by element, lanes beside each other.
Cell Emitter::lane_offset(const ArrayCell& array, const Cell& offset) {
  if (array.lanes == 1) return offset;
  const Cell lane = Cell::affine(ElementType::I64, i64(0), i64(1));
  return add(multiply(offset, uniform_i64(array.lanes)), lane);
}

Cell Emitter::load_uniform(const ArrayCell& array, Value offset, Value ok) {
  llvm::Type* type = memory_type(array.element);
  const auto read = [&] {
    auto* load = b_.CreateAlignedLoad(type, b_.CreateGEP(type, array.data, offset), llvm::Align(1));
    mark_load(load, array);
    return from_memory(array.element, load);
  };
  if (!ok) return Cell::uniform(array.element, read());
  const Slot slot = make_slot(array.element, 1);
  store_slot(slot, Cell::uniform(array.element,
                                 llvm::Constant::getNullValue(register_type(array.element))));
  if_then(ok, [&] { store_slot(slot, Cell::uniform(array.element, read())); });
  return load_slot(slot);
}

Cell Emitter::load_contiguous(const ArrayCell& array, Value offset, Value mask, bool reversed) {
  const unsigned width = mode_.width;
  llvm::Type* type = memory_type(array.element, width);
  std::vector<int> backwards;
  for (unsigned lane = 0; lane < width; ++lane)
    backwards.push_back(static_cast<int>(width - 1 - lane));
  if (reversed) {
    offset = b_.CreateSub(offset, i64(width - 1));
    if (mask) mask = b_.CreateShuffleVector(mask, backwards);
  }
  Value pointer = b_.CreateGEP(memory_type(array.element), array.data, offset);
  llvm::Instruction* load = nullptr;
  if (mask) {
    load = b_.CreateMaskedLoad(type, pointer, llvm::Align(1), mask,
                               llvm::Constant::getNullValue(type));
  } else {
    load = b_.CreateAlignedLoad(type, pointer, llvm::Align(1));
  }
  mark_load(load, array);
  Value value = load;
  if (reversed) value = b_.CreateShuffleVector(value, backwards);
  return Cell::varying(array.element, from_memory(array.element, value));
}

Cell Emitter::gather(const ArrayCell& array, Value offsets, Value mask) {
  const unsigned width = mode_.width;
  llvm::Type* type = memory_type(array.element, width);
  Value pointers = b_.CreateGEP(memory_type(array.element), array.data, offsets);
  if (!mask)
    mask = llvm::Constant::getAllOnesValue(llvm::FixedVectorType::get(b_.getInt1Ty(), width));
  auto* load = b_.CreateMaskedGather(
      type, pointers, llvm::Align(static_cast<std::uint64_t>(byte_size(array.element))), mask,
      llvm::Constant::getNullValue(type));
  mark_load(load, array);
  return Cell::varying(array.element, from_memory(array.element, load));
}

// `ok`: lanes (or, for a uniform offset, whether) the read is in range; null: it is.
Cell Emitter::load(const ArrayCell& array, const Cell& element_offset, Value ok) {
  const Cell offset = lane_offset(array, element_offset);
  if (offset.is(Kind::Uniform)) return load_uniform(array, offset.value, ok);
  if (ok && !ok->getType()->isVectorTy()) ok = splat(ok, mode_.width);
  Value mask = and_masks(mode_.mask, ok);
  if (offset.is(Kind::Affine)) {
    const auto stride = known_stride(offset);
    if (stride == 1 || stride == -1)
      return load_contiguous(array, offset.value, mask, stride == -1);
  }
  return gather(array, materialise(offset), mask);
}

void Emitter::store(const ArrayCell& array, const Cell& element_offset, const Cell& cell) {
  const Cell offset = lane_offset(array, element_offset);
  llvm::Type* scalar = memory_type(array.element);
  if (offset.is(Kind::Uniform)) {
    Value value = cell.value;
    if (!cell.is(Kind::Uniform)) value = lane_value(cell, i64(0));
    b_.CreateAlignedStore(to_memory(array.element, value),
                          b_.CreateGEP(scalar, array.data, offset.value), llvm::Align(1));
    return;
  }
  Value value = to_memory(array.element, materialise(cell));
  if (offset.is(Kind::Affine) && known_stride(offset) == 1) {
    Value pointer = b_.CreateGEP(scalar, array.data, offset.value);
    if (mode_.mask) {
      b_.CreateMaskedStore(value, pointer, llvm::Align(1), mode_.mask);
    } else {
      b_.CreateAlignedStore(value, pointer, llvm::Align(1));
    }
    return;
  }
  Value pointers = b_.CreateGEP(scalar, array.data, materialise(offset));
  Value mask = mode_.mask;
  if (!mask)
    mask = llvm::Constant::getAllOnesValue(llvm::FixedVectorType::get(b_.getInt1Ty(), mode_.width));
  b_.CreateMaskedScatter(value, pointers,
                         llvm::Align(static_cast<std::uint64_t>(byte_size(array.element))), mask);
}

Cell Emitter::emit_read(graph::NodeId id) {
  const graph::Node& n = node(id);
  const Cell source = cell(n.operands[0]);
  if (!source.is(Kind::Array)) {
    // A scalar read without indices.
    return source;
  }
  Cells indices;
  for (std::size_t i = 1; i < n.operands.size(); ++i) indices.push_back(cell(n.operands[i]));
  Value ok = nullptr;
  if (n.check.valid()) {
    unsigned proven = 0;
    if (facts_ && mode_.width > 1) {
      if (auto fact = facts_->find(id); fact != facts_->end()) proven = fact->second.dims;
    }
    const graph::Type& array_type = type(n.operands[0]);
    for (std::size_t d = 0; d < indices.size(); ++d) {
      if ((proven >> d) & 1U) continue;
      const Cell extent = emit_size(array_type.shape[d]);
      // As unsigned, one comparison covers both ends.
      const auto as_unsigned = [](Cell cell) {
        cell.element = ElementType::U64;
        return cell;
      };
      const Cell x[] = {as_unsigned(indices[d]), as_unsigned(extent)};
      const Cell bad = apply(ScalarFn::Ge, ElementType::Bool, x);
      const Cell values[] = {indices[d], extent};
      fail_if(n.check, bad, values);
      if (!bad.is(Kind::Uniform)) {
        Value good = b_.CreateNot(materialise(bad));
        ok = ok && !ok->getType()->isVectorTy() ? b_.CreateAnd(splat(ok, mode_.width), good)
                                                : and_masks(ok, good);
      } else if (!known_false(bad.value)) {
        Value good = b_.CreateNot(bad.value);
        ok = ok && ok->getType()->isVectorTy() ? b_.CreateAnd(ok, splat(good, mode_.width))
                                               : and_masks(ok, good);
      }
    }
  }
  return load(*source.array, offset_of(*source.array, indices), ok);
}

// Memory for an array made inside a body: small constant ones on the stack, others in scratch.
std::shared_ptr<ArrayCell> Emitter::local_array(const graph::Type& array_type, bool per_lane,
                                                graph::LocId loc) {
  auto array = std::make_shared<ArrayCell>();
  array->element = array_type.element;
  array->lanes = per_lane ? mode_.width : 1;
  Size count(1);
  for (const Size& extent : array_type.shape) count = count * extent;
  const std::int64_t element_bytes =
      byte_size(array_type.element) * static_cast<std::int64_t>(array->lanes);
  const auto constant = count.constant();
  if (constant && *constant * element_bytes <= 16384) {
    array->data = entry_alloca(
        memory_type(array_type.element, 1),
        std::max<std::int64_t>(1, *constant) * static_cast<std::int64_t>(array->lanes));
  } else {
    const Size bytes = (count * Size(element_bytes)).substitute([&](Size::Symbol symbol) {
      for (std::size_t i = 0; i < param_count(); ++i) {
        if (function_.params()[i].index == symbol)
          return Size::symbol(static_cast<Size::Symbol>(i));
      }
      throw Unsupported{loc, "an inner array whose size is computed in the body"};
    });
    array->data = scratch_memory(bytes);
  }
  Value stride = i64(1);
  array->strides.resize(array_type.shape.size());
  for (std::size_t d = array_type.shape.size(); d-- > 0;) {
    array->strides[d] = stride;
    stride = b_.CreateMul(stride, uniform_size(array_type.shape[d], loc));
  }
  return array;
}

Value Emitter::scratch_memory(const Size& bytes) {
  Size offset = scratch_bytes_.substitute(
      [&](Size::Symbol position) { return Size::symbol(function_.params()[position].index); });
  Value base = load_call_field(offsetof(kernel::KernelCall, scratch), b_.getPtrTy());
  Value start = b_.CreateGEP(b_.getInt8Ty(), base, emit_size(offset).value);
  scratch_bytes_ = scratch_bytes_ + bytes + Size(64);
  Value rounded = b_.CreateConstGEP1_64(b_.getInt8Ty(), start, 63);
  return b_.CreateIntrinsic(llvm::Intrinsic::ptrmask, {b_.getPtrTy(), b_.getInt64Ty()},
                            {rounded, i64(-64)});
}

// Writes what a body yields at one point: a scalar, or a whole array behind the indices.
void Emitter::store_point(const ArrayCell& array, std::span<const Cell> indices, const Cell& cell,
                          const graph::Type& yielded) {
  if (!cell.is(Kind::Array)) return store(array, offset_of(array, indices), cell);
  Cells full(indices.begin(), indices.end());
  full.resize(indices.size() + yielded.shape.size());
  Cells inner(yielded.shape.size());
  const std::function<void(std::size_t)> copy = [&](std::size_t d) {
    if (d == yielded.shape.size()) {
      store(array, offset_of(array, full),
            load(*cell.array, offset_of(*cell.array, inner), nullptr));
      return;
    }
    loop(i64(0), uniform_size(yielded.shape[d], {}), 1, [&](Value i) {
      inner[d] = full[indices.size() + d] = Cell::uniform(ElementType::I64, i);
      copy(d + 1);
    });
  };
  copy(0);
}

}  // namespace dvm::llvm_backend
