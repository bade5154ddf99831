// The interpreter's plan of a function: which nodes of each region run in order, and which run only
// when a branch that is taken asks for them.
//
// Note [Results by themselves]. Results of a loop are needed one by one: each is what it would be
// if no other were needed, and stops the loop at failures of its own alone. While nothing fails one
// run of the loop gives them all, so that is how programs are run. Only when something has failed,
// the whole program runs again by plans in which each result has a run of its own (those that need
// the same states share one), which says which failures there are.
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
  Mask gives;  // when not empty: only these results, the others are made elsewhere
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
  bool joined = false;  // results that could have runs of their own may share one
};

enum class Results { Together, ByThemselves };

std::unique_ptr<FunctionPlan> plan_function(const Function& function, Results results);

}  // namespace dvm::graph
