// Pulled arrays, and storing them: one `map` over all dimensions whose outer elements cost nothing,
// or nested ones, so that nothing is computed twice.
#include <algorithm>

#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

using graph::Node;
using graph::NodeId;

ArrayValue Lowerer::as_array(const ValueRef& value, Span span) {
  if (const auto* array = get_if<ArrayValue>(value)) return *array;
  if (const auto* failure = get_if<FailureValue>(value))
    return as_array(shaped(*failure, span), span);
  not_supported(span, "this use of an array");
}

ArrayValue Lowerer::stored_array(Size extent, LayoutRef element, std::vector<ValueId> leaves,
                                 std::vector<ValueId> prefix) {
  ArrayValue array;
  array.extent = std::move(extent);
  array.view = true;
  array.stored = Stored{std::move(element), std::move(leaves), std::move(prefix)};
  array.element = [stored = *array.stored](Lowerer& lower, ValueId index) {
    std::vector<ValueId> prefix = stored.prefix;
    prefix.push_back(index);
    std::size_t next = 0;
    return lower.rebuild_at(stored.element, stored.leaves, next, prefix);
  };
  return array;
}

ArrayValue Lowerer::pull(Size extent, std::function<ValueRef(Lowerer&, ValueId)> element,
                         bool view) {
  ArrayValue array;
  array.extent = std::move(extent);
  array.view = view;
  // Places inside the elements keep the call path of the place that made the array.
  array.element = [element = std::move(element), context = context_](Lowerer& lower,
                                                                     ValueId index) {
    const Context outer = lower.context();
    const LocId loc = lower.emit().loc();
    lower.set_context(context);
    ValueRef value = element(lower, index);
    lower.set_context(outer);
    lower.emit().set_loc(loc);
    return value;
  };
  return array;
}

ValueId Lowerer::fulfil(ValueId value, const std::vector<Requirement>& requirements) {
  for (const Requirement& requirement : requirements)
    value = emit().check(value, requirement.condition, requirement.values, requirement.check);
  return value;
}

Requirement Lowerer::require(ValueId condition, std::vector<ValueId> values, Span span,
                             std::string message) {
  return Requirement{condition, std::move(values), new_check(span, std::move(message))};
}

ArrayValue Lowerer::guarded(const ArrayValue& array, Requirement requirement) {
  if (emit().known_bool(requirement.condition) == true) return array;
  if (array.stored) {
    std::vector<ValueId> leaves;
    for (ValueId leaf : array.stored->leaves) leaves.push_back(fulfil(leaf, {requirement}));
    ArrayValue result =
        stored_array(array.extent, array.stored->element, std::move(leaves), array.stored->prefix);
    result.requirements = array.requirements;
    return result;
  }
  ArrayValue result = array;
  result.element = [element = array.element, requirement](Lowerer& lower, ValueId index) {
    return element(lower, lower.fulfil(index, {requirement}));
  };
  return result;
}

std::pair<Size, std::vector<Requirement>> Lowerer::extent_of(ValueId count, Span span,
                                                             const std::string& what) {
  const Size extent = emit().as_size(count);
  if (emit().proves_nonnegative(extent)) return {extent, {}};
  at(span);
  const ValueId ok = emit().scalar(ScalarFn::Ge, {count, emit().constant_i64(0)});
  return {extent, {require(ok, {count}, span, what + " {0} is negative")}};
}

std::vector<Size> Lowerer::shape_of(const ArrayValue& array, std::size_t rank, Span span) {
  std::vector<Size> shape = {array.extent};
  if (array.stored) {
    const Layout* layout = array.stored->element.get();
    while (shape.size() < rank) {
      const auto* inner = std::get_if<ArrayLayout>(&layout->node);
      if (inner == nullptr) return shape;
      shape.push_back(inner->extent);
      layout = inner->element.get();
    }
    return shape;
  }
  if (rank <= 1) return shape;
  // A sample element tells the inner extents.
  emit().open(FrameKind::Scratch);
  const ValueId index = emit().param({ElementType::I64, {}}, "i");
  emit().add_index_facts(index, array.extent);
  const ValueRef element = array.element(*this, index);
  std::vector<Size> inner;
  if (const auto* row = get_if<ArrayValue>(element)) inner = shape_of(*row, rank - 1, span);
  emit().leave();
  for (const Size& extent : inner) {
    if (!emit().visible_at(extent, emit().frames().size()))
      fail(span, "ragged-array", "the rows of this array may differ in length",
           "not a regular array");
    shape.push_back(extent);
  }
  return shape;
}

namespace {

bool is_costly_op(const graph::Op& op) {
  return std::holds_alternative<graph::Reduce>(op) || std::holds_alternative<graph::Scan>(op) ||
         std::holds_alternative<graph::ReduceByKey>(op) ||
         std::holds_alternative<graph::Scatter>(op) || std::holds_alternative<graph::Loop>(op) ||
         std::holds_alternative<graph::While>(op) || std::holds_alternative<graph::Map>(op) ||
         std::holds_alternative<graph::Sort>(op) || std::holds_alternative<graph::Filter>(op) ||
         std::holds_alternative<graph::Call>(op);
}

bool is_costly(const graph::Function& function, RegionId region) {
  for (NodeId id : function.regions[region].nodes) {
    const Node& node = function.nodes[id];
    if (is_costly_op(node.op)) return true;
    for (RegionId inner : node.regions)
      if (is_costly(function, inner)) return true;
  }
  return false;
}

}  // namespace

// Work that is not worth keeping: constants, reads that cannot fail, arithmetic; choices of such
// only where they may stay branches.
bool Lowerer::is_cheap(RegionId region, bool choices) {
  const graph::Function& function = emit().function();
  if (function.regions[region].nodes.size() > 64) return false;
  for (NodeId id : function.regions[region].nodes) {
    const Node& node = function.nodes[id];
    if (node.check.valid()) return false;
    if (std::holds_alternative<graph::Constant>(node.op) ||
        std::holds_alternative<graph::SizeOf>(node.op) ||
        std::holds_alternative<graph::Read>(node.op))
      continue;
    if (choices && std::holds_alternative<graph::Branch>(node.op)) {
      if (!is_cheap(node.regions[0], true) || !is_cheap(node.regions[1], true)) return false;
      continue;
    }
    const auto* scalar = std::get_if<graph::ScalarOp>(&node.op);
    if (scalar == nullptr || scalar->fn == ScalarFn::Div || scalar->fn == ScalarFn::Sqrt ||
        facts(scalar->fn).elementary || facts(scalar->fn).fails)
      return false;
  }
  return true;
}

bool Lowerer::element_is_costly(const ArrayValue& array, Span) {
  if (array.stored) return false;
  emit().open(FrameKind::Scratch);
  const ValueId index = emit().param({ElementType::I64, {}}, "i");
  emit().add_index_facts(index, array.extent);
  ValueRef element = array.element(*this, index);
  std::vector<ValueRef> open = {element};
  // Elements that are arrays are costly when theirs are.
  while (!open.empty()) {
    const ValueRef value = open.back();
    open.pop_back();
    if (const auto* inner = get_if<ArrayValue>(value); inner != nullptr && !inner->stored) {
      const ValueId i = emit().param({ElementType::I64, {}}, "i");
      emit().add_index_facts(i, inner->extent);
      open.push_back(inner->element(*this, i));
    } else if (const auto* tuple = get_if<TupleValue>(value)) {
      open.insert(open.end(), tuple->parts.begin(), tuple->parts.end());
    }
  }
  const RegionId region = emit().leave().region;
  return is_costly(emit().function(), region);
}

ArrayValue Lowerer::worthwhile(const ArrayValue& array, Span span) {
  if (array.view || array.stored || emit().in_parallel()) return array;
  return element_is_costly(array, span) ? tabulate(array, span) : array;
}

ArrayValue Lowerer::stored_or_view(const ArrayValue& array, Span span) {
  return array.view || array.stored ? array : tabulate(array, span);
}

namespace {

bool mentions_any(const graph::Function& function, RegionId region,
                  const std::vector<ValueId>& values) {
  for (NodeId id : function.regions[region].nodes) {
    const Node& node = function.nodes[id];
    for (ValueId operand : node.operands)
      if (std::find(values.begin(), values.end(), operand) != values.end()) return true;
    for (RegionId inner : node.regions)
      if (mentions_any(function, inner, values)) return true;
  }
  return false;
}

}  // namespace

// A region that only gives the results of one reduction, one for each point of a map, is a
// reduction over that space. nullopt when it is anything else.
std::optional<std::vector<ValueId>> Lowerer::promote_reduce(RegionId region,
                                                            const std::vector<Size>& space,
                                                            const std::vector<ValueId>& yields) {
  graph::Function& function = emit().function();
  std::vector<NodeId> outside;
  std::vector<NodeId> inside;
  NodeId found;
  for (NodeId id : function.regions[region].nodes) {
    const Node& node = function.nodes[id];
    if (std::holds_alternative<graph::Constant>(node.op) ||
        std::holds_alternative<graph::SizeOf>(node.op)) {
      inside.push_back(id);
    } else if (std::holds_alternative<graph::ScalarOp>(node.op) && !found.valid() &&
               !node.check.valid() && !facts(std::get<graph::ScalarOp>(node.op).fn).elementary &&
               emit().element(node.results[0]) == ElementType::I64) {
      inside.push_back(id);  // index arithmetic
    } else if (std::holds_alternative<graph::Reduce>(node.op) && !found.valid()) {
      found = id;
    } else {
      return std::nullopt;
    }
  }
  if (!found.valid() || function.nodes[found].results != yields) return std::nullopt;
  Node node = function.nodes[found];
  auto reduce = std::get<graph::Reduce>(node.op);
  const std::size_t depth = emit().frames().size();
  if (!emit().visible_at(reduce.extent, depth)) return std::nullopt;
  for (const Size& extent : reduce.space)
    if (!emit().visible_at(extent, depth)) return std::nullopt;
  for (ValueId operand : node.operands) {
    const Node* neutral = emit().node_of(operand);
    if (!emit().visible(operand) &&
        (neutral == nullptr || !std::holds_alternative<graph::Constant>(neutral->op)))
      return std::nullopt;
  }
  // A general operator may use what only the terms will see.
  if (node.regions.size() > 1 &&
      (!inside.empty() || mentions_any(function, node.regions[1], function.regions[region].params)))
    return std::nullopt;
  // Neutral values go out, all else becomes part of the terms.
  std::erase_if(inside, [&](NodeId id) {
    const ValueId result = function.nodes[id].results[0];
    if (std::find(node.operands.begin(), node.operands.end(), result) == node.operands.end())
      return false;
    outside.push_back(id);
    return true;
  });
  const RegionId hoisted = function.regions.push({});
  function.regions[hoisted].nodes = outside;
  emit().splice(hoisted);
  graph::Region& terms = function.regions[node.regions[0]];
  const std::vector<ValueId>& params = function.regions[region].params;
  terms.params.insert(terms.params.begin(), params.begin(), params.end());
  terms.nodes.insert(terms.nodes.begin(), inside.begin(), inside.end());
  reduce.space.insert(reduce.space.begin(), space.begin(), space.end());
  std::vector<graph::Type> types;
  for (ValueId result : node.results) {
    graph::Type type = emit().type(result);
    type.shape.insert(type.shape.begin(), space.begin(), space.end());
    types.push_back(std::move(type));
  }
  emit().set_loc(node.loc);
  return emit().results(
      emit().add(std::move(reduce), node.operands, node.regions, std::move(types)));
}

namespace {

// The array that the value reads at exactly the region's indices, if it does.
std::optional<ValueId> copied_array(Emitter& emit, ValueId value,
                                    const std::vector<ValueId>& indices,
                                    const std::vector<Size>& space) {
  const Node* node = emit.node_of(value);
  if (node == nullptr || !std::holds_alternative<graph::Read>(node->op) || node->check.valid())
    return std::nullopt;
  const ValueId array = node->operands[0];
  if (!std::equal(node->operands.begin() + 1, node->operands.end(), indices.begin(), indices.end()))
    return std::nullopt;
  if (emit.type(array).shape != space || !emit.visible(array)) return std::nullopt;
  return array;
}

}  // namespace

ArrayValue Lowerer::tabulate(const ArrayValue& array, Span span) {
  if (array.stored && array.stored->prefix.empty() && array.requirements.empty()) return array;
  std::vector<Size> space;
  std::vector<ValueId> indices;
  std::vector<Requirement> requirements = array.requirements;
  const RegionId region = emit().open(FrameKind::Parallel);
  const std::size_t outer_depth = emit().frames().size() - 1;
  const LocId loc = emit().loc();
  ArrayValue current = array;
  ValueRef value;
  while (true) {
    const ValueId index = emit().param({ElementType::I64, {}}, space.empty()       ? "i"
                                                               : space.size() == 1 ? "j"
                                                                                   : "k");
    emit().add_index_facts(index, current.extent);
    space.push_back(current.extent);
    indices.push_back(index);
    value = current.element(*this, index);
    const auto* row = get_if<ArrayValue>(value);
    if (row == nullptr || !is_cheap(region, true) || !emit().visible_at(row->extent, outer_depth))
      break;
    bool outside = true;
    for (const Requirement& requirement : row->requirements)
      outside &= emit().visible_at(Size::symbol(requirement.condition.index), outer_depth);
    if (!outside) break;
    current = *row;
    requirements.insert(requirements.end(), row->requirements.begin(), row->requirements.end());
  }
  value = settle(value, span);
  const LayoutRef layout = layout_of(value, span);
  std::vector<ValueId> yields;
  flatten(value, layout, yields, span);
  emit().leave();
  emit().set_loc(loc);
  emit().set_yields(region, yields);
  LayoutRef element = layout;
  for (std::size_t i = space.size(); i > 1; --i)
    element = make_layout(ArrayLayout{space[i - 1], element});
  std::vector<graph::Type> types;
  std::vector<ValueId> copied;
  for (ValueId yield : yields) {
    graph::Type type = emit().type(yield);
    for (const Size& extent : type.shape)
      if (!emit().visible_at(extent, emit().frames().size()))
        fail(span, "ragged-array", "the rows of this array may differ in length",
             "not a regular array");
    if (auto from = copied_array(emit(), yield, indices, space)) copied.push_back(*from);
    type.shape.insert(type.shape.begin(), space.begin(), space.end());
    types.push_back(std::move(type));
  }
  std::vector<ValueId> leaves;
  if (copied.size() == yields.size()) {
    leaves = copied;
  } else if (auto promoted = promote_reduce(region, space, yields)) {
    leaves = *promoted;
  } else {
    leaves = emit().results(emit().add(graph::Map{space}, {}, {region}, std::move(types)));
  }
  emit().set_loc(loc);
  for (ValueId& leaf : leaves) leaf = fulfil(leaf, requirements);
  return stored_array(space[0], element, std::move(leaves));
}

}  // namespace dvm::lower
