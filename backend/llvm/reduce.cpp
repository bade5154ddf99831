// Reductions: blocks of 4096 terms in order or in 32 lanes, blocks joined by neighbours (see Tree
// in ir/graph/op.hpp). Accumulators of built-in operators start at the exact identity, others with
// the first term.
#include <algorithm>

#include "backend/kernel/lane_width.hpp"
#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

using Kind = Cell::Kind;
using graph::ScalarFn;

const std::vector<graph::Component>& Emitter::components_of(const graph::Node& n) {
  if (const auto* reduce = std::get_if<graph::Reduce>(&n.op)) return reduce->components;
  if (const auto* scan = std::get_if<graph::Scan>(&n.op)) return scan->components;
  if (const auto* keyed = std::get_if<graph::ReduceByKey>(&n.op)) return keyed->components;
  return std::get<graph::Scatter>(n.op).components;
}

// a op b, component by component or through the operator's region.
Cells Emitter::combine(const graph::Node& n, const Cells& a, const Cells& b) {
  const auto& components = components_of(n);
  Cells result;
  if (!components.empty()) {
    // Tiles hold many accumulators of each component, one group after the other.
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Cell x[] = {a[i], b[i]};
      result.push_back(apply(components[i % components.size()].combiner, a[i].element, x));
    }
    return result;
  }
  const std::size_t mark = trail_.size();
  const auto& params = region(n.regions[1]).params;
  for (std::size_t i = 0; i < a.size(); ++i) {
    set_cell(params[i], a[i]);
    set_cell(params[a.size() + i], b[i]);
  }
  result = emit_region(n.regions[1]);
  forget(mark);
  return result;
}

std::vector<Emitter::Slot> Emitter::accumulator_slots(const graph::Node& n) {
  // Lanes along a dimension of its own make the result vary from point to point, not as an array.
  const auto& own = region(n.regions[0]).params;
  const bool own_lanes =
      &n == &node(main_) || std::find(own.begin(), own.end(), lane_) != own.end();
  std::vector<Slot> slots;
  for (graph::ValueId result : n.results) {
    const bool vector = mode_.width > 1 && (own_lanes || divergence_->varying(result));
    slots.push_back(make_slot(type(result).element, vector ? mode_.width : 1));
  }
  return slots;
}

void Emitter::set_identities(const graph::Node& n, const std::vector<Slot>& slots) {
  const auto& components = components_of(n);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Value start = components.empty() ? llvm::Constant::getNullValue(register_type(slots[i].element))
                                     : identity(components[i].combiner, slots[i].element);
    store_slot(slots[i], Cell::uniform(slots[i].element, start));
  }
}

// accumulator = accumulator op term. `is_first` (operators with a region): the term itself.
// `blend`: only these lanes.
void Emitter::accumulate(const graph::Node& n, const std::vector<Slot>& slots, const Cells& terms,
                         Value is_first, Value blend) {
  const auto& components = components_of(n);
  if (components.empty()) {
    const auto keep = [&](const Cells& next) {
      for (std::size_t i = 0; i < slots.size(); ++i) blend_slot(slots[i], next[i], blend);
    };
    if_else(
        is_first, [&] { keep(terms); },
        [&] {
          Cells old;
          for (const Slot& slot : slots) old.push_back(load_slot(slot));
          keep(combine(n, old, terms));
        });
    return;
  }
  std::size_t term = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Cell old = load_slot(slots[i]);
    if (components[i].fused_product) {
      const Cell x[] = {terms[term], terms[term + 1], old};
      blend_slot(slots[i], apply(ScalarFn::Fma, old.element, x), blend);
      term += 2;
    } else {
      const Cell x[] = {old, terms[term++]};
      blend_slot(slots[i], apply(components[i].combiner, old.element, x), blend);
    }
  }
}

Cells Emitter::reduce_block(const graph::Node& n, Value low, Value high) {
  const auto& reduce = std::get<graph::Reduce>(n.op);
  if (reduce.tree == graph::Tree::Lanes && !reduce.components.empty()) {
    if (mode_.width > 1) unsupported(n, "a reduction in lanes inside a vectorised body");
    const graph::RegionId body = n.regions[0];
    const graph::ValueId seeds[] = {region(body).params.back()};
    const graph::RegionId regions[] = {body};
    const kernel::Divergence divergence(function_, regions, seeds);
    if (kernel::contains_lanes(function_, body) || kernel::makes_arrays(function_, body) ||
        kernel::has_irregular_sizes(function_, body, divergence)) {
      return reduce_in_lanes_slowly(n, low, high);
    }
    return reduce_in_lanes(n, low, high);
  }
  return reduce_in_order(n, low, high);
}

Cells Emitter::reduce_in_order(const graph::Node& n, Value low, Value high) {
  const std::vector<Slot> slots = accumulator_slots(n);
  set_identities(n, slots);
  loop(low, high, 1, [&](Value t) {
    set_cell(region(n.regions[0]).params.back(), Cell::uniform(ElementType::I64, t));
    const Cells terms = emit_region(n.regions[0]);
    accumulate(n, slots, terms, b_.CreateICmpEQ(t, low), nullptr);
  });
  Cells result;
  for (const Slot& slot : slots) result.push_back(load_slot(slot));
  return result;
}

// A reduction in lanes for a vector of points: point by point, with what varies taken from its
// lane.
Cells Emitter::reduce_lane_by_lane(graph::NodeId id) {
  const graph::Node& n = node(id);
  const auto outer = std::tuple(mode_, divergence_, facts_);
  const unsigned width = mode_.width;
  Value mask = mode_.mask;
  std::vector<llvm::AllocaInst*> memory;
  for (graph::ValueId result : n.results) {
    const ElementType element = type(result).element;
    memory.push_back(entry_alloca(memory_type(element), width));
    b_.CreateStore(llvm::Constant::getNullValue(memory_type(element, width)), memory.back());
  }
  std::vector<std::pair<graph::ValueId, Cell>> varying;
  for (graph::ValueId value : trail_) {
    const Cell& held = cells_[value.index];
    if (held.is(Kind::Affine) || held.is(Kind::Varying)) varying.push_back({value, held});
  }
  mode_ = {};
  divergence_ = nullptr;
  facts_ = nullptr;
  loop(i64(0), i64(width), 1, [&](Value lane) {
    const auto point = [&] {
      for (const auto& [value, held] : varying) {
        cells_[value.index] = Cell::uniform(held.element, lane_value(held, lane));
      }
      const std::size_t mark = trail_.size();
      const Cells cells = reduce_at_point(id);
      for (std::size_t i = 0; i < cells.size(); ++i) {
        llvm::Type* scalar = memory_type(cells[i].element);
        b_.CreateStore(to_memory(cells[i].element, cells[i].value),
                       b_.CreateGEP(scalar, memory[i], lane));
      }
      forget(mark);
      for (const auto& [value, held] : varying) cells_[value.index] = held;
    };
    if (mask) {
      if_then(b_.CreateExtractElement(mask, lane), point);
    } else {
      point();
    }
  });
  std::tie(mode_, divergence_, facts_) = outer;
  Cells result;
  for (std::size_t i = 0; i < n.results.size(); ++i) {
    const ElementType element = type(n.results[i]).element;
    Value all = b_.CreateAlignedLoad(memory_type(element, width), memory[i], llvm::Align(1));
    result.push_back(Cell::varying(element, from_memory(element, all)));
  }
  return result;
}

// The whole reduction at the current point (or vector of points).
Cells Emitter::reduce_at_point(graph::NodeId id) {
  const graph::Node& n = node(id);
  if (mode_.width > 1 && std::get<graph::Reduce>(n.op).tree == graph::Tree::Lanes &&
      !std::get<graph::Reduce>(n.op).components.empty()) {
    return short_rows_ ? reduce_short_row(id) : reduce_lane_by_lane(id);
  }
  if (short_rows_) fill_panels(id);
  Cells neutral;
  for (std::size_t i = 0; i < n.operands.size(); ++i) neutral.push_back(operand(id, i));
  Value extent = uniform_size(std::get<graph::Reduce>(n.op).extent, n.loc);
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(extent)) {
    if (known->getSExtValue() <= 0) return neutral;
    if (known->getSExtValue() <= graph::reduction_block) return reduce_block(n, i64(0), extent);
  }
  const std::vector<Slot> result = accumulator_slots(n);
  for (std::size_t i = 0; i < result.size(); ++i) store_slot(result[i], neutral[i]);
  const CounterStack stack = make_stack(result);
  Value blocks = b_.CreateLShr(b_.CreateAdd(extent, i64(graph::reduction_block - 1)), i64(12));
  Value single = b_.CreateICmpSLE(extent, i64(graph::reduction_block));
  loop(i64(0), blocks, 1, [&](Value number) {
    Value low = b_.CreateMul(number, i64(graph::reduction_block));
    Value high = smin(b_.CreateAdd(low, i64(graph::reduction_block)), extent);
    const Cells value = reduce_block(n, low, high);
    if_else(
        single,
        [&] {
          for (std::size_t i = 0; i < result.size(); ++i) store_slot(result[i], value[i]);
        },
        [&] { push_block(n, stack, number, value); });
  });
  if_then(b_.CreateNot(single), [&] {
    const Cells value = collapse(n, stack, blocks);
    for (std::size_t i = 0; i < result.size(); ++i) store_slot(result[i], value[i]);
  });
  Cells cells;
  for (const Slot& slot : result) cells.push_back(load_slot(slot));
  return cells;
}

void Emitter::emit_reduce(graph::NodeId id) {
  const graph::Node& n = node(id);
  const auto& reduce = std::get<graph::Reduce>(n.op);
  if (reduce.space.empty()) {
    const Cells cells = reduce_at_point(id);
    for (std::size_t i = 0; i < n.results.size(); ++i) set_cell(n.results[i], cells[i]);
    return;
  }
  std::vector<std::shared_ptr<ArrayCell>> results;
  for (graph::ValueId result : n.results) {
    const bool per_lane = mode_.width > 1 && divergence_ && divergence_->varying(result);
    results.push_back(local_array(type(result), per_lane, n.loc));
  }
  const Space space = whole_space(reduce.space, region(n.regions[0]).params, n.regions, n.loc);
  for_points(
      space,
      [&] {
        const Cells cells = reduce_at_point(id);
        Cells indices;
        for (graph::ValueId param : space.params) indices.push_back(cells_[param.index]);
        for (std::size_t i = 0; i < results.size(); ++i)
          store(*results[i], offset_of(*results[i], indices), cells[i]);
      },
      reduce.tree == graph::Tree::Lanes ? 1 : 0);
  for (std::size_t i = 0; i < n.results.size(); ++i) set_cell(n.results[i], array_cell(results[i]));
}

}  // namespace dvm::llvm_backend
