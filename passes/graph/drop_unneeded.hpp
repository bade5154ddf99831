// drop-unneeded removes nodes, results of multi-result ops and loop states that no result needs.
//
//   %a, %b = map [i < n] { …; yield %x, %y }      ->   %a = map [i < n] { …; yield %x }     (%b
//   unread)
//
// Sound because a value that is not needed has no meaning, its failures included. The other passes
// run it at their end, so that none leaves rubbish behind.
#pragma once

#include "ir/graph/graph.hpp"

namespace dvm::passes {

void drop_unneeded(graph::Module& module);
void drop_unneeded_in(graph::Module& module, graph::FunctionId function);

}  // namespace dvm::passes
