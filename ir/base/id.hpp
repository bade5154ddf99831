// Typed indices: an id of one kind never mixes with an id of another.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace dvm {

template <class Tag>
struct Id {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t index = none;

  constexpr bool valid() const { return index != none; }
  constexpr auto operator<=>(const Id&) const = default;
};

}  // namespace dvm

template <class Tag>
struct std::hash<dvm::Id<Tag>> {
  std::size_t operator()(dvm::Id<Tag> id) const noexcept { return id.index; }
};
