// What the array operations of a function store, read and compute, as polynomials over sizes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/graph/graph.hpp"
#include "ir/graph/size_forms.hpp"

namespace dvm::passes {

// One operation that walks over memory: map, reduce, scan, scatter, reduce_by_key, filter, sort or
// concat. Control (loop, while, branch, call) and reshape, which moves nothing, are none, but a
// loop that stacks values stores them.
struct Sweep {
  graph::NodeId node;
  graph::NodeId around;  // the sweep whose body it stands in, inside a kernel; none: it is a pass
  Size runs{1};          // how often, over the whole run of the function
  std::vector<Size> stored;  // by result: bytes of the array, in all runs; 0 for a number
  // Of passes: the arrays it reads with their bytes, each once a run.
  std::vector<std::pair<graph::ValueId, Size>> read;
};

// How often a loop runs, or how far an operation inside of a body goes, where only the run tells:
// symbols from `values.size()` on.
struct UnknownCount {
  Size::Symbol symbol;
  graph::NodeId node;
};

struct Traffic {
  std::vector<Sweep> sweeps;  // in program order, outer ones before inner ones
  // Floating-point operations in bodies by place, in order of the first one: each scalar function
  // counts one, a product fused into a sum two. What is the same at all points of a pass, and so is
  // computed once, does not count.
  std::vector<std::pair<graph::LocId, Size>> operations;
  std::vector<UnknownCount> unknown;
};

// Upper bounds where a count depends on an index (the triangle `j <= i` counts as the square) and
// of branches, whose sides both count. Checks are looked through: the count of a loop that must not
// be negative is the number itself.
Traffic traffic(const graph::Function& function);

// Map, reduce, scan, scatter, reduce_by_key, filter, sort, concat.
bool is_sweep(const graph::Op& op);

// Sizes with checks looked through, and written with as few scalars as possible. One object for one
// function, which must outlive it.
class SizesBehindChecks {
 public:
  explicit SizesBehindChecks(const graph::Function& function) : function_(function) {}
  Size of(const Size& size);

 private:
  const graph::Function& function_;
  graph::SizeForms forms_;
};

}  // namespace dvm::passes
