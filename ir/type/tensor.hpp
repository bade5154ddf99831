// A concrete array: what programs read and give back, and what the interpreter computes with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ir/type/element.hpp"

namespace dvm {

// Row-major and contiguous; rank 0 is a scalar. Copies share the bytes, which nobody changes after
// the tensor was filled (write once, read many).
struct Tensor {
  ElementType element = ElementType::F64;
  std::vector<std::int64_t> shape;
  std::shared_ptr<std::byte> data;  // 64-byte aligned when made by `make`

  // Zero-filled. nullopt when the size overflows or there is no memory.
  static std::optional<Tensor> make(ElementType element, std::vector<std::int64_t> shape);
  static Tensor of_scalar(Scalar value);

  std::int64_t count() const;  // number of elements
  std::size_t bytes() const;
  Scalar at(std::int64_t flat_index) const;
  void set(std::int64_t flat_index, Scalar value);
};

// Same type, shape and bits; NaNs equal.
bool identical(const Tensor& a, const Tensor& b);

}  // namespace dvm
