// Patterns of generators and pattern guards: the grammar reads what stands before `<-` as an
// expression.
#include <fmt/format.h>

#include "frontend/parse/builder.hpp"

namespace dvm::parse {

using namespace ast;

PatternId Builder::not_a_pattern(Span span) {
  report(span, "bad-pattern", "what stands before `<-` must be a pattern", "not a pattern",
         "patterns are made of constructors, names and literals");
  flush();
  return push_pattern(WildcardPattern{}, span);
}

PatternId Builder::pattern_of(DvmParser::ExprContext* tree) {
  const PatternId inner = pattern_of(tree->opExpr());
  if (tree->qualifiedType() == nullptr) return inner;
  const QualifiedType annotation = qualified_type(tree->qualifiedType());
  return push_pattern(AnnotatedPattern{inner, annotation.type}, span_of(tree));
}

PatternId Builder::pattern_of(DvmParser::OpExprContext* tree) {
  const auto operands = tree->unaryExpr();
  const auto operators = tree->op();
  if (operators.empty()) return pattern_of(operands[0]);
  PatternChain chain;
  chain.scope = scope_;
  for (DvmParser::UnaryExprContext* operand : operands)
    chain.operands.push_back(pattern_of(operand));
  for (DvmParser::OpContext* op : operators) {
    chain.operators.push_back(operator_of(op));
    if (!chain.operators.back().is_constructor) return not_a_pattern(span_of(tree));
  }
  chain.id = push_pattern(WildcardPattern{}, span_of(tree));
  chains_.patterns.push_back(chain);
  return chain.id;
}

PatternId Builder::pattern_of(DvmParser::UnaryExprContext* tree) {
  auto* application = dynamic_cast<DvmParser::ApplicationContext*>(tree->operand());
  if (application == nullptr) return not_a_pattern(span_of(tree));
  const auto parts = application->aexpr();
  if (tree->MINUS() != nullptr) {
    const PatternId inner = parts.size() == 1 ? pattern_of(parts[0]) : not_a_pattern(span_of(tree));
    auto* literal = std::get_if<LiteralPattern>(&arena_.patterns[inner].node);
    if (literal == nullptr || literal->negative) return not_a_pattern(span_of(tree));
    literal->negative = true;
    arena_.patterns[inner].span = span_of(tree);
    return inner;
  }
  if (parts.size() == 1) return pattern_of(parts[0]);
  auto* head = dynamic_cast<DvmParser::ConExprContext*>(parts[0]->primary());
  if (head == nullptr || !parts[0]->recordSuffix().empty() || !parts[0]->varId().empty())
    return not_a_pattern(span_of(tree));
  ConstructorPattern result{bracketed_name(head->qcon()), {}};
  for (std::size_t i = 1; i < parts.size(); ++i) result.args.push_back(pattern_of(parts[i]));
  return push_pattern(std::move(result), span_of(tree));
}

PatternId Builder::pattern_of(DvmParser::AexprContext* tree) {
  const auto suffixes = tree->recordSuffix();
  const auto names = tree->varId();
  PatternId result;
  if (suffixes.empty()) {
    result = pattern_of(tree->primary());
  } else {
    auto* con = dynamic_cast<DvmParser::ConExprContext*>(tree->primary());
    if (con == nullptr || suffixes.size() > 1) return not_a_pattern(span_of(tree));
    RecordPattern record{bracketed_name(con->qcon()), {}};
    for (DvmParser::FieldValueContext* field : suffixes[0]->fieldValue()) {
      record.fields.push_back({bracketed_name(field->qvar()), pattern_of(field->expr())});
    }
    result = push_pattern(std::move(record), join(span_of(tree->primary()), span_of(suffixes[0])));
  }
  if (names.size() > nesting_limit) return not_a_pattern(span_of(tree));
  for (std::size_t i = names.size(); i-- > 0;) {
    Name name = simple_name(names[i]);
    bound_.push_back(name);
    result =
        push_pattern(AsPattern{std::move(name), result}, join(span_of(names[i]), span_of(tree)));
  }
  return result;
}

PatternId Builder::pattern_of(DvmParser::PrimaryContext* tree) {
  const Span span = span_of(tree);
  if (auto* var = dynamic_cast<DvmParser::VarExprContext*>(tree)) {
    if (var->varId() == nullptr) return not_a_pattern(span);
    return variable_pattern(name_at(span), span);
  }
  if (auto* con = dynamic_cast<DvmParser::ConExprContext*>(tree)) {
    return push_pattern(ConstructorPattern{bracketed_name(con->qcon()), {}}, span);
  }
  if (auto* literal = dynamic_cast<DvmParser::LiteralExprContext*>(tree))
    return literal_pattern(literal->literal());
  if (dynamic_cast<DvmParser::HoleContext*>(tree) != nullptr)
    return push_pattern(WildcardPattern{}, span);
  if (auto* parens = dynamic_cast<DvmParser::ParensContext*>(tree)) {
    const auto parts = parens->expr();
    const std::size_t commas = parens->COMMA().size();
    if (parens->sectionOp() != nullptr || parens->MINUS() != nullptr) return not_a_pattern(span);
    if (parts.empty() ? commas > 0 : commas + 1 != parts.size()) return not_a_pattern(span);
    if (parts.size() == 1) return push_pattern(ParenPattern{pattern_of(parts[0])}, span);
    TuplePattern tuple;
    for (DvmParser::ExprContext* part : parts) tuple.parts.push_back(pattern_of(part));
    return push_pattern(std::move(tuple), span);
  }
  auto* brackets = dynamic_cast<DvmParser::BracketsContext*>(tree);
  if (brackets == nullptr || brackets->DOTDOT() != nullptr || !brackets->BAR().empty())
    return not_a_pattern(span);
  ListPattern list;
  for (DvmParser::ExprContext* part : brackets->expr()) list.parts.push_back(pattern_of(part));
  return push_pattern(std::move(list), span);
}

}  // namespace dvm::parse
