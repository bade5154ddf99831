// Nodes of a body, emitted when something needs them; branches and loops inside bodies.
#include <algorithm>
#include <set>

#include "backend/kernel/needs.hpp"
#include "backend/kernel/op_sizes.hpp"
#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

using Kind = Cell::Kind;

namespace {

bool is_short(Value count) {
  auto* known = llvm::dyn_cast<llvm::ConstantInt>(count);
  return known && known->getSExtValue() <= 1024;
}

}  // namespace

void Emitter::unsupported(const graph::Node& n, std::string what) {
  throw Unsupported{n.loc, std::move(what)};
}

Cell Emitter::cell(graph::ValueId value) {
  const Cell& found = cells_[value.index];
  if (found.is(Kind::Absent)) {
    const graph::ValueId values[] = {value};
    prepare(values);
  }
  return cells_[value.index];
}

void Emitter::set_cell(graph::ValueId value, Cell cell) {
  if (cells_[value.index].is(Kind::Absent)) trail_.push_back(value);
  cells_[value.index] = std::move(cell);
}

// Values set after `mark` are no longer there: their code does not dominate what follows.
void Emitter::forget(std::size_t mark) {
  while (trail_.size() > mark) {
    cells_[trail_.back().index] = Cell{};
    trail_.pop_back();
  }
}

// Emits what `values` need, in program order, without recursion along chains.
void Emitter::prepare(std::span<const graph::ValueId> values) {
  std::vector<graph::ValueId> open(values.begin(), values.end());
  std::set<std::pair<std::uint32_t, graph::NodeId>> nodes;
  while (!open.empty()) {
    const graph::ValueId value = open.back();
    open.pop_back();
    if (!cells_[value.index].is(Kind::Absent)) continue;
    const graph::NodeId maker = function_.values[value].node;
    if (!maker.valid()) throw Unsupported{{}, "a value that is not in scope of this kernel"};
    if (!nodes.insert({order_[maker.index], maker}).second) continue;
    const graph::Node& n = node(maker);
    for (std::size_t k = 0; k < n.operands.size(); ++k) {
      if (needed_->operand(maker, k)) open.push_back(n.operands[k]);
    }
    kernel::for_each_size_value(n.op, [&](graph::ValueId symbol) { open.push_back(symbol); });
    if (std::holds_alternative<graph::Branch>(n.op)) continue;
    for (graph::RegionId nested : n.regions) {
      for (graph::ValueId outer : kernel::values_to_hoist(function_, nested, *needed_))
        open.push_back(outer);
    }
  }
  for (const auto& [order, id] : nodes) emit_node(id);
}

// What nothing needs is a zero that costs nothing.
Cell Emitter::nothing(graph::ValueId value) {
  const ElementType element = type(value).element;
  return Cell::uniform(element, llvm::Constant::getNullValue(register_type(element)));
}

Cell Emitter::operand(graph::NodeId id, std::size_t index) {
  const graph::ValueId value = node(id).operands[index];
  return needed_->operand(id, index) ? cell(value) : nothing(value);
}

Cells Emitter::emit_region(graph::RegionId id) {
  const auto& values = region(id).yields;
  std::vector<graph::ValueId> wanted;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (needed_->yield(id, i)) wanted.push_back(values[i]);
  }
  prepare(wanted);
  Cells yields;
  for (std::size_t i = 0; i < values.size(); ++i) {
    yields.push_back(needed_->yield(id, i) ? cell(values[i]) : nothing(values[i]));
  }
  return yields;
}

void Emitter::emit_node(graph::NodeId id) {
  const graph::Node& n = node(id);
  if (const auto* constant = std::get_if<graph::Constant>(&n.op)) {
    return set_cell(n.results[0],
                    Cell::uniform(constant->value.type, constant_of(constant->value)));
  }
  if (const auto* size = std::get_if<graph::SizeOf>(&n.op))
    return set_cell(n.results[0], emit_size(size->size));
  if (std::holds_alternative<graph::ScalarOp>(n.op))
    return set_cell(n.results[0], emit_scalar_node(id));
  if (std::holds_alternative<graph::Read>(n.op)) {
    Cell found;
    return set_cell(n.results[0], read_panel(id, found) ? found : emit_read(id));
  }
  if (std::holds_alternative<graph::Check>(n.op)) {
    const Cell value = cell(n.operands[0]);
    const Cell condition[] = {cell(n.operands[1])};
    Cells message;
    for (std::size_t i = 2; i < n.operands.size(); ++i) message.push_back(cell(n.operands[i]));
    fail_if(n.check, apply(graph::ScalarFn::Not, ElementType::Bool, condition), message);
    return set_cell(n.results[0], value);
  }
  if (std::holds_alternative<graph::Branch>(n.op)) return emit_branch(id);
  if (std::holds_alternative<graph::Loop>(n.op)) return emit_loop(id);
  if (std::holds_alternative<graph::While>(n.op)) return emit_while(id);
  if (std::holds_alternative<graph::Map>(n.op)) return emit_map(id);
  if (std::holds_alternative<graph::Reduce>(n.op)) return emit_reduce(id);
  if (std::holds_alternative<graph::Scan>(n.op)) return emit_scan(id);
  unsupported(n, "`" + std::string(graph::facts(n.op).mnemonic) +
                     "` inside the body of a parallel operation");
}

void Emitter::emit_branch(graph::NodeId id) {
  const graph::Node& n = node(id);
  const Cell condition = cell(n.operands[0]);
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition.value)) {
    const Cells yields = emit_region(n.regions[known->isOne() ? 0 : 1]);
    for (std::size_t i = 0; i < n.results.size(); ++i) set_cell(n.results[i], yields[i]);
    return;
  }
  for (graph::ValueId result : n.results) {
    if (!type(result).is_scalar())
      unsupported(n, "a branch between arrays inside the body of a parallel operation");
  }
  if (!condition.is(Kind::Uniform)) return emit_varying_branch(n, materialise(condition));
  emit_uniform_branch(n, condition.value);
}

// Real control flow. What both sides give as a scalar stays one, so that conditions made by `||` of
// row and column tests do not become vectors.
void Emitter::emit_uniform_branch(const graph::Node& n, Value condition) {
  llvm::BasicBlock* sides[] = {block("then"), block("else")};
  llvm::BasicBlock* ends[2];
  Cells yields[2];
  b_.CreateCondBr(condition, sides[0], sides[1]);
  const std::size_t mark = trail_.size();
  for (int side = 0; side < 2; ++side) {
    b_.SetInsertPoint(sides[side]);
    yields[side] = emit_region(n.regions[static_cast<std::size_t>(side)]);
    forget(mark);
    ends[side] = b_.GetInsertBlock();
  }
  auto* exit = block("join");
  const auto merge = [&](Value a, Value b) -> Value {
    if (a == b) return a;
    b_.SetInsertPoint(exit);
    auto* phi = b_.CreatePHI(a->getType(), 2);
    phi->addIncoming(a, ends[0]);
    phi->addIncoming(b, ends[1]);
    return phi;
  };
  Cells merged;
  for (std::size_t i = 0; i < n.results.size(); ++i) {
    const Cell &a = yields[0][i], &b = yields[1][i];
    if (a.is(Kind::Uniform) && b.is(Kind::Uniform)) {
      merged.push_back(Cell::uniform(a.element, merge(a.value, b.value)));
    } else if (a.is(Kind::Affine) && b.is(Kind::Affine) && a.stride == b.stride) {
      merged.push_back(Cell::affine(a.element, merge(a.value, b.value), a.stride));
    } else {
      Value vectors[2];
      for (int side = 0; side < 2; ++side) {
        b_.SetInsertPoint(ends[side]);
        vectors[side] = materialise(yields[side][i]);
      }
      merged.push_back(Cell::varying(a.element, merge(vectors[0], vectors[1])));
    }
  }
  for (llvm::BasicBlock* end : ends) {
    b_.SetInsertPoint(end);
    b_.CreateBr(exit);
  }
  b_.SetInsertPoint(exit);
  for (std::size_t i = 0; i < n.results.size(); ++i) set_cell(n.results[i], merged[i]);
}

// Each side runs under its mask when a lane wants it.
void Emitter::emit_varying_branch(const graph::Node& n, Value condition) {
  std::vector<Slot> slots;
  for (graph::ValueId result : n.results) {
    slots.push_back(make_slot(type(result).element, mode_.width));
    b_.CreateStore(llvm::Constant::getNullValue(slots.back().memory->getAllocatedType()),
                   slots.back().memory);
  }
  const Mode outer = mode_;
  const auto side = [&](std::size_t which, Value lanes) {
    mode_.mask = and_masks(outer.mask, lanes);
    if_then(any_lane(mode_.mask), [&] {
      const Cells yields = emit_region(n.regions[which]);
      for (std::size_t i = 0; i < slots.size(); ++i)
        blend_slot(slots[i], yields[i], which == 0 ? nullptr : lanes);
    });
    mode_ = outer;
  };
  side(0, condition);
  side(1, b_.CreateNot(condition));
  for (std::size_t i = 0; i < slots.size(); ++i) set_cell(n.results[i], load_slot(slots[i]));
}

std::vector<Emitter::Slot> Emitter::state_slots(graph::NodeId id, std::size_t first,
                                                std::size_t count) {
  const graph::Node& n = node(id);
  std::vector<Slot> slots;
  for (std::size_t i = 0; i < count; ++i) {
    if (!type(n.operands[first + i]).is_scalar())
      unsupported(n, "arrays as the state of a loop inside the body of a parallel operation");
    slots.push_back(make_slot(n.results[i]));
    store_slot(slots.back(), this->operand(id, first + i));
  }
  return slots;
}

void Emitter::emit_loop(graph::NodeId id) {
  const graph::Node& n = node(id);
  const graph::Region& body = region(n.regions[0]);
  if (std::get<graph::Loop>(n.op).stacked > 0) {
    unsupported(
        n, "a loop that keeps the values of every step inside the body of a parallel operation");
  }
  const Cell count = cell(n.operands[0]);
  const std::vector<Slot> slots = state_slots(id, 1, n.operands.size() - 1);
  const Mode outer = mode_;
  Value last = count.value;
  Value lanes_count = nullptr;
  if (!count.is(Kind::Uniform)) {
    lanes_count = materialise(count);
    Value bounded = lanes_count;
    if (outer.mask) {
      bounded =
          b_.CreateSelect(outer.mask, bounded, llvm::Constant::getNullValue(bounded->getType()));
    }
    last = b_.CreateIntMaxReduce(bounded, true);
  }
  loop(i64(0), last, 1, [&](Value step) {
    if (!is_short(last)) {
      Value often = b_.CreateICmpEQ(b_.CreateAnd(step, i64(1023)), i64(1023));
      if_then(often, [&] { poll_cancel(); }, true);
    }
    if (lanes_count) {
      mode_.mask = and_masks(outer.mask, b_.CreateICmpSLT(splat(step, mode_.width), lanes_count));
    }
    set_cell(body.params[0], Cell::uniform(ElementType::I64, step));
    for (std::size_t i = 0; i < slots.size(); ++i)
      set_cell(body.params[i + 1], load_slot(slots[i]));
    const Cells yields = emit_region(n.regions[0]);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      blend_slot(slots[i], yields[i], lanes_count ? mode_.mask : nullptr);
    }
    mode_ = outer;
  });
  for (std::size_t i = 0; i < slots.size(); ++i) set_cell(n.results[i], load_slot(slots[i]));
}

void Emitter::emit_while(graph::NodeId id) {
  const graph::Node& n = node(id);
  const std::vector<Slot> slots = state_slots(id, 0, n.operands.size());
  const graph::ValueId stop = region(n.regions[0]).yields[0];
  if (mode_.width > 1 && divergence_ && divergence_->varying(stop)) {
    emit_masked_while(n, slots);
  } else {
    const auto bind = [&](graph::RegionId id_of) {
      for (std::size_t i = 0; i < slots.size(); ++i)
        set_cell(region(id_of).params[i], load_slot(slots[i]));
    };
    loop_down_while(
        [&] {
          bind(n.regions[0]);
          return emit_region(n.regions[0])[0].value;
        },
        [&] {
          bind(n.regions[1]);
          const Cells yields = emit_region(n.regions[1]);
          for (std::size_t i = 0; i < slots.size(); ++i) store_slot(slots[i], yields[i]);
        });
  }
  for (std::size_t i = 0; i < slots.size(); ++i) set_cell(n.results[i], load_slot(slots[i]));
}

// Runs until no lane goes on; lanes that are done keep their states.
void Emitter::emit_masked_while(const graph::Node& n, const std::vector<Slot>& slots) {
  const Mode outer = mode_;
  const Slot going = make_slot(ElementType::Bool, mode_.width);
  Value all =
      llvm::Constant::getAllOnesValue(llvm::FixedVectorType::get(b_.getInt1Ty(), mode_.width));
  b_.CreateStore(outer.mask ? outer.mask : all, going.memory);
  Value active = nullptr;
  loop_down_while(
      [&] {
        mode_.mask = load_slot(going).value;
        for (std::size_t i = 0; i < slots.size(); ++i) {
          set_cell(region(n.regions[0]).params[i], load_slot(slots[i]));
        }
        const Cell condition = emit_region(n.regions[0])[0];
        active = b_.CreateAnd(mode_.mask, materialise(condition));
        b_.CreateStore(active, going.memory);
        return any_lane(active);
      },
      [&] {
        mode_.mask = active;
        for (std::size_t i = 0; i < slots.size(); ++i) {
          set_cell(region(n.regions[1]).params[i], load_slot(slots[i]));
        }
        const Cells yields = emit_region(n.regions[1]);
        for (std::size_t i = 0; i < slots.size(); ++i) blend_slot(slots[i], yields[i], active);
      });
  mode_ = outer;
}

}  // namespace dvm::llvm_backend
