// The kernel function itself: reading KernelCall, binding params, scratch memory.
#include <llvm/IR/MDBuilder.h>

#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

namespace {

constexpr unsigned view_bytes = sizeof(kernel::View);
constexpr unsigned strides_offset = offsetof(kernel::View, strides);

}  // namespace

Emitter::Emitter(llvm::Module& module, const graph::Module& graph, const kernel::Kernel& kernel,
                 const Target& target)
    : module_(module),
      context_(module.getContext()),
      graph_(graph),
      kernel_(kernel),
      function_(graph.functions[kernel.function]),
      target_(target),
      vector_bytes_(target.isa == VectorIsa::Avx512 ? 64 : 32),
      b_(context_),
      cells_(function_.values.size()),
      order_(function_.nodes.size(), 0) {
  std::uint32_t next = 0;
  const std::function<void(graph::RegionId)> number = [&](graph::RegionId id) {
    for (graph::NodeId node_id : region(id).nodes) {
      order_[node_id.index] = next++;
      for (graph::RegionId nested : node(node_id).regions) number(nested);
    }
  };
  number(function_.body);
}

void Emitter::begin_function() {
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy()}, false);
  fn_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, kernel_.symbol, module_);
  fn_->addFnAttr(llvm::Attribute::NoUnwind);
  fn_->addFnAttr("prefer-vector-width", std::to_string(vector_bytes_ * 8));
  fn_->addFnAttr("min-legal-vector-width", std::to_string(vector_bytes_ * 8));
  fn_->addParamAttr(0, llvm::Attribute::NoAlias);
  fn_->addParamAttr(0, llvm::Attribute::ReadOnly);
  allocas_ = llvm::BasicBlock::Create(context_, "allocas", fn_);
  auto* start = llvm::BasicBlock::Create(context_, "start", fn_);
  b_.SetInsertPoint(allocas_);
  b_.CreateBr(start);
  b_.SetInsertPoint(start);
  call_ = fn_->getArg(0);
  operands_ = load_call_field(offsetof(kernel::KernelCall, operands), b_.getPtrTy());
  low_ = load_call_field(offsetof(kernel::KernelCall, low), b_.getPtrTy());
  high_ = load_call_field(offsetof(kernel::KernelCall, high), b_.getPtrTy());
}

Value Emitter::load_call_field(unsigned offset, llvm::Type* type) {
  auto* load = b_.CreateAlignedLoad(
      type, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), call_, offset), llvm::Align(8));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
  return load;
}

std::shared_ptr<ArrayCell> Emitter::operand_array(std::size_t operand, ElementType element,
                                                  std::size_t rank) {
  auto array = std::make_shared<ArrayCell>();
  array->element = element;
  const auto field = [&](std::size_t offset, llvm::Type* type) {
    auto* load = b_.CreateAlignedLoad(
        type,
        b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), operands_, operand * view_bytes + offset),
        llvm::Align(8));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
    return load;
  };
  array->data = field(0, b_.getPtrTy());
  for (std::size_t d = 0; d + 1 < rank; ++d) {
    array->strides.push_back(field(strides_offset + 8 * d, b_.getInt64Ty()));
  }
  if (rank > 0) array->strides.push_back(i64(1));
  return array;
}

void Emitter::bind_param(std::size_t position) {
  const graph::ValueId param = function_.params()[position];
  const graph::Type& param_type = type(param);
  auto array = operand_array(position, param_type.element, param_type.shape.size());
  array->invariant = true;
  if (param_type.is_scalar()) {
    set_cell(param, load_uniform(*array, i64(0), nullptr));
  } else {
    set_cell(param, array_cell(array));
  }
}

Value Emitter::tile_bound(bool high, std::size_t dim) {
  auto* load = b_.CreateAlignedLoad(
      b_.getInt64Ty(), b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), high ? high_ : low_, dim),
      llvm::Align(8));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
  return load;
}

// Returns from the kernel when the engine asks to stop.
void Emitter::poll_cancel() {
  Value flag = load_call_field(offsetof(kernel::KernelCall, cancel), b_.getPtrTy());
  auto* load = b_.CreateAlignedLoad(b_.getInt32Ty(), flag, llvm::Align(4));
  load->setAtomic(llvm::AtomicOrdering::Monotonic);
  if_then(
      b_.CreateICmpNE(load, b_.getInt32(0)),
      [&] {
        b_.CreateRetVoid();
        b_.SetInsertPoint(block("after_return"));
      },
      true);
}

// Everything before the main node: constants, sizes and whatever scalars it reads.
void Emitter::emit_preamble() {
  for (std::size_t i = 0; i < param_count(); ++i) bind_param(i);
  if (function_.results().empty()) throw Unsupported{{}, "a kernel without results"};
  main_ = function_.values[function_.results()[0]].node;
  if (!main_.valid()) throw Unsupported{{}, "a kernel that only passes its inputs on"};
  needed_.emplace(function_, main_);
  const graph::Node& main = node(main_);
  std::vector<graph::ValueId> needed(main.operands);
  for (graph::ValueId operand : main.operands) {
    const graph::NodeId maker = function_.values[operand].node;
    if (maker.valid() && !type(operand).is_scalar())
      unsupported(node(maker), "an array made beside a kernel's node");
  }
  prepare(needed);
}

void Emitter::run() {
  begin_function();
  emit_preamble();
  const graph::Node& main = node(main_);
  const auto record = [&](const std::vector<Size>& sizes) {
    index_sizes_ = sizes;
    index_params_ = region(main.regions[0]).params;
  };
  const auto with = [](std::vector<Size> sizes, const Size& last) {
    sizes.push_back(last);
    return sizes;
  };
  const auto after = [](const Size& first, const std::vector<Size>& rest) {
    std::vector<Size> sizes{first};
    sizes.insert(sizes.end(), rest.begin(), rest.end());
    return sizes;
  };
  if (const auto* map = std::get_if<graph::Map>(&main.op)) record(map->space);
  if (const auto* reduce = std::get_if<graph::Reduce>(&main.op))
    record(with(reduce->space, reduce->extent));
  if (const auto* scan = std::get_if<graph::Scan>(&main.op))
    record(with(scan->space, scan->extent));
  if (const auto* scatter = std::get_if<graph::Scatter>(&main.op))
    record(after(scatter->extent, scatter->space));
  if (const auto* keyed = std::get_if<graph::ReduceByKey>(&main.op))
    record(after(keyed->extent, keyed->space));
  if (const auto* filter = std::get_if<graph::Filter>(&main.op)) record({filter->extent});
  switch (kernel_.phase) {
    case kernel::Phase::Map:
      map_phase();
      break;
    case kernel::Phase::ReduceWhole:
      reduce_whole_phase();
      break;
    case kernel::Phase::ReduceBlocks:
      reduce_blocks_phase();
      break;
    case kernel::Phase::ReduceCombine:
      reduce_combine_phase();
      break;
    case kernel::Phase::ScanWhole:
      scan_whole_phase();
      break;
    case kernel::Phase::ScanTotals:
      scan_totals_phase();
      break;
    case kernel::Phase::ScanOffsets:
      scan_offsets_phase();
      break;
    case kernel::Phase::ScanApply:
      scan_apply_phase();
      break;
    case kernel::Phase::KeyBlocks:
      key_blocks_phase();
      break;
    case kernel::Phase::KeyCombine:
      key_combine_phase();
      break;
    case kernel::Phase::Scatter:
      scatter_phase();
      break;
    case kernel::Phase::FilterCount:
      filter_phase(false);
      break;
    case kernel::Phase::FilterWrite:
      filter_phase(true);
      break;
    case kernel::Phase::Sort:
      unsupported(main, "generated code for sort");
  }
  b_.CreateRetVoid();
}

}  // namespace dvm::llvm_backend
