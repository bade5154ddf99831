// Declarations other than equations: fixities, pragmas, data, types, classes, instances.
#include <fmt/format.h>

#include "frontend/parse/builder.hpp"

namespace dvm::parse {

using namespace ast;

Builder::RawDecl Builder::raw_decl(DvmParser::DeclContext* tree) {
  if (auto* binding = dynamic_cast<DvmParser::BindingDeclContext*>(tree))
    return binding_decl(binding);
  RawDecl raw;
  raw.span = span_of(tree);
  raw.doc = doc_before(tree);
  if (auto* fixity = dynamic_cast<DvmParser::FixityDeclContext*>(tree)) {
    raw.decl = fixity_decl(fixity);
  } else {
    raw.decl = pragma(raw.span);
  }
  return raw;
}

Decl Builder::fixity_decl(DvmParser::FixityDeclContext* tree) {
  FixityDecl result;
  result.associativity = tree->INFIXL() != nullptr   ? Associativity::Left
                         : tree->INFIXR() != nullptr ? Associativity::Right
                                                     : Associativity::None;
  result.precedence = 9;
  if (tree->INTEGER() != nullptr) {
    const IntegerLiteral level = integer(span_of(tree->INTEGER()));
    if (level.too_large || level.value > 9) {
      report(span_of(tree->INTEGER()), "bad-precedence",
             fmt::format("the precedence {} does not exist", level.text),
             "precedences go from 0 to 9");
      flush();
    } else {
      result.precedence = static_cast<int>(level.value);
    }
  }
  for (DvmParser::OpContext* op : tree->op()) result.operators.push_back(operator_of(op).name);
  return Decl{std::move(result), span_of(tree), ""};
}

// `{-# INLINE f #-}`: keyword and text.
Decl Builder::pragma(Span span) {
  std::string_view text =
      std::string_view(source_.file.text).substr(span.begin + 3, span.end - span.begin - 6);
  auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  std::size_t word = 0;
  while (word < text.size() && !blank(text[word])) ++word;
  PragmaDecl result{std::string(text.substr(0, word)), ""};
  while (word < text.size() && blank(text[word])) ++word;
  result.text = std::string(text.substr(word));
  return Decl{std::move(result), span, ""};
}

ConstructorDecl Builder::constructor(DvmParser::ConstructorContext* tree) {
  ConstructorDecl result;
  if (auto* record = dynamic_cast<DvmParser::RecordConstructorContext*>(tree)) {
    result.name = bracketed_name(record->con());
    result.is_record = true;
    for (DvmParser::FieldContext* field : record->field()) {
      const TypeId field_type = type(field->type());
      for (DvmParser::VarContext* name : field->var())
        result.fields.push_back({bracketed_name(name), field_type});
    }
  } else if (auto* plain = dynamic_cast<DvmParser::PlainConstructorContext*>(tree)) {
    result.name = bracketed_name(plain->con());
    for (DvmParser::StrictTypeContext* part : plain->strictType())
      result.args.push_back(atomic_type(part->atype()));
  } else {
    auto* infix = static_cast<DvmParser::InfixConstructorContext*>(tree);
    result.name = operator_of(infix->conOp()).name;
    // Several types before the operator are one application: `Vec n a :| a`.
    std::vector<TypeId> sides[2];
    bool right = false;
    for (antlr4::tree::ParseTree* child : infix->children) {
      if (auto* part = dynamic_cast<DvmParser::StrictTypeContext*>(child)) {
        sides[right ? 1 : 0].push_back(atomic_type(part->atype()));
      } else {
        right = true;
      }
    }
    for (std::vector<TypeId>& side : sides) {
      if (side.size() == 1) {
        result.args.push_back(side[0]);
        continue;
      }
      const Span span = join(arena_.types[side.front()].span, arena_.types[side.back()].span);
      result.args.push_back(push_type(TypeApply{side[0], {side.begin() + 1, side.end()}}, span));
    }
  }
  return result;
}

Builder::RawDecl Builder::data_decl(DvmParser::DataDeclContext* tree) {
  DataDecl result;
  result.name = bracketed_name(tree->con());
  result.is_newtype = tree->NEWTYPE() != nullptr;
  for (DvmParser::TyVarContext* param : tree->tyVar()) result.params.push_back(simple_name(param));
  for (DvmParser::ConstructorContext* part : tree->constructor())
    result.constructors.push_back(constructor(part));
  for (DvmParser::DerivingContext* part : tree->deriving()) {
    for (DvmParser::QconContext* name : part->qcon())
      result.deriving.push_back(bracketed_name(name));
  }
  if (result.is_newtype) {
    const bool one = result.constructors.size() == 1 &&
                     result.constructors[0].args.size() + result.constructors[0].fields.size() == 1;
    if (!one) {
      report(result.name.span, "invalid-newtype",
             fmt::format("the newtype `{}` needs one constructor with one field", result.name.text),
             "", "use `data`");
      flush();
    }
  }
  RawDecl raw;
  raw.decl.node = std::move(result);
  return raw;
}

Builder::RawDecl Builder::type_synonym(DvmParser::TypeSynonymContext* tree) {
  TypeSynonym result;
  result.name = bracketed_name(tree->con());
  for (DvmParser::TyVarContext* param : tree->tyVar()) result.params.push_back(simple_name(param));
  result.type = type(tree->type());
  RawDecl raw;
  raw.decl.node = std::move(result);
  return raw;
}

Builder::RawDecl Builder::class_decl(DvmParser::ClassDeclContext* tree) {
  ClassDecl result;
  const auto types = tree->type();
  if (types.size() > 1) result.context = context(type(types[0]));
  std::vector<Constraint> head;
  constraint(type(types.back()), head);
  if (!head.empty()) {
    result.name = head[0].class_name;
    if (const auto* param = std::get_if<TypeVariable>(&arena_.types[head[0].type].node)) {
      result.param = param->name;
    } else {
      report(arena_.types[head[0].type].span, "bad-class", "a class has one type variable",
             "expected a type variable");
      flush();
    }
  }
  if (tree->declBlock() != nullptr) {
    // Methods are top-level names, so their fixities are the module's.
    result.decls = block(tree->declBlock(), root_, true);
    for (const DeclId decl : result.decls) {
      const auto* signature = std::get_if<Signature>(&arena_.decls[decl].node);
      if (signature == nullptr) continue;
      for (const Name& name : signature->names) scopes_.bind(root_, name.text);
    }
  }
  RawDecl raw;
  raw.decl.node = std::move(result);
  return raw;
}

Builder::RawDecl Builder::instance_decl(DvmParser::InstanceDeclContext* tree) {
  InstanceDecl result;
  const auto types = tree->type();
  if (types.size() > 1) result.context = context(type(types[0]));
  std::vector<Constraint> head;
  constraint(type(types.back()), head);
  if (!head.empty()) {
    result.class_name = head[0].class_name;
    result.type = head[0].type;
  }
  if (tree->declBlock() != nullptr)
    result.decls = block(tree->declBlock(), scopes_.open(root_), true);
  RawDecl raw;
  raw.decl.node = std::move(result);
  return raw;
}

}  // namespace dvm::parse
