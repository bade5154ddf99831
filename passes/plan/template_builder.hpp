// Functions and regions to templates of the task IR.
#pragma once

#include <deque>
#include <memory>
#include <unordered_map>

#include "passes/plan/chains.hpp"
#include "passes/plan/graph_to_tasks.hpp"
#include "passes/plan/outline.hpp"

namespace dvm::passes {

// Templates still to be built; ids are given in the order they are first mentioned.
class TemplateQueue {
 public:
  TemplateQueue(graph::Module& module, graph::FunctionId entry, const Machine& machine,
                TaskPlan& plan, Remarks* remarks = nullptr)
      : module(module), entry(entry), machine(machine), plan(plan), remarks(remarks) {}

  task::TemplateId template_of(graph::FunctionId function);
  // A region as a template: its params, then `captures`. `stepwise`: its own loops are expanded
  // step by step, even those that fit a kernel.
  task::TemplateId template_of(graph::FunctionId function, graph::RegionId region,
                               std::string_view kind, const std::vector<graph::ValueId>& captures,
                               bool stepwise = false);
  // Note [Careful templates]. A kernel reads its operands whether a point takes the branch that
  // asks for them or not, so one that failed would fail the whole operation. Where that can happen
  // the operation has a second form: its terms by a map whose points are instances, in which a
  // branch is one that the engine takes. It runs only when such an operand has failed.
  task::TemplateId careful_template(const Outlined& outlined);
  bool is_careful(graph::FunctionId id) const { return id.index >= module.functions.size(); }
  const graph::Function& function(graph::FunctionId id) const;
  // Whether evaluating the value, or what it depends on, can fail. Parameters cannot: calls wait
  // for what may.
  bool may_fail(graph::FunctionId function, graph::ValueId value);
  ChainFacts& chain_facts(graph::FunctionId function);
  void run();
  // One kernel per phase of the work; gives their ids.
  std::vector<task::KernelId> add_kernels(graph::Function function, task::ArrayWork::Kind kind);

  graph::Module& module;
  const graph::FunctionId entry;
  const Machine& machine;
  TaskPlan& plan;
  Remarks* remarks;  // may be null

 private:
  struct Open {
    task::TemplateId id;
    graph::FunctionId function;
    graph::RegionId region;
    std::vector<graph::ValueId> captures;
    bool stepwise = false;
  };
  task::TemplateId reserve(std::string name);

  std::deque<Open> open_;
  std::unordered_map<std::uint32_t, task::TemplateId> functions_;
  std::unordered_map<std::string, int> names_;
  std::unordered_map<std::uint32_t, std::unique_ptr<ChainFacts>> chain_facts_;
  std::deque<graph::Function> careful_;                        // ids after the module's
  std::unordered_map<std::uint32_t, std::vector<bool>> safe_;  // by function and value: cannot fail
};

}  // namespace dvm::passes
