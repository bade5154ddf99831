// sort-values sorts values themselves where their order serves only to read them by it.
//
//   %p: i64[n] = sort %xs                              %s: f64[n] = sort values %xs
//   map [n] { (i) %k = read %p[i]               ->     map [n] { (i) %x = read %s[i]
//                 %x = read %xs[%k]; … }                             … }
//
// Sound because the i-th value is what the i-th position holds, and a permutation's elements are
// positions that exist, so that the reads by it cannot fail. A map that does nothing but read them
// in order vanishes. Runs before fusion, while readers of sorted values are still plain maps:
// sorting moves each value once then, and nobody gathers.
#pragma once

#include "ir/graph/graph.hpp"

namespace dvm::passes {

void sort_values(graph::Module& module);

}  // namespace dvm::passes
