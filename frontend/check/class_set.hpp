// Sets of classes: what a type variable must be in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "frontend/check/builtin_class.hpp"

namespace dvm::check {

using typed::ClassId;

class ClassSet {
 public:
  static constexpr std::uint32_t capacity = 256;  // classes of one program

  constexpr ClassSet() = default;
  constexpr ClassSet(ClassId of) { words_[of.index / 64] = std::uint64_t{1} << of.index % 64; }

  constexpr bool any() const {
    for (std::uint64_t word : words_)
      if (word != 0) return true;
    return false;
  }
  constexpr explicit operator bool() const { return any(); }
  constexpr bool contains(ClassId of) const { return words_[of.index / 64] >> of.index % 64 & 1; }
  constexpr bool operator==(const ClassSet&) const = default;

  constexpr ClassSet& operator|=(const ClassSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  friend constexpr ClassSet operator|(ClassSet a, const ClassSet& b) { return a |= b; }
  friend constexpr ClassSet operator&(ClassSet a, const ClassSet& b) {
    for (std::size_t i = 0; i < a.words_.size(); ++i) a.words_[i] &= b.words_[i];
    return a;
  }
  // Without the classes of the other set.
  friend constexpr ClassSet operator-(ClassSet a, const ClassSet& b) {
    for (std::size_t i = 0; i < a.words_.size(); ++i) a.words_[i] &= ~b.words_[i];
    return a;
  }

  // Each class, in order of its number.
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1)
        visit(ClassId{
            static_cast<std::uint32_t>(i * 64 + static_cast<std::size_t>(__builtin_ctzll(word)))});
  }

 private:
  std::array<std::uint64_t, capacity / 64> words_{};
};

namespace classes {
inline constexpr ClassSet eq{typed::builtin_class::eq}, ord{typed::builtin_class::ord},
    num{typed::builtin_class::num}, integral{typed::builtin_class::integral},
    fractional{typed::builtin_class::fractional}, floating{typed::builtin_class::floating},
    real_frac{typed::builtin_class::real_frac}, bits{typed::builtin_class::bits},
    bounded{typed::builtin_class::bounded}, enumeration{typed::builtin_class::enumeration};

// What a scalar type is in without an instance being written.
inline ClassSet of_scalar(ElementType element) {
  ClassSet result;
  for (std::uint32_t i = 0; i < typed::builtin_class::count; ++i)
    if (typed::has_builtin_instance(ClassId{i}, element)) result |= ClassSet{ClassId{i}};
  return result;
}
}  // namespace classes

}  // namespace dvm::check
