// Equations: function clauses in prefix and infix form, pattern bindings, their grouping.
#include <fmt/format.h>

#include <map>

#include "frontend/parse/builder.hpp"

namespace dvm::parse {

using namespace ast;

namespace {

DvmParser::OpPatternContext* only_inside(DvmParser::ApatternContext* part) {
  auto* parens = dynamic_cast<DvmParser::ParenPatternContext*>(part->atomPattern());
  if (parens == nullptr || !part->patternPrefix().empty()) return nullptr;
  const auto inner = parens->pattern();
  if (inner.size() != 1 || inner[0]->type() != nullptr) return nullptr;
  return inner[0]->opPattern();
}

}  // namespace

// `x <+> y`: the one operator that is not a constructor is being defined.
bool Builder::infix_clause(DvmParser::OpPatternContext* lhs, Equation& result) {
  const auto operators = lhs->patternOp();
  const auto operands = lhs->appPattern();
  std::optional<std::size_t> defined;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const ChainOperator op = operator_of(operators[i]);
    if (op.is_constructor) continue;
    if (defined.has_value()) {
      report(op.name.span, "bad-equation", "an equation defines one operator", "a second operator",
             "put parentheses around the arguments");
      flush();
      result.is_function = true;
      return true;
    }
    defined = i;
    result.name = op.name;
  }
  if (!defined.has_value()) return false;
  const auto split = static_cast<std::ptrdiff_t>(*defined);
  result.is_function = true;
  result.clause.params = {pattern_chain({operands.begin(), operands.begin() + split + 1},
                                        {operators.begin(), operators.begin() + split}),
                          pattern_chain({operands.begin() + split + 1, operands.end()},
                                        {operators.begin() + split + 1, operators.end()})};
  return true;
}

bool Builder::prefix_clause(const std::vector<DvmParser::ApatternContext*>& parts,
                            Equation& result) {
  DvmParser::AtomPatternContext* head = parts[0]->atomPattern();
  if (!parts[0]->patternPrefix().empty()) return false;
  if (dynamic_cast<DvmParser::VarPatternContext*>(head) != nullptr) {
    result.name = simple_name(head);
  } else if (auto* op = dynamic_cast<DvmParser::OperatorPatternContext*>(head)) {
    const ChainOperator name = operator_of(op->op());
    if (name.is_constructor) return false;
    result.name = name.name;
  } else {
    // `(x <+> y) z` and `(f x) y`
    DvmParser::OpPatternContext* inner = parts.size() > 1 ? only_inside(parts[0]) : nullptr;
    if (inner == nullptr) return false;
    bool found = false;
    if (!inner->patternOp().empty()) {
      found = infix_clause(inner, result);
    } else if (auto* apply = dynamic_cast<DvmParser::ApplyPatternContext*>(inner->appPattern(0))) {
      found = prefix_clause(apply->apattern(), result);
    }
    if (!found) return false;
    for (PatternId param : apatterns(parts, 1)) result.clause.params.push_back(param);
    return true;
  }
  result.is_function = true;
  result.clause.params = apatterns(parts, 1);
  return true;
}

Builder::Equation Builder::equation(DvmParser::OpPatternContext* lhs,
                                    DvmParser::EquationContext* binding) {
  const ScopeId outer = scope_;
  const std::size_t since = bound_.size();
  scope_ = scopes_.open(outer);
  Equation result;
  const auto operands = lhs->appPattern();
  bool found = false;
  if (operands.size() > 1) {
    found = infix_clause(lhs, result);
  } else if (auto* apply = dynamic_cast<DvmParser::ApplyPatternContext*>(operands[0])) {
    found = prefix_clause(apply->apattern(), result);
  }
  if (!found) {
    result.is_function = false;
    bound_.resize(since);
    result.pattern = op_pattern(lhs);
    result.names.assign(bound_.begin() + static_cast<std::ptrdiff_t>(since), bound_.end());
  }
  bind_pattern_names(scope_, since);
  result.clause.rhs = rhs(binding->rhs());
  result.clause.span = join(span_of(lhs), span_of(binding));
  scope_ = outer;
  return result;
}

Builder::RawDecl Builder::binding_decl(DvmParser::BindingDeclContext* tree) {
  RawDecl raw;
  raw.span = span_of(tree);
  raw.doc = doc_before(tree);
  if (auto* types = dynamic_cast<DvmParser::SignatureContext*>(tree->binding())) {
    raw.decl = signature(tree, types);
  } else {
    raw.equation =
        equation(tree->opPattern(), static_cast<DvmParser::EquationContext*>(tree->binding()));
  }
  return raw;
}

Decl Builder::signature(DvmParser::BindingDeclContext* tree, DvmParser::SignatureContext* binding) {
  Signature result;
  std::vector<DvmParser::OpPatternContext*> parts{tree->opPattern()};
  for (DvmParser::OpPatternContext* part : binding->opPattern()) parts.push_back(part);
  for (DvmParser::OpPatternContext* part : parts) {
    const std::size_t first = part->start->getStartIndex(), last = part->stop->getStartIndex();
    const TokenKind kind = source_.lexeme(first).kind;
    const bool name = first == last && (kind == TokenKind::VarId || kind == TokenKind::As ||
                                        kind == TokenKind::Hiding || kind == TokenKind::Qualified ||
                                        kind == TokenKind::Forall);
    const bool op = kind == TokenKind::LParen && last == first + 2 &&
                    is_operator(source_.lexeme(first + 1).kind);
    if (name) {
      result.names.push_back(name_at(span_of(part)));
    } else if (op) {
      result.names.push_back(name_at(source_.span_of(first + 1)));
    } else {
      report(span_of(part), "bad-signature", "a type signature needs a plain name before `::`",
             "not a name", "arguments belong into the type: `f :: Double -> Double`");
      flush();
    }
  }
  result.type = qualified_type(binding->qualifiedType());
  return Decl{std::move(result), span_of(tree), ""};
}

void Builder::add_clause(FunctionDecl& function, Equation equation) {
  const std::size_t first = function.clauses.front().params.size(),
                    now = equation.clause.params.size();
  if (first != now) {
    auto arguments = [](std::size_t count) {
      return fmt::format("{} argument{}", count, count == 1 ? "" : "s");
    };
    report(equation.name.span, "clause-arity",
           fmt::format("this clause of `{}` has {}, the first has {}", function.name.text,
                       arguments(now), arguments(first)),
           arguments(now), "all clauses of a function have the same number of arguments")
        .others.push_back({function.name.span, arguments(first)});
    flush();
    return;
  }
  function.clauses.push_back(std::move(equation.clause));
}

std::vector<DeclId> Builder::group(std::vector<RawDecl> raw, ScopeId fixities, bool methods) {
  check_duplicates(raw);
  std::vector<DeclId> result;
  FunctionDecl* open = nullptr;  // the function that the declaration before belongs to
  for (RawDecl& part : raw) {
    if (!part.equation.has_value()) {
      open = nullptr;
      part.decl.span = part.span;
      part.decl.doc = std::move(part.doc);
      result.push_back(arena_.decls.push(std::move(part.decl)));
      continue;
    }
    Equation& equation = *part.equation;
    if (!equation.is_function) {
      open = nullptr;
      for (const Name& name : equation.names) scopes_.bind(fixities, name.text);
      result.push_back(arena_.decls.push(
          {PatternBinding{equation.pattern, std::move(equation.clause.rhs)}, part.span, part.doc}));
      continue;
    }
    const bool continues =
        open != nullptr && open->name.text == equation.name.text &&
        !(equation.clause.params.empty() && open->clauses.front().params.empty());
    if (continues) {
      arena_.decls[result.back()].span = join(arena_.decls[result.back()].span, part.span);
      add_clause(*open, std::move(equation));
      continue;
    }
    if (!methods) scopes_.bind(fixities, equation.name.text);
    FunctionDecl function{equation.name, {}};
    function.clauses.push_back(std::move(equation.clause));
    result.push_back(arena_.decls.push({std::move(function), part.span, part.doc}));
    open = &std::get<FunctionDecl>(arena_.decls[result.back()].node);
  }
  return result;
}

void Builder::check_duplicates(const std::vector<RawDecl>& raw) {
  struct First {
    Span span;
    bool function = false;
  };
  std::map<std::string, First> defined;
  std::map<std::string, Span> signatures;
  auto duplicate = [&](const Name& name, Span first, bool functions) {
    Diagnostic& diagnostic =
        report(name.span, "duplicate-definition", fmt::format("`{}` is defined twice", name.text),
               "defined again here");
    diagnostic.others.push_back({first, "first defined here"});
    if (functions)
      diagnostic.notes.push_back("clauses of one function must follow each other directly");
    flush();
  };
  const Name* before = nullptr;  // function of the declaration before
  bool before_has_params = false;
  for (const RawDecl& part : raw) {
    const Name* now = nullptr;
    bool has_params = false;
    if (part.equation.has_value() && part.equation->is_function) {
      now = &part.equation->name;
      has_params = !part.equation->clause.params.empty();
      const bool continues =
          before != nullptr && before->text == now->text && (has_params || before_has_params);
      const auto [found, is_new] = defined.try_emplace(now->text, First{now->span, has_params});
      if (!is_new && !continues)
        duplicate(*now, found->second.span, has_params && found->second.function);
    } else if (part.equation.has_value()) {
      for (const Name& name : part.equation->names) {
        const auto [found, is_new] = defined.try_emplace(name.text, First{name.span, false});
        if (!is_new) duplicate(name, found->second.span, false);
      }
    } else if (const auto* signature = std::get_if<Signature>(&part.decl.node)) {
      for (const Name& name : signature->names) {
        const auto [found, is_new] = signatures.try_emplace(name.text, name.span);
        if (is_new) continue;
        report(name.span, "duplicate-signature",
               fmt::format("`{}` has two type signatures", name.text), "again here")
            .others.push_back({found->second, "first here"});
        flush();
      }
    }
    before = now;
    before_has_params = has_params;
  }
}

std::vector<DeclId> Builder::block(DvmParser::DeclBlockContext* tree, ScopeId fixities,
                                   bool methods) {
  std::vector<RawDecl> raw;
  for (DvmParser::DeclContext* part : tree->decl()) {
    raw.push_back(raw_decl(part));
    if (const auto* fixity = std::get_if<FixityDecl>(&raw.back().decl.node);
        fixity != nullptr && !raw.back().equation) {
      for (const Name& name : fixity->operators) {
        scopes_.declare(fixities, name.text, {fixity->associativity, fixity->precedence});
      }
    }
  }
  return group(std::move(raw), fixities, methods);
}

}  // namespace dvm::parse
