// What a written type is read with.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "frontend/check/checker.hpp"

namespace dvm::check {

// Where a written type stands, and what its free names become.
struct Checker::TypeContext {
  Scheme* scheme = nullptr;  // receives new variables; null: free names are errors
  TypeNames* own_names = nullptr;
  std::vector<Symbol>* exists = nullptr;  // receives `?`; null: not allowed here
  std::map<std::string, Symbol> named_unknowns;
  bool in_param = false;
  // Inside a synonym: its parameters, instead of everything else.
  const std::map<std::string, std::variant<TypePtr, Size>>* params = nullptr;
};

}  // namespace dvm::check
