// Types of expressions: the dispatch, branches, lambdas, tuples, records, annotations.
#include <algorithm>

#include "frontend/check/branches.hpp"
#include "frontend/check/checker.hpp"

namespace dvm::check {

namespace {
// Deeper than what the parser lets through (5,000): brackets within brackets, not flat chains.
constexpr int nesting_limit = 20000;
}  // namespace

// ---- branches
TypePtr Branches::next() {
  if (!expected) return nullptr;
  TypePtr wanted = TypeStore::prune(expected);
  if (checker.store_.settled(wanted)) {
    pushed = true;
    return wanted;
  }
  if (wanted->kind == Kind::Meta) return nullptr;
  return checker.refresh(wanted);
}

void Branches::add(TypePtr type, const Reason& reason) {
  if (pushed) return;
  if (!joined) {
    joined = type;
    first = reason.span;
    return;
  }
  TypePtr before = joined;
  checker.failure_ = {};
  Reason outer = checker.reason_;
  checker.reason_ = reason;
  TypePtr result = checker.join(joined, type, place, construct);
  checker.reason_ = outer;
  if (checker.failure_.sort != Failure::None) {
    Failure failure = checker.failure_;
    Reason shown = reason;
    shown.related = first;
    shown.related_text = "the first one";
    checker.report(shown, before, type, failure);
    return;
  }
  joined = result;
}

TypePtr Branches::finish(const Reason& reason) {
  if (pushed) return expected;
  if (!joined) return expected ? expected : checker.fresh();
  if (expected) checker.unify_or_report(expected, joined, reason);
  return joined;
}

// Sizes that came into being inside a branch and are mentioned by the whole.
void Checker::reopen(ast::ExprId expr, TypePtr type, std::size_t mark) {
  if (store_.symbols.size() == mark) return;
  auto& list = opened_[expr];
  store_.each_symbol(type, false, [&](Symbol symbol) {
    if (symbol < mark || store_.symbols[symbol].kind != SymbolKind::Unknown) return;
    if (std::find(list.begin(), list.end(), symbol) == list.end()) list.push_back(symbol);
  });
}

// ---- dispatch
TypePtr Checker::infer(ast::ExprId expr) {
  Reason reason;
  reason.span = node(expr).span;
  bool checked = false;
  TypePtr type = infer_node(expr, nullptr, reason, checked);
  expr_types_[expr] = type;
  return type;
}

TypePtr Checker::check(ast::ExprId expr, TypePtr expected, const Reason& reason) {
  bool checked = false;
  TypePtr type = infer_node(expr, expected, reason, checked);
  expr_types_[expr] = type;
  if (!checked) unify_or_report(expected, type, reason);
  return type;
}

TypePtr Checker::infer_node(ast::ExprId expr, TypePtr expected, const Reason& reason,
                            bool& checked) {
  const ast::Expr& syntax = node(expr);
  struct Guard {
    int& depth;
    ~Guard() { --depth; }
  } guard{++nesting_};
  if (nesting_ > nesting_limit) {
    error("nesting-too-deep", "this is nested too deeply", syntax.span, "more than 20000 levels");
    return store_.error();
  }
  checked = expected != nullptr;
  if (auto* paren = std::get_if<ast::Paren>(&syntax.node)) {
    if (!expected) return infer(paren->inner);
    Reason inner = reason;
    inner.span = node(paren->inner).span;
    return check(paren->inner, expected, inner);
  }
  if (auto* condition = std::get_if<ast::If>(&syntax.node))
    return infer_if(expr, *condition, expected, reason);
  if (auto* cases = std::get_if<ast::Case>(&syntax.node))
    return infer_case(expr, *cases, expected, reason);
  if (auto* multi = std::get_if<ast::MultiIf>(&syntax.node))
    return infer_multi_if(expr, *multi, expected, reason);
  if (std::holds_alternative<ast::Lambda>(syntax.node) ||
      std::holds_alternative<ast::LambdaCase>(syntax.node))
    return infer_lambda(expr, expected, reason);
  if (auto* let = std::get_if<ast::Let>(&syntax.node)) {
    std::size_t mark = store_.symbols.size();
    infer_let(let->decls);
    Reason inner = reason;
    inner.span = node(let->body).span;
    TypePtr type = expected ? check(let->body, expected, inner) : infer(let->body);
    reopen(expr, type, mark);
    return type;
  }
  TypePtr known = expected ? TypeStore::prune(expected) : nullptr;
  if (auto* tuple = std::get_if<ast::Tuple>(&syntax.node)) {
    bool fits = known && known->kind == Kind::Tuple && known->parts.size() == tuple->parts.size();
    checked = fits && !tuple->parts.empty();
    if (!checked) return infer_tuple(*tuple, nullptr, reason);
    return infer_tuple(*tuple, known, reason);
  }
  if (std::holds_alternative<ast::StringLiteral>(syntax.node)) {
    if (known && (known->kind == Kind::String || known->kind == Kind::Error))
      return store_.string();
    checked = true;
    error("string-type", "a string stands only as the message of `error` or `assert`", syntax.span,
          "not a value of the language");
    return store_.error();
  }
  checked = false;
  if (auto* array = std::get_if<ast::ArrayLiteral>(&syntax.node))
    return infer_list_literal(*array, known);
  if (auto* comprehension = std::get_if<ast::Comprehension>(&syntax.node))
    return infer_comprehension(expr, *comprehension, known);
  return infer_leaf(expr, known);
}

// Expressions whose own form says their type, whatever is expected.
TypePtr Checker::infer_leaf(ast::ExprId expr, TypePtr) {
  const ast::Expr& syntax = node(expr);
  if (std::holds_alternative<ast::Variable>(syntax.node) ||
      std::holds_alternative<ast::Constructor>(syntax.node))
    return infer_variable(expr);
  if (auto* integer = std::get_if<ast::IntegerLiteral>(&syntax.node))
    return literal(expr, *integer, false, syntax.span);
  if (auto* real = std::get_if<ast::FloatLiteral>(&syntax.node))
    return literal(expr, *real, false, syntax.span);
  if (std::holds_alternative<ast::Apply>(syntax.node)) return infer_spine(expr);
  if (std::holds_alternative<ast::Binary>(syntax.node)) return infer_binary(expr);
  if (std::holds_alternative<ast::LeftSection>(syntax.node) ||
      std::holds_alternative<ast::RightSection>(syntax.node))
    return infer_section(expr);
  if (auto* negate = std::get_if<ast::Negate>(&syntax.node)) return infer_negate(expr, *negate);
  if (auto* range = std::get_if<ast::Range>(&syntax.node)) return infer_range(expr, *range);
  if (auto* annotated = std::get_if<ast::Annotated>(&syntax.node))
    return infer_annotated(expr, *annotated);
  if (auto* construct = std::get_if<ast::RecordConstruct>(&syntax.node))
    return infer_record(expr, *construct);
  if (auto* update = std::get_if<ast::RecordUpdate>(&syntax.node))
    return infer_update(expr, *update);
  if (std::holds_alternative<ast::Hole>(syntax.node)) return infer_hole(expr);
  return store_.error();
}

TypePtr Checker::literal(ast::ExprId, const ast::IntegerLiteral& integer, bool negative,
                         Span span) {
  TypePtr type = fresh();
  type->mask = classes::num;
  store_.needs.push_back({span, "the literal `" + integer.text + "`"});
  type->need = &store_.needs.back();
  LiteralUse use;
  use.type = type;
  use.span = span;
  use.text = integer.text;
  use.value = integer.value;
  use.negative = negative;
  use.too_large = integer.too_large;
  literals_.push_back(use);
  return type;
}

TypePtr Checker::literal(ast::ExprId, const ast::FloatLiteral& real, bool negative, Span span) {
  TypePtr type = fresh();
  type->mask = classes_.closure(classes::fractional);
  store_.needs.push_back({span, "the literal `" + real.text + "`"});
  type->need = &store_.needs.back();
  LiteralUse use;
  use.type = type;
  use.span = span;
  use.text = real.text;
  use.real = real.value;
  use.is_float = true;
  use.negative = negative;
  literals_.push_back(use);
  return type;
}

TypePtr Checker::infer_negate(ast::ExprId expr, const ast::Negate& negate) {
  TypePtr function = infer_variable(expr);  // `negate`
  TypePtr operand;
  const ast::Expr& inner = node(negate.operand);
  if (auto* integer = std::get_if<ast::IntegerLiteral>(&inner.node)) {
    operand = literal(negate.operand, *integer, true, node(expr).span);
    expr_types_[negate.operand] = operand;
  } else if (auto* real = std::get_if<ast::FloatLiteral>(&inner.node)) {
    operand = literal(negate.operand, *real, true, node(expr).span);
    expr_types_[negate.operand] = operand;
  } else {
    operand = infer(negate.operand);
  }
  function = expect_function(function, expr, 1, inner.span);
  if (function->kind == Kind::Error) return function;
  Reason reason;
  reason.where = Where::RightOperand;
  reason.name = "-";
  reason.span = inner.span;
  unify_or_report(function->parts[0], operand, reason);
  return function->parts[1];
}

// ---- choices
TypePtr Checker::infer_if(ast::ExprId expr, const ast::If& branch, TypePtr expected,
                          const Reason& reason) {
  Reason condition;
  condition.where = Where::Condition;
  condition.span = node(branch.condition).span;
  check(branch.condition, bool_type(), condition);
  std::size_t mark = store_.symbols.size();
  Branches branches{*this, expected, node(expr).span, "`if`"};
  for (ast::ExprId side : {branch.then_branch, branch.else_branch}) {
    Reason inner = reason;
    inner.span = node(side).span;
    TypePtr wanted = branches.next();
    TypePtr type = wanted ? check(side, wanted, inner) : infer(side);
    Reason join_reason;
    join_reason.where = Where::Branch;
    join_reason.span = inner.span;
    branches.add(wanted ? wanted : type, join_reason);
  }
  TypePtr type = branches.finish(reason);
  reopen(expr, type, mark);
  return type;
}

TypePtr Checker::infer_multi_if(ast::ExprId expr, const ast::MultiIf& multi, TypePtr expected,
                                const Reason& reason) {
  std::size_t mark = store_.symbols.size();
  Branches branches{*this, expected, node(expr).span, "`if`"};
  infer_alternatives(multi.alternatives, branches, reason, Where::Branch, "");
  TypePtr type = branches.finish(reason);
  reopen(expr, type, mark);
  return type;
}

TypePtr Checker::infer_case(ast::ExprId expr, const ast::Case& cases, TypePtr expected,
                            const Reason& reason) {
  TypePtr scrutinee = infer(cases.scrutinee);
  std::size_t mark = store_.symbols.size();
  Branches branches{*this, expected, node(expr).span, "`case`"};
  for (const ast::Alternative& alternative : cases.alternatives) {
    check_pattern(alternative.pattern, scrutinee, depth_);
    infer_rhs(alternative.rhs, branches, reason, Where::Alternative, "");
  }
  TypePtr type = branches.finish(reason);
  reopen(expr, type, mark);
  return type;
}

TypePtr Checker::infer_lambda(ast::ExprId expr, TypePtr expected, const Reason& reason) {
  ClauseSet set;
  set.span = node(expr).span;
  std::vector<std::vector<ast::PatternId>> singles;
  if (auto* lambda = std::get_if<ast::Lambda>(&node(expr).node)) {
    set.arity = lambda->params.size();
    set.clauses.push_back({&lambda->params, nullptr, lambda->body, set.span});
    set.where = Where::Expression;
  } else {
    const auto& cases = std::get<ast::LambdaCase>(node(expr).node);
    set.arity = 1;
    set.where = Where::Alternative;
    singles.reserve(cases.alternatives.size());
    for (const auto& alternative : cases.alternatives) {
      singles.push_back({alternative.pattern});
      set.clauses.push_back({&singles.back(), &alternative.rhs, {}, alternative.span});
    }
  }
  return infer_clauses(set, expected, reason);
}

TypePtr Checker::infer_tuple(const ast::Tuple& tuple, TypePtr expected, const Reason& reason) {
  std::vector<TypePtr> parts;
  for (std::size_t i = 0; i < tuple.parts.size(); ++i) {
    if (!expected) {
      parts.push_back(infer(tuple.parts[i]));
      continue;
    }
    Reason inner = reason;
    inner.span = node(tuple.parts[i]).span;
    parts.push_back(check(tuple.parts[i], expected->parts[i], inner));
  }
  return store_.tuple(std::move(parts));
}

// ---- annotations, records
TypePtr Checker::infer_annotated(ast::ExprId expr, const ast::Annotated& annotated) {
  const Scheme& scheme = expr_annotations_[expr.index];
  // Inside, each `?` may be any size; outside it is an unknown one.
  Scheme inner = scheme;
  inner.sizes.insert(inner.sizes.end(), scheme.unknowns.begin(), scheme.unknowns.end());
  UseInfo own;
  TypePtr wanted = instantiate(inner, &own, {node(expr).span, "this annotation"});
  Reason reason;
  reason.where = Where::Annotation;
  reason.span = node(annotated.expr).span;
  reason.related = node(annotated.type.type).span;
  reason.related_text = "the annotation";
  if (!scheme.unknowns.empty() &&
      std::holds_alternative<ast::Apply>(node(strip(annotated.expr)).node))
    loop_annotation_ = &scheme;
  check(annotated.expr, wanted, reason);
  if (scheme.unknowns.empty()) return wanted;
  for (std::size_t i = 0; i < scheme.types.size(); ++i)
    store_.variables[scheme.types[i]].replacement = own.type_args[i];
  for (std::size_t i = 0; i < scheme.sizes.size(); ++i)
    store_.symbols[scheme.sizes[i]].replacement = own.size_args[i];
  for (Symbol bound : scheme.unknowns) {
    Symbol symbol = unknown("the unknown size of this annotation", node(annotated.type.type).span);
    opened_[expr].push_back(symbol);
    store_.symbols[bound].replacement = Size::symbol(symbol);
  }
  TypePtr type = store_.substitute(scheme.type);
  for (std::uint32_t id : scheme.types) store_.variables[id].replacement = nullptr;
  for (Symbol symbol : inner.sizes) store_.symbols[symbol].replacement.reset();
  return type;
}

TypePtr Checker::infer_record(ast::ExprId expr, const ast::RecordConstruct& construct) {
  TypePtr type = infer_variable(expr);
  std::vector<TypePtr> fields;
  for (; type->kind == Kind::Function; type = type->parts[1]) fields.push_back(type->parts[0]);
  std::vector<std::string> names;
  const Reference& reference = references_[expr];
  if (reference.sort == Reference::Binding) {
    const BindingInfo& binding = info(BindingId{reference.id});
    if (binding.kind == BindingKind::Constructor && binding.data.valid())
      names = datas_[binding.data.index].constructors[binding.part].field_names;
  }
  std::vector<bool> given(names.size(), false);
  for (const auto& field : construct.fields) {
    auto place = std::find(names.begin(), names.end(), field.field.text);
    if (place == names.end()) {
      if (type->kind != Kind::Error) unknown_name(field.field, "field", names);
      infer(field.value);
      continue;
    }
    auto index = static_cast<std::size_t>(place - names.begin());
    if (given[index]) duplicate(field.field.text, field.field.span, {}, "the field");
    given[index] = true;
    Reason reason;
    reason.where = Where::Field;
    reason.name = field.field.text;
    reason.span = node(field.value).span;
    check(field.value, fields[index], reason);
  }
  std::string missing;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!given[i]) missing += (missing.empty() ? "`" : ", `") + names[i] + "`";
  if (!missing.empty())
    error("missing-field", "`" + construct.constructor.text + "` is built without " + missing,
          node(expr).span, "every field needs a value");
  return type;
}

TypePtr Checker::infer_update(ast::ExprId expr, const ast::RecordUpdate& update) {
  TypePtr record = infer(update.record);
  auto selector = update_selectors_.find(expr.index);
  if (selector == update_selectors_.end() || info(selector->second).kind != BindingKind::Selector) {
    if (selector != update_selectors_.end())
      error("not-a-field", "`" + update.fields[0].field.text + "` is no field of a record",
            update.fields[0].field.span, "only fields can be updated");
    for (const auto& field : update.fields) infer(field.value);
    return store_.error();
  }
  const DataRecord& data = datas_[info(selector->second).data.index];
  const DataRecord::Constructor* with_all = nullptr;
  for (const auto& constructor : data.constructors) {
    bool all =
        std::all_of(update.fields.begin(), update.fields.end(), [&](const ast::FieldValue& field) {
          return std::find(constructor.field_names.begin(), constructor.field_names.end(),
                           field.field.text) != constructor.field_names.end();
        });
    if (all && !with_all) with_all = &constructor;
  }
  if (!with_all) {
    std::vector<std::string> names;
    for (const auto& constructor : data.constructors)
      names.insert(names.end(), constructor.field_names.begin(), constructor.field_names.end());
    for (const auto& field : update.fields) {
      if (std::find(names.begin(), names.end(), field.field.text) == names.end())
        unknown_name(field.field, "field", names);
      infer(field.value);
    }
    return store_.error();
  }
  TypePtr whole =
      instantiate(info(with_all->binding).scheme, nullptr, {node(expr).span, "this update"});
  std::vector<TypePtr> fields;
  for (; whole->kind == Kind::Function; whole = whole->parts[1]) fields.push_back(whole->parts[0]);
  Reason reason;
  reason.where = Where::Expression;
  reason.span = node(update.record).span;
  unify_or_report(whole, record, reason);
  for (const auto& field : update.fields) {
    auto place =
        std::find(with_all->field_names.begin(), with_all->field_names.end(), field.field.text);
    Reason inner;
    inner.where = Where::Field;
    inner.name = field.field.text;
    inner.span = node(field.value).span;
    check(field.value, fields[static_cast<std::size_t>(place - with_all->field_names.begin())],
          inner);
  }
  return whole;
}

}  // namespace dvm::check
