// Expressions: operators, applications, atoms.
#include <fmt/format.h>

#include "frontend/parse/builder.hpp"

namespace dvm::parse {

using namespace ast;

ExprId Builder::push_expr(decltype(Expr::node) node, Span span) {
  return arena_.exprs.push({std::move(node), span});
}

ExprId Builder::expr(DvmParser::ExprContext* tree) {
  const ExprId inner = op_expr(tree->opExpr());
  if (tree->qualifiedType() == nullptr) return inner;
  return push_expr(Annotated{inner, qualified_type(tree->qualifiedType())}, span_of(tree));
}

ExprId Builder::op_expr(DvmParser::OpExprContext* tree) {
  if (tree->children.size() == 1)
    return unary(static_cast<DvmParser::UnaryExprContext*>(tree->children[0]));
  ExprChain chain;
  fill_chain(tree, chain);
  chain.id = push_expr(Hole{}, span_of(tree));
  chains_.exprs.push_back(chain);
  return chain.id;
}

// Walks the children once: accessors by index would make long chains quadratic.
void Builder::fill_chain(DvmParser::OpExprContext* tree, ExprChain& chain) {
  chain.scope = scope_;
  for (antlr4::tree::ParseTree* child : tree->children) {
    if (auto* op = dynamic_cast<DvmParser::OpContext*>(child)) {
      chain.operators.push_back(operator_of(op));
      continue;
    }
    auto* part = static_cast<DvmParser::UnaryExprContext*>(child);
    chain.minuses.push_back(part->MINUS() == nullptr ? Span{} : span_of(part->MINUS()));
    chain.operands.push_back(operand(part->operand()));
  }
}

ExprId Builder::unary(DvmParser::UnaryExprContext* tree) {
  const ExprId inner = operand(tree->operand());
  if (tree->MINUS() == nullptr) return inner;
  return push_expr(Negate{inner}, span_of(tree));
}

ExprId Builder::application(DvmParser::ApplicationContext* tree) {
  ExprId result;
  Span begin;
  for (antlr4::tree::ParseTree* child : tree->children) {
    auto* part = static_cast<DvmParser::AexprContext*>(child);
    const ExprId value = aexpr(part);
    if (!result.valid()) {
      result = value;
      begin = span_of(part);
    } else {
      result = push_expr(Apply{result, value}, join(begin, span_of(part)));
    }
  }
  return result;
}

ExprId Builder::aexpr(DvmParser::AexprContext* tree) {
  for (DvmParser::VarIdContext* name : tree->varId()) {
    report(span_of(name), "as-pattern-in-expression", "`@` belongs to patterns, not to expressions",
           "", "to index an array, write `xs ! i`");
    flush();
  }
  const auto suffixes = tree->recordSuffix();
  if (suffixes.size() > nesting_limit) {
    report(span_of(tree), "nesting-too-deep",
           fmt::format("nesting is deeper than {} levels", nesting_limit));
    flush();
  }
  auto* con = dynamic_cast<DvmParser::ConExprContext*>(tree->primary());
  ExprId result;
  if (con == nullptr || suffixes.empty()) result = primary(tree->primary());
  for (DvmParser::RecordSuffixContext* suffix : suffixes) {
    std::vector<FieldValue> fields;
    for (DvmParser::FieldValueContext* field : suffix->fieldValue()) {
      fields.push_back({bracketed_name(field->qvar()), expr(field->expr())});
    }
    const Span span = join(span_of(tree->primary()), span_of(suffix));
    if (!result.valid()) {
      result = push_expr(RecordConstruct{bracketed_name(con->qcon()), std::move(fields)}, span);
      continue;
    }
    if (fields.empty()) {
      report(span_of(suffix), "empty-update", "a record update needs at least one field");
      flush();
    }
    result = push_expr(RecordUpdate{result, std::move(fields)}, span);
  }
  return result;
}

ExprId Builder::literal(DvmParser::LiteralContext* tree) {
  const Span span = span_of(tree);
  if (tree->INTEGER() != nullptr) return push_expr(integer(span), span);
  if (tree->FLOAT() != nullptr) return push_expr(floating(span), span);
  return push_expr(StringLiteral{string_value(span)}, span);
}

ExprId Builder::operator_name(ChainOperator op, Span span) {
  if (op.is_constructor) return push_expr(Constructor{std::move(op.name)}, span);
  return push_expr(Variable{std::move(op.name)}, span);
}

ExprId Builder::primary(DvmParser::PrimaryContext* tree) {
  const Span span = span_of(tree);
  if (dynamic_cast<DvmParser::VarExprContext*>(tree) != nullptr)
    return push_expr(Variable{name_at(span)}, span);
  if (auto* con = dynamic_cast<DvmParser::ConExprContext*>(tree))
    return push_expr(Constructor{bracketed_name(con->qcon())}, span);
  if (auto* value = dynamic_cast<DvmParser::LiteralExprContext*>(tree))
    return literal(value->literal());
  if (dynamic_cast<DvmParser::HoleContext*>(tree) != nullptr) return push_expr(Hole{"_"}, span);
  if (auto* minus = dynamic_cast<DvmParser::MinusNameContext*>(tree)) {
    return push_expr(Variable{name_at(span_of(minus->MINUS()))}, span);
  }
  if (auto* section = dynamic_cast<DvmParser::RightSectionContext*>(tree))
    return right_section(section);
  if (auto* inner = dynamic_cast<DvmParser::ParensContext*>(tree)) return parens(inner);
  return brackets(static_cast<DvmParser::BracketsContext*>(tree));
}

ExprId Builder::right_section(DvmParser::RightSectionContext* tree) {
  ChainOperator op = operator_of(tree->sectionOp());
  const Span span = span_of(tree);
  if (tree->opExpr() == nullptr) return operator_name(std::move(op), span);
  ExprChain chain;
  chain.kind = ChainKind::RightSection;
  chain.operators.push_back(std::move(op));
  fill_chain(tree->opExpr(), chain);
  chain.id = push_expr(Hole{}, span);
  chains_.exprs.push_back(chain);
  return chain.id;
}

ExprId Builder::section(DvmParser::ParensContext* tree, DvmParser::ExprContext* inner,
                        ChainOperator op) {
  const Span span = span_of(tree);
  ExprChain chain;
  chain.kind = ChainKind::LeftSection;
  if (inner->qualifiedType() != nullptr) {
    report(span_of(inner), "ambiguous-section",
           "an annotated expression in a section needs parentheses");
    flush();
  }
  fill_chain(inner->opExpr(), chain);
  chain.operators.push_back(std::move(op));
  chain.id = push_expr(Hole{}, span);
  chains_.exprs.push_back(chain);
  return chain.id;
}

// `(a, )` is `\x1 -> (a, x1)`, `(,)` is `\x1 x2 -> (x1, x2)`: invalid ids are the gaps.
ExprId Builder::tuple_section(const std::vector<ExprId>& parts, Span span) {
  Lambda lambda;
  Tuple tuple;
  for (const ExprId part : parts) {
    if (part.valid()) {
      tuple.parts.push_back(part);
      continue;
    }
    const Name name{"", fmt::format("tuple'{}", lambda.params.size() + 1), span};
    lambda.params.push_back(push_pattern(VariablePattern{name}, span));
    tuple.parts.push_back(push_expr(Variable{name}, span));
  }
  lambda.body = push_expr(std::move(tuple), span);
  const ExprId function = push_expr(std::move(lambda), span);
  return push_expr(Paren{function}, span);
}

ExprId Builder::parens(DvmParser::ParensContext* tree) {
  const Span span = span_of(tree);
  const auto inner = tree->expr();
  if (tree->sectionOp() != nullptr)
    return section(tree, inner.at(0), operator_of(tree->sectionOp()));
  if (tree->MINUS() != nullptr) {
    return section(tree, inner.at(0), ChainOperator{name_at(span_of(tree->MINUS())), false});
  }
  std::vector<ExprId> parts(1);
  bool gaps = false;
  for (antlr4::tree::ParseTree* child : tree->children) {
    if (auto* part = dynamic_cast<DvmParser::ExprContext*>(child)) {
      parts.back() = expr(part);
    } else if (lexeme_of(static_cast<antlr4::tree::TerminalNode*>(child)).kind ==
               TokenKind::Comma) {
      gaps = gaps || !parts.back().valid();
      parts.emplace_back();
    }
  }
  gaps = gaps || (!parts.back().valid() && parts.size() > 1);
  if (gaps) return tuple_section(parts, span);
  if (parts.size() == 1 && parts[0].valid()) return push_expr(Paren{parts[0]}, span);
  if (parts.size() == 1) return push_expr(Tuple{}, span);
  return push_expr(Tuple{std::move(parts)}, span);
}

ExprId Builder::brackets(DvmParser::BracketsContext* tree) {
  const Span span = span_of(tree);
  const auto groups = tree->qualifiers();
  if (!groups.empty()) {
    const ScopeId outer = scope_;
    const std::size_t since = bound_.size();
    scope_ = scopes_.open(outer);
    Comprehension result;
    for (DvmParser::QualifiersContext* group : groups) result.branches.push_back(qualifiers(group));
    result.body = expr(tree->expr(0));
    bind_pattern_names(scope_, since);
    scope_ = outer;
    return push_expr(std::move(result), span);
  }
  std::vector<ExprId> values;
  bool after_dots = false;
  std::optional<ExprId> to;
  for (antlr4::tree::ParseTree* child : tree->children) {
    if (auto* part = dynamic_cast<DvmParser::ExprContext*>(child)) {
      const ExprId value = expr(part);
      if (after_dots) {
        to = value;
      } else {
        values.push_back(value);
      }
    } else if (lexeme_of(static_cast<antlr4::tree::TerminalNode*>(child)).kind ==
               TokenKind::DotDot) {
      after_dots = true;
    }
  }
  if (!after_dots) return push_expr(ArrayLiteral{std::move(values)}, span);
  if (values.size() > 2) {
    report(span_of(tree->DOTDOT()), "bad-range", "a range has one or two values before `..`", "",
           "write `[a .. b]` or `[a, b .. c]`");
    flush();
  }
  Range range{values[0], std::nullopt, to};
  if (values.size() > 1) range.next = values[1];
  return push_expr(range, span);
}

}  // namespace dvm::parse
