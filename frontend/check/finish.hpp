// Writes what inference found into the tables of typed::Program (finish.cpp).
#pragma once

#include "frontend/check/checker.hpp"

namespace dvm::check {

class Finisher {
 public:
  Finisher(Checker& checker, typed::Program& out) : c_(checker), out_(out) {}
  void bindings();
  void classes();
  void syntax();
  void entries();

 private:
  Size size(const Size& from);
  typed::SizeVarId symbol_id(Symbol symbol);
  typed::TypeRef type(TypePtr from);
  typed::Type build(TypePtr from);
  std::string no_entry_because(const BindingInfo& from, const typed::Binding& binding) const;
  typed::Scheme scheme(const Scheme& from, TypePtr mono);

  Checker& c_;
  typed::Program& out_;
  int unnamed_ = 0;
};

}  // namespace dvm::check
