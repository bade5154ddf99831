// How far from its own cell a point of a map reads, along one dimension.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "ir/graph/affine.hpp"
#include "ir/graph/graph.hpp"
#include "passes/analysis/ranges.hpp"

namespace dvm::passes {

// Where reads of one dimension lie, seen from the own cell: low … high, low <= high.
struct CellDistance {
  std::int64_t low = 0, high = 0;
  bool guarded = false, clamped = false, wrapped = false;

  void join(const CellDistance& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
    guarded |= other.guarded;
    clamped |= other.clamped;
    wrapped |= other.wrapped;
  }
  CellDistance after(const CellDistance& inner) const {
    return {low + inner.low, high + inner.high, guarded || inner.guarded, clamped || inner.clamped,
            wrapped || inner.wrapped};
  }
};
class CellDistances {
 public:
  // All three must outlive it; `ranges` knows the place of the read that is asked about.
  CellDistances(const graph::Function& function, const graph::AffineForms& forms, Ranges& ranges)
      : function_(function), forms_(forms), ranges_(ranges) {}

  // Where an index of a read lies, seen from the cell's own index; nothing when it may be anywhere.
  // `extent` is that of the array. An index at the other end counts as if the array went on.
  std::optional<CellDistance> of(graph::ValueId index, graph::ValueId own, const Size& extent) {
    return distance(index, own, extent, max_wraps);
  }

 private:
  // Indices that are no plain sum (clamped, halved) are tried up to this distance.
  static constexpr std::int64_t max_distance = 8;
  // Selects around an index that comes in again at the other end.
  static constexpr int max_wraps = 3;

  std::optional<CellDistance> distance(graph::ValueId index, graph::ValueId own, const Size& extent,
                                       int wraps);
  bool is_choice(graph::ValueId value) const;  // min, max, select, branch
  std::optional<std::int64_t> greatest(const graph::Affine& difference, std::int64_t sign);
  std::optional<CellDistance> wrapped(graph::ValueId index, graph::ValueId own, const Size& extent,
                                      int wraps);
  bool apart_by(graph::ValueId a, graph::ValueId b, const Size& extent) const;

  const graph::Function& function_;
  const graph::AffineForms& forms_;
  Ranges& ranges_;
};

}  // namespace dvm::passes
