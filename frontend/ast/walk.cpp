// What stands inside of expressions and patterns.
#include "frontend/ast/walk.hpp"

namespace dvm::ast {

namespace {

class PartVisitor {
 public:
  PartVisitor(const Arena& arena, const std::function<void(ExprId)>& visit)
      : arena_(arena), visit_(visit) {}

  void parts_of(ExprId expr) {
    std::visit([&](const auto& node) { parts(node); }, arena_.exprs[expr].node);
  }

 private:
  void all(const std::vector<ExprId>& list) {
    for (ExprId part : list) visit_(part);
  }
  void qualifiers(const std::vector<Qualifier>& list) {
    for (const Qualifier& qualifier : list) {
      if (const auto* generator = std::get_if<Generator>(&qualifier))
        visit_(generator->source);
      else if (const auto* guard = std::get_if<Guard>(&qualifier))
        visit_(guard->condition);
      else
        declarations(std::get<LetQualifier>(qualifier).decls);
    }
  }
  void guarded(const std::vector<Guarded>& list) {
    for (const Guarded& alternative : list) {
      qualifiers(alternative.guards);
      visit_(alternative.body);
    }
  }
  void rhs(const Rhs& side) {
    declarations(side.where);
    guarded(side.alternatives);
  }
  void declarations(const std::vector<DeclId>& list) {
    for (DeclId id : list) {
      if (const auto* function = std::get_if<FunctionDecl>(&arena_.decls[id].node))
        for (const Clause& clause : function->clauses) rhs(clause.rhs);
      else if (const auto* pattern = std::get_if<PatternBinding>(&arena_.decls[id].node))
        rhs(pattern->rhs);
    }
  }
  void alternatives(const std::vector<Alternative>& list) {
    for (const Alternative& alternative : list) rhs(alternative.rhs);
  }
  void fields(const std::vector<FieldValue>& list) {
    for (const FieldValue& field : list) visit_(field.value);
  }

  void parts(const Variable&) {}
  void parts(const Constructor&) {}
  void parts(const IntegerLiteral&) {}
  void parts(const FloatLiteral&) {}
  void parts(const StringLiteral&) {}
  void parts(const Hole&) {}
  void parts(const Apply& e) { all({e.fn, e.arg}); }
  void parts(const Binary& e) { all({e.op, e.lhs, e.rhs}); }
  void parts(const Negate& e) { visit_(e.operand); }
  void parts(const LeftSection& e) { all({e.lhs, e.op}); }
  void parts(const RightSection& e) { all({e.op, e.rhs}); }
  void parts(const Lambda& e) { visit_(e.body); }
  void parts(const LambdaCase& e) { alternatives(e.alternatives); }
  void parts(const Let& e) {
    declarations(e.decls);
    visit_(e.body);
  }
  void parts(const If& e) { all({e.condition, e.then_branch, e.else_branch}); }
  void parts(const MultiIf& e) { guarded(e.alternatives); }
  void parts(const Case& e) {
    visit_(e.scrutinee);
    alternatives(e.alternatives);
  }
  void parts(const Tuple& e) { all(e.parts); }
  void parts(const ArrayLiteral& e) { all(e.elements); }
  void parts(const Range& e) {
    visit_(e.from);
    if (e.next) visit_(*e.next);
    if (e.to) visit_(*e.to);
  }
  void parts(const Comprehension& e) {
    for (const auto& branch : e.branches) qualifiers(branch);
    visit_(e.body);
  }
  void parts(const Annotated& e) { visit_(e.expr); }
  void parts(const RecordConstruct& e) { fields(e.fields); }
  void parts(const RecordUpdate& e) {
    visit_(e.record);
    fields(e.fields);
  }
  void parts(const Paren& e) { visit_(e.inner); }

  const Arena& arena_;
  const std::function<void(ExprId)>& visit_;
};

}  // namespace

void each_part(const Arena& arena, ExprId expr, const std::function<void(ExprId)>& visit) {
  PartVisitor(arena, visit).parts_of(expr);
}

bool any_inside(const Arena& arena, ExprId expr, const std::function<bool(ExprId)>& test) {
  std::vector<ExprId> open = {expr};
  while (!open.empty()) {
    const ExprId next = open.back();
    open.pop_back();
    if (test(next)) return true;
    each_part(arena, next, [&](ExprId part) { open.push_back(part); });
  }
  return false;
}

void each_pattern(const Arena& arena, PatternId pattern,
                  const std::function<void(PatternId)>& visit) {
  visit(pattern);
  auto all = [&](const std::vector<PatternId>& parts) {
    for (PatternId part : parts) each_pattern(arena, part, visit);
  };
  const auto& node = arena.patterns[pattern].node;
  if (const auto* tuple = std::get_if<TuplePattern>(&node)) all(tuple->parts);
  if (const auto* list = std::get_if<ListPattern>(&node)) all(list->parts);
  if (const auto* constructor = std::get_if<ConstructorPattern>(&node)) all(constructor->args);
  if (const auto* record = std::get_if<RecordPattern>(&node))
    for (const FieldPattern& field : record->fields) each_pattern(arena, field.pattern, visit);
  if (const auto* as = std::get_if<AsPattern>(&node)) each_pattern(arena, as->pattern, visit);
  if (const auto* bang = std::get_if<BangPattern>(&node)) each_pattern(arena, bang->pattern, visit);
  if (const auto* paren = std::get_if<ParenPattern>(&node))
    each_pattern(arena, paren->pattern, visit);
  if (const auto* typed = std::get_if<AnnotatedPattern>(&node))
    each_pattern(arena, typed->pattern, visit);
}

}  // namespace dvm::ast
