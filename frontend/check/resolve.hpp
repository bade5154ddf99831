// The walk over a body that binds its names (resolve.cpp).
#pragma once

#include "frontend/check/checker.hpp"

namespace dvm::check {

class ResolveWalk {
 public:
  using Bound = std::vector<std::pair<std::string, BindingId>>;
  explicit ResolveWalk(Checker& checker) : checker_(checker) {}

  void definition(ast::DeclId id);
  // Resolves the constructors of a pattern and makes bindings for its variables.
  void pattern(ast::PatternId id, Bound& bound);
  void enter(const Bound& bound);

 private:
  std::size_t open();
  void close(std::size_t mark);
  void push(const std::string& name, Reference reference);
  void use(ast::ExprId id, const ast::Name& name, bool constructor);
  void use_negate(ast::ExprId id, Span span);
  void bind(ast::PatternId id, const ast::Name& name, Bound& bound);
  void qualifier(const ast::Qualifier& node);
  void declarations(const std::vector<ast::DeclId>& decls);
  void rhs(const ast::Rhs& node);
  void alternatives(const std::vector<ast::Alternative>& list);
  void parts(const std::vector<ast::ExprId>& list);
  void expr(ast::ExprId root);
  void single(ast::ExprId id, const ast::Expr& node);
  void resolve_comprehension(const ast::Comprehension& node);

  Checker& checker_;
};

}  // namespace dvm::check
