// Keys of a sort as unsigned words. Integers lose their sign bit's meaning by flipping it; floats
// do too, and negative ones, which are ordered backwards, are flipped whole.
#include "backend/engine/sort_keys.hpp"

#include <bit>
#include <limits>
#include <type_traits>

namespace dvm::engine {

namespace {

// The unsigned type as wide as an element, and what makes its word.
template <class T>
struct Coding {
  static constexpr bool is_floating = std::is_floating_point_v<T>;
  using Bits = std::conditional_t<
      sizeof(T) == 1, std::uint8_t,
      std::conditional_t<sizeof(T) == 2, std::uint16_t,
                         std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
  static constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
  static constexpr Bits lower_zero = static_cast<Bits>(sign - 1);

  static Bits word(T value, bool descending, bool equal_zeros) {
    Bits bits = std::bit_cast<Bits>(value);
    if constexpr (is_floating) {
      if (value != value) bits = std::bit_cast<Bits>(std::numeric_limits<T>::quiet_NaN());
      const auto negative = static_cast<Bits>(-(bits >> (8 * sizeof(T) - 1)));
      bits ^= static_cast<Bits>(negative | sign);
    } else if constexpr (std::is_signed_v<T>) {
      bits = static_cast<Bits>(bits ^ sign);
    }
    if (descending) bits = static_cast<Bits>(~bits);
    if constexpr (is_floating)
      bits = static_cast<Bits>(bits + (equal_zeros && bits == lower_zero ? 1 : 0));
    return bits;
  }
  static T element(Bits bits, bool descending) {
    if (descending) bits = static_cast<Bits>(~bits);
    if constexpr (is_floating) {
      const auto positive = static_cast<Bits>(-(bits >> (8 * sizeof(T) - 1)));
      bits ^= static_cast<Bits>(~positive | sign);
    } else if constexpr (std::is_signed_v<T>) {
      bits = static_cast<Bits>(bits ^ sign);
    }
    return std::bit_cast<T>(bits);
  }
};

template <class Fn>
void with_type(ElementType element, Fn fn) {
  switch (element) {
    case ElementType::Bool:
    case ElementType::U8:
      return fn(std::uint8_t{});
    case ElementType::I8:
      return fn(std::int8_t{});
    case ElementType::I16:
      return fn(std::int16_t{});
    case ElementType::U16:
      return fn(std::uint16_t{});
    case ElementType::I32:
      return fn(std::int32_t{});
    case ElementType::U32:
      return fn(std::uint32_t{});
    case ElementType::I64:
      return fn(std::int64_t{});
    case ElementType::U64:
      return fn(std::uint64_t{});
    case ElementType::F32:
      return fn(float{});
    case ElementType::F64:
      return fn(double{});
  }
}

// `put(i, word)` for each element.
template <class T, class Put>
void each_word(const SortKey& key, const std::int64_t* order, std::int64_t begin, std::int64_t end,
               bool equal_zeros, Put put) {
  const auto* from = reinterpret_cast<const T*>(key.data);
  const bool down = key.descending;
  if (order)
    for (std::int64_t i = begin; i < end; ++i)
      put(i - begin, Coding<T>::word(from[order[i]], down, equal_zeros));
  else if (down)
    for (std::int64_t i = begin; i < end; ++i)
      put(i - begin, Coding<T>::word(from[i], true, equal_zeros));
  else if (equal_zeros)
    for (std::int64_t i = begin; i < end; ++i)
      put(i - begin, Coding<T>::word(from[i], false, true));
  else
    for (std::int64_t i = begin; i < end; ++i)
      put(i - begin, Coding<T>::word(from[i], false, false));
}

}  // namespace

int key_bits(std::span<const SortKey> keys) {
  int bits = 0;
  for (const SortKey& key : keys) bits += 8 * byte_size(key.element);
  return bits;
}

template <class Word>
void ordered_words(std::span<const SortKey> keys, const std::int64_t* order, std::int64_t begin,
                   std::int64_t end, Zeros zeros, Word* words) {
  const bool equal_zeros = zeros == Zeros::Equal;
  for (std::size_t k = 0; k < keys.size(); ++k)
    with_type(keys[k].element, [&]<class T>(T) {
      if constexpr (sizeof(T) <= sizeof(Word)) {
        if (k == 0)
          return each_word<T>(keys[k], order, begin, end, equal_zeros,
                              [&](std::int64_t i, auto word) { words[i] = word; });
        if constexpr (sizeof(T) < sizeof(Word))
          each_word<T>(keys[k], order, begin, end, equal_zeros, [&](std::int64_t i, auto word) {
            words[i] = words[i] << (8 * sizeof(T)) | word;
          });
      }
    });
}

template <class Word>
void elements_of(ElementType element, bool descending, const Word* words, std::int64_t count,
                 std::byte* elements) {
  with_type(element, [&]<class T>(T) {
    using Bits = typename Coding<T>::Bits;
    auto* to = reinterpret_cast<T*>(elements);
    if (descending)
      for (std::int64_t i = 0; i < count; ++i)
        to[i] = Coding<T>::element(static_cast<Bits>(words[i]), true);
    else
      for (std::int64_t i = 0; i < count; ++i)
        to[i] = Coding<T>::element(static_cast<Bits>(words[i]), false);
  });
}

template void ordered_words(std::span<const SortKey>, const std::int64_t*, std::int64_t,
                            std::int64_t, Zeros, std::uint32_t*);
template void ordered_words(std::span<const SortKey>, const std::int64_t*, std::int64_t,
                            std::int64_t, Zeros, std::uint64_t*);
template void elements_of(ElementType, bool, const std::uint32_t*, std::int64_t, std::byte*);
template void elements_of(ElementType, bool, const std::uint64_t*, std::int64_t, std::byte*);

}  // namespace dvm::engine
