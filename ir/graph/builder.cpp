// Building functions node by node.
#include "ir/graph/builder.hpp"

namespace dvm::graph {

Type scalar_type(ScalarFn fn, const Type& first, const Type& second,
                 std::optional<ElementType> to) {
  switch (fn) {
    case ScalarFn::Eq:
    case ScalarFn::Ne:
    case ScalarFn::Lt:
    case ScalarFn::Le:
    case ScalarFn::Gt:
    case ScalarFn::Ge:
    case ScalarFn::IsNan:
    case ScalarFn::IsInfinite:
      return {ElementType::Bool, {}};
    case ScalarFn::PopCount:
    case ScalarFn::CountLeadingZeros:
    case ScalarFn::CountTrailingZeros:
      return {ElementType::I64, {}};
    case ScalarFn::Select:
      return {second.element, {}};
    case ScalarFn::Convert:
    case ScalarFn::Truncate:
    case ScalarFn::Floor:
    case ScalarFn::Ceiling:
    case ScalarFn::Round:
      return {to.value_or(first.element), {}};
    default:
      return {first.element, {}};
  }
}

Builder::Builder(Module& module, FunctionId function) : module_(module), function_(function) {
  Function& target = this->function();
  if (!target.body.valid()) target.body = target.regions.push({});
  open_.push_back(target.body);
}

Builder::Builder(Module& module, Function& function) : module_(module), outside_(&function) {
  if (!function.body.valid()) function.body = function.regions.push({});
  open_.push_back(function.body);
}

RegionId Builder::open_region() {
  const RegionId region = function().regions.push({});
  open_.push_back(region);
  return region;
}

ValueId Builder::add_param(Type type, std::string_view name) {
  const ValueId value = new_value(std::move(type), name);
  function().regions[current_region()].params.push_back(value);
  return value;
}

void Builder::close_region(std::vector<ValueId> yields) {
  function().regions[current_region()].yields = std::move(yields);
  if (open_.size() > 1) open_.pop_back();
}

ValueId Builder::constant(Scalar value) {
  const Type type{value.type, {}};
  return results(add(Constant{value}, {}, {}, {type}))[0];
}

ValueId Builder::size(const Size& size) {
  if (auto symbol = size.as_symbol()) return ValueId{*symbol};
  if (auto number = size.constant()) return constant_i64(*number);
  return results(add(SizeOf{size}, {}, {}, {Type{ElementType::I64, {}}}))[0];
}

ValueId Builder::scalar(ScalarFn fn, std::vector<ValueId> operands, CheckId check,
                        std::optional<ElementType> to) {
  const Type first = operands.empty() ? Type{} : type(operands[0]);
  const Type second = operands.size() < 2 ? first : type(operands[1]);
  const Type result = scalar_type(fn, first, second, to);
  return results(add(ScalarOp{fn}, std::move(operands), {}, {result}, check))[0];
}

ValueId Builder::read(ValueId array, std::vector<ValueId> indices, CheckId check) {
  const Type result{type(array).element, {}};
  indices.insert(indices.begin(), array);
  return results(add(Read{}, std::move(indices), {}, {result}, check))[0];
}

ValueId Builder::check(ValueId value, ValueId condition, std::vector<ValueId> message_values,
                       CheckId check) {
  const Type result = type(value);
  std::vector<ValueId> operands = {value, condition};
  operands.insert(operands.end(), message_values.begin(), message_values.end());
  return results(add(Check{}, std::move(operands), {}, {result}, check))[0];
}

NodeId Builder::add(Op op, std::vector<ValueId> operands, std::vector<RegionId> regions,
                    std::vector<Type> result_types, CheckId check) {
  std::vector<ValueId> results;
  results.reserve(result_types.size());
  for (Type& type : result_types) results.push_back(new_value(std::move(type)));
  return add_with_results(std::move(op), std::move(operands), std::move(regions),
                          std::move(results), check);
}

ValueId Builder::new_value(Type type, std::string_view name) {
  return function().values.push(Value{std::move(type), std::string(name), NodeId{}});
}

NodeId Builder::add_with_results(Op op, std::vector<ValueId> operands,
                                 std::vector<RegionId> regions, std::vector<ValueId> results,
                                 CheckId check) {
  Function& target = function();
  Node node{std::move(op), std::move(operands), std::move(regions), std::move(results), check,
            loc_};
  const NodeId id = target.nodes.push(std::move(node));
  for (ValueId result : target.nodes[id].results) target.values[result].node = id;
  target.regions[current_region()].nodes.push_back(id);
  return id;
}

Size Builder::as_size(ValueId i64_scalar) { return sizes_.of(function(), i64_scalar); }

}  // namespace dvm::graph
