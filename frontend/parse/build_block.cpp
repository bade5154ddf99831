// Expressions with blocks or binders, and the right sides of equations.
#include <fmt/format.h>

#include "frontend/parse/builder.hpp"

namespace dvm::parse {

using namespace ast;

ExprId Builder::operand(DvmParser::OperandContext* tree) {
  const Span span = span_of(tree);
  if (auto* apply = dynamic_cast<DvmParser::ApplicationContext*>(tree)) return application(apply);
  if (auto* function = dynamic_cast<DvmParser::LambdaContext*>(tree)) return lambda(function);
  if (auto* cases = dynamic_cast<DvmParser::LambdaCaseContext*>(tree)) {
    return push_expr(LambdaCase{alternatives(cases->altBlock())}, span);
  }
  if (auto* let = dynamic_cast<DvmParser::LetInContext*>(tree)) return let_in(let);
  if (auto* choice = dynamic_cast<DvmParser::IfThenElseContext*>(tree)) {
    If result;
    result.condition = expr(choice->expr(0));
    result.then_branch = expr(choice->expr(1));
    result.else_branch = expr(choice->expr(2));
    return push_expr(result, span);
  }
  if (auto* multi = dynamic_cast<DvmParser::MultiIfContext*>(tree)) {
    MultiIf result;
    for (DvmParser::GuardedArrowContext* part : multi->guardedArrow())
      result.alternatives.push_back(guarded(part));
    return push_expr(std::move(result), span);
  }
  auto* choice = static_cast<DvmParser::CaseOfContext*>(tree);
  Case result;
  result.scrutinee = expr(choice->expr());
  result.alternatives = alternatives(choice->altBlock());
  return push_expr(std::move(result), span);
}

ExprId Builder::let_in(DvmParser::LetInContext* tree) {
  const ScopeId outer = scope_;
  scope_ = scopes_.open(outer);
  Let result;
  result.decls = block(tree->declBlock(), scope_);
  if (tree->IN() == nullptr) {
    report(source_.span_of(tree->stop->getStartIndex()), "missing-in", "this `let` has no `in`",
           "expected `in` after this", "write `let … in …`, or put the definitions into a `where`")
        .others.push_back({span_of(tree->LET()), "the `let` starts here"});
    flush();
    result.body = push_expr(Hole{"_"}, span_of(tree));
  } else {
    result.body = expr(tree->expr());
  }
  scope_ = outer;
  return push_expr(std::move(result), span_of(tree));
}

ExprId Builder::lambda(DvmParser::LambdaContext* tree) {
  const ScopeId outer = scope_;
  const std::size_t since = bound_.size();
  scope_ = scopes_.open(outer);
  Lambda result;
  result.params = apatterns(tree->apattern(), 0);
  bind_pattern_names(scope_, since);
  result.body = expr(tree->expr());
  scope_ = outer;
  return push_expr(std::move(result), span_of(tree));
}

// What the patterns since then bound hides outer operators of the same name.
void Builder::bind_pattern_names(ScopeId scope, std::size_t since) {
  for (std::size_t i = since; i < bound_.size(); ++i) scopes_.bind(scope, bound_[i].text);
  bound_.resize(since);
}

Qualifier Builder::qualifier(DvmParser::QualifierContext* tree) {
  if (tree->LARROW() != nullptr) {
    Generator generator;
    generator.source = expr(tree->expr(1));
    generator.pattern = pattern_of(tree->expr(0));
    if (tree->PREFIX_BANG() != nullptr)
      generator.pattern = push_pattern(BangPattern{generator.pattern}, span_of(tree->expr(0)));
    return generator;
  }
  if (tree->PREFIX_BANG() != nullptr) {
    report(span_of(tree->PREFIX_BANG()), "bang-in-expression", "`!` cannot start an expression", "",
           "negation is `not`, an index is `xs ! i`");
    flush();
  }
  DvmParser::ExprContext* inner = tree->expr(0);
  if (inner->qualifiedType() == nullptr && inner->opExpr()->children.size() == 1) {
    auto* unary = static_cast<DvmParser::UnaryExprContext*>(inner->opExpr()->children[0]);
    auto* let = dynamic_cast<DvmParser::LetInContext*>(unary->operand());
    if (let != nullptr && let->IN() == nullptr && unary->MINUS() == nullptr)
      return LetQualifier{block(let->declBlock(), scope_)};
  }
  return Guard{expr(inner)};
}

std::vector<Qualifier> Builder::qualifiers(DvmParser::QualifiersContext* tree) {
  std::vector<Qualifier> result;
  for (DvmParser::QualifierContext* part : tree->qualifier()) result.push_back(qualifier(part));
  return result;
}

template <class Tree>
Guarded Builder::guarded(Tree* tree) {
  const ScopeId outer = scope_;
  const std::size_t since = bound_.size();
  scope_ = scopes_.open(outer);
  Guarded result{qualifiers(tree->qualifiers()), {}};
  bind_pattern_names(scope_, since);
  result.body = expr(tree->expr());
  scope_ = outer;
  return result;
}

// The caller has opened the scope that also holds the parameters.
Rhs Builder::rhs(DvmParser::RhsContext* tree) {
  Rhs result;
  if (tree->declBlock() != nullptr) result.where = block(tree->declBlock(), scope_);
  if (tree->expr() != nullptr) {
    result.alternatives.push_back({{}, expr(tree->expr())});
  } else {
    for (DvmParser::GuardedEquationContext* part : tree->guardedEquation())
      result.alternatives.push_back(guarded(part));
  }
  return result;
}

Alternative Builder::alternative(DvmParser::AlternativeContext* tree) {
  const ScopeId outer = scope_;
  const std::size_t since = bound_.size();
  scope_ = scopes_.open(outer);
  Alternative result;
  result.span = span_of(tree);
  result.pattern = op_pattern(tree->opPattern());
  bind_pattern_names(scope_, since);
  if (tree->declBlock() != nullptr) result.rhs.where = block(tree->declBlock(), scope_);
  if (tree->expr() != nullptr) {
    result.rhs.alternatives.push_back({{}, expr(tree->expr())});
  } else {
    for (DvmParser::GuardedArrowContext* part : tree->guardedArrow())
      result.rhs.alternatives.push_back(guarded(part));
  }
  scope_ = outer;
  return result;
}

std::vector<Alternative> Builder::alternatives(DvmParser::AltBlockContext* tree) {
  std::vector<Alternative> result;
  for (DvmParser::AlternativeContext* part : tree->alternative())
    result.push_back(alternative(part));
  if (result.empty()) {
    report(source_.span_of(tree->start->getStartIndex() - 1), "empty-case",
           "there are no alternatives after this", "expected alternatives `pattern -> expression`",
           "indent the alternatives more than the enclosing block");
    flush();
  }
  return result;
}

}  // namespace dvm::parse
