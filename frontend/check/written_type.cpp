// Types as written in signatures, annotations and declarations, to types of inference.
#include <algorithm>
#include <variant>

#include "frontend/check/type_context.hpp"

namespace dvm::check {

const TypeName* Checker::find_type_name(const std::string& name) const {
  auto found = type_names_.find(name);
  return found == type_names_.end() || found->second.empty() ? nullptr : &found->second.back();
}

// ---- signatures
Scheme Checker::convert_signature(const ast::QualifiedType& type, TypeNames& own_names) {
  Scheme scheme;
  TypeContext context;
  context.scheme = &scheme;
  context.own_names = &own_names;
  context.exists = &scheme.unknowns;
  scheme.type = convert(type.type, context);
  convert_context(type.context, context);
  for (const auto& [name, entry] : own_names) type_names_[name].pop_back();
  return scheme;
}

void Checker::convert_context(const std::vector<ast::Constraint>& constraints,
                              TypeContext& context) {
  for (const ast::Constraint& constraint : constraints) convert_constraint(constraint, context);
}

void Checker::convert_constraint(const ast::Constraint& constraint, TypeContext& context) {
  auto of = find_class(constraint.class_name);
  ast::TypeId id = constraint.type;
  while (auto* paren = std::get_if<ast::TypeParen>(&node(id).node)) id = paren->inner;
  const auto* variable = std::get_if<ast::TypeVariable>(&node(id).node);
  if (variable) {
    const TypeName* name = find_type_name(variable->name.text);
    if (!name || name->is_size) {
      error("ambiguous-type",
            "the constraint is on `" + variable->name.text + "`, which the type does not mention",
            variable->name.span, "not in the type");
      return;
    }
    if (!of) return;
    bool own = std::any_of(
        context.own_names->begin(), context.own_names->end(),
        [&](const auto& entry) { return !entry.second.is_size && entry.second.id == name->id; });
    if (own)
      store_.variables[name->id].mask |= classes_[*of].closure;
    else  // a variable of what surrounds the signature
      context.scheme->context.push_back({*of, store_.variable(name->id)});
    return;
  }
  if (!of) return;
  std::size_t types = context.scheme->types.size();
  TypePtr type = TypeStore::prune(convert(id, context));
  if (context.scheme->types.size() != types) {
    error("ambiguous-type", "this constraint has type variables that the type does not mention",
          node(id).span, "not all of them are in the type");
    return;
  }
  // What no variable of a caller can change is settled here.
  if (type->generic) {
    context.scheme->context.push_back({*of, type});
    return;
  }
  store_.needs.push_back({node(id).span, "this context"});
  failure_ = {};
  if (!require(type, ClassSet{*of}, &store_.needs.back())) {
    Reason reason;
    reason.span = node(id).span;
    Failure failure = failure_;
    report_class(reason, failure);
  }
}

TypePtr Checker::convert(ast::TypeId id, TypeContext& context) {
  const ast::Type& type = node(id);
  if (auto* paren = std::get_if<ast::TypeParen>(&type.node)) return convert(paren->inner, context);
  if (auto* variable = std::get_if<ast::TypeVariable>(&type.node))
    return convert_variable(variable->name, context);
  if (auto* arrow = std::get_if<ast::TypeFunction>(&type.node))
    return convert_arrow(*arrow, context);
  if (auto* apply = std::get_if<ast::TypeApply>(&type.node))
    return convert_application(id, *apply, context);
  if (auto* constructor = std::get_if<ast::TypeConstructor>(&type.node)) {
    auto entity = find_type(constructor->name);
    return entity ? convert_entity(*entity, constructor->name, {}, type.span, context)
                  : store_.error();
  }
  if (auto* tuple = std::get_if<ast::TypeTuple>(&type.node)) {
    std::vector<TypePtr> parts;
    for (auto part : tuple->parts) parts.push_back(convert(part, context));
    if (parts.size() > 7)
      error("tuple-too-long", "a tuple has at most 7 parts", type.span, "use a record");
    return store_.tuple(std::move(parts));
  }
  if (auto* brackets = std::get_if<ast::TypeSizes>(&type.node);
      brackets && brackets->dims.size() == 1)
    report_list_type(type.span, node(brackets->dims[0]).span);
  else
    error("not-a-type", "a size stands where a type is expected", type.span, "this is a size");
  return store_.error();
}

TypePtr Checker::convert_variable(const ast::Name& name, TypeContext& context) {
  auto wrong_kind = [&] {
    error("size-as-type", "`" + name.text + "` is a size, but stands where a type is expected",
          name.span, "a size elsewhere in this type");
    return store_.error();
  };
  if (context.params) {
    auto found = context.params->find(name.text);
    if (found == context.params->end()) {
      unknown_name(name, "type variable", {});
      return store_.error();
    }
    if (!std::holds_alternative<TypePtr>(found->second)) return wrong_kind();
    return std::get<TypePtr>(found->second);
  }
  if (const TypeName* known = find_type_name(name.text)) {
    if (known->is_size) return wrong_kind();
    return store_.variable(known->id);
  }
  if (!context.scheme) {
    unknown_name(name, "type variable", {});
    return store_.error();
  }
  store_.variables.push_back({name.text, name.span, {}, 0, nullptr});
  TypeName entry{false, static_cast<std::uint32_t>(store_.variables.size() - 1)};
  context.scheme->types.push_back(entry.id);
  context.own_names->emplace_back(name.text, entry);
  type_names_[name.text].push_back(entry);
  return store_.variable(entry.id);
}

TypePtr Checker::convert_arrow(const ast::TypeFunction& arrow, TypeContext& context) {
  std::vector<Symbol>* outer_exists = context.exists;
  bool outer_in_param = context.in_param;
  context.exists = nullptr;
  context.in_param = true;
  TypePtr param = convert(arrow.param, context);
  context.in_param = outer_in_param;
  std::optional<Size> arg_size;
  if (arrow.binder) {
    if (param->kind != Kind::Error && param != int_type()) {
      error("size-not-int", "a size is an `Int`", node(arrow.param).span,
            "`" + arrow.binder->text + "` must have type `Int` to be a size");
    } else if (context.in_param || !context.scheme) {
      not_supported("a parameter that is a function of a size", arrow.binder->span);
    } else {
      const TypeName* known = find_type_name(arrow.binder->text);
      if (known && !known->is_size) {
        error("size-as-type", "`" + arrow.binder->text + "` is a type elsewhere in this signature",
              arrow.binder->span, "a size here");
      } else {
        TypeName entry;
        if (known) {
          entry = *known;
        } else {
          entry = {true, store_.symbol(SymbolKind::Rigid, arrow.binder->text,
                                       "a size of the signature", arrow.binder->span, 0, 0)};
          context.scheme->sizes.push_back(entry.id);
          context.own_names->emplace_back(arrow.binder->text, entry);
          type_names_[arrow.binder->text].push_back(entry);
        }
        arg_size = Size::symbol(entry.id);
      }
    }
  }
  ast::TypeId last = arrow.result;
  while (auto* paren = std::get_if<ast::TypeParen>(&node(last).node)) last = paren->inner;
  std::vector<Symbol> exists;
  TypePtr result;
  if (std::holds_alternative<ast::TypeFunction>(node(last).node)) {
    result = convert(arrow.result, context);
  } else {
    auto outer_names = std::move(context.named_unknowns);
    context.named_unknowns.clear();
    context.exists = &exists;
    result = convert(arrow.result, context);
    context.named_unknowns = std::move(outer_names);
  }
  context.exists = outer_exists;
  return store_.function(param, result, arg_size, std::move(exists));
}

TypePtr Checker::convert_application(ast::TypeId id, const ast::TypeApply& apply,
                                     TypeContext& context) {
  ast::TypeId head = apply.head;
  while (auto* paren = std::get_if<ast::TypeParen>(&node(head).node)) head = paren->inner;
  const auto* constructor = std::get_if<ast::TypeConstructor>(&node(head).node);
  if (!constructor) {
    error("not-a-type", "this type takes no arguments", node(apply.head).span,
          "only type constructors do");
    return store_.error();
  }
  auto entity = find_type(constructor->name);
  if (!entity) return store_.error();
  return convert_entity(*entity, constructor->name, apply.args, node(id).span, context);
}

TypePtr Checker::convert_entity(TypeEntity entity, const ast::Name& name,
                                const std::vector<ast::TypeId>& args, Span span,
                                TypeContext& context) {
  auto want = [&](std::size_t count, const std::string& form) {
    if (args.size() == count) return true;
    error("wrong-type-arguments",
          "`" + name.text + "` takes " + std::to_string(count) +
              (count == 1 ? " argument" : " arguments") + ", but " + std::to_string(args.size()) +
              (args.size() == 1 ? " is given" : " are given"),
          span, "write `" + form + "`");
    return false;
  };
  switch (entity.sort) {
    case TypeEntity::Scalar:
      return want(0, name.text) ? store_.scalar(static_cast<ElementType>(entity.id))
                                : store_.error();
    case TypeEntity::String:
      if (!want(0, name.text)) return store_.error();
      if (scope_->name != "Prelude") {
        error("string-type", "there are no strings besides the messages of `error` and `assert`",
              span, "not a type of values");
        return store_.error();
      }
      return store_.string();
    case TypeEntity::Vec: {
      if (!want(2, "Vec n a")) return store_.error();
      Size length = convert_size(args[0], context);
      return store_.array(length, convert(args[1], context));
    }
    case TypeEntity::Mat: {
      if (!want(3, "Mat n m a")) return store_.error();
      Size rows = convert_size(args[0], context), columns = convert_size(args[1], context);
      return store_.array(rows, store_.array(columns, convert(args[2], context)));
    }
    case TypeEntity::Array: {
      if (!want(2, "Array [n, m] a")) return store_.error();
      const auto* sizes = std::get_if<ast::TypeSizes>(&node(args[0]).node);
      if (!sizes) {
        error("wrong-type-arguments", "`Array` takes its sizes in brackets", node(args[0]).span,
              "write `Array [n, m] a`");
        return store_.error();
      }
      std::vector<Size> dims;
      for (auto dim : sizes->dims) dims.push_back(convert_size(dim, context));
      TypePtr type = convert(args[1], context);
      for (std::size_t i = dims.size(); i-- > 0;) type = store_.array(dims[i], type);
      return type;
    }
    case TypeEntity::Data: {
      kinds_of(entity);
      const DataRecord& record = datas_[entity.id];
      if (!want(record.param_names.size(), name.text + " …")) return store_.error();
      std::vector<TypePtr> types;
      std::vector<Size> sizes;
      for (std::size_t i = 0; i < args.size(); ++i) {
        bool size = i < record.param_is_size.size() && record.param_is_size[i];
        if (size)
          sizes.push_back(convert_size(args[i], context));
        else
          types.push_back(convert(args[i], context));
      }
      return store_.data(entity.id, std::move(types), std::move(sizes));
    }
    case TypeEntity::Class:
      error("class-as-type", "`" + name.text + "` is a class, but stands where a type is expected",
            span, "classes stand before `=>`");
      return store_.error();
    case TypeEntity::Synonym:
      break;
  }
  kinds_of(entity);
  SynonymRecord& record = synonyms_[entity.id];
  const auto& decl = std::get<ast::TypeSynonym>(node(record.decl).node);
  if (record.expanding) {
    error("cyclic-type", "the type `" + record.name + "` is defined by itself", record.span,
          "a cycle starts here");
    return store_.error();
  }
  if (!want(decl.params.size(), name.text + " …")) return store_.error();
  std::map<std::string, std::variant<TypePtr, Size>> params;
  for (std::size_t i = 0; i < args.size(); ++i) {
    bool size = i < record.param_is_size.size() && record.param_is_size[i];
    if (size)
      params.emplace(decl.params[i].text, convert_size(args[i], context));
    else
      params.emplace(decl.params[i].text, convert(args[i], context));
  }
  record.expanding = true;
  ModuleScope* outer = scope_;
  scope_ = module_scope(record.module);
  TypeContext inner;
  inner.params = &params;
  TypePtr type = convert(decl.type, inner);
  scope_ = outer;
  record.expanding = false;
  return type;
}

Size Checker::convert_size(ast::TypeId id, TypeContext& context) {
  const ast::Type& type = node(id);
  if (auto* paren = std::get_if<ast::TypeParen>(&type.node))
    return convert_size(paren->inner, context);
  if (auto* literal = std::get_if<ast::SizeLiteral>(&type.node)) return Size(literal->value);
  if (auto* variable = std::get_if<ast::TypeVariable>(&type.node)) {
    const ast::Name& name = variable->name;
    auto wrong_kind = [&] {
      error("type-as-size", "`" + name.text + "` is a type, but stands where a size is expected",
            name.span, "a type elsewhere");
      return Size(0);
    };
    if (context.params) {
      auto found = context.params->find(name.text);
      if (found == context.params->end()) {
        unknown_name(name, "size variable", {});
        return Size(0);
      }
      if (!std::holds_alternative<Size>(found->second)) return wrong_kind();
      return std::get<Size>(found->second);
    }
    if (const TypeName* known = find_type_name(name.text))
      return known->is_size ? Size::symbol(known->id) : wrong_kind();
    if (!context.scheme) {
      unknown_name(name, "size variable", {});
      return Size(0);
    }
    TypeName entry{true, store_.symbol(SymbolKind::Rigid, name.text, "a size of the signature",
                                       name.span, 0, 0)};
    context.scheme->sizes.push_back(entry.id);
    context.own_names->emplace_back(name.text, entry);
    type_names_[name.text].push_back(entry);
    return Size::symbol(entry.id);
  }
  if (auto* binary = std::get_if<ast::SizeBinary>(&type.node)) {
    Size lhs = convert_size(binary->lhs, context), rhs = convert_size(binary->rhs, context);
    switch (binary->op) {
      case ast::SizeOp::Add:
        return lhs + rhs;
      case ast::SizeOp::Sub:
        return lhs - rhs;
      case ast::SizeOp::Mul:
        return lhs * rhs;
      case ast::SizeOp::Div:
        break;
    }
    auto divisor = rhs.constant();
    if (divisor && *divisor > 0) return Size::quotient(lhs, *divisor);
    error("invalid-size", "a size is divided by a positive literal only", node(binary->rhs).span,
          "not a positive literal");
    return Size(0);
  }
  if (auto* unknown_size = std::get_if<ast::SizeUnknown>(&type.node)) {
    if (!context.exists) {
      error("unknown-size-here",
            "`?` stands only in the result of a function or the type of a value", type.span,
            "not in a parameter or a field");
      return Size(0);
    }
    if (unknown_size->name) {
      auto known = context.named_unknowns.find(*unknown_size->name);
      if (known != context.named_unknowns.end()) return Size::symbol(known->second);
    }
    Symbol symbol =
        store_.symbol(SymbolKind::Unknown, unknown_size->name ? "?" + *unknown_size->name : "",
                      "the unknown size that this type declares", type.span, 0, 0);
    if (unknown_size->name) context.named_unknowns[*unknown_size->name] = symbol;
    context.exists->push_back(symbol);
    return Size::symbol(symbol);
  }
  error("not-a-size", "a type stands where a size is expected", type.span, "this is a type");
  return Size(0);
}

}  // namespace dvm::check
