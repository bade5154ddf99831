// Results that only a branch asks for are computed there, apart from those that are needed anyway.
//
//   %a, %b = loop %n (%x, %y) { … check … }            %a = loop %n (%x) { … }
//   %v = branch %c { yield %b } else { … }      ->     %v = branch %c { %b = loop %n (%y) { … check
//   … }
//                                                                      yield %b } else { … }
//
// A kernel computes all results of a node together, and what fails in one of them fails the point.
// Results are needed one by one (ir/graph/demand.hpp), so where a node may fail and only a branch
// reads one of its results, the branch gets a copy of the node. Sound because values are pure. The
// work of the copy is done twice where the branch is taken; the planner does it last, and only in
// what becomes a kernel: templates have no such trouble.
#pragma once

#include "ir/graph/graph.hpp"

namespace dvm::passes {

void part_results(graph::Module& module);

}  // namespace dvm::passes
