// Elementary functions through the vector routines of libmvec (x86-64 vector function ABI).
#include "ir/type/elementary.hpp"

#include <immintrin.h>

#include <array>
#include <cmath>
#include <cstddef>

// The functions of libmvec in the order of `Elementary`. A local macro, undefined below, because
// each function has four vector symbols and one scalar one.
#define DVM_ONE_ARGUMENT(X)                                                                      \
  X(exp)                                                                                         \
  X(expm1) X(log) X(log1p) X(log2) X(log10) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) \
      X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(cbrt) X(erf) X(erfc)
#define DVM_TWO_ARGUMENTS(X) X(pow) X(atan2) X(hypot)

#define DVM_DECLARE_ONE(fn)        \
  __m256d _ZGVdN4v_##fn(__m256d);  \
  __m256 _ZGVdN8v_##fn##f(__m256); \
  __m512d _ZGVeN8v_##fn(__m512d);  \
  __m512 _ZGVeN16v_##fn##f(__m512);
#define DVM_DECLARE_TWO(fn)                 \
  __m256d _ZGVdN4vv_##fn(__m256d, __m256d); \
  __m256 _ZGVdN8vv_##fn##f(__m256, __m256); \
  __m512d _ZGVeN8vv_##fn(__m512d, __m512d); \
  __m512 _ZGVeN16vv_##fn##f(__m512, __m512);
extern "C" {
DVM_ONE_ARGUMENT(DVM_DECLARE_ONE)
DVM_TWO_ARGUMENTS(DVM_DECLARE_TWO)
}

namespace dvm {
namespace {

struct OneArgument {
  std::string_view name;
  __m256d (*avx2)(__m256d);
  __m256 (*avx2_float)(__m256);
  __m512d (*avx512)(__m512d);
  __m512 (*avx512_float)(__m512);
  double (*libm)(double);
  float (*libm_float)(float);
};
struct TwoArguments {
  std::string_view name;
  __m256d (*avx2)(__m256d, __m256d);
  __m256 (*avx2_float)(__m256, __m256);
  __m512d (*avx512)(__m512d, __m512d);
  __m512 (*avx512_float)(__m512, __m512);
  double (*libm)(double, double);
  float (*libm_float)(float, float);
};

#define DVM_ROW_ONE(fn)                                                                \
  OneArgument{#fn,  _ZGVdN4v_##fn, _ZGVdN8v_##fn##f, _ZGVeN8v_##fn, _ZGVeN16v_##fn##f, \
              ::fn, ::fn##f},
#define DVM_ROW_TWO(fn)                                                                     \
  TwoArguments{#fn,  _ZGVdN4vv_##fn, _ZGVdN8vv_##fn##f, _ZGVeN8vv_##fn, _ZGVeN16vv_##fn##f, \
               ::fn, ::fn##f},
constexpr int two_argument_count = 3;
constexpr int one_argument_count = elementary_count - two_argument_count;
const std::array<OneArgument, one_argument_count> one_argument = {{DVM_ONE_ARGUMENT(DVM_ROW_ONE)}};
const std::array<TwoArguments, two_argument_count> two_arguments = {
    {DVM_TWO_ARGUMENTS(DVM_ROW_TWO)}};
#undef DVM_ROW_TWO
#undef DVM_ROW_ONE
#undef DVM_DECLARE_TWO
#undef DVM_DECLARE_ONE
#undef DVM_TWO_ARGUMENTS
#undef DVM_ONE_ARGUMENT

// Each function below is compiled for its instruction set and only called where the CPU has it.
__attribute__((target("avx2"))) double call_avx2(const OneArgument& fn, double x) {
  return _mm256_cvtsd_f64(fn.avx2(_mm256_set1_pd(x)));
}
__attribute__((target("avx2"))) float call_avx2(const OneArgument& fn, float x) {
  return _mm256_cvtss_f32(fn.avx2_float(_mm256_set1_ps(x)));
}
__attribute__((target("avx2"))) double call_avx2(const TwoArguments& fn, double x, double y) {
  return _mm256_cvtsd_f64(fn.avx2(_mm256_set1_pd(x), _mm256_set1_pd(y)));
}
__attribute__((target("avx2"))) float call_avx2(const TwoArguments& fn, float x, float y) {
  return _mm256_cvtss_f32(fn.avx2_float(_mm256_set1_ps(x), _mm256_set1_ps(y)));
}
__attribute__((target("avx512f"))) double call_avx512(const OneArgument& fn, double x) {
  return _mm512_cvtsd_f64(fn.avx512(_mm512_set1_pd(x)));
}
__attribute__((target("avx512f"))) float call_avx512(const OneArgument& fn, float x) {
  return _mm512_cvtss_f32(fn.avx512_float(_mm512_set1_ps(x)));
}
__attribute__((target("avx512f"))) double call_avx512(const TwoArguments& fn, double x, double y) {
  return _mm512_cvtsd_f64(fn.avx512(_mm512_set1_pd(x), _mm512_set1_pd(y)));
}
__attribute__((target("avx512f"))) float call_avx512(const TwoArguments& fn, float x, float y) {
  return _mm512_cvtss_f32(fn.avx512_float(_mm512_set1_ps(x), _mm512_set1_ps(y)));
}

enum class Path { Libm, Avx2, Avx512 };

// The best the CPU has.
Path host_path() {
  static const Path path = [] {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Path::Libm;
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return wide ? Path::Avx512 : Path::Avx2;
  }();
  return path;
}

// What was asked for, if the CPU has it.
Path path_for(VectorIsa isa) {
  if (isa == VectorIsa::Avx512) return host_path();
  return host_path() == Path::Libm ? Path::Libm : Path::Avx2;
}

template <class Float>
Float call(const OneArgument& fn, Float x, Path path) {
  switch (path) {
    case Path::Avx512:
      return call_avx512(fn, x);
    case Path::Avx2:
      return call_avx2(fn, x);
    case Path::Libm:
      break;
  }
  if constexpr (sizeof(Float) == sizeof(double)) {
    return fn.libm(x);
  } else {
    return fn.libm_float(x);
  }
}

template <class Float>
Float call(const TwoArguments& fn, Float x, Float y, Path path) {
  switch (path) {
    case Path::Avx512:
      return call_avx512(fn, x, y);
    case Path::Avx2:
      return call_avx2(fn, x, y);
    case Path::Libm:
      break;
  }
  if constexpr (sizeof(Float) == sizeof(double)) {
    return fn.libm(x, y);
  } else {
    return fn.libm_float(x, y);
  }
}

template <class Float>
Float evaluate_any(Elementary fn, Float x, Float y, VectorIsa isa) {
  const auto index = static_cast<std::size_t>(fn);
  if (index < one_argument_count) return call(one_argument[index], x, path_for(isa));
  return call(two_arguments.at(index - one_argument_count), x, y, path_for(isa));
}

}  // namespace

std::string_view name(VectorIsa isa) { return isa == VectorIsa::Avx512 ? "avx512" : "avx2"; }

VectorIsa host_vector_isa() {
  return host_path() == Path::Avx512 ? VectorIsa::Avx512 : VectorIsa::Avx2;
}

std::string_view libm_name(Elementary fn) {
  const auto index = static_cast<std::size_t>(fn);
  return index < one_argument_count ? one_argument[index].name
                                    : two_arguments.at(index - one_argument_count).name;
}

int arity(Elementary fn) { return static_cast<int>(fn) < one_argument_count ? 1 : 2; }

double evaluate(Elementary fn, double x, double y, VectorIsa isa) {
  return evaluate_any(fn, x, y, isa);
}
float evaluate(Elementary fn, float x, float y, VectorIsa isa) {
  return evaluate_any(fn, x, y, isa);
}

}  // namespace dvm
