// Proofs about i64 values at a place of a function: never negative, within an extent.
//
// A proof uses what is known there: indices lie within their extents, extents of a space that is
// being walked are at least 1, sizes are not negative, and the conditions of the branches around.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/graph/affine.hpp"
#include "ir/graph/graph.hpp"

namespace dvm::passes {

class Ranges {
 public:
  Ranges(const graph::Function& function, const graph::AffineForms& forms);

  // What holds inside a region of a node, until the matching leave. Regions nest.
  void enter(graph::NodeId node, std::size_t region);
  void leave();

  bool never_negative(const graph::Affine& value);
  bool within(graph::ValueId index, const Size& extent);  // 0 <= index < extent
  // Value of a comparison of i64 scalars where it is the same each time.
  std::optional<bool> decide(const graph::Node& comparison);
  // A read that stays in range, so that it can neither fail nor leave the array.
  bool read_in_range(const graph::Node& read);
  // An i64 division whose divisor is at least 1, a shift by a count that is not negative.
  bool division_is_total(const graph::Node& node);

 private:
  // Min, max, select and mod are taken apart this many levels deep.
  static constexpr int max_cases = 3;
  static constexpr int max_condition_depth = 16;
  // Comparisons of one condition that are looked at, and attempts in one proof: with a dozen
  // clamped terms there would be millions. Programs as people write them need fewer than 20.
  static constexpr int max_comparisons = 32;
  static constexpr int max_steps = 200;

  struct Frame {
    std::size_t facts;
    std::vector<graph::ValueId> indices;
    std::vector<Size::Symbol> positive;
  };

  std::optional<graph::Affine> form_of(const Size& size) const;
  void add_index(graph::ValueId param, const Size& extent, Frame& frame);
  void add_choice(const graph::Node& branch, graph::ValueId result, bool holds, int depth);
  void add_condition(graph::ValueId condition, bool holds, int depth);
  void add_comparison(const graph::Node& node, bool holds);
  bool is_bounded(const graph::Affine& value) const;
  bool proves(const graph::Affine& value, int cases);
  bool proves_by_bounds(graph::Affine value) const;
  bool proves_by_cases(const graph::Affine& value, int cases);
  bool size_never_negative(const Size& size) const;

  const graph::Function& function_;
  const graph::AffineForms& forms_;
  std::unordered_map<graph::ValueId, graph::Affine> last_;  // greatest value of each index in scope
  std::vector<graph::ValueId> order_;                       // indices in scope, outermost first
  std::vector<graph::Affine> facts_;                        // each known to be >= 0
  std::unordered_set<Size::Symbol> not_negative_;
  std::unordered_map<Size::Symbol, int> positive_;  // how many frames say so
  std::vector<Frame> frames_;
  int comparisons_left_ = 0, steps_left_ = 0;
};

}  // namespace dvm::passes
