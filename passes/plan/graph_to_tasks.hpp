// graph → tasks: every function and every region that the engine must expand becomes a template;
// every array operation a family of tasks with one-node functions for the kernel compiler.
//
//   %y: f64[n] = map [i < n] { %p = read %x[%i]; %q = mul %p, %p; yield %q }
// becomes
//   %y: f64[n] = map [@main_map_0] space [n] cost [3.2 0.6 (1)] (%n, %x {0 1 0 0})
//
// Grain is a rule on sizes (ir/task/grain.hpp) that the engine applies when it knows them; here its
// parameters are taken from the machine model.
#pragma once

#include <optional>
#include <vector>

#include "ir/base/diagnostic.hpp"
#include "ir/task/program.hpp"
#include "passes/cost/machine.hpp"
#include "passes/remark.hpp"

namespace dvm::passes {

struct TaskPlan {
  task::Program program;
  // For the kernel compiler: functions of one node each, in the order of program.kernels. Checks
  // and locations have the ids of the original module.
  graph::Module module;
  std::vector<kernel::Kernel> kernels;
};

// `module` is elaborated and holds no function that is still to be differentiated. What tasks
// cannot do is reported to `out` with its place. `sources` may be null: checks then have no place.
// `remarks`: gets what is said about chains; may be null.
std::optional<TaskPlan> graph_to_tasks(const graph::Module& module, graph::FunctionId entry,
                                       const Machine& machine, const task::Target& target,
                                       const SourceMap* sources, Diagnostics& out,
                                       Remarks* remarks = nullptr);

}  // namespace dvm::passes
