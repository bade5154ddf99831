// Reductions by key: each block of points has its own row of accumulators; rows are joined key by
// key.
#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

using graph::ScalarFn;

namespace {

// key_block(keys) = 4096 * max(1, ceil(32 * keys / 4096)), at run time.
Value key_block_length(llvm::IRBuilder<>& b, Value keys) {
  Value groups = b.CreateLShr(b.CreateAdd(b.CreateMul(keys, b.getInt64(32)), b.getInt64(4095)),
                              b.getInt64(12));
  Value at_least_one = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, groups, b.getInt64(1));
  return b.CreateMul(at_least_one, b.getInt64(4096));
}

std::vector<graph::ValueId> space_params(const graph::Region& body) {
  return {body.params.begin() + 1, body.params.end()};
}

}  // namespace

void Emitter::key_blocks_phase() {
  const graph::Node& n = node(main_);
  const auto& keyed = std::get<graph::ReduceByKey>(n.op);
  const graph::Region& body = region(n.regions[0]);
  const std::size_t rank = keyed.space.size();
  const auto rows = result_arrays(n, param_count(), rank + 2);
  const auto seen = operand_array(param_count() + n.results.size(), ElementType::Bool, 2);
  Value keys = uniform_size(keyed.keys, n.loc);
  Value extent = uniform_size(keyed.extent, n.loc);
  Value length = key_block_length(b_, keys);
  const auto params = space_params(body);
  const Space space = whole_space(keyed.space, params, n.regions, n.loc);
  const auto place = [&](Value number, Value key) {
    return Cells{Cell::uniform(ElementType::I64, number), Cell::uniform(ElementType::I64, key)};
  };
  const auto at_point = [&](Cells indices) {
    for (const Cell& index : current_point(space)) indices.push_back(index);
    return indices;
  };
  loop(tile_bound(false, 0), tile_bound(true, 0), 1, [&](Value number) {
    poll_cancel();
    loop(i64(0), keys, 1, [&](Value key) {
      const Cells row = place(number, key);
      store(*seen, offset_of(*seen, row), Cell::uniform(ElementType::Bool, b_.getFalse()));
      for_points(space, [&] {
        for (std::size_t i = 0; i < rows.size(); ++i) {
          const ElementType element = rows[i]->element;
          Value start = keyed.components.empty()
                            ? llvm::Constant::getNullValue(register_type(element))
                            : identity(keyed.components[i].combiner, element);
          store(*rows[i], offset_of(*rows[i], at_point(row)), Cell::uniform(element, start));
        }
      });
    });
    Value low = b_.CreateMul(number, length);
    loop(low, smin(b_.CreateAdd(low, length), extent), 1, [&](Value i) {
      set_cell(body.params[0], Cell::uniform(ElementType::I64, i));
      const graph::ValueId key_value[] = {body.yields[0]};
      prepare(key_value);
      Value key = cell(body.yields[0]).value;
      const auto add = [&] {
        const Cells row = place(number, key);
        Value fresh = nullptr;
        if (keyed.components.empty()) {
          fresh = b_.CreateNot(load(*seen, offset_of(*seen, row), nullptr).value);
        }
        for_points(space, [&] {
          Cells terms = emit_region(n.regions[0]);
          terms.erase(terms.begin());
          const Cells indices = at_point(row);
          std::vector<Slot> slots;
          for (std::size_t c = 0; c < rows.size(); ++c) {
            slots.push_back(make_slot(rows[c]->element, mode_.width));
            store_slot(slots[c], load(*rows[c], offset_of(*rows[c], indices), nullptr));
          }
          accumulate(n, slots, terms, fresh, nullptr);
          for (std::size_t c = 0; c < rows.size(); ++c) {
            store(*rows[c], offset_of(*rows[c], indices), load_slot(slots[c]));
          }
        });
        store(*seen, offset_of(*seen, row), Cell::uniform(ElementType::Bool, b_.getTrue()));
      };
      const auto drop = [&] {
        if (terms_may_fail(n)) for_points(space, [&] { emit_region(n.regions[0]); });
      };
      if_else(b_.CreateICmpULT(key, keys), add, drop);
    });
  });
}

// Joins the blocks that have a value for the key, as reduce joins blocks.
void Emitter::key_combine_phase() {
  const graph::Node& n = node(main_);
  const auto& keyed = std::get<graph::ReduceByKey>(n.op);
  const std::size_t rank = keyed.space.size();
  const std::size_t first = param_count();
  const auto rows = result_arrays(n, first, rank + 2);
  const auto seen = operand_array(first + n.results.size(), ElementType::Bool, 2);
  const auto results = result_arrays(n, first + n.results.size() + 1, rank + 1);
  Value keys = uniform_size(keyed.keys, n.loc);
  Value extent = uniform_size(keyed.extent, n.loc);
  Value length = key_block_length(b_, keys);
  Value blocks = b_.CreateUDiv(b_.CreateAdd(extent, b_.CreateSub(length, i64(1))), length);
  const auto params = space_params(region(n.regions[0]));
  const Space space = whole_space(keyed.space, params, n.regions, n.loc);
  loop(tile_bound(false, 0), tile_bound(true, 0), 1, [&](Value key) {
    const Cell key_cell = Cell::uniform(ElementType::I64, key);
    for_points(space, [&] {
      std::vector<Slot> joined;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        joined.push_back(make_slot(rows[i]->element, mode_.width));
        store_slot(joined[i], cell(n.operands[i]));
      }
      std::vector<Slot> like = joined;
      like.push_back(make_slot(ElementType::Bool, 1));
      CounterStack stack = make_stack(like);
      stack.optional = true;
      loop(i64(0), blocks, 1, [&](Value number) {
        Cells indices{Cell::uniform(ElementType::I64, number), key_cell};
        const Cell there = load(*seen, offset_of(*seen, indices), nullptr);
        for (const Cell& index : current_point(space)) indices.push_back(index);
        Cells value;
        for (const auto& array : rows)
          value.push_back(load(*array, offset_of(*array, indices), nullptr));
        value.push_back(there);
        push_block(n, stack, number, value);
      });
      if_then(b_.CreateICmpSGT(blocks, i64(0)), [&] {
        const Cells value = collapse(n, stack, blocks);
        if_then(value.back().value, [&] {
          for (std::size_t i = 0; i < joined.size(); ++i) store_slot(joined[i], value[i]);
        });
      });
      Cells indices{key_cell};
      for (const Cell& index : current_point(space)) indices.push_back(index);
      for (std::size_t i = 0; i < results.size(); ++i) {
        store(*results[i], offset_of(*results[i], indices), load_slot(joined[i]));
      }
    });
  });
}

}  // namespace dvm::llvm_backend
