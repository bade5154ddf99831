// Scalar functions on LLVM values, scalars and vectors alike. No fast-math, no contraction,
// wrapping integers.
#include <llvm/IR/Intrinsics.h>

#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

using graph::ScalarFn;

namespace {

// _ZGVeN8v_exp, _ZGVdN8vv_powf, …
std::string vector_symbol(Elementary fn, ElementType type, unsigned lanes, VectorIsa isa) {
  std::string symbol = isa == VectorIsa::Avx512 ? "_ZGVeN" : "_ZGVdN";
  symbol += std::to_string(lanes);
  symbol += arity(fn) == 2 ? "vv_" : "v_";
  symbol += libm_name(fn);
  if (type == ElementType::F32) symbol += 'f';
  return symbol;
}

}  // namespace

Value Emitter::identity(ScalarFn fn, ElementType type) {
  const auto limit = [&](bool high) {
    if (is_float(type)) {
      return Scalar::of_float(type, high ? std::numeric_limits<double>::infinity()
                                         : -std::numeric_limits<double>::infinity());
    }
    if (type == ElementType::Bool) return Scalar::of_bool(high);
    const int bits = byte_size(type) * 8;
    if (!is_signed(type)) return Scalar::of_integer(type, high ? -1 : 0);
    const std::int64_t top = static_cast<std::int64_t>((std::uint64_t{1} << (bits - 1)) - 1);
    return Scalar::of_integer(type, high ? top : -top - 1);
  };
  switch (fn) {
    case ScalarFn::Add:
      return constant_of(is_float(type) ? Scalar::of_float(type, -0.0)
                                        : Scalar::of_integer(type, 0));
    case ScalarFn::Mul:
      return constant_of(is_float(type) ? Scalar::of_float(type, 1.0)
                                        : Scalar::of_integer(type, 1));
    case ScalarFn::Min:
      return constant_of(limit(true));
    case ScalarFn::Max:
      return constant_of(limit(false));
    case ScalarFn::And:
      return llvm::Constant::getAllOnesValue(register_type(type));
    default:
      return llvm::Constant::getNullValue(register_type(type));  // or, xor
  }
}

Value Emitter::compare(ScalarFn fn, ElementType type, Value x, Value y) {
  using P = llvm::CmpInst::Predicate;
  if (is_float(type)) {
    const P predicate = fn == ScalarFn::Eq   ? P::FCMP_OEQ
                        : fn == ScalarFn::Ne ? P::FCMP_UNE
                        : fn == ScalarFn::Lt ? P::FCMP_OLT
                        : fn == ScalarFn::Le ? P::FCMP_OLE
                        : fn == ScalarFn::Gt ? P::FCMP_OGT
                                             : P::FCMP_OGE;
    return b_.CreateFCmp(predicate, x, y);
  }
  const bool s = is_signed(type) && type != ElementType::Bool;
  const P predicate = fn == ScalarFn::Eq   ? P::ICMP_EQ
                      : fn == ScalarFn::Ne ? P::ICMP_NE
                      : fn == ScalarFn::Lt ? (s ? P::ICMP_SLT : P::ICMP_ULT)
                      : fn == ScalarFn::Le ? (s ? P::ICMP_SLE : P::ICMP_ULE)
                      : fn == ScalarFn::Gt ? (s ? P::ICMP_SGT : P::ICMP_UGT)
                                           : (s ? P::ICMP_SGE : P::ICMP_UGE);
  return b_.CreateICmp(predicate, x, y);
}

// The divisor is not zero. Floor for IntDiv and IntMod, truncation for IntQuot and IntRem; minBound
// / -1 wraps.
Value Emitter::integer_division(ScalarFn fn, ElementType type, Value dividend, Value divisor) {
  const bool quotient = fn == ScalarFn::IntDiv || fn == ScalarFn::IntQuot;
  const bool floor = fn == ScalarFn::IntDiv || fn == ScalarFn::IntMod;
  if (!is_signed(type))
    return quotient ? b_.CreateUDiv(dividend, divisor) : b_.CreateURem(dividend, divisor);
  llvm::Type* t = dividend->getType();
  const llvm::APInt* known = nullptr;
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(divisor)) {
    if (auto* lane = llvm::dyn_cast_or_null<llvm::ConstantInt>(
            t->isVectorTy() ? constant->getSplatValue() : constant)) {
      known = &lane->getValue();
    }
  }
  if (known && floor && known->isStrictlyPositive() && known->isPowerOf2()) {
    if (fn == ScalarFn::IntDiv)
      return b_.CreateAShr(dividend, llvm::ConstantInt::get(t, known->logBase2()));
    return b_.CreateAnd(dividend, llvm::ConstantInt::get(t, *known - 1));
  }
  const bool may_be_minus_one = !known || known->isAllOnes();
  Value minus_one = llvm::Constant::getAllOnesValue(t);
  Value zero = llvm::Constant::getNullValue(t);
  Value is_minus_one = may_be_minus_one ? b_.CreateICmpEQ(divisor, minus_one) : nullptr;
  Value safe = may_be_minus_one
                   ? b_.CreateSelect(is_minus_one, llvm::ConstantInt::get(t, 1), divisor)
                   : divisor;
  Value q = b_.CreateSDiv(dividend, safe);
  Value r = b_.CreateSub(dividend, b_.CreateMul(q, safe));
  if (floor) {
    Value down =
        b_.CreateAnd(b_.CreateICmpNE(r, zero), b_.CreateICmpSLT(b_.CreateXor(r, safe), zero));
    q = b_.CreateAdd(q, b_.CreateSExt(down, t));
    r = b_.CreateAdd(r, b_.CreateSelect(down, safe, zero));
  }
  if (!may_be_minus_one) return quotient ? q : r;
  return quotient ? b_.CreateSelect(is_minus_one, b_.CreateNeg(dividend), q)
                  : b_.CreateSelect(is_minus_one, zero, r);
}

Value Emitter::convert(ElementType from, ElementType to, Value x) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  llvm::Type* target = register_type(to, vector ? vector->getNumElements() : 1);
  const bool from_signed = is_signed(from) && from != ElementType::Bool;
  if (from == to) return x;
  if (is_float(from) && is_float(to)) return b_.CreateFPCast(x, target);
  if (is_float(to)) return from_signed ? b_.CreateSIToFP(x, target) : b_.CreateUIToFP(x, target);
  if (to == ElementType::Bool)
    return b_.CreateICmpNE(x, llvm::Constant::getNullValue(x->getType()));
  if (is_float(from)) return float_to_integer(ScalarFn::Truncate, from, to, x);
  return b_.CreateIntCast(x, target, from_signed);
}

Value Emitter::float_to_integer(ScalarFn fn, ElementType, ElementType to, Value x) {
  using namespace llvm::Intrinsic;
  if (fn == ScalarFn::Floor) x = b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, x);
  if (fn == ScalarFn::Ceiling) x = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, x);
  if (fn == ScalarFn::Round) x = b_.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, x);
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  llvm::Type* target = register_type(to, vector ? vector->getNumElements() : 1);
  return b_.CreateIntrinsic(is_signed(to) ? fptosi_sat : fptoui_sat, {target, x->getType()}, {x});
}

Value Emitter::scalar_op(ScalarFn fn, ElementType from, ElementType to, std::span<const Value> x) {
  using namespace llvm::Intrinsic;
  const bool fp = is_float(from);
  const bool sign = is_signed(from) && from != ElementType::Bool;
  llvm::Type* t = x[0]->getType();
  const auto number = [&](int value) -> Value {
    return fp ? llvm::ConstantFP::get(t, value)
              : llvm::ConstantInt::get(
                    t, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), true);
  };
  switch (fn) {
    case ScalarFn::Neg:
      return fp ? b_.CreateFNeg(x[0]) : b_.CreateNeg(x[0]);
    case ScalarFn::Add:
      return fp ? b_.CreateFAdd(x[0], x[1]) : b_.CreateAdd(x[0], x[1]);
    case ScalarFn::Sub:
      return fp ? b_.CreateFSub(x[0], x[1]) : b_.CreateSub(x[0], x[1]);
    case ScalarFn::Mul:
      return fp ? b_.CreateFMul(x[0], x[1]) : b_.CreateMul(x[0], x[1]);
    case ScalarFn::Div:
      return b_.CreateFDiv(x[0], x[1]);
    case ScalarFn::Min:
      return b_.CreateBinaryIntrinsic(fp     ? minimum
                                      : sign ? llvm::Intrinsic::smin
                                             : umin,
                                      x[0], x[1]);
    case ScalarFn::Max:
      return b_.CreateBinaryIntrinsic(fp     ? maximum
                                      : sign ? llvm::Intrinsic::smax
                                             : umax,
                                      x[0], x[1]);
    case ScalarFn::Abs:
      if (fp) return b_.CreateUnaryIntrinsic(fabs, x[0]);
      return sign ? b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x[0], b_.getFalse()) : x[0];
    case ScalarFn::Signum: {
      Value positive = compare(ScalarFn::Gt, from, x[0], number(0));
      if (!fp && !sign) return b_.CreateZExt(positive, t);
      Value negative = compare(ScalarFn::Lt, from, x[0], number(0));
      return b_.CreateSelect(positive, number(1), b_.CreateSelect(negative, number(-1), x[0]));
    }
    case ScalarFn::Fma:
      if (!fp) return b_.CreateAdd(b_.CreateMul(x[0], x[1]), x[2]);
      return b_.CreateIntrinsic(fma, {t}, {x[0], x[1], x[2]});
    case ScalarFn::Sqrt:
      return b_.CreateUnaryIntrinsic(sqrt, x[0]);
    case ScalarFn::IntDiv:
    case ScalarFn::IntMod:
    case ScalarFn::IntQuot:
    case ScalarFn::IntRem:
      return integer_division(fn, from, x[0], x[1]);
    case ScalarFn::Eq:
    case ScalarFn::Ne:
    case ScalarFn::Lt:
    case ScalarFn::Le:
    case ScalarFn::Gt:
    case ScalarFn::Ge:
      return compare(fn, from, x[0], x[1]);
    case ScalarFn::And:
      return b_.CreateAnd(x[0], x[1]);
    case ScalarFn::Or:
      return b_.CreateOr(x[0], x[1]);
    case ScalarFn::Xor:
      return b_.CreateXor(x[0], x[1]);
    case ScalarFn::Not:
      return b_.CreateNot(x[0]);
    case ScalarFn::Shl:
      return b_.CreateShl(x[0], x[1]);
    case ScalarFn::Shr:
      return sign ? b_.CreateAShr(x[0], x[1]) : b_.CreateLShr(x[0], x[1]);
    case ScalarFn::RotateL:
      return b_.CreateIntrinsic(fshl, {t}, {x[0], x[0], x[1]});
    case ScalarFn::RotateR:
      return b_.CreateIntrinsic(fshr, {t}, {x[0], x[0], x[1]});
    // Counts fit every type; as unsigned they widen without sign.
    case ScalarFn::PopCount: {
      Value count = b_.CreateUnaryIntrinsic(ctpop, x[0]);
      return b_.CreateIntCast(count, register_type(to, t->isVectorTy() ? mode_.width : 1), false);
    }
    case ScalarFn::CountLeadingZeros:
    case ScalarFn::CountTrailingZeros: {
      Value count = b_.CreateBinaryIntrinsic(fn == ScalarFn::CountLeadingZeros ? ctlz : cttz, x[0],
                                             b_.getFalse());
      return b_.CreateIntCast(count, register_type(to, t->isVectorTy() ? mode_.width : 1), false);
    }
    case ScalarFn::Select:
      return b_.CreateSelect(x[0], x[1], x[2]);
    case ScalarFn::Convert:
      return convert(from, to, x[0]);
    case ScalarFn::Truncate:
    case ScalarFn::Floor:
    case ScalarFn::Ceiling:
    case ScalarFn::Round:
      return float_to_integer(fn, from, to, x[0]);
    case ScalarFn::IsNan:
      return b_.CreateFCmpUNO(x[0], x[0]);
    case ScalarFn::IsInfinite:
      return b_.CreateFCmpOEQ(b_.CreateUnaryIntrinsic(fabs, x[0]),
                              llvm::ConstantFP::getInfinity(t));
    default:
      break;
  }
  return elementary(*graph::facts(fn).elementary, from, x);
}

// Calls the vector routine of libmvec, in pieces of its width; a scalar is broadcast. Inactive
// lanes get 1, which is harmless everywhere and takes no slow path.
Value Emitter::elementary(Elementary fn, ElementType type, std::span<const Value> x) {
  const unsigned lanes = native_lanes(type);
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x[0]->getType());
  const unsigned width = vector ? vector->getNumElements() : 1;
  llvm::Type* native = register_type(type, lanes);
  const std::string symbol = vector_symbol(fn, type, lanes, target_.isa);
  std::vector<llvm::Type*> params(x.size(), native);
  auto callee = module_.getOrInsertFunction(symbol, llvm::FunctionType::get(native, params, false));
  auto* routine = llvm::cast<llvm::Function>(callee.getCallee());
  routine->setDoesNotThrow();
  routine->setDoesNotAccessMemory();
  routine->setWillReturn();

  std::vector<Value> args(x.begin(), x.end());
  if (vector && mode_.mask && width == mode_.width) {
    for (Value& arg : args) {
      arg = b_.CreateSelect(mode_.mask, arg, llvm::ConstantFP::get(arg->getType(), 1.0));
    }
  }
  const auto call = [&](const std::vector<Value>& pieces) { return b_.CreateCall(callee, pieces); };
  std::vector<Value> piece(x.size());
  if (!vector) {
    for (std::size_t i = 0; i < x.size(); ++i) piece[i] = splat(args[i], lanes);
    return b_.CreateExtractElement(call(piece), std::uint64_t{0});
  }
  const auto slice = [&](Value from, unsigned first, unsigned count) {
    std::vector<int> picks;
    for (unsigned lane = 0; lane < count; ++lane) picks.push_back(static_cast<int>(first + lane));
    return b_.CreateShuffleVector(from, picks);
  };
  if (width == lanes) return call(args);
  if (width < lanes) {
    // Pads with the first lane.
    std::vector<int> picks;
    for (unsigned lane = 0; lane < lanes; ++lane)
      picks.push_back(lane < width ? static_cast<int>(lane) : 0);
    for (std::size_t i = 0; i < x.size(); ++i) piece[i] = b_.CreateShuffleVector(args[i], picks);
    return slice(call(piece), 0, width);
  }
  std::vector<Value> parts;
  for (unsigned first = 0; first < width; first += lanes) {
    for (std::size_t i = 0; i < x.size(); ++i) piece[i] = slice(args[i], first, lanes);
    parts.push_back(call(piece));
  }
  while (parts.size() > 1) {
    std::vector<Value> joined;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
      const unsigned half =
          llvm::cast<llvm::FixedVectorType>(parts[i]->getType())->getNumElements();
      std::vector<int> picks;
      for (unsigned lane = 0; lane < 2 * half; ++lane) picks.push_back(static_cast<int>(lane));
      joined.push_back(b_.CreateShuffleVector(parts[i], parts[i + 1], picks));
    }
    parts = std::move(joined);
  }
  return parts[0];
}

}  // namespace dvm::llvm_backend
