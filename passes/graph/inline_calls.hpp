// inline-calls puts the bodies of functions that do not call themselves in the place of their
// calls.
//
//   %y = call @double(%x)      ->   %y = add %x, %x
//
// Functions that the entry (the module's first function) no longer reaches vanish.
// A call needs all its arguments and computes all results of its function, what takes its place
// only those that are used: so it stays where an argument may fail that not every result needs, or
// a result that not every other one needs. Sound because functions are pure and a call's failures
// are then those of its body. Runs early, so that everything after sees whole programs; recursive
// functions (also mutually) stay calls.
#pragma once

#include "ir/graph/graph.hpp"
#include "passes/remark.hpp"

namespace dvm::passes {

void inline_calls(graph::Module& module, Remarks* remarks = nullptr);

}  // namespace dvm::passes
