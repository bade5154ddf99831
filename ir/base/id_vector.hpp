// A vector indexed by a typed id instead of a plain number.
#pragma once

#include <vector>

#include "ir/base/id.hpp"

namespace dvm {

template <class IdType, class T>
class IdVector {
 public:
  IdType push(T value) {
    items_.push_back(std::move(value));
    return IdType{static_cast<std::uint32_t>(items_.size() - 1)};
  }
  T& operator[](IdType id) { return items_.at(id.index); }
  const T& operator[](IdType id) const { return items_.at(id.index); }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  void resize(std::size_t count, const T& value = T{}) { items_.resize(count, value); }
  bool contains(IdType id) const { return id.index < items_.size(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  std::vector<T> items_;
};

}  // namespace dvm
