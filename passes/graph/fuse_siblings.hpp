// fuse-siblings joins maps, or reductions, that stand side by side, walk the same space and read
// the same arrays into one with several results.
//
//   %a = map [i < n] { … read %xs[i] …; yield %y }          %a, %b = map [i < n] {
//   %b = map [i < n] { … read %xs[i] …; yield %z }    ->      … read %xs[i] …; yield %y, %z }
//
// Sound because neither depends on the other and each result keeps its own terms; reductions must
// agree in extent and tree, components keep their combiner and fused products. What may fail is
// joined only where both are needed in any case. Runs after fuse-maps; share-values then makes the
// common reads one.
#pragma once

#include "ir/graph/graph.hpp"
#include "passes/remark.hpp"

namespace dvm::passes {

void fuse_siblings(graph::Module& module, Remarks* remarks = nullptr);

}  // namespace dvm::passes
