// Bodies that no kernel can hold are taken out of reductions and the like, so that only maps have
// them.
//
//   %s: f64 = reduce [] [n] ordered add (%zero) { (%i) … sort … yield %t }
// becomes
//   %t': f64[n] = map [n] { (%i) … sort … yield %t }
//   %s: f64 = reduce [] [n] ordered add (%zero) { (%i) %r = read %t'[%i]; yield %r }
//
// The planner then makes a template of the map's body: its points are instances that run side by
// side (task::Each). Trees, order and failures stay: the points of the map are numbered as those of
// the reduction. Of a filter the values are computed at kept points alone. An operator (second
// region) that no kernel can hold becomes loops along the tree that the reduction has by its
// definition.
#pragma once

#include "ir/base/diagnostic.hpp"
#include "ir/graph/graph.hpp"

namespace dvm::passes {

// What is not possible is reported to `out` with its place.
graph::Module expand_bodies(graph::Module module, Diagnostics& out);

// The same for the one node of a function, whatever its body is.
graph::Function expand_terms(graph::Module& module, const graph::Function& function,
                             graph::NodeId node);

}  // namespace dvm::passes
