// From the typed syntax tree to the graph IR of one entry point.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/check/typed.hpp"
#include "ir/base/diagnostic.hpp"
#include "ir/graph/graph.hpp"

namespace dvm::lower {

// Evaluates the program symbolically from the entry on: non-recursive functions are inlined,
// functions as values are specialised away, views are composed, everything is monomorphic. The
// entry is the module's first function; recursive functions follow, one per type instance. nullopt
// when an error was reported (limitations, a function that would exist at run time, …). Reductions
// come out with tree `Unset`; `passes::fix_rounding` (mandatory) sets them.
//
// `stated`: takes the places of the reductions whose neutral value and operator the program states
// (`reduce`, `scan`, `reduceByKey` and the like), for graph::LawTest.
std::optional<graph::Module> lower(const typed::Program& program, const SourceMap& sources,
                                   typed::BindingId entry, Diagnostics& out,
                                   std::vector<graph::LocId>* stated = nullptr);

}  // namespace dvm::lower
