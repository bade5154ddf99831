// The branches of an if, case, or list of clauses: each is checked alone, then their types are
// joined.
#pragma once

#include "frontend/check/checker.hpp"

namespace dvm::check {

struct Branches {
  Checker& checker;
  TypePtr expected;  // or null
  Span place;
  const char* construct;
  TypePtr joined = nullptr;
  bool pushed = false;  // each branch was checked against `expected` itself
  Span first = {};

  // What to check the next branch against; null: infer it.
  TypePtr next();
  void add(TypePtr type, const Reason& reason);
  // The type of the whole.
  TypePtr finish(const Reason& reason);
};

}  // namespace dvm::check
