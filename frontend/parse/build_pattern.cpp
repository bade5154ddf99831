// Patterns.
#include <fmt/format.h>

#include "frontend/parse/builder.hpp"

namespace dvm::parse {

using namespace ast;

PatternId Builder::push_pattern(decltype(Pattern::node) node, Span span) {
  return arena_.patterns.push({std::move(node), span});
}

PatternId Builder::variable_pattern(Name name, Span span) {
  bound_.push_back(name);
  return push_pattern(VariablePattern{std::move(name)}, span);
}

PatternId Builder::pattern(DvmParser::PatternContext* tree) {
  const PatternId inner = op_pattern(tree->opPattern());
  if (tree->type() == nullptr) return inner;
  return push_pattern(AnnotatedPattern{inner, type(tree->type())}, span_of(tree));
}

PatternId Builder::op_pattern(DvmParser::OpPatternContext* tree) {
  return pattern_chain(tree->appPattern(), tree->patternOp());
}

PatternId Builder::pattern_chain(const std::vector<DvmParser::AppPatternContext*>& operands,
                                 const std::vector<DvmParser::PatternOpContext*>& operators) {
  if (operators.empty()) return app_pattern(operands.at(0));
  PatternChain chain;
  chain.scope = scope_;
  for (DvmParser::AppPatternContext* operand : operands)
    chain.operands.push_back(app_pattern(operand));
  for (DvmParser::PatternOpContext* op : operators) {
    chain.operators.push_back(operator_of(op));
    if (chain.operators.back().is_constructor) continue;
    report(chain.operators.back().name.span, "operator-in-pattern",
           fmt::format("`{}` is not a constructor", chain.operators.back().name.text),
           "patterns are made of constructors, names and literals");
    flush();
  }
  chain.id =
      push_pattern(WildcardPattern{}, join(span_of(operands.front()), span_of(operands.back())));
  chains_.patterns.push_back(chain);
  return chain.id;
}

PatternId Builder::app_pattern(DvmParser::AppPatternContext* tree) {
  if (auto* negative = dynamic_cast<DvmParser::NegativePatternContext*>(tree)) {
    LiteralPattern literal;
    literal.negative = true;
    if (negative->INTEGER() != nullptr) {
      literal.value = integer(span_of(negative->INTEGER()));
    } else {
      literal.value = floating(span_of(negative->FLOAT()));
    }
    return push_pattern(std::move(literal), span_of(tree));
  }
  return apply_pattern(static_cast<DvmParser::ApplyPatternContext*>(tree)->apattern());
}

std::vector<PatternId> Builder::apatterns(const std::vector<DvmParser::ApatternContext*>& trees,
                                          std::size_t from) {
  std::vector<PatternId> result;
  for (std::size_t i = from; i < trees.size(); ++i) result.push_back(apattern(trees[i]));
  return result;
}

PatternId Builder::apply_pattern(const std::vector<DvmParser::ApatternContext*>& parts) {
  if (parts.size() == 1) return apattern(parts[0]);
  const Span span = join(span_of(parts.front()), span_of(parts.back()));
  auto* head = dynamic_cast<DvmParser::ConPatternContext*>(parts[0]->atomPattern());
  if (head == nullptr || head->LBRACE() != nullptr || !parts[0]->patternPrefix().empty()) {
    report(span_of(parts[0]), "bad-pattern", "only a constructor can be applied in a pattern",
           "not a constructor", "a pattern of several parts needs parentheses or commas");
    flush();
    apatterns(parts, 0);
    return push_pattern(WildcardPattern{}, span);
  }
  Name constructor = bracketed_name(head->qcon());
  std::vector<PatternId> args = apatterns(parts, 1);
  return push_pattern(ConstructorPattern{std::move(constructor), std::move(args)}, span);
}

PatternId Builder::apattern(DvmParser::ApatternContext* tree) {
  const auto prefixes = tree->patternPrefix();
  PatternId result = atom_pattern(tree->atomPattern());
  const Span end = span_of(tree->atomPattern());
  if (prefixes.size() > nesting_limit) {
    report(span_of(tree), "nesting-too-deep",
           fmt::format("nesting is deeper than {} levels", nesting_limit));
    flush();
    return result;
  }
  for (std::size_t i = prefixes.size(); i-- > 0;) {
    const Span span = join(span_of(prefixes[i]), end);
    if (prefixes[i]->varId() != nullptr) {
      Name name = simple_name(prefixes[i]->varId());
      bound_.push_back(name);
      result = push_pattern(AsPattern{std::move(name), result}, span);
    } else if (prefixes[i]->TILDE() != nullptr) {
      report(span_of(prefixes[i]), "lazy-pattern", "lazy patterns are not supported", "",
             "leave out the `~`: a `let` or `where` binding is evaluated only where it is used");
      flush();
    } else {
      result = push_pattern(BangPattern{result}, span);
    }
  }
  return result;
}

PatternId Builder::literal_pattern(DvmParser::LiteralContext* tree) {
  const Span span = span_of(tree);
  if (tree->INTEGER() != nullptr) return push_pattern(LiteralPattern{integer(span), false}, span);
  if (tree->FLOAT() != nullptr) return push_pattern(LiteralPattern{floating(span), false}, span);
  report(span, "string-in-pattern", "a string cannot be a pattern", "",
         "strings occur only in `error` and `assert`");
  flush();
  return push_pattern(WildcardPattern{}, span);
}

PatternId Builder::atom_pattern(DvmParser::AtomPatternContext* tree) {
  const Span span = span_of(tree);
  if (dynamic_cast<DvmParser::VarPatternContext*>(tree) != nullptr)
    return variable_pattern(name_at(span), span);
  if (auto* con = dynamic_cast<DvmParser::ConPatternContext*>(tree)) {
    Name constructor = bracketed_name(con->qcon());
    if (con->LBRACE() == nullptr)
      return push_pattern(ConstructorPattern{std::move(constructor), {}}, span);
    RecordPattern record{std::move(constructor), {}};
    for (DvmParser::FieldPatternContext* field : con->fieldPattern()) {
      record.fields.push_back({bracketed_name(field->qvar()), pattern(field->pattern())});
    }
    return push_pattern(std::move(record), span);
  }
  if (auto* literal = dynamic_cast<DvmParser::LiteralPatternContext*>(tree))
    return literal_pattern(literal->literal());
  if (dynamic_cast<DvmParser::WildcardPatternContext*>(tree) != nullptr)
    return push_pattern(WildcardPattern{}, span);
  if (auto* op = dynamic_cast<DvmParser::OperatorPatternContext*>(tree)) {
    const ChainOperator name = operator_of(op->op());
    if (name.is_constructor) return push_pattern(ConstructorPattern{name.name, {}}, span);
    return variable_pattern(name.name, span);
  }
  if (auto* parens = dynamic_cast<DvmParser::ParenPatternContext*>(tree)) {
    const auto parts = parens->pattern();
    if (parts.size() == 1) return push_pattern(ParenPattern{pattern(parts[0])}, span);
    TuplePattern tuple;
    for (DvmParser::PatternContext* part : parts) tuple.parts.push_back(pattern(part));
    return push_pattern(std::move(tuple), span);
  }
  ListPattern list;
  for (DvmParser::PatternContext* part :
       static_cast<DvmParser::ListPatternContext*>(tree)->pattern()) {
    list.parts.push_back(pattern(part));
  }
  return push_pattern(std::move(list), span);
}

}  // namespace dvm::parse
