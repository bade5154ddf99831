// What of a body is the same for all points of a row, and worth to be computed once for it.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/graph/affine.hpp"
#include "ir/graph/graph.hpp"
#include "passes/analysis/ranges.hpp"
#include "passes/analysis/users.hpp"

namespace dvm::passes {

// A row is what the points share that differ in some of their indices only.
struct RowPart {
  std::vector<std::size_t> dims;     // the indices of the row, as positions
  std::vector<graph::NodeId> nodes;  // in order; cheap ones, computed on both sides, included
  std::unordered_set<graph::NodeId> moves;  // those that leave the body
  std::vector<graph::ValueId> given;        // values that the rest of the body reads
  double times = 1;                         // points of a row, by estimate
  bool alone = false;  // a long sum at few points: no less work, but cut into tasks
};

// Extents of the indices of a map or reduction.
std::vector<Size> body_extents(const graph::Op& op);

// Linear in the function.
class RowParts {
 public:
  explicit RowParts(const graph::Function& function);

  bool any() const { return !parts_.empty(); }
  // Of a map or reduction at task level; those over fewer indices first, since others read them.
  const std::vector<RowPart>* of(graph::NodeId node) const {
    const auto found = parts_.find(node);
    return found != parts_.end() ? &found->second : nullptr;
  }

 private:
  // Indices that a value depends on, by bit.
  using Indices = std::uint32_t;
  static constexpr std::size_t max_indices = 16;

  void visit(graph::RegionId region);
  void decide(graph::NodeId id);
  Indices depends_on(graph::NodeId id) const;
  std::optional<RowPart> part_of(graph::NodeId id, Indices indices,
                                 const std::unordered_set<graph::ValueId>& taken);
  bool may_move(graph::NodeId id, const std::vector<graph::ValueId>& free);
  bool add_nodes(graph::NodeId id, const std::unordered_set<graph::ValueId>& taken, RowPart& part);
  bool add_given(graph::NodeId id, RowPart& part) const;
  std::optional<RowPart> long_sum(graph::NodeId id, graph::NodeId inner);
  graph::NodeId inside(const Use& use, graph::RegionId body) const;
  double repeats(graph::NodeId id, Indices indices) const;
  double work(graph::NodeId id) const;

  const graph::Function& function_;
  graph::AffineForms forms_;
  Ranges ranges_;
  Users users_;
  std::vector<bool> safe_;        // by value: cannot fail
  std::vector<bool> needed_;      // by node: whenever its region is evaluated
  std::vector<Indices> indices_;  // by value of a body that is looked at
  std::unordered_map<graph::NodeId, std::vector<RowPart>> parts_;
};

}  // namespace dvm::passes
