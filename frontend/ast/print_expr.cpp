// Expressions: operators, applications, atoms, brackets.
#include <fmt/format.h>

#include "frontend/ast/printer.hpp"

namespace dvm::ast {
namespace {

template <class... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Match(Cases...) -> Match<Cases...>;

std::string quoted(const std::string& value) {
  std::string text = "\"";
  bool after_number = false;  // `\10` and a digit need `\&` between them
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (after_number && c >= '0' && c <= '9') text += "\\&";
    after_number = false;
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (c == '\n') {
      text += "\\n";
    } else if (c == '\t') {
      text += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      text += fmt::format("\\{}", byte);
      after_number = true;
    } else {
      text += c;
    }
  }
  return text + "\"";
}

}  // namespace

// An open block at the end: what follows must start a new line, left of the block's items.
bool Printer::ends_in_block(ExprId id) const {
  const auto& node = arena_.exprs[id].node;
  return std::holds_alternative<Case>(node) || std::holds_alternative<LambdaCase>(node);
}

// Binary trees are walked in order, without recursion along the chain; parentheses are nodes of
// their own.
DocId Printer::chain(ExprId id) {
  struct Step {
    ExprId expr;
    bool is_operator = false, is_minus = false;
  };
  std::vector<Step> todo{{id}};
  std::vector<DocId> parts, segment;
  bool block_before = false;
  bool first = true;
  auto close_segment = [&] {
    if (segment.empty()) return;
    parts.push_back(first ? concat(std::move(segment)) : docs_.group(concat(std::move(segment))));
    segment.clear();
    first = false;
  };
  while (!todo.empty()) {
    const Step step = todo.back();
    todo.pop_back();
    const auto& node = arena_.exprs[step.expr].node;
    if (step.is_minus) {
      segment.push_back(text("-"));
    } else if (step.is_operator) {
      close_segment();
      segment.push_back(block_before ? docs_.hard_line() : docs_.line());
      const auto* variable = std::get_if<Variable>(&node);
      segment.push_back(
          operator_name(variable != nullptr ? variable->name : std::get<Constructor>(node).name));
      segment.push_back(text(" "));
    } else if (const auto* binary = std::get_if<Binary>(&node)) {
      todo.push_back({binary->rhs});
      todo.push_back({binary->op, true});
      todo.push_back({binary->lhs});
    } else if (const auto* negate = std::get_if<Negate>(&node)) {
      todo.push_back({negate->operand});
      todo.push_back({step.expr, false, true});
    } else {
      segment.push_back(nest(expr(step.expr)));
      block_before = ends_in_block(step.expr);
    }
  }
  close_segment();
  return nest(concat(std::move(parts)));
}

DocId Printer::application(ExprId id) {
  std::vector<ExprId> args;
  ExprId head = id;
  while (const auto* apply = std::get_if<Apply>(&arena_.exprs[head].node)) {
    args.push_back(apply->arg);
    head = apply->fn;
  }
  std::vector<DocId> parts{expr(head)};
  for (std::size_t i = args.size(); i-- > 0;)
    parts.push_back(docs_.group(concat({docs_.line(), expr(args[i])})));
  return nest(concat(std::move(parts)));
}

DocId Printer::fields(const std::vector<FieldValue>& fields) {
  if (fields.empty()) return text("{}");
  std::vector<DocId> parts;
  for (const FieldValue& field : fields) {
    const DocId label = name(field.field);
    parts.push_back(nest(concat({label, text(" = "), expr(field.value)})));
  }
  return concat({text("{ "), listed(parts), text(" }")});
}

// Rows of a matrix stand below each other, plain values fill the lines.
DocId Printer::array(const ArrayLiteral& array) {
  std::vector<DocId> parts;
  bool rows = false;
  for (const ExprId element : array.elements) {
    rows = rows || std::holds_alternative<ArrayLiteral>(arena_.exprs[element].node);
    parts.push_back(expr(element));
  }
  if (!rows) return concat({text("["), listed(parts), text("]")});
  std::vector<DocId> all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    all.push_back(parts[i]);
    if (i + 1 < parts.size()) all.push_back(concat({text(","), docs_.line()}));
  }
  return docs_.group(concat({text("["), docs_.align(concat(std::move(all))), text("]")}));
}

DocId Printer::comprehension(const Comprehension& comprehension) {
  std::vector<DocId> parts{nest(expr(comprehension.body))};
  for (const std::vector<Qualifier>& branch : comprehension.branches) {
    parts.push_back(docs_.line());
    parts.push_back(text("| "));
    parts.push_back(qualifiers(branch));
  }
  return docs_.group(concat({text("[ "), docs_.align(concat(std::move(parts))), text(" ]")}));
}

// `(a, )` was read as a function whose parameters have the place of the whole.
bool Printer::is_tuple_section(ExprId id) const {
  const auto* lambda = std::get_if<Lambda>(&arena_.exprs[id].node);
  if (lambda == nullptr || lambda->params.empty() ||
      !std::holds_alternative<Tuple>(arena_.exprs[lambda->body].node))
    return false;
  const Pattern& param = arena_.patterns[lambda->params[0]];
  const auto* variable = std::get_if<VariablePattern>(&param.node);
  return variable != nullptr && variable->name.text == "tuple'1" &&
         param.span == arena_.exprs[id].span;
}

DocId Printer::tuple_section(const Lambda& lambda) {
  const Tuple& tuple = std::get<Tuple>(arena_.exprs[lambda.body].node);
  const Span whole = arena_.exprs[lambda.body].span;
  std::vector<DocId> parts{text("(")};
  for (std::size_t i = 0; i < tuple.parts.size(); ++i) {
    if (i > 0) parts.push_back(text(","));
    const Expr& part = arena_.exprs[tuple.parts[i]];
    const bool gap = part.span == whole && std::holds_alternative<Variable>(part.node);
    if (gap) continue;
    if (i > 0) parts.push_back(text(" "));
    parts.push_back(expr(tuple.parts[i]));
  }
  parts.push_back(text(")"));
  return concat(std::move(parts));
}

DocId Printer::expr(ExprId id) {
  const Expr& tree = arena_.exprs[id];
  return std::visit(
      Match{
          [&](const Variable& node) { return name(node.name); },
          [&](const Constructor& node) { return name(node.name); },
          [&](const IntegerLiteral& node) { return atom(node.text, tree.span); },
          [&](const FloatLiteral& node) { return atom(node.text, tree.span); },
          [&](const StringLiteral& node) { return atom(quoted(node.value), tree.span); },
          [&](const Apply&) { return application(id); },
          [&](const Binary&) { return chain(id); },
          [&](const Negate&) { return chain(id); },
          [&](const LeftSection& node) {
            const DocId lhs = expr(node.lhs);
            return concat(
                {text("("), lhs, text(" "), operator_name(section_name(node.op)), text(")")});
          },
          [&](const RightSection& node) {
            const DocId op = operator_name(section_name(node.op));
            return concat({text("("), op, text(" "), expr(node.rhs), text(")")});
          },
          [&](const Lambda& node) {
            std::vector<DocId> parts{text("\\")};
            for (const PatternId param : node.params) {
              parts.push_back(pattern(param));
              parts.push_back(text(" "));
            }
            parts.push_back(body(node.body, "->"));
            return concat(std::move(parts));
          },
          [&](const LambdaCase& node) {
            return concat({text("\\case"), alternatives(node.alternatives)});
          },
          [&](const Let& node) { return let(node); },
          [&](const If&) { return conditional(id); },
          [&](const MultiIf& node) {
            std::vector<DocId> parts;
            for (const Guarded& part : node.alternatives) {
              if (!parts.empty()) parts.push_back(docs_.hard_line());
              parts.push_back(nest(guarded(part, "->")));
            }
            return concat({text("if "), docs_.align(concat(std::move(parts)))});
          },
          [&](const Case& node) {
            const DocId scrutinee = docs_.nest(4, expr(node.scrutinee));
            return concat({text("case "), scrutinee, text(" of"), alternatives(node.alternatives)});
          },
          [&](const Tuple& node) {
            std::vector<DocId> parts;
            for (const ExprId part : node.parts) parts.push_back(nest(expr(part)));
            return concat(
                {parts.empty() ? atom("(", tree.span) : text("("), listed(parts), text(")")});
          },
          [&](const ArrayLiteral& node) { return array(node); },
          [&](const Range& node) {
            std::vector<DocId> parts{text("["), expr(node.from)};
            if (node.next.has_value()) {
              parts.push_back(text(", "));
              parts.push_back(expr(*node.next));
            }
            parts.push_back(text(" .."));
            if (node.to.has_value()) {
              parts.push_back(text(" "));
              parts.push_back(expr(*node.to));
            }
            parts.push_back(text("]"));
            return docs_.align(concat(std::move(parts)));
          },
          [&](const Comprehension& node) { return comprehension(node); },
          [&](const Annotated& node) {
            const DocId inner = expr(node.expr);
            const DocId gap = ends_in_block(node.expr) ? docs_.hard_line() : text(" ");
            return concat({nest(inner), gap, text(":: "), qualified_type(node.type)});
          },
          [&](const RecordConstruct& node) {
            const DocId head = name(node.constructor);
            return concat({head, text(" "), fields(node.fields)});
          },
          [&](const RecordUpdate& node) {
            const DocId head = expr(node.record);
            return concat({head, text(" "), fields(node.fields)});
          },
          [&](const Paren& node) {
            if (is_tuple_section(node.inner))
              return tuple_section(std::get<Lambda>(arena_.exprs[node.inner].node));
            return concat({text("("), docs_.align(expr(node.inner)), text(")")});
          },
          [&](const Hole& node) { return atom(node.name.empty() ? "_" : node.name, tree.span); },
      },
      tree.node);
}

const Name& Printer::section_name(ExprId op) const {
  const auto& node = arena_.exprs[op].node;
  const auto* variable = std::get_if<Variable>(&node);
  return variable != nullptr ? variable->name : std::get<Constructor>(node).name;
}

}  // namespace dvm::ast
