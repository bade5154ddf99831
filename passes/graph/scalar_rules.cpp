// The table of identities; each holds bit for bit, with NaNs, infinities, signed zeros and
// wrapping.
#include "passes/graph/scalar_rules.hpp"

#include <cmath>
#include <limits>

#include "ir/graph/interpret.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

enum class Domain { Any, Float, Integer, Whole };  // Whole: integers and Bool
enum class Right { Zero, MinusZero, One, Ones, Same };
enum class Gives { Left, Right, Zero, One, True, False };

// fn(x, right) gives …; tried with exchanged operands too where fn commutes.
struct Rule {
  ScalarFn fn;
  Domain domain;  // of the operands
  Right right;
  Gives gives;
  std::string_view equation;
};

using enum ScalarFn;
constexpr Rule rules[] = {
    {Add, Domain::Integer, Right::Zero, Gives::Left, "x + 0 = x"},
    {Add, Domain::Float, Right::MinusZero, Gives::Left, "x + -0.0 = x"},
    {Sub, Domain::Integer, Right::Zero, Gives::Left, "x - 0 = x"},
    {Sub, Domain::Float, Right::Zero, Gives::Left, "x - 0.0 = x"},
    {Sub, Domain::Integer, Right::Same, Gives::Zero, "x - x = 0 (integers)"},
    {Mul, Domain::Integer, Right::Zero, Gives::Zero, "x * 0 = 0 (integers)"},
    {Mul, Domain::Any, Right::One, Gives::Left, "x * 1 = x"},
    {Div, Domain::Float, Right::One, Gives::Left, "x / 1.0 = x"},
    {IntDiv, Domain::Integer, Right::One, Gives::Left, "x div 1 = x"},
    {IntQuot, Domain::Integer, Right::One, Gives::Left, "x quot 1 = x"},
    {IntMod, Domain::Integer, Right::One, Gives::Zero, "x mod 1 = 0"},
    {IntRem, Domain::Integer, Right::One, Gives::Zero, "x rem 1 = 0"},
    {Min, Domain::Any, Right::Same, Gives::Left, "min x x = x"},
    {Max, Domain::Any, Right::Same, Gives::Left, "max x x = x"},
    {And, Domain::Whole, Right::Zero, Gives::Right, "x and 0 = 0"},
    {And, Domain::Whole, Right::Ones, Gives::Left, "x and ones = x"},
    {And, Domain::Whole, Right::Same, Gives::Left, "x and x = x"},
    {Or, Domain::Whole, Right::Zero, Gives::Left, "x or 0 = x"},
    {Or, Domain::Whole, Right::Ones, Gives::Right, "x or ones = ones"},
    {Or, Domain::Whole, Right::Same, Gives::Left, "x or x = x"},
    {Xor, Domain::Whole, Right::Zero, Gives::Left, "x xor 0 = x"},
    {Xor, Domain::Whole, Right::Same, Gives::Zero, "x xor x = 0"},
    {Shl, Domain::Integer, Right::Zero, Gives::Left, "x shl 0 = x"},
    {Shr, Domain::Integer, Right::Zero, Gives::Left, "x shr 0 = x"},
    {RotateL, Domain::Integer, Right::Zero, Gives::Left, "x rotate 0 = x"},
    {RotateR, Domain::Integer, Right::Zero, Gives::Left, "x rotate 0 = x"},
    {Eq, Domain::Whole, Right::Same, Gives::True, "x == x (integers)"},
    {Le, Domain::Whole, Right::Same, Gives::True, "x <= x (integers)"},
    {Ge, Domain::Whole, Right::Same, Gives::True, "x >= x (integers)"},
    {Ne, Domain::Whole, Right::Same, Gives::False, "not x /= x (integers)"},
    {Lt, Domain::Whole, Right::Same, Gives::False, "not x < x"},
    {Gt, Domain::Whole, Right::Same, Gives::False, "not x > x"},
};

bool in_domain(ElementType type, Domain domain) {
  switch (domain) {
    case Domain::Any:
      return type != ElementType::Bool;
    case Domain::Float:
      return is_float(type);
    case Domain::Integer:
      return is_integer(type);
    case Domain::Whole:
      return !is_float(type);
  }
  return false;
}

Scalar scalar_of(ElementType type, int value) {
  if (is_float(type)) return Scalar::of_float(type, value);
  if (type == ElementType::Bool) return Scalar::of_bool(value != 0);
  return Scalar::of_integer(type, value);
}

bool is_right(Builder& builder, Right right, ValueId left, ValueId value) {
  if (right == Right::Same) return left == value;
  const std::optional<Scalar> constant = constant_of(builder, value);
  if (!constant) return false;
  const ElementType type = constant->type;
  switch (right) {
    case Right::Zero:
      return *constant == scalar_of(type, 0);
    case Right::MinusZero:
      return is_float(type) && *constant == Scalar::of_float(type, -0.0);
    case Right::One:
      return *constant == scalar_of(type, 1);
    case Right::Ones:
      return *constant == (type == ElementType::Bool ? Scalar::of_bool(true) : scalar_of(type, -1));
    default:
      return false;
  }
}

std::optional<ValueId> apply_rules(Builder& builder, const ScalarCall& call) {
  if (call.operands.size() != 2) return std::nullopt;
  const ElementType type = builder.type(call.operands[0]).element;
  for (const Rule& rule : rules) {
    if (rule.fn != call.fn || !in_domain(type, rule.domain)) continue;
    for (int swapped = 0; swapped < (facts(call.fn).commutes ? 2 : 1); ++swapped) {
      const ValueId left = call.operands[swapped];
      const ValueId right = call.operands[1 - swapped];
      if (!is_right(builder, rule.right, left, right)) continue;
      if (rule.gives != Gives::Left && !call.droppable[swapped]) continue;
      switch (rule.gives) {
        case Gives::Left:
          return left;
        case Gives::Right:
          return right;
        case Gives::Zero:
          return builder.constant(scalar_of(call.result, 0));
        case Gives::One:
          return builder.constant(scalar_of(call.result, 1));
        case Gives::True:
          return builder.constant(Scalar::of_bool(true));
        case Gives::False:
          return builder.constant(Scalar::of_bool(false));
      }
    }
  }
  return std::nullopt;
}

// The scalar operation that defines a value.
const Node* defining(Builder& builder, ValueId value, ScalarFn fn) {
  const NodeId id = builder.function().values[value].node;
  if (!id.valid()) return nullptr;
  const Node& node = builder.function().nodes[id];
  const auto* scalar = std::get_if<ScalarOp>(&node.op);
  return scalar != nullptr && scalar->fn == fn ? &node : nullptr;
}

std::optional<ScalarFn> opposite(ScalarFn comparison, bool floats) {
  switch (comparison) {
    case Eq:
      return Ne;
    case Ne:
      return Eq;
    case Lt:
      return floats ? std::nullopt : std::optional(Ge);
    case Ge:
      return floats ? std::nullopt : std::optional(Lt);
    case Gt:
      return floats ? std::nullopt : std::optional(Le);
    case Le:
      return floats ? std::nullopt : std::optional(Gt);
    default:
      return std::nullopt;
  }
}

// - - x = x; not (not x) = x; not (x < y) = x >= y on integers (a NaN would tell them apart).
std::optional<ValueId> simplify_unary(Builder& builder, const ScalarCall& call) {
  const ValueId x = call.operands[0];
  if (call.fn == Convert && builder.type(x).element == call.result) return x;
  if (call.fn == Neg || call.fn == Not) {
    if (const Node* inner = defining(builder, x, call.fn)) return inner->operands[0];
  }
  if (call.fn != Not) return std::nullopt;
  const NodeId id = builder.function().values[x].node;
  if (!id.valid()) return std::nullopt;
  const Node& node = builder.function().nodes[id];
  const auto* scalar = std::get_if<ScalarOp>(&node.op);
  if (scalar == nullptr || node.operands.size() != 2) return std::nullopt;
  const bool floats = is_float(builder.type(node.operands[0]).element);
  const std::optional<ScalarFn> fn = opposite(scalar->fn, floats);
  if (!fn) return std::nullopt;
  return builder.scalar(*fn, std::vector<ValueId>(node.operands));
}

// select true a b = a; select c a a = a; select (not c) a b = select c b a; select c true false =
// c.
std::optional<ValueId> simplify_select(Builder& builder, const ScalarCall& call) {
  const ValueId condition = call.operands[0], a = call.operands[1], b = call.operands[2];
  if (auto known = constant_of(builder, condition)) {
    if (!call.droppable[known->as_bool() ? 2 : 1]) return std::nullopt;
    return known->as_bool() ? a : b;
  }
  const bool keeps_condition = !call.droppable[0];
  if (a == b) return keeps_condition ? std::nullopt : std::optional(a);
  const std::optional<Scalar> left = constant_of(builder, a), right = constant_of(builder, b);
  if (left && right && *left == *right) return keeps_condition ? std::nullopt : std::optional(a);
  if (const Node* negated = defining(builder, condition, Not)) {
    const ValueId inner = negated->operands[0];
    return builder.scalar(Select, {inner, b, a});
  }
  if (!left || !right || left->type != ElementType::Bool) return std::nullopt;
  return left->as_bool() ? condition : builder.scalar(Not, {condition});
}

// x / c = x * (1 / c) where 1 / c is exact: c a power of two whose inverse is a normal number.
std::optional<ValueId> simplify_division(Builder& builder, const ScalarCall& call) {
  const std::optional<Scalar> divisor = constant_of(builder, call.operands[1]);
  if (!divisor) return std::nullopt;
  int exponent = 0;
  const double value = divisor->as_double();
  if (!std::isfinite(value) || std::fabs(std::frexp(value, &exponent)) != 0.5) return std::nullopt;
  const int limit = call.result == ElementType::F32 ? 120 : 1000;
  if (exponent > limit || exponent < -limit) return std::nullopt;
  return builder.scalar(
      Mul, {call.operands[0], builder.constant(Scalar::of_float(call.result, 1 / value))});
}

// Evaluated by the interpreter, so that folding and running agree. Elementary functions depend on
// the target's instruction set, which is not known here.
std::optional<ValueId> fold(Builder& builder, const ScalarCall& call) {
  const ScalarFacts& fn_facts = facts(call.fn);
  if (fn_facts.elementary) return std::nullopt;
  Module module;
  Function function;
  Builder inner(module, function);
  std::vector<ValueId> operands;
  for (ValueId operand : call.operands) {
    const std::optional<Scalar> value = constant_of(builder, operand);
    if (!value) return std::nullopt;
    operands.push_back(inner.constant(*value));
  }
  CheckId check;
  if (fn_facts.fails) check = module.checks.push({});
  const ValueId result = inner.scalar(call.fn, std::move(operands), check, call.result);
  inner.close_region({result});
  const FunctionId id = module.functions.push(std::move(function));
  const auto folded = interpret(module, id, {}, {});
  if (!folded.ok()) return std::nullopt;
  return builder.constant(folded.value()[0].at(0));
}

}  // namespace

std::optional<Scalar> constant_of(Builder& builder, ValueId value) {
  const NodeId id = builder.function().values[value].node;
  if (!id.valid()) return std::nullopt;
  const auto* constant = std::get_if<Constant>(&builder.function().nodes[id].op);
  return constant == nullptr ? std::nullopt : std::optional(constant->value);
}

std::optional<ValueId> simplify_scalar(Builder& builder, const ScalarCall& call) {
  if (auto folded = fold(builder, call)) return folded;
  if (call.operands.size() == 1) return simplify_unary(builder, call);
  if (call.fn == Select) return simplify_select(builder, call);
  if (auto simpler = apply_rules(builder, call)) return simpler;
  if (call.fn == Div) return simplify_division(builder, call);
  return std::nullopt;
}

std::vector<std::string_view> scalar_rule_equations() {
  std::vector<std::string_view> equations;
  for (const Rule& rule : rules) equations.push_back(rule.equation);
  return equations;
}

}  // namespace dvm::passes
