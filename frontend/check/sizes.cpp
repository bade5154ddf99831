// Equations between sizes, and which Int expressions are sizes.
#include <algorithm>

#include "frontend/check/checker.hpp"

namespace dvm::check {

namespace {
// A term that is a coefficient times one symbol that occurs nowhere else in the size.
struct Linear {
  Symbol symbol;
  std::int64_t coefficient;
};
}  // namespace

// Solves `expected = actual` for a size variable of inference when it occurs linearly, with
// coefficient 1 or -1 or one that divides everything else.
Checker::Solved Checker::solve_sizes(const Size& expected_size, const Size& actual_size) {
  Size expected = store_.zonk(expected_size), actual = store_.zonk(actual_size);
  if (expected == actual) return Solved::Yes;
  Size difference = actual - expected;
  std::vector<Linear> candidates;
  bool any_meta = false;
  for (const Size::Term& term : difference.terms()) {
    for (const Size::Atom& atom : term.factors) {
      if (atom.quotient) {
        atom.quotient->numerator.symbols(
            [&](Symbol symbol) { any_meta |= store_.symbols[symbol].kind == SymbolKind::Meta; });
      } else {
        any_meta |= store_.symbols[atom.symbol].kind == SymbolKind::Meta;
      }
    }
    if (term.factors.size() != 1 || term.factors[0].quotient) continue;
    Symbol symbol = term.factors[0].symbol;
    if (store_.symbols[symbol].kind != SymbolKind::Meta) continue;
    int occurrences = 0;
    difference.symbols([&](Symbol other) { occurrences += other == symbol; });
    if (occurrences == 1) candidates.push_back({symbol, term.coefficient});
  }
  // The deepest variable is the one that binds others least.
  std::stable_sort(candidates.begin(), candidates.end(), [&](const Linear& a, const Linear& b) {
    return store_.symbols[a.symbol].depth > store_.symbols[b.symbol].depth;
  });
  for (const Linear& candidate : candidates) {
    SizeSymbol& meta = store_.symbols[candidate.symbol];
    Size rest = difference - Size(candidate.coefficient) * Size::symbol(candidate.symbol);
    std::int64_t divisor = -candidate.coefficient;
    Size solution;
    bool divides = true;
    for (const Size::Term& term : rest.terms()) {
      if (term.coefficient % divisor != 0) {
        divides = false;
        break;
      }
      Size part(term.coefficient / divisor);
      for (const Size::Atom& atom : term.factors)
        part =
            part * (atom.quotient ? Size::quotient(atom.quotient->numerator, atom.quotient->divisor)
                                  : Size::symbol(atom.symbol));
      solution = solution + part;
    }
    if (!divides) continue;
    bool too_deep = false;
    solution.symbols([&](Symbol symbol) {
      const SizeSymbol& other = store_.symbols[symbol];
      too_deep |= other.kind != SymbolKind::Meta && other.depth > meta.depth;
    });
    if (too_deep) continue;
    solution.symbols([&](Symbol symbol) {
      SizeSymbol& other = store_.symbols[symbol];
      if (other.kind != SymbolKind::Meta) return;
      other.depth = std::min(other.depth, meta.depth);
      other.level = std::min(other.level, meta.level);
    });
    meta.solution = solution;
    return Solved::Yes;
  }
  return any_meta ? Solved::Later : Solved::No;
}

bool Checker::unify_sizes(const Size& expected, const Size& actual) {
  switch (solve_sizes(expected, actual)) {
    case Solved::Yes:
      return true;
    case Solved::Later:
      equations_.push_back({expected, actual, whole_expected_, whole_actual_, reason_, level_});
      return true;
    case Solved::No:
      break;
  }
  if (failure_.sort == Failure::None)
    failure_ = {Failure::Sizes,      nullptr, nullptr, store_.zonk(expected),
                store_.zonk(actual), {},      nullptr, nullptr};
  return false;
}

// Tries the postponed equations from `mark` on; with `last_chance` those that only mention
// variables of bindings that are finished become errors. Says whether any was solved.
bool Checker::retry_equations(std::size_t mark, bool last_chance) {
  bool progress = false;
  std::size_t kept = mark;
  for (std::size_t i = mark; i < equations_.size(); ++i) {
    Equation equation = equations_[i];
    Solved solved = solve_sizes(equation.expected, equation.actual);
    if (solved == Solved::Yes) {
      progress = true;
      continue;
    }
    bool give_up = solved == Solved::No;
    if (last_chance && !give_up) {
      bool outer = false;
      for (const Size& side : {store_.zonk(equation.expected), store_.zonk(equation.actual)})
        side.symbols([&](Symbol symbol) {
          const SizeSymbol& entry = store_.symbols[symbol];
          outer |= entry.kind == SymbolKind::Meta && entry.level <= level_;
        });
      give_up = !outer || level_ == 0;
    }
    if (give_up) {
      report_sizes(equation.reason, equation.whole_expected, equation.whole_actual,
                   equation.expected, equation.actual);
      progress = true;
      continue;
    }
    equations_[kept++] = std::move(equation);
  }
  equations_.resize(kept);
  return progress;
}

// ---- sizes of Int expressions
std::optional<Symbol> Checker::value_symbol(BindingInfo& binding) {
  if (binding.symbol) return binding.symbol;
  if (binding.kind != BindingKind::Local || binding.has_scheme || !binding.type)
    return std::nullopt;
  TypePtr type = TypeStore::prune(binding.type);
  if (type != int_type()) return std::nullopt;
  if (binding.slot >= 0) {
    auto& shared = slots_[static_cast<std::size_t>(binding.slot)];
    if (!shared)
      shared = store_.symbol(SymbolKind::Unknown, binding.name,
                             "the value of this `" + binding.name + "`", binding.span, level_,
                             binding.depth);
    binding.symbol = shared;
  } else {
    binding.symbol =
        store_.symbol(SymbolKind::Unknown, binding.name, "the value of this `" + binding.name + "`",
                      binding.span, level_, binding.depth);
  }
  return binding.symbol;
}

std::optional<Size> Checker::size_of_variable(ast::ExprId expr) {
  const Reference& reference = references_[expr];
  if (reference.sort == Reference::SizeVariable) return Size::symbol(reference.id);
  if (reference.sort != Reference::Binding) return std::nullopt;
  BindingInfo& binding = info(BindingId{reference.id});
  if (binding.value) return store_.zonk(*binding.value);
  if (auto symbol = value_symbol(binding)) return Size::symbol(*symbol);
  return std::nullopt;
}

// `length xs`, `rows m`, `cols m` of an array whose size is known.
std::optional<Size> Checker::size_of_call(const std::string& name, ast::ExprId arg) {
  TypePtr type = expr_types_[strip(arg)];
  if (!type) return std::nullopt;
  type = TypeStore::prune(type);
  if (type->kind != Kind::Array) return std::nullopt;
  if (name == "length" || name == "rows") return store_.zonk(type->sizes[0]);
  if (name != "cols") return std::nullopt;
  TypePtr row = TypeStore::prune(type->parts[0]);
  if (row->kind != Kind::Array) return std::nullopt;
  return store_.zonk(row->sizes[0]);
}

// The expression (whose type has been inferred) as a size; none when it is no size expression.
std::optional<Size> Checker::size_of(ast::ExprId id, int fuel) {
  if (fuel <= 0) return std::nullopt;
  id = strip(id);
  const ast::Expr& expr = node(id);
  if (auto* literal = std::get_if<ast::IntegerLiteral>(&expr.node)) {
    if (literal->too_large || literal->value > std::uint64_t{1} << 62) return std::nullopt;
    return Size(static_cast<std::int64_t>(literal->value));
  }
  if (TypePtr type = expr_types_[id]) {
    type = TypeStore::prune(type);
    if (type->kind != Kind::Meta && type != int_type()) return std::nullopt;
  }
  if (std::holds_alternative<ast::Variable>(expr.node)) return size_of_variable(id);
  if (auto* negate = std::get_if<ast::Negate>(&expr.node)) {
    auto operand = size_of(negate->operand, fuel - 1);
    return operand ? std::optional<Size>(-*operand) : std::nullopt;
  }
  if (auto* annotated = std::get_if<ast::Annotated>(&expr.node))
    return size_of(annotated->expr, fuel - 1);
  auto arithmetic = [&](const std::string& op, ast::ExprId lhs,
                        ast::ExprId rhs) -> std::optional<Size> {
    if (op != "+" && op != "-" && op != "*" && op != "div") return std::nullopt;
    auto left = size_of(lhs, fuel - 1);
    if (!left) return std::nullopt;
    auto right = size_of(rhs, fuel - 1);
    if (!right) return std::nullopt;
    if (op == "+") return *left + *right;
    if (op == "-") return *left - *right;
    if (op == "*") return *left * *right;
    auto divisor = right->constant();
    if (!divisor || *divisor <= 0) return std::nullopt;
    return Size::quotient(*left, *divisor);
  };
  if (auto* binary = std::get_if<ast::Binary>(&expr.node)) {
    std::string op = prelude_name(binary->op);
    if (op == "$") return size_of_call(prelude_name(binary->lhs), binary->rhs);
    return arithmetic(op, binary->lhs, binary->rhs);
  }
  if (auto* apply = std::get_if<ast::Apply>(&expr.node)) {
    std::string name = prelude_name(apply->fn);
    if (!name.empty()) return size_of_call(name, apply->arg);
    if (auto* inner = std::get_if<ast::Apply>(&node(strip(apply->fn)).node))
      return arithmetic(prelude_name(inner->fn), inner->arg, apply->arg);
  }
  return std::nullopt;
}

}  // namespace dvm::check
