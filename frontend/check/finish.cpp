// The tables of typed::Program: everything zonked, arrays flattened.
#include "frontend/check/finish.hpp"

namespace dvm::check {

// ---- conversion
Size Finisher::size(const Size& from) {
  Size looked = c_.store_.zonk(from);
  if (looked.constant()) return looked;
  return looked.substitute([&](Symbol symbol) {
    if (c_.store_.symbols[symbol].kind == SymbolKind::Meta) return Size(0);
    return Size::symbol(symbol_id(symbol).index);
  });
}

typed::SizeVarId Finisher::symbol_id(Symbol symbol) {
  SizeSymbol& entry = c_.store_.symbols[symbol];
  if (entry.final_id == ~std::uint32_t{0}) {
    std::string name = entry.name;
    if (name.empty()) name = "?" + std::to_string(++unnamed_);
    entry.final_id = out_.size_vars.push({name, entry.origin, entry.span, entry.changes}).index;
  }
  return typed::SizeVarId{entry.final_id};
}

typed::TypeRef Finisher::type(TypePtr from) {
  from = TypeStore::prune(from);
  if (!from->final) from->final = std::make_shared<typed::Type>(build(from));
  return from->final;
}

typed::Type Finisher::build(TypePtr from) {
  switch (from->kind) {
    case Kind::Scalar:
      return {typed::ScalarType{from->element}};
    case Kind::String:
      return {typed::StringType{}};
    case Kind::Variable:
      return {typed::VariableType{typed::TypeVarId{from->id}}};
    case Kind::Array: {
      typed::ArrayType array;
      TypePtr at = from;
      for (; at->kind == Kind::Array; at = TypeStore::prune(at->parts[0]))
        array.shape.push_back(size(at->sizes[0]));
      array.element = type(at);
      return {std::move(array)};
    }
    case Kind::Tuple: {
      typed::TupleType tuple;
      for (TypePtr part : from->parts) tuple.parts.push_back(type(part));
      return {std::move(tuple)};
    }
    case Kind::Data: {
      typed::DataType data;
      data.data = typed::DataId{from->id};
      for (TypePtr part : from->parts) data.type_args.push_back(type(part));
      for (const Size& part : from->sizes) data.size_args.push_back(size(part));
      return {std::move(data)};
    }
    case Kind::Function: {
      typed::FunctionType function;
      function.param = type(from->parts[0]);
      function.result = type(from->parts[1]);
      if (!from->sizes.empty()) {
        auto symbol = c_.store_.zonk(from->sizes[0]).as_symbol();
        if (symbol && c_.store_.symbols[*symbol].kind != SymbolKind::Meta)
          function.binder = symbol_id(*symbol);
      }
      for (Symbol bound : from->exists) function.unknowns.push_back(symbol_id(bound));
      return {std::move(function)};
    }
    default:
      return {typed::TupleType{}};
  }
}

typed::Scheme Finisher::scheme(const Scheme& from, TypePtr mono) {
  typed::Scheme result;
  for (std::uint32_t id : from.types) {
    result.types.push_back(typed::TypeVarId{id});
    c_.classes_.minimal(c_.store_.variables[id].mask).each([&](ClassId of) {
      result.constraints.push_back({of, type(c_.store_.variable(id))});
    });
  }
  for (const Constraint& constraint : from.context)
    result.constraints.push_back({constraint.of, type(constraint.type)});
  for (Symbol symbol : from.sizes) result.sizes.push_back(symbol_id(symbol));
  for (Symbol symbol : from.unknowns) result.unknowns.push_back(symbol_id(symbol));
  TypePtr type_of = mono ? mono : from.type;
  result.type =
      type_of ? type(type_of) : std::make_shared<typed::Type>(typed::Type{typed::TupleType{}});
  return result;
}

void Finisher::bindings() {
  for (const BindingInfo& from : c_.bindings_) {
    typed::Binding binding;
    binding.name = from.name;
    binding.module = from.module;
    binding.kind = from.kind;
    binding.span = from.span;
    binding.decl = from.decl;
    binding.signature = from.signature;
    binding.data = from.data;
    binding.of = from.of;
    binding.part = from.part;
    binding.recursive = from.recursive;
    binding.builtin = from.builtin;
    binding.scheme = scheme(from.scheme, from.has_scheme ? nullptr : from.type);
    for (const auto& [name, symbol] : from.size_names)
      binding.size_names.emplace_back(name, symbol_id(symbol));
    if (from.symbol) binding.size_symbol = symbol_id(*from.symbol);
    out_.bindings.push(std::move(binding));
  }
  for (const DataRecord& from : c_.datas_) {
    typed::DataInfo data;
    data.name = from.name;
    for (std::uint32_t id : from.type_params) data.type_params.push_back(typed::TypeVarId{id});
    for (Symbol symbol : from.size_params) data.size_params.push_back(symbol_id(symbol));
    for (const auto& [of, span] : from.deriving)
      data.deriving.push_back(typed::builtin_class::names[of.index]);
    data.is_newtype = from.is_newtype;
    for (const auto& entry : from.constructors) {
      typed::ConstructorInfo constructor;
      constructor.binding = entry.binding;
      constructor.name = entry.name;
      constructor.field_names = entry.field_names;
      for (TypePtr field : entry.fields) constructor.field_types.push_back(type(field));
      data.constructors.push_back(std::move(constructor));
    }
    out_.datas.push(std::move(data));
  }
}

void Finisher::classes() {
  for (std::uint32_t i = 0; i < c_.classes_.size(); ++i) {
    const ClassRecord& from = c_.classes_[ClassId{i}];
    typed::ClassInfo result{from.name, from.module, from.span, from.superclasses, {}};
    for (const MethodRecord& method : from.methods)
      result.methods.push_back({method.name, method.binding, method.fallback});
    out_.classes.push(std::move(result));
  }
  for (const InstanceRecord& from : c_.instances_) {
    typed::InstanceInfo result;
    result.of = from.of;
    result.head = type(from.head);
    for (std::uint32_t id : from.types) {
      result.types.push_back(typed::TypeVarId{id});
      c_.classes_.minimal(c_.store_.variables[id].mask).each([&](ClassId of) {
        result.context.push_back({of, type(c_.store_.variable(id))});
      });
    }
    for (Symbol symbol : from.sizes) result.sizes.push_back(symbol_id(symbol));
    result.methods = from.methods;
    result.derived = !from.decl;
    result.span = from.span;
    out_.instances.push_back(std::move(result));
  }
}

void Finisher::syntax() {
  for (std::uint32_t i = 0; i < c_.expr_types_.size(); ++i) {
    ast::ExprId id{i};
    out_.expr_types.push(c_.expr_types_[id] ? type(c_.expr_types_[id]) : nullptr);
    std::vector<typed::SizeVarId> opened;
    for (Symbol symbol : c_.opened_[id]) opened.push_back(symbol_id(symbol));
    out_.opened.push(std::move(opened));
    std::optional<typed::Use> use;
    if (c_.use_index_[id] >= 0) {
      const UseInfo& from = c_.uses_[static_cast<std::size_t>(c_.use_index_[id])];
      use.emplace();
      use->binding = from.binding;
      if (from.size) use->size = symbol_id(*from.size);
      for (TypePtr arg : from.type_args) use->type_args.push_back(type(arg));
      for (const Size& arg : from.size_args) use->size_args.push_back(size(arg));
    }
    out_.uses.push(std::move(use));
  }
  for (std::uint32_t i = 0; i < c_.pattern_types_.size(); ++i) {
    ast::PatternId id{i};
    out_.pattern_types.push(c_.pattern_types_[id] ? type(c_.pattern_types_[id]) : nullptr);
    out_.pattern_bindings.push(c_.pattern_bindings_[id]);
    out_.pattern_constructors.push(c_.pattern_constructors_[id]);
  }
  for (std::uint32_t i = 0; i < c_.decl_bindings_.size(); ++i)
    out_.decl_bindings.push(c_.decl_bindings_[ast::DeclId{i}]);
}

typed::Program Checker::finish() {
  typed::Program result;
  result.ast = &program_;
  for (const TypeVariable& variable : store_.variables)
    result.type_var_names.push_back(variable.name);
  Finisher finisher(*this, result);
  finisher.bindings();
  finisher.classes();
  finisher.syntax();
  finisher.entries();
  return result;
}

}  // namespace dvm::check
