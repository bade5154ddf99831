// Methods: the instance that a type has, and what a method is at it.
#include <algorithm>

#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace builtin = typed::builtin_class;

namespace {

// Matches a type with the head of an instance.
class HeadMatch {
 public:
  explicit HeadMatch(const typed::InstanceInfo& info) : info_(info) {
    found_.info = &info;
    found_.types.resize(info.types.size());
    found_.sizes.resize(info.sizes.size(), Size::symbol(unknown_symbol));
  }
  bool match(const TypeRef& head, const TypeRef& type) {
    if (const auto* variable = std::get_if<typed::VariableType>(&head->node)) {
      for (std::size_t i = 0; i < info_.types.size(); ++i)
        if (info_.types[i] == variable->variable) found_.types[i] = type;
      return true;
    }
    if (!type) return false;
    if (const auto* scalar = std::get_if<typed::ScalarType>(&head->node)) {
      const auto* other = std::get_if<typed::ScalarType>(&type->node);
      return other != nullptr && other->element == scalar->element;
    }
    if (const auto* array = std::get_if<typed::ArrayType>(&head->node))
      return match_array(*array, type);
    if (const auto* tuple = std::get_if<typed::TupleType>(&head->node)) {
      const auto* other = std::get_if<typed::TupleType>(&type->node);
      return other != nullptr && match_all(tuple->parts, other->parts);
    }
    if (const auto* function = std::get_if<typed::FunctionType>(&head->node)) {
      const auto* other = std::get_if<typed::FunctionType>(&type->node);
      return other != nullptr && match(function->param, other->param) &&
             match(function->result, other->result);
    }
    const auto* data = std::get_if<typed::DataType>(&head->node);
    const auto* other = std::get_if<typed::DataType>(&type->node);
    if (data == nullptr || other == nullptr || data->data != other->data) return false;
    for (std::size_t i = 0; i < data->size_args.size(); ++i)
      bind_size(data->size_args[i], other->size_args.at(i));
    return match_all(data->type_args, other->type_args);
  }
  Lowerer::FoundInstance take() { return std::move(found_); }

 private:
  bool match_all(const std::vector<TypeRef>& heads, const std::vector<TypeRef>& types) {
    if (heads.size() != types.size()) return false;
    for (std::size_t i = 0; i < heads.size(); ++i)
      if (!match(heads[i], types[i])) return false;
    return true;
  }

  // `Array [n] a` is the head of arrays of any rank: `a` is then a row.
  bool match_array(const typed::ArrayType& head, const TypeRef& type) {
    const auto* array = std::get_if<typed::ArrayType>(&type->node);
    if (array == nullptr || array->shape.size() < head.shape.size()) return false;
    for (std::size_t i = 0; i < head.shape.size(); ++i) bind_size(head.shape[i], array->shape[i]);
    if (array->shape.size() == head.shape.size()) return match(head.element, array->element);
    typed::ArrayType rest = *array;
    rest.shape.erase(rest.shape.begin(),
                     rest.shape.begin() + static_cast<std::ptrdiff_t>(head.shape.size()));
    return match(head.element, std::make_shared<const typed::Type>(typed::Type{std::move(rest)}));
  }

  void bind_size(const Size& head, const Size& size) {
    for (std::size_t i = 0; i < info_.sizes.size(); ++i)
      if (head == Size::symbol(info_.sizes[i].index)) found_.sizes[i] = size;
  }

  const typed::InstanceInfo& info_;
  Lowerer::FoundInstance found_;
};

}  // namespace

std::optional<Lowerer::FoundInstance> Lowerer::written_instance(ClassId of,
                                                                const TypeRef& type) const {
  if (!type) return std::nullopt;
  for (const typed::InstanceInfo* info : written_.at(of.index)) {
    HeadMatch match(*info);
    if (match.match(info->head, type)) return match.take();
  }
  return std::nullopt;
}

std::optional<ElementType> Lowerer::builtin_scalar(ClassId of, const TypeRef& type) const {
  const auto* scalar = type ? std::get_if<typed::ScalarType>(&type->node) : nullptr;
  if (scalar == nullptr || !typed::has_builtin_instance(of, scalar->element)) return std::nullopt;
  return scalar->element;
}

std::vector<std::vector<TypeRef>> Lowerer::field_types(const typed::DataType& data) {
  const typed::DataInfo& info = program_.datas[data.data];
  Env* params = new_env(nullptr);
  for (std::size_t i = 0; i < info.type_params.size(); ++i)
    params->types[info.type_params[i]] = data.type_args.at(i);
  for (std::size_t i = 0; i < info.size_params.size(); ++i)
    params->sizes[info.size_params[i]] = data.size_args.at(i);
  std::vector<std::vector<TypeRef>> result;
  for (const typed::ConstructorInfo& constructor : info.constructors) {
    result.emplace_back();
    for (const TypeRef& field : constructor.field_types)
      result.back().push_back(resolve(field, params));
  }
  return result;
}

bool Lowerer::compares_by_structure(ClassId of, const TypeRef& type) {
  if (!type || written_.at(of.index).empty()) return true;
  auto all = [&](const std::vector<TypeRef>& parts) {
    return std::all_of(parts.begin(), parts.end(),
                       [&](const TypeRef& part) { return compares_by_structure(of, part); });
  };
  if (const auto* array = std::get_if<typed::ArrayType>(&type->node))
    return compares_by_structure(of, array->element);
  if (const auto* tuple = std::get_if<typed::TupleType>(&type->node)) return all(tuple->parts);
  const auto* data = std::get_if<typed::DataType>(&type->node);
  if (data == nullptr) return true;
  if (written_instance(of, type)) return false;
  const auto fields = field_types(*data);
  return std::all_of(fields.begin(), fields.end(), all);
}

// ---------------------------------------------------------------- methods

ValueRef Lowerer::method(BindingId id, const std::vector<TypeRef>& types, const typed::Use* use,
                         Env* env, Span span) {
  const typed::Binding& binding = program_.bindings[id];
  if (types.empty() || !types[0] || std::holds_alternative<typed::VariableType>(types[0]->node))
    not_supported(span, "`" + binding.name + "` at a type that is not known here");
  const auto found = written_instance(binding.of, types[0]);
  const auto& fallback = program_.classes[binding.of].methods.at(binding.part).fallback;
  if (!found && !binding.builtin.empty()) return builtin_value(id, types, use, env, span);
  FunctionAt at;
  if (found && found->info->methods.at(binding.part)) {
    at = instance_method(id, *found, types, use);
  } else if (fallback) {
    at.binding = *fallback;
    at.types = types;
    if (use != nullptr) at.sizes = use->size_args;
  } else {
    const std::string at_type =
        found ? " for `" + typed::to_text(program_, found->info->head) + "`" : " for this type";
    fail(span, "missing-method", "`" + binding.name + "` is not defined" + at_type,
         "its instance of `" + program_.classes[binding.of].name +
             "` does not define it, and it has no default");
  }
  at.decl = *program_.bindings[at.binding].decl;
  at.use_env = env;
  at.is_method = true;
  if (use != nullptr)
    at.refresh = [this, id, use](FunctionAt& again) {
      std::vector<TypeRef> now;
      for (const TypeRef& type : use->type_args) now.push_back(resolve(type, again.use_env));
      const typed::Binding& of = program_.bindings[id];
      const auto instance = written_instance(of.of, now.at(0));
      if (!instance || !instance->info->methods.at(of.part)) {
        again.types = now;
        return;
      }
      FunctionAt fresh = instance_method(id, *instance, now, use);
      again.types = std::move(fresh.types);
      again.known = std::move(fresh.known);
    };
  return function_at(std::move(at));
}

// The definition in an instance: for the instance's variables and then the method's own.
Lowerer::FunctionAt Lowerer::instance_method(BindingId id, const FoundInstance& found,
                                             const std::vector<TypeRef>& types,
                                             const typed::Use* use) {
  FunctionAt at;
  at.binding = *found.info->methods.at(program_.bindings[id].part);
  at.types = found.types;
  at.types.insert(at.types.end(), types.begin() + 1, types.end());
  for (std::size_t i = 0; i < found.sizes.size(); ++i)
    if (!found.sizes[i].mentions(unknown_symbol))
      at.known.emplace_back(found.info->sizes[i], found.sizes[i]);
  at.sizes.assign(found.sizes.size(), Size::symbol(unknown_symbol));
  if (use != nullptr) at.sizes.insert(at.sizes.end(), use->size_args.begin(), use->size_args.end());
  return at;
}

ValueRef Lowerer::method_named(ClassId of, const char* name, const std::vector<TypeRef>& types,
                               Span span) {
  for (const typed::MethodInfo& info : program_.classes[of].methods)
    if (info.name == name) return method(info.binding, types, nullptr, nullptr, span);
  not_supported(span, std::string("`") + name + "` here");
}

// Notes that a method is unfolded at types; one that is being unfolded there already is recursive.
const MethodCall* Lowerer::enter_method(const FunctionAt& function, bool& recursive, Span span) {
  std::string key;
  for (const TypeRef& type : function.types) write_key(type, key);
  const auto& decl = std::get<ast::FunctionDecl>(arena().decls[function.decl].node);
  const bool value = decl.clauses.at(0).params.empty();
  if (!value && recursive_methods_.count({function.binding, key}) > 0) {
    recursive = true;
    return context_.methods;
  }
  for (const MethodCall* call = context_.methods; call != nullptr; call = call->around) {
    if (call->method != function.binding || call->types != key) continue;
    if (value)
      fail(span, "cyclic-value",
           "`" + program_.bindings[function.binding].name + "` is defined by itself",
           "its value would need its own value");
    throw RecursiveMethod{function.binding, key};
  }
  method_calls_.push_back({function.binding, std::move(key), context_.methods});
  return &method_calls_.back();
}

}  // namespace dvm::lower
