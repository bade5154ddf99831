// share-values computes equal things once: a node equal to one that is defined before it and in
// scope is replaced by it. Whole maps, reductions and loops count, bodies compared node by node.
//
//   %a = add %x, %y ; … ; %b = add %x, %y      ->   %a   (uses of %b read %a)
//
// Sound because values are pure. Of two nodes that may fail, the least check id stays, and only
// where both are needed together; see Note [Sharing what may fail]. Literals and sizes are shared
// within one region only, since they are free where they stand. Runs after simplify, which makes
// equal things look equal, and before fusion, which inlines by the number of reads.
#pragma once

#include "ir/graph/graph.hpp"
#include "passes/remark.hpp"

namespace dvm::passes {

void share_values(graph::Module& module, Remarks* remarks = nullptr);

}  // namespace dvm::passes
