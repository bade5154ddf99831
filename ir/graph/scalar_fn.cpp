// The fact table of the scalar functions.
#include "ir/graph/scalar_fn.hpp"

#include <array>

namespace dvm::graph {
namespace {

using E = Elementary;
constexpr auto none = std::nullopt;
constexpr bool yes = true, no = false;

// In the order of the enumeration: mnemonic, arity, fails, commutes, associates, elementary, doc.
constexpr std::array<ScalarFacts, scalar_fn_count> all_facts = {{
    {"neg", 1, no, no, no, none, "negation"},
    {"add", 2, no, yes, yes, none, "sum"},
    {"sub", 2, no, no, no, none, "difference"},
    {"mul", 2, no, yes, yes, none, "product"},
    {"div", 2, no, no, no, none, "quotient of floats"},
    {"min", 2, no, yes, yes, none, "smaller one; NaN if one is NaN, -0 < +0"},
    {"max", 2, no, yes, yes, none, "greater one; NaN if one is NaN, -0 < +0"},
    {"abs", 1, no, no, no, none, "absolute value; of the least integer: itself"},
    {"signum", 1, no, no, no, none, "-1, 0 or 1; of floats: zeros and NaN unchanged"},
    {"fma", 3, no, no, no, none, "x * y + z of floats, rounded once"},
    {"sqrt", 1, no, no, no, none, "square root, correctly rounded"},
    {"int_div", 2, yes, no, no, none, "quotient rounded down; by zero fails, least / -1 wraps"},
    {"int_mod", 2, yes, no, no, none, "remainder of int_div, sign of the divisor; by zero fails"},
    {"int_quot", 2, yes, no, no, none, "quotient rounded to zero; by zero fails, least / -1 wraps"},
    {"int_rem", 2, yes, no, no, none, "remainder of int_quot, sign of the dividend; by zero fails"},
    {"eq", 2, no, yes, no, none, "equal; NaN is not, -0 equals +0"},
    {"ne", 2, no, yes, no, none, "not equal"},
    {"lt", 2, no, no, no, none, "less; false < true"},
    {"le", 2, no, no, no, none, "less or equal"},
    {"gt", 2, no, no, no, none, "greater"},
    {"ge", 2, no, no, no, none, "greater or equal"},
    {"and", 2, no, yes, yes, none, "bitwise and of integers or bools"},
    {"or", 2, no, yes, yes, none, "bitwise or of integers or bools"},
    {"xor", 2, no, yes, yes, none, "bitwise exclusive or of integers or bools"},
    {"not", 1, no, no, no, none, "complement of an integer or bool"},
    {"shl", 2, yes, no, no, none,
     "left by an i64 count; negative fails, the width or more gives 0"},
    {"shr", 2, yes, no, no, none,
     "right by an i64 count, arithmetic if signed; negative fails, the width or more gives 0 or "
     "the sign"},
    {"rotate_left", 2, no, no, no, none, "rotation left by an i64 count modulo the width"},
    {"rotate_right", 2, no, no, no, none, "rotation right by an i64 count modulo the width"},
    {"pop_count", 1, no, no, no, none, "number of ones, as i64"},
    {"count_leading_zeros", 1, no, no, no, none,
     "zeros above the highest one, as i64; of 0: the width"},
    {"count_trailing_zeros", 1, no, no, no, none,
     "zeros below the lowest one, as i64; of 0: the width"},
    {"select", 3, no, no, no, none,
     "second if the first (bool) is true, else third; all are evaluated"},
    {"convert", 1, no, no, no, none,
     "to the result's type: integers wrap, to floats rounds to nearest even, bool gives 0 or 1"},
    {"truncate", 1, no, no, no, none, "float to integer, towards zero; saturates, NaN gives 0"},
    {"floor", 1, no, no, no, none, "float to integer, down; saturates, NaN gives 0"},
    {"ceiling", 1, no, no, no, none, "float to integer, up; saturates, NaN gives 0"},
    {"round", 1, no, no, no, none,
     "float to integer, to nearest, ties to even; saturates, NaN gives 0"},
    {"is_nan", 1, no, no, no, none, "is a float NaN"},
    {"is_infinite", 1, no, no, no, none, "is a float infinite"},
    {"exp", 1, no, no, no, E::Exp, "e to the x"},
    {"expm1", 1, no, no, no, E::Expm1, "e to the x, less 1"},
    {"log", 1, no, no, no, E::Log, "natural logarithm"},
    {"log1p", 1, no, no, no, E::Log1p, "natural logarithm of 1 + x"},
    {"log2", 1, no, no, no, E::Log2, "logarithm to base 2"},
    {"log10", 1, no, no, no, E::Log10, "logarithm to base 10"},
    {"sin", 1, no, no, no, E::Sin, "sine"},
    {"cos", 1, no, no, no, E::Cos, "cosine"},
    {"tan", 1, no, no, no, E::Tan, "tangent"},
    {"asin", 1, no, no, no, E::Asin, "inverse sine"},
    {"acos", 1, no, no, no, E::Acos, "inverse cosine"},
    {"atan", 1, no, no, no, E::Atan, "inverse tangent"},
    {"sinh", 1, no, no, no, E::Sinh, "hyperbolic sine"},
    {"cosh", 1, no, no, no, E::Cosh, "hyperbolic cosine"},
    {"tanh", 1, no, no, no, E::Tanh, "hyperbolic tangent"},
    {"asinh", 1, no, no, no, E::Asinh, "inverse hyperbolic sine"},
    {"acosh", 1, no, no, no, E::Acosh, "inverse hyperbolic cosine"},
    {"atanh", 1, no, no, no, E::Atanh, "inverse hyperbolic tangent"},
    {"cbrt", 1, no, no, no, E::Cbrt, "cube root"},
    {"erf", 1, no, no, no, E::Erf, "error function"},
    {"erfc", 1, no, no, no, E::Erfc, "1 less the error function"},
    {"pow", 2, no, no, no, E::Pow, "x to the y"},
    {"atan2", 2, no, no, no, E::Atan2, "angle of the point (y, x), first argument y"},
    {"hypot", 2, no, no, no, E::Hypot, "square root of x*x + y*y"},
}};

}  // namespace

const ScalarFacts& facts(ScalarFn fn) { return all_facts.at(static_cast<std::size_t>(fn)); }

std::optional<ScalarFn> scalar_fn_from_mnemonic(std::string_view mnemonic) {
  for (std::size_t i = 0; i < all_facts.size(); ++i) {
    if (all_facts[i].mnemonic == mnemonic) return static_cast<ScalarFn>(i);
  }
  return std::nullopt;
}

}  // namespace dvm::graph
