// How long the work at one point of an operation takes, as a small sum over sizes.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ir/graph/graph.hpp"
#include "passes/cost/machine.hpp"

namespace dvm::passes {

// Simple operations (one multiplication = 1) a scalar function costs per vector lane.
double operations(graph::ScalarFn fn, ElementType type);

// Work of one evaluation of a region: the sum of its terms, each `times` its size.
struct WorkTerm {
  double operations = 0;
  double bytes = 0;  // moved from or to memory, by an estimate of reuse
  Size times{1};
};
struct Work {
  std::vector<WorkTerm> terms;
  void add(const Work& other, const Size& times);
  // With every symbol counted as `symbol_value`.
  double total_operations(double symbol_value) const;
  double total_bytes(double symbol_value) const;
};
// Trip counts that are not sizes count as this.
inline constexpr std::int64_t assumed_trips = 64;

// `inner` is the index that neighbouring points differ in: reads that do not vary with it cost no
// memory traffic, reads along it stream, others fetch a line each. None: everything streams.
Work region_work(const graph::Function& function, graph::RegionId region,
                 std::optional<graph::ValueId> inner);

// Seconds per point as a sum of nanoseconds times sizes. Symbols are those of the node's function.
struct PointCost {
  struct Term {
    double nanoseconds = 0;
    Size times{1};
  };
  std::vector<Term> terms;

  // nullopt when a size has no value.
  std::optional<double> nanoseconds(
      const std::function<std::optional<std::int64_t>(Size::Symbol)>& value_of) const;
};

// A point of: the space of a map, scatter; the space and the extent of a reduce, scan,
// reduce_by_key, filter (so a reduction of n terms costs n points per point of its space). Other
// nodes: the whole node, terms per element of their operands.
PointCost point_cost(const graph::Function& function, graph::NodeId node, const Machine& machine);

}  // namespace dvm::passes
