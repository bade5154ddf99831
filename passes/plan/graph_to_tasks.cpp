// graph → tasks. Templates are worked off a queue, so nesting never uses the machine's stack.
#include "passes/plan/graph_to_tasks.hpp"

#include <deque>
#include <map>

#include "passes/graph/drop_unneeded.hpp"
#include "passes/plan/check_table.hpp"
#include "passes/plan/expand_bodies.hpp"
#include "passes/plan/irregular_remarks.hpp"
#include "passes/plan/part_results.hpp"
#include "passes/plan/stencil_remarks.hpp"
#include "passes/plan/template_builder.hpp"
#include "passes/plan/whole_calls.hpp"

namespace dvm::passes {

namespace {

using namespace graph;

task::Grain grain_of(const Machine& machine) {
  task::Grain grain;
  grain.workers = machine.workers;
  grain.task_seconds = machine.task_seconds;
  grain.least_seconds = std::min(machine.task_seconds, 40 * machine.dispatch_seconds);
  grain.cache_bytes = machine.shared_cache_bytes;
  grain.tile_bytes = machine.cache_bytes;
  return grain;
}

}  // namespace

std::optional<TaskPlan> graph_to_tasks(const Module& original, FunctionId entry,
                                       const Machine& machine, const task::Target& target,
                                       const SourceMap* sources, Diagnostics& out,
                                       Remarks* remarks) {
  const std::size_t errors = out.error_count();
  // A kernel computes all results of its node: those that nothing needs must not fail it, nor those
  // that a branch alone needs, which it may not take.
  Module needed = original;
  drop_unneeded(needed);
  if (remarks != nullptr) {
    say_stencils(needed, *remarks);
    say_irregular(needed, *remarks);
  }
  whole_calls(needed);
  part_results(needed);
  Module module = expand_bodies(std::move(needed), out);
  if (out.error_count() > errors) return std::nullopt;
  TaskPlan plan;
  plan.program.target = target;
  plan.program.grain = grain_of(machine);
  plan.program.entry = entry_signature(module.functions[entry]);
  // Unnamed results are called by their position, as the parts of a tuple are.
  std::vector<std::string>& names = plan.program.entry.result_names;
  names.resize(module.functions[entry].results().size());
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k].empty()) names[k] = std::to_string(k);
  plan.program.checks = check_table(module, sources);
  plan.module.checks = module.checks;
  plan.module.locs = module.locs;
  TemplateQueue queue(module, entry, machine, plan, remarks);
  queue.template_of(entry);
  queue.run();
  return plan;
}

}  // namespace dvm::passes
