// Fixity lookup and the resolution of operator chains.
#include "frontend/parse/fixity.hpp"

#include <fmt/format.h>

namespace dvm::parse {

using ast::Associativity;

ScopeId FixityScopes::open(ScopeId parent) { return scopes_.push(Scope{parent, {}, {}}); }

void FixityScopes::bind(ScopeId scope, const std::string& name) {
  scopes_[scope].names.try_emplace(name, std::nullopt);
}

void FixityScopes::declare(ScopeId scope, const std::string& name, Fixity fixity) {
  scopes_[scope].names.insert_or_assign(name, fixity);
}

void FixityScopes::import(ScopeId scope, const std::string& written, Fixity fixity) {
  scopes_[scope].imports.try_emplace(written, fixity);
}

std::optional<Fixity> FixityScopes::imported(ScopeId scope, const std::string& written) const {
  const auto& imports = scopes_[scope].imports;
  const auto found = imports.find(written);
  return found == imports.end() ? std::nullopt : std::optional(found->second);
}

const std::map<std::string, std::optional<Fixity>>& FixityScopes::own(ScopeId scope) const {
  return scopes_[scope].names;
}

Fixity FixityScopes::lookup(ScopeId scope, const ast::Name& name) const {
  const std::string written = name.qualifier.empty() ? name.text : name.qualifier + "." + name.text;
  for (ScopeId at = scope; at.valid(); at = scopes_[at].parent) {
    const Scope& names = scopes_[at];
    if (const auto found = names.names.find(written); found != names.names.end())
      return found->second.value_or(Fixity{});
    if (const auto found = names.imports.find(written); found != names.imports.end())
      return found->second;
  }
  return Fixity{};
}

namespace {

std::string shown(const ast::Name& name) {
  return name.qualifier.empty() ? name.text : name.qualifier + "." + name.text;
}

std::string shown(Fixity fixity) {
  const char* keyword = fixity.associativity == Associativity::Left    ? "infixl"
                        : fixity.associativity == Associativity::Right ? "infixr"
                                                                       : "infix";
  return fmt::format("{} {}", keyword, fixity.precedence);
}

// An operator on the stack; a prefix minus has no chain operator.
struct Pending {
  const ChainOperator* op = nullptr;
  Fixity fixity;
  Span minus;

  Span span() const { return op != nullptr ? op->name.span : minus; }
  std::string text() const { return op != nullptr ? shown(op->name) : "prefix -"; }
};

enum class Order { Reduce, Shift, Ambiguous };

Order compare(Fixity first, Fixity second) {
  if (first.precedence != second.precedence) {
    return first.precedence > second.precedence ? Order::Reduce : Order::Shift;
  }
  if (first.associativity != second.associativity || first.associativity == Associativity::None)
    return Order::Ambiguous;
  return first.associativity == Associativity::Left ? Order::Reduce : Order::Shift;
}

void report_ambiguous(const Pending& first, const Pending& second, Diagnostics& out) {
  Diagnostic diagnostic;
  diagnostic.code = "ambiguous-operators";
  diagnostic.message =
      first.text() == second.text()
          ? fmt::format("`{}` [{}] cannot follow itself without parentheses", first.text(),
                        shown(first.fixity))
          : fmt::format("`{}` [{}] and `{}` [{}] cannot be mixed without parentheses", first.text(),
                        shown(first.fixity), second.text(), shown(second.fixity));
  diagnostic.span = second.span();
  diagnostic.label = "needs parentheses on one side";
  diagnostic.others.push_back({first.span(), shown(first.fixity)});
  diagnostic.help.push_back("put parentheses around the part that belongs together");
  out.add(std::move(diagnostic));
}

class ExprResolver {
 public:
  ExprResolver(const FixityScopes& scopes, ast::Arena& arena, Diagnostics& out)
      : scopes_(scopes), arena_(arena), out_(out) {}

  void run(const ExprChain& chain);

 private:
  Fixity fixity(const ExprChain& chain, const ChainOperator& op);
  ast::ExprId operator_expr(const ChainOperator& op);
  void incoming(Pending op);
  void reduce();
  void minus(Span span, Span operand, bool last);
  void report_section(const Pending& inner, const Pending& section);

  const FixityScopes& scopes_;
  ast::Arena& arena_;
  Diagnostics& out_;
  std::vector<ast::ExprId> operands_;
  std::vector<Pending> operators_;
  std::map<std::string, Fixity> known_;  // of this chain
};

Fixity ExprResolver::fixity(const ExprChain& chain, const ChainOperator& op) {
  const auto [entry, is_new] = known_.try_emplace(op.name.qualifier + "." + op.name.text);
  if (is_new) entry->second = scopes_.lookup(chain.scope, op.name);
  return entry->second;
}

ast::ExprId ExprResolver::operator_expr(const ChainOperator& op) {
  if (op.is_constructor) return arena_.exprs.push({ast::Constructor{op.name}, op.name.span});
  return arena_.exprs.push({ast::Variable{op.name}, op.name.span});
}

void ExprResolver::reduce() {
  const Pending top = operators_.back();
  operators_.pop_back();
  const ast::ExprId rhs = operands_.back();
  operands_.pop_back();
  if (top.op == nullptr) {
    operands_.push_back(
        arena_.exprs.push({ast::Negate{rhs}, join(top.minus, arena_.exprs[rhs].span)}));
    return;
  }
  const ast::ExprId lhs = operands_.back();
  operands_.pop_back();
  const Span span = join(arena_.exprs[lhs].span, arena_.exprs[rhs].span);
  const ast::ExprId op = operator_expr(*top.op);
  operands_.push_back(arena_.exprs.push({ast::Binary{op, lhs, rhs}, span}));
}

void ExprResolver::incoming(Pending op) {
  while (!operators_.empty()) {
    const Order order = compare(operators_.back().fixity, op.fixity);
    if (order == Order::Ambiguous) report_ambiguous(operators_.back(), op, out_);
    if (order == Order::Shift) break;
    reduce();
  }
  operators_.push_back(op);
}

// `last`: no operator follows the operand, which could bind tighter than the minus.
void ExprResolver::minus(Span span, Span operand, bool last) {
  if (!operators_.empty() && operators_.back().fixity.precedence >= 6) {
    Diagnostic diagnostic;
    diagnostic.code = "minus-after-operator";
    diagnostic.message = fmt::format("a minus cannot follow `{}` [{}] directly",
                                     operators_.back().text(), shown(operators_.back().fixity));
    diagnostic.span = span;
    diagnostic.label = "prefix minus has precedence 6";
    diagnostic.suggestions.push_back({"put the negative operand in parentheses",
                                      {{{span.file, span.begin, span.begin}, "("},
                                       {{operand.file, operand.end, operand.end}, ")"}},
                                      last});
    out_.add(std::move(diagnostic));
  }
  operators_.push_back({nullptr, Fixity{Associativity::Left, 6}, span});
}

void ExprResolver::report_section(const Pending& inner, const Pending& section) {
  Diagnostic diagnostic;
  diagnostic.code = "ambiguous-section";
  diagnostic.message = fmt::format(
      "the operand of the section of `{}` [{}] contains `{}` [{}], which binds no tighter",
      section.text(), shown(section.fixity), inner.text(), shown(inner.fixity));
  diagnostic.span = section.span();
  diagnostic.label = "section of this operator";
  diagnostic.others.push_back({inner.span(), shown(inner.fixity)});
  diagnostic.help.push_back("put the operand in parentheses");
  out_.add(std::move(diagnostic));
}

void ExprResolver::run(const ExprChain& chain) {
  known_.clear();
  const bool right = chain.kind == ChainKind::RightSection,
             left = chain.kind == ChainKind::LeftSection;
  Pending section;
  std::size_t next = 0;
  if (right) {
    section = {&chain.operators[0], fixity(chain, chain.operators[0]), {}};
    next = 1;
  }
  for (std::size_t i = 0; i < chain.operands.size(); ++i) {
    if (i > 0) {
      const ChainOperator& op = chain.operators[next++];
      const Pending pending{&op, fixity(chain, op), {}};
      if (right && compare(section.fixity, pending.fixity) != Order::Shift)
        report_section(pending, section);
      incoming(pending);
    }
    if (chain.minuses[i].valid()) {
      if (right && i == 0 && section.fixity.precedence >= 6)
        report_section({nullptr, {Associativity::Left, 6}, chain.minuses[0]}, section);
      minus(chain.minuses[i], arena_.exprs[chain.operands[i]].span, i + 1 == chain.operands.size());
    }
    operands_.push_back(chain.operands[i]);
  }
  if (left) {
    section = {&chain.operators[next], fixity(chain, chain.operators[next]), {}};
    for (const Pending& inner : operators_) {
      if (compare(inner.fixity, section.fixity) == Order::Reduce) continue;
      report_section(inner, section);
      break;
    }
  }
  while (!operators_.empty()) reduce();
  const ast::ExprId whole = operands_.back();
  operands_.clear();
  if (left) {
    arena_.exprs[chain.id].node = ast::LeftSection{whole, ast::ExprId{}};
    const ast::ExprId op = operator_expr(*section.op);
    arena_.exprs[chain.id].node = ast::LeftSection{whole, op};
  } else if (right) {
    const ast::ExprId op = operator_expr(*section.op);
    arena_.exprs[chain.id].node = ast::RightSection{op, whole};
  } else {
    ast::Expr copy = arena_.exprs[whole];
    arena_.exprs[chain.id].node = std::move(copy.node);
  }
}

void resolve_pattern(const PatternChain& chain, const FixityScopes& scopes, ast::Arena& arena,
                     Diagnostics& out) {
  std::vector<ast::PatternId> operands{chain.operands.at(0)};
  std::vector<Pending> pending;
  auto reduce = [&] {
    const ast::PatternId rhs = operands.back();
    operands.pop_back();
    const ast::PatternId lhs = operands.back();
    const Span span = join(arena.patterns[lhs].span, arena.patterns[rhs].span);
    operands.back() =
        arena.patterns.push({ast::ConstructorPattern{pending.back().op->name, {lhs, rhs}}, span});
    pending.pop_back();
  };
  for (std::size_t i = 0; i < chain.operators.size(); ++i) {
    const Pending op{&chain.operators[i], scopes.lookup(chain.scope, chain.operators[i].name), {}};
    while (!pending.empty()) {
      const Order order = compare(pending.back().fixity, op.fixity);
      if (order == Order::Ambiguous) report_ambiguous(pending.back(), op, out);
      if (order == Order::Shift) break;
      reduce();
    }
    pending.push_back(op);
    operands.push_back(chain.operands[i + 1]);
  }
  while (!pending.empty()) reduce();
  ast::Pattern copy = arena.patterns[operands.back()];
  arena.patterns[chain.id].node = std::move(copy.node);
}

}  // namespace

void resolve(const Chains& chains, const FixityScopes& scopes, ast::Arena& arena,
             Diagnostics& out) {
  ExprResolver resolver(scopes, arena, out);
  for (const ExprChain& chain : chains.exprs) resolver.run(chain);
  for (const PatternChain& chain : chains.patterns) resolve_pattern(chain, scopes, arena, out);
}

}  // namespace dvm::parse
