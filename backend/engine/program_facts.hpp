// What the expander wants to know about templates, worked out once per program.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/task/program.hpp"

namespace dvm::engine {

struct Condition {
  std::uint32_t slot;
  bool complete;  // else bound
  bool perhaps;   // it may have failed
};

struct FamilyFacts {
  std::vector<Condition> conditions;   // of firing; each slot once
  std::vector<std::uint32_t> touched;  // operands, sizes and results, each once
  bool tail = false;                   // its results, all of them and in order, are the template's
};

struct TemplateFacts {
  const task::Template* shape = nullptr;
  std::vector<FamilyFacts> families;
  std::vector<std::uint32_t> uses;     // by slot: families that touch it, constants left out
  std::vector<std::int32_t> constant;  // by slot: index among the program's constants, or -1
  std::vector<std::int32_t>
      direct_yield;          // by slot: the yield whose value is made by a family here, or -1
  std::uint32_t active = 0;  // families that fire: all but constants
};

struct ProgramFacts {
  std::vector<TemplateFacts> templates;
  std::vector<Scalar> constants;
};
ProgramFacts facts_of(const task::Program& program);

}  // namespace dvm::engine
