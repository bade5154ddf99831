// Type rules of scalar operations, and where check ids must and may stand.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/graph/verify_function.hpp"

namespace dvm::graph {
namespace {

bool is_number(ElementType type) { return type != ElementType::Bool; }
bool has_bits(ElementType type) { return !is_float(type); }

// Fails for no operand: the divisor or shift count is a harmless constant.
bool never_fails(const Function& function, const Node& node, ScalarFn fn) {
  const NodeId last = function.values[node.operands.back()].node;
  if (!last.valid()) return false;
  const auto* constant = std::get_if<Constant>(&function.nodes[last].op);
  if (constant == nullptr || !is_integer(constant->value.type)) return false;
  if (fn == ScalarFn::Shl || fn == ScalarFn::Shr) return constant->value.as_i64() >= 0;
  return constant->value.bits != 0;
}

}  // namespace

void FunctionVerifier::check_id(const Node& node) {
  const auto* scalar = std::get_if<ScalarOp>(&node.op);
  const bool must = std::holds_alternative<Check>(node.op) ||
                    (scalar != nullptr && facts(scalar->fn).fails && !node.operands.empty() &&
                     !never_fails(function_, node, scalar->fn));
  const bool may = must || std::holds_alternative<Read>(node.op) ||
                   std::holds_alternative<Reshape>(node.op) ||
                   std::holds_alternative<Call>(node.op) ||  // deeper than there is room
                   (scalar != nullptr && facts(scalar->fn).fails);
  if (must && !node.check.valid()) problem("it may fail and has no check id");
  if (!node.check.valid()) return;
  if (!may) problem("it can not fail and has a check id");
  if (!module_.checks.contains(node.check))
    problem(fmt::format("there is no check {}", node.check.index));
}

void FunctionVerifier::types(const Constant& op, const Node& node) {
  if (!node.operands.empty() || node.results.size() != 1 ||
      type(node.results[0]) != Type{op.value.type, {}}) {
    problem("a constant has no operand and one scalar result of its type");
  }
}

void FunctionVerifier::types(const SizeOf&, const Node& node) {
  if (!node.operands.empty() || node.results.size() != 1 || !is_i64(node.results[0])) {
    problem("a size has no operand and one i64 result");
  }
}

bool FunctionVerifier::scalar_operands(ScalarFn fn, const std::vector<ElementType>& in,
                                       ElementType out) {
  const bool alike =
      std::all_of(in.begin(), in.end(), [&](ElementType type) { return type == in[0]; });
  const bool closed = alike && out == in[0];
  switch (fn) {
    case ScalarFn::Neg:
    case ScalarFn::Add:
    case ScalarFn::Sub:
    case ScalarFn::Mul:
    case ScalarFn::Min:
    case ScalarFn::Max:
    case ScalarFn::Abs:
    case ScalarFn::Signum:
      return closed && is_number(out);
    case ScalarFn::IntDiv:
    case ScalarFn::IntMod:
    case ScalarFn::IntQuot:
    case ScalarFn::IntRem:
      return closed && is_integer(out);
    case ScalarFn::Eq:
    case ScalarFn::Ne:
    case ScalarFn::Lt:
    case ScalarFn::Le:
    case ScalarFn::Gt:
    case ScalarFn::Ge:
      return alike && out == ElementType::Bool;
    case ScalarFn::And:
    case ScalarFn::Or:
    case ScalarFn::Xor:
    case ScalarFn::Not:
      return closed && has_bits(out);
    case ScalarFn::Shl:
    case ScalarFn::Shr:
    case ScalarFn::RotateL:
    case ScalarFn::RotateR:
      return is_integer(out) && in[0] == out && in[1] == ElementType::I64;
    case ScalarFn::PopCount:
    case ScalarFn::CountLeadingZeros:
    case ScalarFn::CountTrailingZeros:
      return is_integer(in[0]) && out == ElementType::I64;
    case ScalarFn::Select:
      return in[0] == ElementType::Bool && in[1] == in[2] && in[1] == out;
    case ScalarFn::Convert:
      if (in[0] == out) return true;
      return is_number(out) && !(is_float(in[0]) && is_integer(out)) &&
             !(in[0] == ElementType::Bool && is_float(out));
    case ScalarFn::Truncate:
    case ScalarFn::Floor:
    case ScalarFn::Ceiling:
    case ScalarFn::Round:
      return is_float(in[0]) && is_integer(out);
    case ScalarFn::IsNan:
    case ScalarFn::IsInfinite:
      return is_float(in[0]) && out == ElementType::Bool;
    default:
      return closed && is_float(out);  // div, fma, sqrt and the elementary functions
  }
}

void FunctionVerifier::types(const ScalarOp& op, const Node& node) {
  if (std::cmp_not_equal(node.operands.size(), facts(op.fn).arity) || node.results.size() != 1) {
    return problem(fmt::format("it takes {} operands and has one result", facts(op.fn).arity));
  }
  std::vector<ElementType> in;
  for (ValueId operand : node.operands) {
    if (!type(operand).is_scalar()) return problem("operand " + text(operand) + " is not a scalar");
    in.push_back(type(operand).element);
  }
  const Type& out = type(node.results[0]);
  if (!out.is_scalar() || !scalar_operands(op.fn, in, out.element)) {
    std::string list;
    for (ValueId operand : node.operands) list += (list.empty() ? "" : ", ") + text(type(operand));
    problem(fmt::format("it does not take {} to {}", list, text(out)));
  }
}

void FunctionVerifier::types(const Read&, const Node& node) {
  if (node.operands.empty() || node.results.size() != 1)
    return problem("it takes an array and has one result");
  const Type& array = type(node.operands[0]);
  if (array.is_scalar()) return problem("operand " + text(node.operands[0]) + " is not an array");
  if (node.operands.size() != array.shape.size() + 1) {
    const std::size_t rank = array.shape.size();
    return problem(
        fmt::format("it needs {} ind{} for {}", rank, rank == 1 ? "ex" : "ices", text(array)));
  }
  for (std::size_t i = 1; i < node.operands.size(); ++i) {
    if (!is_i64(node.operands[i]))
      problem("index " + text(node.operands[i]) + " is not an i64 scalar");
  }
  if (type(node.results[0]) != Type{array.element, {}})
    problem("its result is not an element of " + text(array));
}

void FunctionVerifier::types(const Check&, const Node& node) {
  if (node.operands.size() < 2 || node.results.size() != 1) {
    return problem("it takes a value and a condition, and has one result");
  }
  if (!same(type(node.operands[0]), type(node.results[0])))
    problem("its result has not the type of its value");
  if (!is_bool(node.operands[1]))
    problem("condition " + text(node.operands[1]) + " is not a bool scalar");
  for (std::size_t i = 2; i < node.operands.size(); ++i) {
    if (!type(node.operands[i]).is_scalar())
      problem("message value " + text(node.operands[i]) + " is not a scalar");
  }
}

}  // namespace dvm::graph
