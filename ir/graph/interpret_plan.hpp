// The interpreter's plan of a function: which nodes of each region run in order, and which run only
// when a branch that is taken asks for them.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "ir/graph/demand.hpp"

namespace dvm::graph {

struct Block;

struct Step {
  const Node* node = nullptr;
  Mask results;
  std::vector<ValueId> operands;  // operands and size symbols that are needed
  std::vector<std::unique_ptr<Block>> blocks;
  // For scalar functions.
  ElementType args[3] = {};
  ElementType result = ElementType::F64;
  bool tail = false;  // a call, or a branch that may hold one, whose results are the function's
};

// A step that runs at most once for each run of its region, on demand.
struct LazyStep {
  std::size_t id = 0;
  const Block* owner = nullptr;
  Step step;
  std::vector<LazyStep*> needs;
};

struct Block {
  const Region* region = nullptr;
  Mask yields;
  bool iterated = false;  // inside a body that runs once per point
  std::vector<Step> steps;
  std::vector<LazyStep*> needs;  // of the region of a branch: run at its entry
  std::deque<LazyStep> lazy;     // of this region; forgotten at each entry
  std::map<ValueId, LazyStep*> lazy_of;
};

struct FunctionPlan {
  const Function* function = nullptr;
  std::unique_ptr<Block> body;
  std::size_t lazy_count = 0;
  std::vector<std::uint32_t> array_slot;  // by value; scalars have none
  std::size_t array_count = 0;
};

std::unique_ptr<FunctionPlan> plan_function(const Function& function);

}  // namespace dvm::graph
