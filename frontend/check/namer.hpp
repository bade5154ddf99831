// Types and sizes as text for messages: what the user wrote where possible, `?1` for unknown sizes.
#pragma once

#include <map>

#include "frontend/check/checker.hpp"

namespace dvm::check {

class Namer {
 public:
  explicit Namer(Checker& checker) : checker_(checker) {}
  std::string type(TypePtr type) { return text(type, 0); }
  std::string argument(TypePtr type) { return text(type, 2); }  // after a constructor or class
  std::string size(const Size& size);
  // Adds a label for every unknown size that was named, at the place it came from.
  void explain(Diagnostic& diagnostic) const;
  bool shows_unknown() const { return !shown_.empty(); }

 private:
  std::string text(TypePtr type, int precedence);
  std::string size_arg(const Size& size);
  std::string name(Symbol symbol);

  Checker& checker_;
  std::map<Symbol, std::string> names_;
  std::vector<Symbol> shown_;
  int next_ = 1;
};

}  // namespace dvm::check
