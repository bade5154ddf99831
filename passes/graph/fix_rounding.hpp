// fix-rounding decides how every reduction groups its terms and which products are fused into sums.
//
//   reduce [] [i < n] add -0.0 { … %p = mul %x, %y; yield %p }
//     -> reduce [] [i < n] lanes fused add -0.0 { … yield %x, %y }
//
// This is part of the meaning, not an optimisation: it looks at shapes and reads of the elaborated
// graph alone, so the result is the same for every plan, and it leaves reductions that have a tree
// untouched. Runs first and cannot be disabled; every later pass keeps what it decided.
#pragma once

#include "ir/graph/graph.hpp"

namespace dvm::passes {

void fix_rounding(graph::Module& module);

}  // namespace dvm::passes
