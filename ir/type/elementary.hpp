// Elementary functions exactly as kernels compute them: through the target's vector routine of
// libmvec (the value broadcast to all lanes), so that interpreter, constant folder, vector lanes
// and tails agree bit for bit. Scalar libm differs from these in 17-63 % of inputs.
#pragma once

#include <string_view>

namespace dvm {

enum class VectorIsa { Avx2, Avx512 };
std::string_view name(VectorIsa isa);
VectorIsa host_vector_isa();

enum class Elementary {
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
inline constexpr int elementary_count = 24;
std::string_view libm_name(
    Elementary fn);  // "exp": symbols are _ZGVeN8v_exp, _ZGVdN4v_exp, _ZGVeN16v_expf, …
int arity(Elementary fn);

// On a CPU without AVX-512 the AVX2 routine answers for both (results may then differ in the last
// place from what an AVX-512 machine computes), on one without AVX2 scalar libm does.
double evaluate(Elementary fn, double x, double y,
                VectorIsa isa);  // y is used by two-argument functions
float evaluate(Elementary fn, float x, float y, VectorIsa isa);

}  // namespace dvm
