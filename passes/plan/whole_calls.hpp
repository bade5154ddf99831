// A call computes all results of its function, asked for or not.
//
//   %a, %b = call @f(%x)                  %a, %b = call @f(%x)
//   … %a …                         ->     %fine = true, needing %b
//                                         %a.1 = check %a, %fine
//                                         … %a.1 …
//
// An engine finds a failure through the values that have it, so one in a result that nobody asks
// for would be lost. Where such a result may fail, those that are asked for are made to depend on
// it. Calls in tail position have no results that only some are asked for, so they stay what they
// are.
#pragma once

#include "ir/graph/graph.hpp"

namespace dvm::passes {

void whole_calls(graph::Module& module);

}  // namespace dvm::passes
