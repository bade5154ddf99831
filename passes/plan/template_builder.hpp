// Functions and regions to templates of the task IR.
#pragma once

#include <deque>
#include <unordered_map>

#include "passes/plan/graph_to_tasks.hpp"

namespace dvm::passes {

// Templates still to be built; ids are given in the order they are first mentioned.
class TemplateQueue {
 public:
  TemplateQueue(const graph::Module& module, const Machine& machine, TaskPlan& plan,
                Diagnostics& out)
      : module(module), machine(machine), plan(plan), out(out) {}

  task::TemplateId template_of(graph::FunctionId function);
  // A region as a template: its params, then `captures`.
  task::TemplateId template_of(graph::FunctionId function, graph::RegionId region,
                               std::string_view kind, const std::vector<graph::ValueId>& captures);
  void run();
  // One kernel per phase of the work; gives their ids.
  std::vector<task::KernelId> add_kernels(graph::Function function, task::ArrayWork::Kind kind);

  const graph::Module& module;
  const Machine& machine;
  TaskPlan& plan;
  Diagnostics& out;

 private:
  struct Open {
    task::TemplateId id;
    graph::FunctionId function;
    graph::RegionId region;
    std::vector<graph::ValueId> captures;
  };
  task::TemplateId reserve(std::string name);

  std::deque<Open> open_;
  std::unordered_map<std::uint32_t, task::TemplateId> functions_;
  std::unordered_map<std::string, int> names_;
};

}  // namespace dvm::passes
