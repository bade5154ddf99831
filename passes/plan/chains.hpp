// Which operations of a region are cut into tiles together: chains of the task IR
// (ir/task/program.hpp, Note [Chains]). Joining tiles of producers and consumers is what Diffuse
// calls task fusion (Yadav et al., 2024, section 4): here what is joined need not have one body.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ir/graph/affine.hpp"
#include "ir/graph/graph.hpp"
#include "passes/analysis/ranges.hpp"
#include "passes/analysis/users.hpp"

namespace dvm::passes {

struct ChainMember {
  graph::NodeId node;
  bool by_blocks = false;  // its reduced dimension is the one that the chain is cut along
};
struct NodeChain {
  std::vector<ChainMember> members;  // in program order
  std::uint32_t dims = 0;            // leading dimensions that all share
};

// What finding chains must know of a function; made once and used for all its regions.
struct ChainFacts {
  explicit ChainFacts(const graph::Function& function);

  const graph::Function& function;
  graph::AffineForms forms;
  Ranges ranges;  // at the top level of the function, between questions
  Users users;
  std::vector<bool> needed;  // by node: whenever its region is evaluated
  std::vector<bool> safe;    // by value: cannot fail
};

// Of an operation of kernels: operands that may fail and that it may turn out not to need. None: it
// is no such operation.
using Doubtful = std::function<std::optional<std::vector<graph::ValueId>>(graph::NodeId)>;

// Chains of at least two members.
//
// Before:  %r = map [n] { … }   %s = reduce [] [n] { read %r[%i] … }   (two operations)
// After:   {%r, %s} cut along n: each task makes 4,096 elements of %r and sums them.
// Sound, since a member reads what another made only at its own leading indices; since nothing
// outside lies between members; and since a member that may fail is behind all that come later, so
// that no failure is lost or made.
std::vector<NodeChain> find_chains(ChainFacts& facts, graph::RegionId region,
                                   const Doubtful& doubtful);

}  // namespace dvm::passes
