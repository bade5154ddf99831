// Reductions of a few terms, for a vector of points at once.
//
// Note [Short rows]. A reduction in 32 lanes that has only a few terms leaves most lanes empty and
// spends its time joining them. Where all such reductions of a map's body turn out to be short, the
// map runs in vectors of points instead: a term is a vector, the terms wait until the tree over the
// lanes joins them, and the lanes beyond them hold identities, which change nothing. What these
// reductions read of a point and its term alone (the coordinates of a point that is compared with
// many others) is loaded once for each vector of points.
#pragma once

#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

struct Emitter::ShortRows {
  struct Panel {
    graph::NodeId reduce;      // the reduction that reads
    llvm::AllocaInst* memory;  // a vector for each term
  };
  std::vector<graph::NodeId> reductions;                       // all in lanes
  std::map<graph::NodeId, std::vector<graph::NodeId>> inside;  // of them, by the one around
  std::map<graph::NodeId, Panel> panels;                       // by read
  unsigned width = 1;
  Value all_short = nullptr;  // at run time, and there are points enough
};

}  // namespace dvm::llvm_backend
