// fuse-maps computes elements of a map where they are read instead of storing the array.
//
//   %a = map [i < n] { %x = read %xs[i]; %y = mul %x, 2.0; yield %y }
//   %s = reduce [] [i < n] add 0.0 { %v = read %a[i]; yield %v }
//     -> %s = reduce [] [i < n] add 0.0 { %x = read %xs[i]; %y = mul %x, 2.0; yield %y }
//
// Readers may be in any body (map, reduce, scan, reduce_by_key, filter, scatter, inside loops and
// branches) and read at any indices. Sound because a body is a pure function of its indices; a body
// that may fail goes only where every element is read once and unconditionally, so that the same
// failure is found at the same index. Trees and fused products are the reader's and stay. What pays
// is decided by bytes saved against operations repeated (passes/analysis/fusion_plan). Runs after
// share-values, which counts equal reads once.
#pragma once

#include "ir/graph/graph.hpp"
#include "passes/remark.hpp"

namespace dvm::passes {

void fuse_maps(graph::Module& module, Remarks* remarks = nullptr);

}  // namespace dvm::passes
