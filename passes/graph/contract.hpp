// contract makes one operation of a product and the sum it feeds: asked for with --contract.
//
//   %p = mul %a, %b; %s = add %p, %c  ->  %s = fma %a, %b, %c
//   sub %c, %p  ->  fma (neg %a), %b, %c        sub %p, %c  ->  fma %a, %b, (neg %c)
//
// Floats only, and only a product that is used once, beside the sum. The result is rounded once
// instead of twice, so this is no optimisation but another meaning, which the program's user chose:
// it runs right after fix-rounding, and the graph it leaves is the elaborated one.
#pragma once

#include "ir/graph/graph.hpp"

namespace dvm::passes {

void contract(graph::Module& module);

}  // namespace dvm::passes
