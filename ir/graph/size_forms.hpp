// i64 scalars as sizes: which polynomial over other scalars a value computes.
#pragma once

#include <optional>
#include <unordered_map>

#include "ir/graph/graph.hpp"

namespace dvm::graph {

// Constants fold to numbers, `size` nodes to their polynomial, sums, differences and products of
// such likewise, and floor divisions by a positive constant; anything else is a symbol of its own
// (a `check` too, since its failure must stay needed). Results are remembered, so use one object
// for one function; the function may grow meanwhile.
class SizeForms {
 public:
  Size of(const Function& function, ValueId i64_scalar);
  // Every symbol replaced by its form.
  Size expand(const Function& function, const Size& size);

 private:
  std::optional<Size> combined(const Node& node) const;
  std::unordered_map<ValueId, Size> forms_;  // looked up only
};

}  // namespace dvm::graph
