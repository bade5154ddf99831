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
  // Where only these of the first region's indices exist: the others' extents may be 0.
  void enter_part(graph::NodeId node, const std::vector<bool>& indices);
  void leave();

  // About the form as a mathematical integer: where its value wraps around, see Note [Exact forms].
  bool never_negative(const graph::Affine& value);
  bool within(graph::ValueId index, const Size& extent);  // 0 <= index < extent
  // Value of a comparison of i64 scalars where it is the same each time.
  std::optional<bool> decide(const graph::Node& comparison);
  // A read that stays in range, so that it can neither fail nor leave the array.
  bool read_in_range(const graph::Node& read);
  // An i64 division whose divisor is at least 1, a shift by a count that is not negative.
  bool division_is_total(const graph::Node& node);

 private:
  // Min, max, select, mod, … are taken apart this many levels deep.
  static constexpr int max_cases = 3;
  static constexpr int max_facts = 2;  // that one proof puts together
  static constexpr int max_condition_depth = 16;
  // Comparisons of one condition that are looked at, differences known not to be 0 that are kept,
  // and attempts in one proof: with a dozen clamped terms there would be millions. Programs as
  // people write them need fewer than 20.
  static constexpr int max_comparisons = 32;
  static constexpr int max_cases_comparisons = 4;  // of the condition of a select
  static constexpr std::size_t max_unequal = 8;
  static constexpr int max_steps = 200;

  // How much is known: lengths of the lists below.
  struct Mark {
    std::size_t facts, unequal, wrapped;
  };
  struct Frame {
    Mark mark;
    std::vector<graph::ValueId> indices;
    std::vector<Size::Symbol> positive;
  };
  // A value that was compared and whose form may leave 64 bits: it is the variable `name`.
  struct Wrapped {
    graph::Affine form;
    graph::ValueId name;
  };
  // What bounds a value from one side: all of the parts have to do, or one of them is enough.
  struct Cases {
    std::vector<graph::Affine> parts;
    bool one_is_enough = false;
  };

  // --- what is known (ranges.cpp)
  Mark mark() const { return {facts_.size(), unequal_.size(), wrapped_.size()}; }
  void forget_since(const Mark& mark);
  void enter(graph::NodeId node, std::size_t region, const std::vector<bool>* indices);
  std::optional<graph::Affine> form_of(const Size& size) const;
  void add_index(graph::ValueId param, const Size& extent, Frame& frame);
  void add_choice(const graph::Node& branch, graph::ValueId result, bool holds, int depth);
  void add_condition(graph::ValueId condition, bool holds, int depth);
  void add_comparison(const graph::Node& node, bool holds);
  graph::Affine compared(graph::ValueId value);
  void settle_unequal();

  // --- what follows from it (range_proofs.cpp)
  double magnitude(const graph::Affine& value, int depth) const;
  double magnitude(const Size& size) const;
  double magnitude_of_variable(graph::ValueId value, int depth) const;
  bool is_exact(const graph::Affine& value) const;
  bool is_exact(graph::ValueId value) const;
  bool is_positive(Size::Symbol symbol) const;
  bool proves(const graph::Affine& value, int cases);
  bool proves_by_bounds(graph::Affine value) const;
  bool proves_by_facts(const graph::Affine& value, int facts);
  bool proves_by_cases(const graph::Affine& value, int cases);
  bool proves_by_quotient(const graph::Affine& rest, std::int64_t factor, const graph::Node& node,
                          int cases);
  bool proves_by_choice(const graph::Affine& rest, const Size& factor, graph::ValueId chosen,
                        int cases);
  std::optional<Cases> cases_of(const graph::Node& node, bool from_below);
  bool size_never_negative(const Size& size, int quotients = 2) const;

  const graph::Function& function_;
  const graph::AffineForms& forms_;
  std::unordered_map<graph::ValueId, graph::Affine> last_;  // greatest value of each index in scope
  std::vector<graph::ValueId> order_;                       // indices in scope, outermost first
  std::vector<graph::Affine> facts_;                        // each known to be >= 0
  std::vector<graph::Affine> unequal_;                      // each known not to be 0
  std::vector<Wrapped> wrapped_;
  std::unordered_set<Size::Symbol> not_negative_;
  std::unordered_map<Size::Symbol, int> positive_;  // how many frames say so
  std::vector<Frame> frames_;
  int comparisons_left_ = 0, steps_left_ = 0;
  bool proving_ = false;
};

}  // namespace dvm::passes
