// Elementary functions that the compiler may call for a whole vector (libmvec), and vectors of 64
// bytes.
#pragma once

#include <cstdint>
#include <cstring>

#define DVM_VECTOR_FUNCTION extern "C" __attribute__((simd("notinbranch"), const))
DVM_VECTOR_FUNCTION double exp(double) noexcept;
DVM_VECTOR_FUNCTION double log(double) noexcept;
DVM_VECTOR_FUNCTION double log1p(double) noexcept;
DVM_VECTOR_FUNCTION double erfc(double) noexcept;
DVM_VECTOR_FUNCTION double sin(double) noexcept;
DVM_VECTOR_FUNCTION double cos(double) noexcept;
DVM_VECTOR_FUNCTION float expf(float) noexcept;
#undef DVM_VECTOR_FUNCTION

namespace bench {

/// 64 bytes of T; the compiler makes two or four of them where registers are narrower.
template <class T>
struct VectorOf {
  typedef T Type __attribute__((vector_size(64), may_alias));
  typedef T Unaligned __attribute__((vector_size(64), may_alias, aligned(alignof(T))));
};
template <class T>
using Vector = typename VectorOf<T>::Type;
template <class T>
inline constexpr int kLanes = 64 / sizeof(T);

template <class T>
inline Vector<T> load(const T* at) {
  return *reinterpret_cast<const typename VectorOf<T>::Unaligned*>(at);
}
template <class T>
inline void store(T* at, Vector<T> value) {
  *reinterpret_cast<typename VectorOf<T>::Unaligned*>(at) = value;
}
template <class T>
inline Vector<T> all(T value) {
  return value - Vector<T>{};
}

/// How a body of each_vector reads and writes: whole vectors, or single elements.
struct Whole {
  template <class T>
  Vector<T> get(const T* at) const {
    return load(at);
  }
  template <class T>
  void put(T* at, Vector<T> value) const {
    store(at, value);
  }
};
struct Single {
  template <class T>
  T get(const T* at) const {
    return *at;
  }
  template <class T>
  void put(T* at, T value) const {
    *at = value;
  }
};

/// body(access, j) for begin <= j < end, a vector of T at a time; the last one overlaps the one
/// before it, so the body must be able to do the same elements twice.
template <class T, class Body>
inline void each_vector(int64_t begin, int64_t end, const Body& body) {
  constexpr int64_t kStep = kLanes<T>;
  if (end - begin < kStep) {
    for (int64_t j = begin; j < end; ++j) body(Single{}, j);
    return;
  }
  int64_t j = (begin + kStep - 1) / kStep * kStep;
  if (j != begin) body(Whole{}, begin);
  for (; j + kStep <= end; j += kStep) body(Whole{}, j);
  if (j < end) body(Whole{}, end - kStep);
}

}  // namespace bench

#ifdef __AVX512F__
#include <immintrin.h>
namespace bench {
/// a b + c, rounded once.
inline Vector<double> fma(Vector<double> a, Vector<double> b, Vector<double> c) {
  return (Vector<double>)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
inline Vector<float> fma(Vector<float> a, Vector<float> b, Vector<float> c) {
  return (Vector<float>)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
}  // namespace bench
#else
namespace bench {
template <class V>
inline V fma(V a, V b, V c) {
  for (unsigned i = 0; i < sizeof(V) / sizeof(a[0]); ++i) c[i] = __builtin_fma(a[i], b[i], c[i]);
  return c;
}
}  // namespace bench
#endif
