// Which recursive functions are loops: those that call only themselves, and only as the last thing
// they do, at the same types and sizes.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "frontend/lower/value.hpp"

namespace dvm::lower {

// The names of the function itself at its tail calls.
using TailCalls = std::set<ast::ExprId>;

// How the last expression of a function is evaluated when it is lowered to a loop.
struct Tail {
  const TailCalls* calls = nullptr;
  bool last = false;           // after the loop: the result, there are no more calls
  std::vector<ValueRef> args;  // of this step; functions among them do not change
  std::vector<bool> fixed;     // by argument: a function
  ValueRef result;             // what stands for the result as long as there is none; may be null
};

}  // namespace dvm::lower
