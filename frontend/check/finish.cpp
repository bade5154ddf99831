// The tables of typed::Program: everything zonked, arrays flattened.
#include "frontend/check/finish.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "frontend/check/namer.hpp"

namespace dvm::check {

// ---- last checks
void Checker::finish_literals() {
  for (const LiteralUse& use : literals_) {
    TypePtr type = TypeStore::prune(use.type);
    if (type->kind != Kind::Scalar || type->element == ElementType::Bool) {
      if (use.too_large && type->kind != Kind::Error)
        error("literal-out-of-range", "the literal `" + use.text + "` is too large", use.span,
              "more than 64 bits");
      continue;
    }
    ElementType element = type->element;
    std::string shown = (use.negative ? "-" : "") + use.text;
    std::string name(facts(element).surface);
    bool fits = true;
    std::string range;
    if (is_float(element)) {
      double value = use.is_float ? use.real : static_cast<double>(use.value);
      fits = !use.too_large && std::isfinite(value);
      if (element == ElementType::F32) fits = fits && std::isfinite(static_cast<float>(value));
      range = "too large for a `" + name + "`";
    } else {
      int bits = byte_size(element) * 8;
      std::uint64_t top = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
      if (is_signed(element)) top >>= 1;
      std::uint64_t limit = use.negative ? (is_signed(element) ? top + 1 : 0) : top;
      fits = !use.too_large && use.value <= limit;
      range = is_signed(element) ? "-" + std::to_string(top + 1) : "0";
      range = std::string(name[0] == 'I' ? "an" : "a") + " `" + name + "` goes from " + range +
              " to " + std::to_string(top);
    }
    if (!fits)
      error("literal-out-of-range", "`" + shown + "` is no `" + name + "`", use.span, range);
  }
}

void Checker::finish_uses() {
  for (std::size_t e = 0; e < use_index_.size(); ++e) {
    ast::ExprId expr{static_cast<std::uint32_t>(e)};
    if (use_index_[expr] < 0) continue;
    const UseInfo& use = uses_[static_cast<std::size_t>(use_index_[expr])];
    if (use.binding.valid()) finish_use(expr, use);
  }
}

// Sizes that only the result of a function has must be settled, and so must those of a type by
// which a method is found that only its result has (`zero` of arrays).
void Checker::finish_use(ast::ExprId expr, const UseInfo& use) {
  const Scheme& scheme = info(use.binding).scheme;
  const std::string& name = info(use.binding).name;
  auto open = [&](const Size& size) {
    bool meta = false;
    store_.zonk(size).symbols(
        [&](Symbol symbol) { meta |= store_.symbols[symbol].kind == SymbolKind::Meta; });
    return meta;
  };
  auto in_param = [&](auto&& mentions) {
    TypePtr type = scheme.type ? TypeStore::prune(scheme.type) : store_.error();
    for (; type->kind == Kind::Function; type = TypeStore::prune(type->parts[1]))
      if (mentions(type)) return true;
    return false;
  };
  for (std::size_t i = 0; i < use.size_args.size() && i < scheme.sizes.size(); ++i) {
    if (!open(use.size_args[i])) continue;
    bool settled = in_param([&](TypePtr arrow) {
      bool found = store_.mentions(arrow->parts[0], scheme.sizes[i]);
      for (const Size& size : arrow->sizes) found |= store_.zonk(size).mentions(scheme.sizes[i]);
      return found;
    });
    if (!settled)
      ambiguous_size(expr, "the size `" + store_.symbols[scheme.sizes[i]].name + "` of `" + name +
                               "` is not settled");
  }
  for (std::size_t i = 0; i < use.type_args.size() && i < scheme.types.size(); ++i) {
    if (!store_.variables[scheme.types[i]].mask) continue;
    auto any_open = [&](auto&& self, TypePtr type) -> bool {
      type = TypeStore::prune(type);
      return std::any_of(type->sizes.begin(), type->sizes.end(), open) ||
             std::any_of(type->parts.begin(), type->parts.end(),
                         [&](TypePtr part) { return self(self, part); });
    };
    auto is_in = [&](auto&& self, TypePtr type) -> bool {
      type = TypeStore::prune(type);
      if (type->kind == Kind::Variable) return type->id == scheme.types[i];
      return std::any_of(type->parts.begin(), type->parts.end(),
                         [&](TypePtr part) { return self(self, part); });
    };
    if (!TypeStore::prune(use.type_args[i])->generic || !any_open(any_open, use.type_args[i]))
      continue;
    if (!in_param([&](TypePtr arrow) { return is_in(is_in, arrow->parts[0]); }))
      ambiguous_size(expr, "the size of the array that `" + name + "` gives is not settled");
  }
}

void Checker::ambiguous_size(ast::ExprId expr, const std::string& message) {
  Diagnostic diagnostic;
  diagnostic.code = "ambiguous-size";
  diagnostic.message = message;
  diagnostic.span = node(expr).span;
  diagnostic.label = "nothing around this says which size is meant";
  diagnostic.help.push_back("give the result a type with an annotation `(… :: T)`");
  out_.add(std::move(diagnostic));
}

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

namespace {
// Whether a value of the type can come from or go to a file.
bool is_data(const typed::TypeRef& type) {
  const auto& node = type->node;
  if (std::holds_alternative<typed::ScalarType>(node)) return true;
  if (auto* array = std::get_if<typed::ArrayType>(&node)) return is_data(array->element);
  if (auto* tuple = std::get_if<typed::TupleType>(&node))
    return std::all_of(tuple->parts.begin(), tuple->parts.end(), is_data);
  if (auto* data = std::get_if<typed::DataType>(&node))
    return std::all_of(data->type_args.begin(), data->type_args.end(), is_data);
  return false;
}
}  // namespace

void Finisher::entries() {
  if (c_.program_.modules.empty()) return;
  const ModuleScope& scope = c_.scopes_.back();
  std::vector<BindingId> found;
  for (const auto& [name, id] : scope.exports) {
    const BindingInfo& from = c_.info(id);
    if (from.kind != BindingKind::Global || from.module != scope.name || !from.decl) continue;
    if (!from.signature && from.is_function) continue;
    const auto& decl = std::get<ast::FunctionDecl>(c_.node(*from.decl).node);
    bool plain = decl.clauses.size() == 1;
    for (ast::PatternId param : decl.clauses[0].params) plain = plain && c_.plain_variable(param);
    const typed::Binding& binding = out_.bindings[id];
    if (!plain || !binding.scheme.types.empty()) continue;
    typed::TypeRef type = binding.scheme.type;
    bool data = true;
    std::size_t arrows = 0;
    while (auto* function = std::get_if<typed::FunctionType>(&type->node)) {
      data = data && is_data(function->param);
      type = function->result;
      ++arrows;
    }
    if (data && is_data(type) && arrows == decl.clauses[0].params.size()) found.push_back(id);
  }
  std::sort(found.begin(), found.end(), [&](BindingId a, BindingId b) {
    bool main_a = c_.info(a).name == "main", main_b = c_.info(b).name == "main";
    if (main_a != main_b) return main_a;
    return c_.info(a).span < c_.info(b).span;
  });
  out_.entries = std::move(found);
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
