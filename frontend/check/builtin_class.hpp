// The classes that the Prelude declares and the compiler knows: their numbers, and which scalar
// types are in them without an instance being written.
#pragma once

#include "ir/base/id.hpp"
#include "ir/type/element.hpp"

namespace dvm::typed {

using ClassId = Id<struct ClassTag>;

namespace builtin_class {
inline constexpr ClassId eq{0}, ord{1}, num{2}, integral{3}, fractional{4}, floating{5},
    real_frac{6}, bits{7}, bounded{8}, enumeration{9};
inline constexpr const char* names[] = {"Eq",       "Ord",      "Num",  "Integral", "Fractional",
                                        "Floating", "RealFrac", "Bits", "Bounded",  "Enum"};
inline constexpr std::uint32_t count = 10;
}  // namespace builtin_class

inline bool has_builtin_instance(ClassId of, ElementType element) {
  namespace b = builtin_class;
  if (of == b::eq || of == b::ord) return true;
  if (element == ElementType::Bool)
    return of == b::bits || of == b::bounded || of == b::enumeration;
  if (of == b::num) return true;
  if (is_float(element)) return of == b::fractional || of == b::floating || of == b::real_frac;
  return of == b::integral || of == b::bits || of == b::bounded || of == b::enumeration;
}

}  // namespace dvm::typed
