// flatten-maps walks in one dimension what treats every element alike, where a reader wants the
// result flat.
//
//   %r = map [n, m] { (i, j) %x = read %a[i, j]; … }      %fa = reshape %a: [n * m]
//   %f = reshape %r: [n * m]                          ->  %f = map [n * m] { (k) %x = read %fa[k]; … }
//                                                         %r = reshape %f: [n, m]
//
// Sound because row-major order visits the same points in the same order, and a reshape moves
// nothing. The other such maps over that space are flattened too, so that fuse-siblings still joins
// them. Runs when fusion has decided which arrays remain: a flat map and the flat reduction of it
// have the same tiles.
#pragma once

#include "ir/graph/graph.hpp"

namespace dvm::passes {

void flatten_maps(graph::Module& module);

}  // namespace dvm::passes
