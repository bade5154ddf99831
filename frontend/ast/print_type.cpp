// Types and patterns.
#include "frontend/ast/printer.hpp"

namespace dvm::ast {
namespace {

template <class... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Match(Cases...) -> Match<Cases...>;

const char* sign(SizeOp op) {
  switch (op) {
    case SizeOp::Add:
      return " + ";
    case SizeOp::Sub:
      return " - ";
    case SizeOp::Mul:
      return " * ";
    case SizeOp::Div:
      return " / ";
  }
  return " + ";
}

}  // namespace

DocId Printer::function_type(TypeId id) {
  std::vector<DocId> parts;
  TypeId at = id;
  while (const auto* function = std::get_if<TypeFunction>(&arena_.types[at].node)) {
    DocId param;
    if (function->binder.has_value()) {
      const DocId binder = name(*function->binder);
      param = concat({text("("), binder, text(" :: "), type(function->param), text(")")});
    } else {
      param = type(function->param);
    }
    param = concat({param, text(" ->")});
    parts.push_back(parts.empty() ? param : docs_.group(concat({docs_.line(), param})));
    at = function->result;
  }
  const DocId result = type(at);
  parts.push_back(docs_.group(concat({docs_.line(), result})));
  return docs_.align(concat(std::move(parts)));
}

DocId Printer::type(TypeId id) {
  const Type& tree = arena_.types[id];
  auto parts_of = [&](const std::vector<TypeId>& ids) {
    std::vector<DocId> parts;
    for (const TypeId part : ids) parts.push_back(type(part));
    return parts;
  };
  return std::visit(
      Match{
          [&](const TypeVariable& node) { return name(node.name); },
          [&](const TypeConstructor& node) { return name(node.name); },
          [&](const TypeApply& node) {
            std::vector<DocId> parts{type(node.head)};
            for (const TypeId arg : node.args) {
              parts.push_back(text(" "));
              parts.push_back(type(arg));
            }
            return concat(std::move(parts));
          },
          [&](const TypeFunction&) { return function_type(id); },
          [&](const TypeTuple& node) {
            return concat({atom("(", tree.span), listed(parts_of(node.parts)), text(")")});
          },
          [&](const TypeSizes& node) {
            return concat({atom("[", tree.span), listed(parts_of(node.dims)), text("]")});
          },
          [&](const SizeLiteral& node) { return atom(std::to_string(node.value), tree.span); },
          [&](const SizeBinary& node) {
            const DocId lhs = type(node.lhs);
            return concat({lhs, text(sign(node.op)), type(node.rhs)});
          },
          [&](const SizeUnknown& node) { return atom("?" + node.name.value_or(""), tree.span); },
          [&](const TypeParen& node) {
            return concat({atom("(", tree.span), type(node.inner), text(")")});
          },
      },
      tree.node);
}

DocId Printer::context(const std::vector<Constraint>& context) {
  if (context.empty()) return docs_.empty();
  std::vector<DocId> parts;
  for (const Constraint& constraint : context) {
    const DocId head = name(constraint.class_name);
    parts.push_back(concat({head, text(" "), type(constraint.type)}));
  }
  if (parts.size() == 1) return concat({parts[0], text(" => ")});
  return concat({text("("), listed(parts), text(") => ")});
}

DocId Printer::qualified_type(const QualifiedType& qualified) {
  const DocId before = context(qualified.context);
  return concat({before, type(qualified.type)});
}

bool Printer::is_atomic(PatternId id) const {
  const Pattern& tree = arena_.patterns[id];
  if (const auto* constructor = std::get_if<ConstructorPattern>(&tree.node))
    return constructor->args.empty();
  if (const auto* literal = std::get_if<LiteralPattern>(&tree.node)) return !literal->negative;
  return !std::holds_alternative<AnnotatedPattern>(tree.node);
}

DocId Printer::pattern(PatternId id) {
  const Pattern& tree = arena_.patterns[id];
  auto parts_of = [&](const std::vector<PatternId>& ids) {
    std::vector<DocId> parts;
    for (const PatternId part : ids) parts.push_back(pattern(part));
    return parts;
  };
  return std::visit(
      Match{
          [&](const WildcardPattern&) { return atom("_", tree.span); },
          [&](const VariablePattern& node) { return name(node.name); },
          [&](const LiteralPattern& node) {
            const std::string digits =
                std::visit([](const auto& literal) { return literal.text; }, node.value);
            return atom((node.negative ? "-" : "") + digits, tree.span);
          },
          [&](const TuplePattern& node) {
            return concat({atom("(", tree.span), listed(parts_of(node.parts)), text(")")});
          },
          [&](const ListPattern& node) {
            return concat({atom("[", tree.span), listed(parts_of(node.parts)), text("]")});
          },
          [&](const ConstructorPattern& node) {
            const bool infix =
                node.args.size() == 2 &&
                arena_.patterns[node.args[0]].span.begin < node.constructor.span.begin &&
                node.constructor.span.valid();
            if (infix) {
              const DocId lhs = pattern(node.args[0]);
              const DocId op = operator_name(node.constructor);
              return concat({lhs, text(" "), op, text(" "), pattern(node.args[1])});
            }
            std::vector<DocId> parts{name(node.constructor)};
            for (const PatternId arg : node.args) {
              parts.push_back(text(" "));
              parts.push_back(pattern(arg));
            }
            return concat(std::move(parts));
          },
          [&](const RecordPattern& node) {
            std::vector<DocId> parts;
            const DocId head = name(node.constructor);
            for (const FieldPattern& field : node.fields) {
              const DocId label = name(field.field);
              parts.push_back(concat({label, text(" = "), pattern(field.pattern)}));
            }
            if (parts.empty()) return concat({head, text(" {}")});
            return concat({head, text(" { "), listed(parts), text(" }")});
          },
          [&](const AsPattern& node) {
            const DocId whole = name(node.name);
            return concat({whole, text("@"), pattern(node.pattern)});
          },
          [&](const BangPattern& node) { return concat({text("!"), pattern(node.pattern)}); },
          [&](const ParenPattern& node) {
            return concat({atom("(", tree.span), pattern(node.pattern), text(")")});
          },
          [&](const AnnotatedPattern& node) {
            const DocId inner = pattern(node.pattern);
            return concat({inner, text(" :: "), type(node.type)});
          },
      },
      tree.node);
}

}  // namespace dvm::ast
