// What the value of a graph is held as while code is emitted.
//
// Note [Cells]. While a body is emitted, every graph value is held as a cell: uniform (one scalar
// for all lanes), affine (an integer that grows by a fixed stride from lane to lane, held as the
// scalar of lane 0 and the stride; index arithmetic stays of this kind and costs nothing), varying
// (an LLVM vector), or an array in memory. `mode_` says how many lanes run and which of them are
// active; with one lane everything is uniform. Nodes are emitted when something needs them: what
// only one side of a branch uses is computed there.
#pragma once

#include <llvm/IR/Value.h>

#include <memory>
#include <vector>

#include "ir/type/element.hpp"

namespace dvm::llvm_backend {

using Value = llvm::Value*;

// Row-major memory: element (i0, …) at data + sum of i * strides, in elements.
struct ArrayCell {
  ElementType element = ElementType::F64;
  Value data = nullptr;
  std::vector<Value> strides;
  unsigned lanes =
      1;  // above 1: every lane has its own array, element e of lane l at e * lanes + l
  bool invariant = false;  // nobody writes it during the call
};

struct Cell {
  enum class Kind { Absent, Uniform, Affine, Varying, Array };
  Kind kind = Kind::Absent;
  ElementType element = ElementType::I64;
  Value value = nullptr;   // uniform: scalar; affine: scalar of lane 0; varying: vector
  Value stride = nullptr;  // affine
  std::shared_ptr<const ArrayCell> array;

  static Cell uniform(ElementType element, Value value) {
    return {Kind::Uniform, element, value, nullptr, nullptr};
  }
  static Cell affine(ElementType element, Value value, Value stride) {
    return {Kind::Affine, element, value, stride, nullptr};
  }
  static Cell varying(ElementType element, Value value) {
    return {Kind::Varying, element, value, nullptr, nullptr};
  }
  bool is(Kind other) const { return kind == other; }
};
using Cells = std::vector<Cell>;

}  // namespace dvm::llvm_backend
