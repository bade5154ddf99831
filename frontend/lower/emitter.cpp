// Emitting nodes and keeping track of the open regions.
#include "frontend/lower/emitter.hpp"

#include <algorithm>

#include "ir/graph/builder.hpp"
#include "ir/graph/choice.hpp"
#include "ir/graph/evaluate_scalar.hpp"
#include "ir/graph/walk.hpp"

namespace dvm::lower {

using graph::Node;
using graph::NodeId;
using graph::Type;

Emitter::Emitter(graph::Module& module, FunctionId function)
    : module_(module), function_id_(function), sizes_(module, function) {
  frames_.push_back(Frame{this->function().body, FrameKind::Function, {}, false, {}, {}});
}

// ---------------------------------------------------------------- regions

RegionId Emitter::open(FrameKind kind) {
  const RegionId region = function().regions.push({});
  frames_.push_back(Frame{region, kind, {}, false, {}, {}});
  return region;
}

ValueId Emitter::param(Type type, const std::string& name) {
  const ValueId value = new_value(std::move(type));
  function().values[value].name = name;
  safe_[value.index] = true;
  region_of_[value.index] = current();
  function().regions[current()].params.push_back(value);
  return value;
}

ValueId Emitter::function_param(Type type, const std::string& name) {
  const ValueId value = new_value(std::move(type));
  const RegionId body = function().body;
  function().values[value].name = name;
  safe_[value.index] = true;
  region_of_[value.index] = body;
  function().regions[body].params.push_back(value);
  return value;
}

Frame Emitter::leave() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  return frame;
}

std::vector<Frame> Emitter::rise(std::size_t depth) {
  std::vector<Frame> off(
      std::make_move_iterator(frames_.begin() + static_cast<std::ptrdiff_t>(depth)),
      std::make_move_iterator(frames_.end()));
  frames_.resize(depth);
  return off;
}

void Emitter::sink(std::vector<Frame> frames) {
  for (Frame& frame : frames) frames_.push_back(std::move(frame));
}

std::optional<std::size_t> Emitter::depth_of(RegionId region) const {
  for (std::size_t depth = frames_.size(); depth > 0; --depth)
    if (frames_[depth - 1].region == region) return depth;
  return std::nullopt;
}

bool Emitter::in_parallel() const {
  return std::any_of(frames_.begin(), frames_.end(), [](const Frame& frame) {
    return frame.kind == FrameKind::Parallel || frame.kind == FrameKind::Scratch;
  });
}

void Emitter::splice(RegionId region) {
  std::vector<NodeId> nodes = std::move(function().regions[region].nodes);
  function().regions[region].nodes.clear();
  auto& target = function().regions[current()].nodes;
  for (NodeId node : nodes) {
    target.push_back(node);
    for (ValueId result : function().nodes[node].results) region_of_[result.index] = current();
  }
}

bool Emitter::visible(ValueId value) const {
  return depth_of(region_of_.at(value.index)).has_value();
}

bool Emitter::visible_at(const Size& size, std::size_t depth) const {
  bool all = true;
  size.symbols([&](Size::Symbol symbol) {
    const auto found = depth_of(region_of_.at(symbol));
    all &= found && *found <= depth;
  });
  return all;
}

std::size_t Emitter::depth_needed(const std::vector<ValueId>& values) const {
  std::size_t depth = 1;
  for (ValueId value : values)
    depth = std::max(depth, depth_of(region_of_.at(value.index)).value_or(frames_.size()));
  return depth;
}

// ---------------------------------------------------------------- nodes

ValueId Emitter::new_value(Type type) {
  const ValueId value = function().values.push(graph::Value{std::move(type), "", {}});
  region_of_.resize(value.index + 1);
  safe_.resize(value.index + 1);
  return value;
}

ValueId Emitter::new_size() {
  const ValueId value = new_value({ElementType::I64, {}});
  region_of_[value.index] = current();
  mark_size(value);
  return value;
}

NodeId Emitter::add_with_results(graph::Op op, std::vector<ValueId> operands,
                                 std::vector<RegionId> regions, std::vector<ValueId> results,
                                 CheckId check) {
  graph::Function& target = function();
  const NodeId id = target.nodes.push(Node{std::move(op), std::move(operands), std::move(regions),
                                           std::move(results), check, loc_});
  const bool safe = is_safe(target.nodes[id]);
  for (ValueId result : target.nodes[id].results) {
    safe_[result.index] = safe;
    target.values[result].node = id;
    region_of_[result.index] = current();
  }
  target.regions[current()].nodes.push_back(id);
  return id;
}

bool Emitter::is_safe(const Node& node) const {
  const bool repeats = std::holds_alternative<graph::Loop>(node.op) ||
                       std::holds_alternative<graph::While>(node.op) ||
                       std::holds_alternative<graph::Call>(node.op);
  const auto all = [&](const std::vector<ValueId>& values) {
    return std::all_of(values.begin(), values.end(),
                       [&](ValueId value) { return bool{safe_[value.index]}; });
  };
  bool safe = !node.check.valid() && !repeats && all(node.operands);
  graph::for_each_size_value(node.op, [&](ValueId size) { safe = safe && safe_[size.index]; });
  for (RegionId region : node.regions)
    safe = safe && all(module_.functions[function_id_].regions[region].yields);
  return safe;
}

bool Emitter::may_select(ValueId condition, ValueId yes, ValueId no) {
  return graph::may_select(function(), condition, yes, no,
                           {[&](ValueId value) { return bool{safe_[value.index]}; },
                            [&](NodeId node) { return !function().nodes[node].check.valid(); }});
}

NodeId Emitter::add(graph::Op op, std::vector<ValueId> operands, std::vector<RegionId> regions,
                    std::vector<Type> types, CheckId check) {
  std::vector<ValueId> results;
  for (Type& type : types) results.push_back(new_value(std::move(type)));
  return add_with_results(std::move(op), std::move(operands), std::move(regions),
                          std::move(results), check);
}

const Node* Emitter::node_of(ValueId value) {
  const NodeId node = function().values[value].node;
  return node.valid() ? &function().nodes[node] : nullptr;
}

void Emitter::name(ValueId value, const std::string& name) {
  std::string& hint = function().values[value].name;
  if (hint.empty()) hint = name;
}

CheckId Emitter::new_check(std::string message) {
  return module_.checks.push(graph::CheckInfo{std::move(message), loc_});
}

ValueId Emitter::constant(Scalar value) {
  // A body has its own constants, so that it does not read them from outside.
  const auto key = std::make_pair(value.type, value.bits);
  for (std::size_t depth = frames_.size(); depth > 0; --depth) {
    const Frame& frame = frames_[depth - 1];
    if (auto found = frame.constants.find(key); found != frame.constants.end())
      return found->second;
    if (frame.kind != FrameKind::Branch) break;
  }
  const ValueId result = results(add(graph::Constant{value}, {}, {}, {Type{value.type, {}}}))[0];
  top().constants.emplace(key, result);
  return result;
}

std::optional<Scalar> Emitter::known(ValueId value) {
  const Node* node = node_of(value);
  if (node == nullptr) return std::nullopt;
  if (const auto* constant = std::get_if<graph::Constant>(&node->op)) return constant->value;
  return std::nullopt;
}

std::optional<bool> Emitter::known_bool(ValueId value) {
  if (auto scalar = known(value)) return scalar->as_bool();
  return std::nullopt;
}

ValueId Emitter::size_value(const Size& size) {
  if (auto number = size.constant()) return constant_i64(*number);
  if (auto symbol = size.as_symbol()) return ValueId{*symbol};
  for (std::size_t depth = frames_.size(); depth > 0; --depth) {
    const Frame& frame = frames_[depth - 1];
    if (auto found = frame.sizes.find(size); found != frame.sizes.end()) return found->second;
    if (frame.kind != FrameKind::Branch) break;
  }
  const ValueId result = results(add(graph::SizeOf{size}, {}, {}, {Type{ElementType::I64, {}}}))[0];
  top().sizes.emplace(size, result);
  return result;
}

// Floats only where nothing is rounded: a product that is folded could not go into a sum.
std::optional<Scalar> Emitter::fold(ScalarFn fn, const std::vector<ValueId>& operands,
                                    std::optional<ElementType> to) {
  std::vector<Scalar> values;
  for (ValueId operand : operands) {
    const auto value = known(operand);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  const auto type_of = [&](std::size_t k) {
    return Type{values[std::min(k, values.size() - 1)].type, {}};
  };
  const ElementType result = graph::scalar_type(fn, type_of(0), type_of(1), to).element;
  if (is_float(values[0].type) && fn != ScalarFn::Neg && result != ElementType::Bool)
    return std::nullopt;
  if (graph::facts(fn).elementary) return std::nullopt;
  // Without elementary functions every instruction set gives the same.
  return graph::evaluate_scalar(fn, values, result, VectorIsa::Avx2);
}

std::optional<ValueId> Emitter::simplify(ScalarFn fn, const std::vector<ValueId>& operands) {
  if (fn == ScalarFn::Select) {
    if (auto condition = known_bool(operands[0])) return operands[*condition ? 1 : 2];
    if (operands[1] == operands[2]) return operands[1];
    return std::nullopt;
  }
  if (operands.size() != 2 || is_float(element(operands[0]))) return std::nullopt;
  const auto left = known(operands[0]);
  const auto right = known(operands[1]);
  const bool boolean = element(operands[0]) == ElementType::Bool;
  switch (fn) {
    case ScalarFn::Add:
      if (left && left->bits == 0) return operands[1];
      [[fallthrough]];
    case ScalarFn::Sub:
      if (right && right->bits == 0) return operands[0];
      return std::nullopt;
    case ScalarFn::Mul:
      if (left && left->as_i64() == 1) return operands[1];
      if (right && right->as_i64() == 1) return operands[0];
      return std::nullopt;
    case ScalarFn::And:
      if (boolean && left) return left->as_bool() ? operands[1] : operands[0];
      if (boolean && right) return right->as_bool() ? operands[0] : operands[1];
      return std::nullopt;
    case ScalarFn::Or:
      if (boolean && left) return left->as_bool() ? operands[0] : operands[1];
      if (boolean && right) return right->as_bool() ? operands[1] : operands[0];
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// A known divisor that is not zero, a known shift that is not negative.
bool Emitter::never_fails(ScalarFn fn, const std::vector<ValueId>& operands) {
  const auto last = known(operands.back());
  if (!last || !is_integer(last->type)) return false;
  if (fn == ScalarFn::Shl || fn == ScalarFn::Shr) return last->as_i64() >= 0;
  return last->bits != 0;
}

ValueId Emitter::scalar(ScalarFn fn, std::vector<ValueId> operands, CheckId check,
                        std::optional<ElementType> to) {
  if (fn == ScalarFn::Convert && to && element(operands[0]) == *to) return operands[0];
  if (auto value = fold(fn, operands, to)) return constant(*value);
  if (auto value = simplify(fn, operands)) return *value;
  if (check.valid() && never_fails(fn, operands)) check = {};
  const Type first = type(operands[0]);
  const Type second = operands.size() < 2 ? first : type(operands[1]);
  return results(add(graph::ScalarOp{fn}, std::move(operands), {},
                     {graph::scalar_type(fn, first, second, to)}, check))[0];
}

ValueId Emitter::read(ValueId array, std::vector<ValueId> indices, CheckId check) {
  const Type result{type(array).element, {}};
  indices.insert(indices.begin(), array);
  return results(add(graph::Read{}, std::move(indices), {}, {result}, check))[0];
}

ValueId Emitter::check(ValueId value, ValueId condition, std::vector<ValueId> values,
                       CheckId check) {
  if (known_bool(condition) == true) return value;
  const Type result = type(value);
  std::vector<ValueId> operands = {value, condition};
  operands.insert(operands.end(), values.begin(), values.end());
  return results(add(graph::Check{}, std::move(operands), {}, {result}, check))[0];
}

}  // namespace dvm::lower
