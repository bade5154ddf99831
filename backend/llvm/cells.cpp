// Scalar functions on cells: index arithmetic stays affine, the rest becomes scalars or vectors.
#include <algorithm>

#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

using graph::ScalarFn;
using Kind = Cell::Kind;

namespace {

bool is_zero(Value value) {
  auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  return constant && constant->isZero();
}

}  // namespace

std::optional<Cell> Emitter::apply_affine(ScalarFn fn, ElementType to, std::span<const Cell> x) {
  if (mode_.width == 1 || !is_integer(to) || !is_integer(x[0].element)) return std::nullopt;
  bool any = false;
  for (const Cell& cell : x) {
    if (cell.is(Kind::Affine)) {
      any = true;
    } else if (!cell.is(Kind::Uniform)) {
      return std::nullopt;
    }
  }
  if (!any) return std::nullopt;
  const auto stride = [&](const Cell& cell) -> Value {
    return cell.is(Kind::Affine) ? cell.stride : llvm::ConstantInt::get(cell.value->getType(), 0);
  };
  const auto make = [&](Value base, Value step) {
    return is_zero(step) ? Cell::uniform(to, base) : Cell::affine(to, base, step);
  };
  switch (fn) {
    case ScalarFn::Add:
      return make(b_.CreateAdd(x[0].value, x[1].value), b_.CreateAdd(stride(x[0]), stride(x[1])));
    case ScalarFn::Sub:
      return make(b_.CreateSub(x[0].value, x[1].value), b_.CreateSub(stride(x[0]), stride(x[1])));
    case ScalarFn::Neg:
      return make(b_.CreateNeg(x[0].value), b_.CreateNeg(stride(x[0])));
    case ScalarFn::Mul: {
      if (x[0].is(Kind::Affine) && x[1].is(Kind::Affine)) return std::nullopt;
      const Cell& affine = x[0].is(Kind::Affine) ? x[0] : x[1];
      const Cell& factor = x[0].is(Kind::Affine) ? x[1] : x[0];
      return make(b_.CreateMul(affine.value, factor.value),
                  b_.CreateMul(affine.stride, factor.value));
    }
    case ScalarFn::Convert: {
      if (byte_size(to) > byte_size(x[0].element)) return std::nullopt;
      llvm::Type* t = register_type(to);
      return make(b_.CreateTrunc(x[0].value, t), b_.CreateTrunc(x[0].stride, t));
    }
    default:
      return std::nullopt;
  }
}

Cell Emitter::apply(ScalarFn fn, ElementType to, std::span<const Cell> x) {
  if (auto affine = apply_affine(fn, to, x)) return *affine;
  const ElementType from = fn == ScalarFn::Select ? to : x[0].element;
  std::vector<Value> values;
  const bool uniform =
      std::all_of(x.begin(), x.end(), [](const Cell& cell) { return cell.is(Kind::Uniform); });
  if (fn == ScalarFn::Select && x[0].is(Kind::Uniform)) {
    // A known or uniform condition keeps the kind of a side where it can.
    if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(x[0].value))
      return x[known->isOne() ? 1 : 2];
    if (!uniform) {
      return Cell::varying(to, b_.CreateSelect(x[0].value, materialise(x[1]), materialise(x[2])));
    }
  }
  if (uniform) {
    for (const Cell& cell : x) values.push_back(cell.value);
    return Cell::uniform(to, scalar_op(fn, from, to, values));
  }
  for (const Cell& cell : x) values.push_back(materialise(cell));
  return Cell::varying(to, scalar_op(fn, from, to, values));
}

Cell Emitter::add(const Cell& a, const Cell& b) {
  const Cell x[] = {a, b};
  return apply(ScalarFn::Add, ElementType::I64, x);
}

Cell Emitter::multiply(const Cell& a, const Cell& b) {
  const Cell x[] = {a, b};
  return apply(ScalarFn::Mul, ElementType::I64, x);
}

Cell Emitter::emit_size(const Size& size) {
  Cell total = uniform_i64(0);
  for (const Size::Term& term : size.terms()) {
    Cell product = uniform_i64(term.coefficient);
    for (const Size::Atom& atom : term.factors) {
      Cell factor;
      if (atom.quotient) {
        const Cell x[] = {emit_size(atom.quotient->numerator), uniform_i64(atom.quotient->divisor)};
        factor = apply(ScalarFn::IntDiv, ElementType::I64, x);
      } else {
        factor = cell(graph::ValueId{atom.symbol});
      }
      product = multiply(product, factor);
    }
    total = add(total, product);
  }
  return total;
}

Value Emitter::uniform_size(const Size& size, graph::LocId loc) {
  const Cell cell = emit_size(size);
  if (!cell.is(Kind::Uniform))
    throw Unsupported{loc, "an inner array whose size differs from point to point here"};
  return cell.value;
}

Cell Emitter::emit_scalar_node(graph::NodeId id) {
  const graph::Node& n = node(id);
  const ScalarFn fn = std::get<graph::ScalarOp>(n.op).fn;
  Cells x;
  for (graph::ValueId operand : n.operands) x.push_back(cell(operand));
  const ElementType to = type(n.results[0]).element;
  if (facts_ && mode_.width > 1) {
    const auto fact = facts_->find(id);
    if (fact != facts_->end()) {
      if (fact->second.kind == Fact::Kind::Outcome) {
        return Cell::uniform(ElementType::Bool, b_.getInt1(fact->second.outcome));
      }
      return x[fact->second.operand];
    }
  }
  switch (fn) {
    case ScalarFn::IntMod:
      if (x[0].is(Kind::Affine) && x[1].is(Kind::Uniform) && to == ElementType::I64) {
        return emit_wrapped_index(n, x);
      }
      [[fallthrough]];
    case ScalarFn::IntDiv:
    case ScalarFn::IntQuot:
    case ScalarFn::IntRem:
      return emit_division(n, fn, x);
    case ScalarFn::Shl:
    case ScalarFn::Shr:
    case ScalarFn::RotateL:
    case ScalarFn::RotateR:
      return emit_shift(n, fn, x);
    default:
      return apply(fn, to, x);
  }
}

Cell Emitter::emit_division(const graph::Node& n, ScalarFn fn, const Cells& x) {
  const ElementType to = type(n.results[0]).element;
  Cells operands = x;
  auto* known = llvm::dyn_cast<llvm::ConstantInt>(x[1].value);
  if (!(x[1].is(Kind::Uniform) && known && !known->isZero())) {
    const Cell zero = Cell::uniform(to, constant_of(Scalar::of_integer(to, 0)));
    const Cell one = Cell::uniform(to, constant_of(Scalar::of_integer(to, 1)));
    const Cell equal[] = {x[1], zero};
    const Cell bad = apply(ScalarFn::Eq, ElementType::Bool, equal);
    const Cell values[] = {x[0]};
    fail_if(n.check, bad, values);
    // Inactive lanes may hold zeros too.
    const Cell choose[] = {bad, one, x[1]};
    operands[1] = apply(ScalarFn::Select, to, choose);
  }
  return apply(fn, to, operands);
}

// (affine) mod m: a range that is at most one period away needs no division.
Cell Emitter::emit_wrapped_index(const graph::Node& n, const Cells& x) {
  Value m = x[1].value;
  Value first = x[0].value;
  Value last = b_.CreateAdd(first, b_.CreateMul(x[0].stride, i64(mode_.width - 1)));
  Value lowest = smin(first, last);
  Value highest = smax(first, last);
  Value sane =
      b_.CreateAnd(b_.CreateICmpSGT(m, i64(0)), b_.CreateICmpSLT(m, i64(std::int64_t{1} << 61)));
  Value near = b_.CreateAnd(sane, b_.CreateAnd(b_.CreateICmpSGE(b_.CreateAdd(lowest, m), i64(0)),
                                               b_.CreateICmpSLT(b_.CreateSub(highest, m), m)));
  const Slot result = make_slot(ElementType::I64, mode_.width);
  if_else(
      near,
      [&] {
        Value index = materialise(x[0]);
        Value period = splat(m, mode_.width);
        Value zero = llvm::Constant::getNullValue(index->getType());
        Value up = b_.CreateSelect(b_.CreateICmpSLT(index, zero), period, zero);
        Value down = b_.CreateSelect(b_.CreateICmpSGE(index, period), period, zero);
        store_slot(result,
                   Cell::varying(ElementType::I64, b_.CreateSub(b_.CreateAdd(index, up), down)));
      },
      [&] { store_slot(result, emit_division(n, ScalarFn::IntMod, x)); });
  return load_slot(result);
}

// Counts are i64 whatever the type shifted.
Cell Emitter::emit_shift(const graph::Node& n, ScalarFn fn, const Cells& x) {
  const ElementType to = type(n.results[0]).element;
  const std::int64_t bits = byte_size(to) * 8;
  const bool rotate = fn == ScalarFn::RotateL || fn == ScalarFn::RotateR;
  Cell count = x[1];
  Cell too_far = Cell::uniform(ElementType::Bool, b_.getFalse());
  if (!rotate) {
    const Cell below[] = {count, uniform_i64(0)};
    fail_if(n.check, apply(ScalarFn::Lt, ElementType::Bool, below), std::span(&x[1], 1));
    const Cell above[] = {count, uniform_i64(bits)};
    const bool arithmetic = fn == ScalarFn::Shr && is_signed(to);
    if (!arithmetic) too_far = apply(ScalarFn::Ge, ElementType::Bool, above);
    // Negative counts count as too far for the machine: as unsigned they are large.
    const Cell bounded[] = {Cell{count.kind, ElementType::U64, count.value, count.stride, nullptr},
                            Cell::uniform(ElementType::U64, i64(bits - 1))};
    count = apply(ScalarFn::Min, ElementType::U64, bounded);
  }
  const Cell narrow[] = {count};
  const Cell amount = count.element == to ? count : apply(ScalarFn::Convert, to, narrow);
  const Cell shift[] = {x[0], amount};
  Cell shifted = apply(fn, to, shift);
  const Cell choose[] = {too_far, Cell::uniform(to, constant_of(Scalar::of_integer(to, 0))),
                         shifted};
  return apply(ScalarFn::Select, to, choose);
}

}  // namespace dvm::llvm_backend
