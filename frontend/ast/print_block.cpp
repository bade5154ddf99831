// Expressions with blocks, right sides, guards.
#include "frontend/ast/printer.hpp"

namespace dvm::ast {

// Else-if chains stay at one depth, so that they do not drift to the right.
DocId Printer::conditional(ExprId id) {
  std::vector<DocId> parts;
  ExprId at = id;
  while (const auto* node = std::get_if<If>(&arena_.exprs[at].node)) {
    const DocId condition = docs_.nest(4, expr(node->condition));
    parts.push_back(concat({text("if "), condition, docs_.line(), text("then "),
                            nest(expr(node->then_branch)), docs_.line(), text("else ")}));
    at = node->else_branch;
  }
  parts.push_back(nest(expr(at)));
  return docs_.group(docs_.align(concat(std::move(parts))));
}

DocId Printer::let(const Let& let) {
  const DocId items = docs_.align(decls(let.decls, false));
  return docs_.group(
      docs_.align(concat({text("let "), items, docs_.line(), text("in "), nest(expr(let.body))})));
}

DocId Printer::alternatives(const std::vector<Alternative>& alternatives) {
  std::vector<DocId> parts;
  for (const Alternative& alternative : alternatives) {
    parts.push_back(docs_.hard_line());
    const DocId head = pattern(alternative.pattern);
    parts.push_back(nest(head));
    parts.push_back(rhs(alternative.rhs, "->"));
  }
  return nest(concat(std::move(parts)));
}

DocId Printer::qualifier(const Qualifier& qualifier) {
  if (const auto* generator = std::get_if<Generator>(&qualifier)) {
    const DocId head = pattern(generator->pattern);
    return nest(concat({head, text(" <- "), expr(generator->source)}));
  }
  if (const auto* let = std::get_if<LetQualifier>(&qualifier))
    return concat({text("let "), docs_.align(decls(let->decls, false))});
  return nest(expr(std::get<Guard>(qualifier).condition));
}

DocId Printer::qualifiers(const std::vector<Qualifier>& qualifiers) {
  std::vector<DocId> parts;
  for (const Qualifier& part : qualifiers) parts.push_back(qualifier(part));
  return listed(parts);
}

// Expressions that start on the line of their `=` although they take several.
bool Printer::hangs(ExprId id) const {
  const auto& node = arena_.exprs[id].node;
  return std::holds_alternative<Case>(node) || std::holds_alternative<LambdaCase>(node);
}

DocId Printer::body(ExprId id, const std::string& sign) {
  if (hangs(id)) return concat({text(sign + " "), expr(id)});
  return docs_.group(concat({text(sign), nest(concat({docs_.line(), expr(id)}))}));
}

DocId Printer::guarded(const Guarded& guarded, const std::string& sign) {
  const DocId guards = docs_.nest(4, qualifiers(guarded.guards));
  return concat({text("| "), guards, text(" "), nest(body(guarded.body, sign))});
}

DocId Printer::rhs(const Rhs& rhs, const std::string& sign) {
  std::vector<DocId> parts;
  for (const Guarded& part : rhs.alternatives) {
    if (part.guards.empty()) {
      parts.push_back(text(" "));
      parts.push_back(body(part.body, sign));
    } else {
      parts.push_back(nest(concat({docs_.hard_line(), guarded(part, sign)})));
    }
  }
  if (!rhs.where.empty()) {
    parts.push_back(nest(concat({docs_.hard_line(), text("where"),
                                 nest(concat({docs_.hard_line(), decls(rhs.where, false)}))})));
  }
  return concat(std::move(parts));
}

}  // namespace dvm::ast
