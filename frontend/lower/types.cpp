// Types at the current instance, and what sizes in them are in the graph.
#include <algorithm>

#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

using typed::ArrayType;
using typed::DataType;
using typed::FunctionType;
using typed::ScalarType;
using typed::TupleType;
using typed::VariableType;

namespace {

TypeRef make(auto node) {
  return std::make_shared<const typed::Type>(typed::Type{std::move(node)});
}

// The type with every size in it replaced.
template <class Change>
TypeRef with_sizes(const TypeRef& type, const Change& change) {
  if (!type) return type;
  if (const auto* array = std::get_if<ArrayType>(&type->node)) {
    ArrayType result{{}, with_sizes(array->element, change)};
    for (const Size& extent : array->shape) result.shape.push_back(change(extent));
    return make(std::move(result));
  }
  if (const auto* tuple = std::get_if<TupleType>(&type->node)) {
    TupleType result;
    for (const TypeRef& part : tuple->parts) result.parts.push_back(with_sizes(part, change));
    return make(std::move(result));
  }
  if (const auto* function = std::get_if<FunctionType>(&type->node))
    return make(FunctionType{with_sizes(function->param, change),
                             with_sizes(function->result, change), function->binder,
                             function->unknowns});
  if (const auto* data = std::get_if<DataType>(&type->node)) {
    DataType result{data->data, {}, {}};
    for (const TypeRef& arg : data->type_args) result.type_args.push_back(with_sizes(arg, change));
    for (const Size& arg : data->size_args) result.size_args.push_back(change(arg));
    return make(std::move(result));
  }
  return type;
}

}  // namespace

TypeRef Lowerer::change_sizes(const TypeRef& type, const std::function<Size(const Size&)>& change) {
  return with_sizes(type, change);
}

bool Lowerer::is_known(const Size& size) { return !size.mentions(unknown_symbol); }

TypeRef Lowerer::imported(const TypeRef& type, FunctionId from) {
  if (from == emit().function_id()) return type;
  return with_sizes(type, [&](const Size& size) {
    if (!is_known(size)) return size;
    return imported(size, from).value_or(Size::symbol(unknown_symbol));
  });
}

TypeRef Lowerer::resolve(const TypeRef& type, Env* env) {
  if (!type || env == nullptr) return type;
  auto size = [&](const Size& size) {
    if (const auto changing = changing_size(size)) return *changing;
    return size_in(size, env).value_or(Size::symbol(unknown_symbol));
  };
  if (const auto* variable = std::get_if<VariableType>(&type->node)) {
    for (Env* frame = env; frame != nullptr; frame = frame->parent)
      if (auto found = frame->types.find(variable->variable); found != frame->types.end())
        return imported(found->second, frame->function);
    return type;
  }
  if (const auto* array = std::get_if<ArrayType>(&type->node)) {
    std::vector<Size> shape;
    for (const Size& extent : array->shape) shape.push_back(size(extent));
    const TypeRef element = resolve(array->element, env);
    if (const auto* inner = std::get_if<ArrayType>(&element->node)) {
      shape.insert(shape.end(), inner->shape.begin(), inner->shape.end());
      return make(ArrayType{std::move(shape), inner->element});
    }
    return make(ArrayType{std::move(shape), element});
  }
  if (const auto* tuple = std::get_if<TupleType>(&type->node)) {
    TupleType result;
    for (const TypeRef& part : tuple->parts) result.parts.push_back(resolve(part, env));
    return make(std::move(result));
  }
  if (const auto* function = std::get_if<FunctionType>(&type->node))
    return make(
        FunctionType{resolve(function->param, env), resolve(function->result, env), {}, {}});
  if (const auto* data = std::get_if<DataType>(&type->node)) {
    DataType result{data->data, {}, {}};
    for (const TypeRef& arg : data->type_args) result.type_args.push_back(resolve(arg, env));
    for (const Size& arg : data->size_args) result.size_args.push_back(size(arg));
    return make(std::move(result));
  }
  return type;
}

ElementType Lowerer::scalar_type(const TypeRef& type, Env* env, Span span) {
  const TypeRef resolved = resolve(type, env);
  if (resolved)
    if (const auto* scalar = std::get_if<ScalarType>(&resolved->node)) return scalar->element;
  not_supported(span, "a number of this type");
}

// ---------------------------------------------------------------- sizes

// A size that mentions the size of a loop's state, and nothing else that has to be looked up.
std::optional<Size> Lowerer::changing_size(const Size& size) const {
  bool changes = false;
  bool others = false;
  size.symbols([&](Size::Symbol symbol) {
    const bool changing = program_.size_vars.contains(SizeVarId{symbol}) &&
                          program_.size_vars[SizeVarId{symbol}].changes;
    (changing ? changes : others) = true;
  });
  if (!changes || others) return std::nullopt;
  return size.substitute([](Size::Symbol symbol) { return Size::symbol(first_changing + symbol); });
}

std::optional<Size> Lowerer::size_in(const Size& size, Env* env) {
  if (env == nullptr) {
    if (size.mentions(unknown_symbol)) return std::nullopt;
    return size;
  }
  bool all = true;
  const Size result = size.substitute([&](Size::Symbol symbol) {
    if (auto found = find_size(SizeVarId{symbol}, env)) return *found;
    all = false;
    return Size(0);
  });
  if (!all) return std::nullopt;
  return result;
}

std::optional<Size> Lowerer::find_size(SizeVarId variable, Env* env) {
  if (std::find(sizes_in_progress_.begin(), sizes_in_progress_.end(),
                std::make_pair(variable, env)) != sizes_in_progress_.end())
    return std::nullopt;
  sizes_in_progress_.emplace_back(variable, env);
  std::optional<Size> result;
  for (Env* frame = env; frame != nullptr && !result; frame = frame->parent)
    result = size_in_frame(variable, frame);
  if (!result)
    if (auto binding = size_bindings_.find(variable); binding != size_bindings_.end())
      if (auto [slot, home] = find(binding->second, env);
          slot != nullptr && slot->value != nullptr && !slot->value->busy)
        result = emit().as_size(as_scalar(demand(slot->value), slot->value->span));
  for (std::size_t i = changing_sizes_.size(); i > 0 && !result; --i) {
    const auto& [changing, size] = changing_sizes_[i - 1];
    if (changing == variable && emit().visible_at(size, emit().frames().size())) result = size;
  }
  sizes_in_progress_.pop_back();
  return result;
}

std::optional<Size> Lowerer::size_in_frame(SizeVarId variable, Env* frame) {
  const bool own = frame->function == emit().function_id();
  if (auto found = frame->sizes.find(variable); found != frame->sizes.end()) {
    if (!own) {
      if (auto size = imported(found->second, frame->function)) return size;
    } else if (emit().visible_at(found->second, emit().frames().size())) {
      return found->second;
    }
  }
  for (const auto& [binder, lazy] : frame->binders)
    if (binder == variable && !lazy->busy)
      return emit().as_size(as_scalar(demand(lazy), lazy->span));
  for (std::size_t i = 0; i < frame->scheme_sizes.size(); ++i) {
    if (frame->scheme_sizes[i] != variable) continue;
    for (const Env::SizeSource& source : frame->size_sources) {
      if (source.value->busy) continue;
      if (!mentions(source.type, variable)) continue;
      if (auto size = match_size(source.type, demand(source.value), variable, frame)) {
        if (own) frame->sizes[variable] = *size;
        return size;
      }
    }
    if (i < frame->use_sizes.size() && frame->use_env != nullptr)
      return size_in(frame->use_sizes[i], frame->use_env);
  }
  return std::nullopt;
}

bool Lowerer::mentions(const TypeRef& type, SizeVarId variable) const {
  if (const auto* array = std::get_if<ArrayType>(&type->node)) {
    for (const Size& extent : array->shape)
      if (extent.mentions(variable.index)) return true;
    return mentions(array->element, variable);
  }
  if (const auto* tuple = std::get_if<TupleType>(&type->node)) {
    for (const TypeRef& part : tuple->parts)
      if (mentions(part, variable)) return true;
  }
  if (const auto* data = std::get_if<DataType>(&type->node)) {
    for (const Size& arg : data->size_args)
      if (arg.mentions(variable.index)) return true;
    for (const TypeRef& arg : data->type_args)
      if (mentions(arg, variable)) return true;
  }
  return false;
}

std::optional<Size> Lowerer::solve(const Size& declared, const Size& actual, SizeVarId variable,
                                   Env* env) {
  const Size symbol = Size::symbol(variable.index);
  if (declared == symbol) return actual;
  for (const Size::Term& term : declared.terms()) {
    if (term.factors.size() != 1 || term.factors[0].quotient ||
        term.factors[0].symbol != variable.index)
      continue;
    const Size rest = declared - symbol * Size(term.coefficient);
    if (rest.mentions(variable.index) || term.coefficient < 1) return std::nullopt;
    if (env == nullptr && !rest.constant()) return std::nullopt;
    const auto known = size_in(rest, env);
    if (!known) return std::nullopt;
    return Size::quotient(actual - *known, term.coefficient);
  }
  return std::nullopt;
}

std::optional<Size> Lowerer::match_size(const TypeRef& type, const ValueRef& value,
                                        SizeVarId variable, Env* env) {
  if (const auto* array = std::get_if<ArrayType>(&type->node)) {
    const auto* found = get_if<ArrayValue>(value);
    if (found == nullptr) return std::nullopt;
    for (std::size_t i = 0; i < array->shape.size(); ++i) {
      if (!array->shape[i].mentions(variable.index)) continue;
      const std::vector<Size> shape = shape_of(*found, i + 1, {});
      if (shape.size() <= i) return std::nullopt;
      if (auto size = solve(array->shape[i], shape[i], variable, env)) return size;
    }
    return std::nullopt;
  }
  if (const auto* tuple = std::get_if<TupleType>(&type->node)) {
    const auto* found = get_if<TupleValue>(value);
    if (found == nullptr) return std::nullopt;
    for (std::size_t i = 0; i < tuple->parts.size() && i < found->parts.size(); ++i)
      if (mentions(tuple->parts[i], variable))
        if (auto size = match_size(tuple->parts[i], found->parts[i], variable, env)) return size;
    return std::nullopt;
  }
  const auto* data = std::get_if<DataType>(&type->node);
  const auto* found = get_if<DataValue>(value);
  if (data == nullptr || found == nullptr) return std::nullopt;
  // The size argument is looked for in the fields, over the data type's own variables.
  const typed::DataInfo& info = program_.datas[data->data];
  for (std::size_t k = 0; k < data->size_args.size(); ++k) {
    if (!data->size_args[k].mentions(variable.index)) continue;
    for (std::size_t c = 0; c < info.constructors.size(); ++c) {
      if (found->fields.size() <= c) continue;
      const auto& types = info.constructors[c].field_types;
      for (std::size_t f = 0; f < types.size() && f < found->fields[c].size(); ++f) {
        if (!mentions(types[f], info.size_params[k])) continue;
        if (auto actual = match_size(types[f], found->fields[c][f], info.size_params[k], nullptr))
          if (auto size = solve(data->size_args[k], *actual, variable, env)) return size;
      }
    }
  }
  return std::nullopt;
}

void Lowerer::bind_opened(ast::ExprId expr, const ValueRef& value, Env* env) {
  if (!program_.opened.contains(expr) || env == nullptr) return;
  if (env->function != emit().function_id()) return;
  for (SizeVarId variable : program_.opened[expr]) {
    if (const auto* scalar = get_if<ScalarValue>(value)) {
      if (emit().element(scalar->id) == ElementType::I64)
        env->sizes[variable] = emit().as_size(scalar->id);
      continue;
    }
    if (const TypeRef type = expr_type(expr))
      if (auto size = match_size(type, value, variable, env)) env->sizes[variable] = *size;
  }
}

// ---------------------------------------------------------------- layouts of types

LayoutRef Lowerer::layout_of_type(const TypeRef& type, Env* env, Span span) {
  if (const auto* scalar = std::get_if<ScalarType>(&type->node))
    return make_layout(ScalarLayout{scalar->element});
  if (std::holds_alternative<VariableType>(type->node)) {
    const TypeRef resolved = resolve(type, env);
    if (resolved == type || std::holds_alternative<VariableType>(resolved->node))
      not_supported(span, "a value of a type that is not known here");
    return layout_of_type(resolved, nullptr, span);
  }
  if (const auto* array = std::get_if<ArrayType>(&type->node)) {
    LayoutRef layout = layout_of_type(array->element, env, span);
    for (std::size_t i = array->shape.size(); i > 0; --i) {
      const auto extent = size_in(array->shape[i - 1], env);
      if (!extent)
        fail(span, "unknown-size", "the size of this array is not known here",
             "its size depends on what is left open");
      layout = make_layout(ArrayLayout{*extent, layout});
    }
    return layout;
  }
  if (const auto* tuple = std::get_if<TupleType>(&type->node)) {
    TupleLayout result;
    for (const TypeRef& part : tuple->parts)
      result.parts.push_back(layout_of_type(part, env, span));
    return make_layout(std::move(result));
  }
  if (const auto* data = std::get_if<DataType>(&type->node)) {
    const typed::DataInfo& info = program_.datas[data->data];
    Env* params = new_env(nullptr);
    for (std::size_t i = 0; i < info.type_params.size(); ++i)
      params->types[info.type_params[i]] = resolve(data->type_args.at(i), env);
    for (std::size_t i = 0; i < info.size_params.size(); ++i)
      if (auto size = size_in(data->size_args.at(i), env))
        params->sizes[info.size_params[i]] = *size;
    DataLayout result{data->data, {}, {}};
    if (info.constructors.size() == 1) result.constructor = 0;
    for (const typed::ConstructorInfo& constructor : info.constructors) {
      result.fields.emplace_back();
      for (const TypeRef& field : constructor.field_types)
        result.fields.back().push_back(layout_of_type(field, params, span));
    }
    return make_layout(std::move(result));
  }
  fail(span, "function-at-run-time", "a function would have to exist at run time here",
       "functions are arguments only while compiling");
}

}  // namespace dvm::lower
