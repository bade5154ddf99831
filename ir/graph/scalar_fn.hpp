// The scalar functions of the graph IR and their facts. Meaning: ir/README.md, section "Scalar
// functions".
#pragma once

#include <optional>
#include <string_view>

#include "ir/type/elementary.hpp"

namespace dvm::graph {

enum class ScalarFn : unsigned char {
  // Arithmetic; integers wrap, floats are IEEE 754. Min and Max: `minimum`, `maximum` of IEEE
  // 754-2019.
  Neg,
  Add,
  Sub,
  Mul,
  Div,
  Min,
  Max,
  Abs,
  Signum,
  Fma,
  Sqrt,
  // Integer division: Div/Mod floor, Quot/Rem truncate; by zero fails; minBound / -1 wraps.
  IntDiv,
  IntMod,
  IntQuot,
  IntRem,
  // Comparison to bool; floats compare as IEEE.
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  // Bits; And, Or, Xor, Not also on bool. Shift counts are i64: negative fails, by the width or
  // more
  // gives 0 (arithmetic right shift: the sign). RotateL/R take the count modulo the width.
  And,
  Or,
  Xor,
  Not,
  Shl,
  Shr,
  RotateL,
  RotateR,
  PopCount,
  CountLeadingZeros,
  CountTrailingZeros,
  // select cond a b; both are evaluated and must not fail (else use `branch`).
  Select,
  // To the result's type. Convert: between integers wraps, int to float rounds to nearest, float to
  // float rounds, bool to integer 0/1. The other four: float to integer, saturating, NaN gives 0;
  // Round ties to even.
  Convert,
  Truncate,
  Floor,
  Ceiling,
  Round,
  // Float predicates.
  IsNan,
  IsInfinite,
  // Elementary functions, through the target's vector routine (ir/type/elementary.hpp).
  Exp,
  Expm1,
  Log,
  Log1p,
  Log2,
  Log10,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Tanh,
  Asinh,
  Acosh,
  Atanh,
  Cbrt,
  Erf,
  Erfc,
  Pow,
  Atan2,
  Hypot
};
inline constexpr int scalar_fn_count = static_cast<int>(ScalarFn::Hypot) + 1;

struct ScalarFacts {
  std::string_view mnemonic;
  int arity;
  bool fails;       // needs a check id: may fail at run time
  bool commutes;    // bit for bit
  bool associates;  // taken as such by `reduce` in lanes: + * min max and or xor
  std::optional<Elementary> elementary;
  std::string_view doc;
};
const ScalarFacts& facts(ScalarFn fn);
std::optional<ScalarFn> scalar_fn_from_mnemonic(std::string_view mnemonic);

}  // namespace dvm::graph
