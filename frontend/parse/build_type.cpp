// Types, sizes and contexts.
#include <fmt/format.h>

#include "frontend/parse/builder.hpp"

namespace dvm::parse {

using namespace ast;

TypeId Builder::push_type(decltype(Type::node) node, Span span) {
  return arena_.types.push({std::move(node), span});
}

QualifiedType Builder::qualified_type(DvmParser::QualifiedTypeContext* tree) {
  QualifiedType result;
  const std::vector<DvmParser::TypeContext*> types = tree->type();
  for (std::size_t i = 0; i + 1 < types.size(); ++i) {
    for (Constraint& constraint : context(type(types[i])))
      result.context.push_back(std::move(constraint));
  }
  result.type = type(types.back());
  return result;
}

TypeId Builder::type(DvmParser::TypeContext* tree) {
  const std::vector<DvmParser::OpTypeContext*> parts = tree->opType();
  if (parts.size() > nesting_limit) {
    report(span_of(tree), "nesting-too-deep",
           fmt::format("a function type has at most {} parameters", nesting_limit));
    flush();
  }
  const TypeId last = size_or_type(parts.back());
  TypeId result = last;
  const Span end = arena_.types[last].span;
  for (std::size_t i = parts.size() - 1; i-- > 0;) {
    TypeId param;
    std::optional<Name> binder = size_binder(parts[i], param);
    if (!param.valid()) param = size_or_type(parts[i]);
    result =
        push_type(TypeFunction{std::move(binder), param, result}, join(span_of(parts[i]), end));
  }
  return result;
}

// `(k :: Int)` as a parameter; nothing if the parameter is an ordinary type.
std::optional<Name> Builder::size_binder(DvmParser::OpTypeContext* tree, TypeId& param) {
  const auto parts = tree->appType();
  if (parts.size() != 1 || parts[0]->atype().size() != 1) return std::nullopt;
  auto* parens = dynamic_cast<DvmParser::TypeParensContext*>(parts[0]->atype(0));
  if (parens == nullptr || parens->DCOLON() == nullptr) return std::nullopt;
  DvmParser::TypeContext* name = parens->type(0);
  const std::size_t first = name->start->getStartIndex(), last = name->stop->getStartIndex();
  const TokenKind kind = source_.lexeme(first).kind;
  if (first != last || (kind != TokenKind::VarId && kind != TokenKind::As &&
                        kind != TokenKind::Hiding && kind != TokenKind::Qualified)) {
    report(span_of(name), "bad-size-binder", "only a name can be bound to an argument",
           "expected a name before `::`");
    flush();
    param = type(parens->type(1));
    return std::nullopt;
  }
  param = type(parens->type(1));
  return name_at(source_.span_of(first));
}

// `*` and `/` before `+` and `-`, all from the left.
TypeId Builder::size_or_type(DvmParser::OpTypeContext* tree) {
  const auto operands = tree->appType();
  const auto operators = tree->typeOp();
  if (operators.empty()) return applied_type(operands[0]);
  if (operators.size() > nesting_limit) {
    report(span_of(tree), "nesting-too-deep",
           fmt::format("a size has at most {} terms", nesting_limit));
    flush();
  }
  auto binary = [&](SizeOp op, TypeId lhs, TypeId rhs) {
    const Span span = join(arena_.types[lhs].span, arena_.types[rhs].span);
    return push_type(SizeBinary{op, lhs, rhs}, span);
  };
  std::vector<TypeId> terms{applied_type(operands[0])};
  std::vector<SizeOp> additions;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const std::string_view text = source_.text_of(operators[i]->start->getStartIndex());
    const bool word = text == "`";
    const std::string_view name =
        word ? source_.text_of(operators[i]->start->getStartIndex() + 1) : text;
    const TypeId rhs = applied_type(operands[i + 1]);
    if (name == "*" && !word) {
      terms.back() = binary(SizeOp::Mul, terms.back(), rhs);
    } else if ((name == "/" && !word) || (name == "div" && word)) {
      terms.back() = binary(SizeOp::Div, terms.back(), rhs);
    } else {
      if (word || (name != "+" && name != "-")) {
        report(span_of(operators[i]), "bad-size-operator",
               fmt::format("`{}` is not an operator on sizes", name),
               "sizes are made with `+`, `-`, `*` and `/`");
        flush();
      }
      terms.push_back(rhs);
      additions.push_back(name == "-" ? SizeOp::Sub : SizeOp::Add);
    }
  }
  TypeId result = terms[0];
  for (std::size_t i = 0; i < additions.size(); ++i)
    result = binary(additions[i], result, terms[i + 1]);
  return result;
}

TypeId Builder::applied_type(DvmParser::AppTypeContext* tree) {
  const auto parts = tree->atype();
  const TypeId head = atomic_type(parts[0]);
  if (parts.size() == 1) return head;
  TypeApply apply{head, {}};
  for (std::size_t i = 1; i < parts.size(); ++i) apply.args.push_back(atomic_type(parts[i]));
  return push_type(std::move(apply), span_of(tree));
}

TypeId Builder::atomic_type(DvmParser::AtypeContext* tree) {
  const Span span = span_of(tree);
  if (auto* name = dynamic_cast<DvmParser::TypeNameContext*>(tree)) {
    return push_type(TypeConstructor{bracketed_name(name->qcon())}, span);
  }
  if (dynamic_cast<DvmParser::TypeVarContext*>(tree) != nullptr)
    return push_type(TypeVariable{name_at(span)}, span);
  if (dynamic_cast<DvmParser::SizeNumberContext*>(tree) != nullptr) {
    const IntegerLiteral literal = integer(span);
    if (literal.too_large || literal.value > static_cast<std::uint64_t>(INT64_MAX)) {
      report(span, "size-too-large",
             fmt::format("the size {} is larger than 2^63 - 1", literal.text));
      flush();
      return push_type(SizeLiteral{0}, span);
    }
    return push_type(SizeLiteral{static_cast<std::int64_t>(literal.value)}, span);
  }
  if (auto* unknown = dynamic_cast<DvmParser::SizeUnknownContext*>(tree)) {
    if (unknown->UNKNOWN_SIZE() == nullptr) return push_type(SizeUnknown{}, span);
    return push_type(SizeUnknown{text_of(unknown->UNKNOWN_SIZE()).substr(1)}, span);
  }
  if (auto* parens = dynamic_cast<DvmParser::TypeParensContext*>(tree)) return parens_type(parens);
  TypeSizes sizes;
  for (DvmParser::TypeContext* dim : static_cast<DvmParser::TypeBracketsContext*>(tree)->type())
    sizes.dims.push_back(type(dim));
  return push_type(std::move(sizes), span);
}

TypeId Builder::parens_type(DvmParser::TypeParensContext* tree) {
  const Span span = span_of(tree);
  const auto types = tree->type();
  if (tree->DCOLON() != nullptr) {
    report(span, "misplaced-size-binder",
           "`(name :: Int)` can only be a parameter of a function type", "",
           "write `(k :: Int) -> …`");
    flush();
    return type(types[1]);
  }
  if (types.size() == 1) return push_type(TypeParen{type(types[0])}, span);
  TypeTuple tuple;
  for (DvmParser::TypeContext* part : types) tuple.parts.push_back(type(part));
  return push_type(std::move(tuple), span);
}

void Builder::constraint(TypeId type, std::vector<Constraint>& into) {
  const Type& tree = arena_.types[type];
  if (const auto* apply = std::get_if<TypeApply>(&tree.node);
      apply != nullptr && apply->args.size() == 1) {
    if (const auto* head = std::get_if<TypeConstructor>(&arena_.types[apply->head].node)) {
      into.push_back({head->name, apply->args[0]});
      return;
    }
  }
  report(tree.span, "bad-context", "this is not a class constraint",
         "expected a class and one type, like `Num a`");
  flush();
}

std::vector<Constraint> Builder::context(TypeId type) {
  std::vector<Constraint> constraints;
  TypeId inner = type;
  while (const auto* paren = std::get_if<TypeParen>(&arena_.types[inner].node))
    inner = paren->inner;
  if (const auto* tuple = std::get_if<TypeTuple>(&arena_.types[inner].node)) {
    const std::vector<TypeId> parts = tuple->parts;
    for (TypeId part : parts) constraint(part, constraints);
  } else {
    constraint(inner, constraints);
  }
  return constraints;
}

}  // namespace dvm::parse
