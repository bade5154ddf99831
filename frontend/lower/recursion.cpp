// Recursive functions: one graph function for each instance of the types, called instead of
// unfolded.
#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

using graph::Type;

void write_key(const TypeRef& type, std::string& key) {
  if (!type) {
    key += '?';
  } else if (const auto* scalar = std::get_if<typed::ScalarType>(&type->node)) {
    key += facts(scalar->element).name;
  } else if (const auto* array = std::get_if<typed::ArrayType>(&type->node)) {
    key += std::string(array->shape.size(), '[');
    write_key(array->element, key);
  } else if (const auto* tuple = std::get_if<typed::TupleType>(&type->node)) {
    key += '(';
    for (const TypeRef& part : tuple->parts) write_key(part, key);
    key += ')';
  } else if (const auto* function = std::get_if<typed::FunctionType>(&type->node)) {
    key += '>';
    write_key(function->param, key);
    write_key(function->result, key);
  } else if (const auto* data = std::get_if<typed::DataType>(&type->node)) {
    key += '#' + std::to_string(data->data.index) + '<';
    for (const TypeRef& arg : data->type_args) write_key(arg, key);
    key += '>';
  } else {
    key += '!';
  }
  key += ' ';
}

namespace {

const Type index_type{ElementType::I64, {}};

bool contains_array(const TypeRef& type) {
  if (!type || std::holds_alternative<typed::ScalarType>(type->node)) return false;
  if (const auto* tuple = std::get_if<typed::TupleType>(&type->node)) {
    for (const TypeRef& part : tuple->parts)
      if (contains_array(part)) return true;
    return false;
  }
  return true;
}

}  // namespace

// The parameter types, the result type, the size variables that the parameters tell, and those they
// do not.
Lowerer::RecursiveType Lowerer::recursive_type(BindingId id, std::size_t arity) const {
  const typed::Scheme& scheme = program_.bindings[id].scheme;
  RecursiveType result;
  TypeRef type = scheme.type;
  std::vector<SizeVarId> binders;
  result.binders.resize(arity);
  result.unknowns = scheme.unknowns;
  for (std::size_t i = 0; i < arity; ++i) {
    const auto* arrow = std::get_if<typed::FunctionType>(&type->node);
    if (arrow == nullptr) break;
    result.params.push_back(arrow->param);
    if (arrow->binder) result.binders[i] = *arrow->binder;
    result.unknowns.insert(result.unknowns.end(), arrow->unknowns.begin(), arrow->unknowns.end());
    type = arrow->result;
  }
  result.result = type;
  for (SizeVarId size : scheme.sizes) {
    bool bound = false;
    for (SizeVarId binder : result.binders) bound |= binder == size;
    if (!bound) result.sizes.push_back(size);
  }
  return result;
}

Lowerer::Instance& Lowerer::instance_of(BindingId id, ast::DeclId decl,
                                        const std::vector<TypeRef>& types, Span span) {
  const typed::Binding& binding = program_.bindings[id];
  std::string key;
  for (const TypeRef& type : types) {
    if (contains_array(type)) not_supported(span, "recursion of a function at this type");
    write_key(type, key);
  }
  auto [found, fresh] = instances_.try_emplace({id, key});
  if (!fresh) return found->second;
  Instance& instance = found->second;
  const auto& function = std::get<ast::FunctionDecl>(arena().decls[decl].node);
  const std::size_t arity = function.clauses.at(0).params.size();
  graph::Function body;
  body.name = binding.name;
  for (int n = 2; module_.find(body.name); ++n) body.name = binding.name + "_" + std::to_string(n);
  body.body = body.regions.push({});
  instance.function = module_.functions.push(std::move(body));
  instance.type = recursive_type(id, arity);

  std::unique_ptr<Emitter> caller = std::move(emitter_);
  const Context context = context_;
  emitter_ = std::make_unique<Emitter>(module_, instance.function);
  context_ = Context{{}, binding.name};
  at(binding.span);
  Env* env = new_env(nullptr);
  for (std::size_t i = 0; i < types.size(); ++i) env->types[binding.scheme.types[i]] = types[i];
  for (SizeVarId size : instance.type.sizes) {
    const ValueId param = emit().param(index_type, program_.size_vars[size].name);
    emit().mark_size(param);
    env->sizes[size] = Size::symbol(param.index);
  }
  emit().function().size_params = instance.type.sizes.size();
  std::vector<Lazy*> args;
  for (std::size_t i = 0; i < arity; ++i) {
    const LayoutRef layout = generalise(layout_of_type(instance.type.params.at(i), env, span));
    std::vector<ValueId> leaves;
    for (const Type& type : leaf_types(layout))
      leaves.push_back(emit().param(type, param_name(function, i)));
    args.push_back(ready(rebuild(layout, leaves)));
    if (instance.type.binders[i].valid())
      env->sizes[instance.type.binders[i]] = Size::symbol(leaves.at(0).index);
  }
  const ValueRef value = settle(run_function(id, decl, args, env, {}, nullptr), span);
  std::vector<ValueId> yields;
  for (SizeVarId unknown : instance.type.unknowns) {
    const auto size = match_size(instance.type.result, value, unknown, env);
    if (!size) not_supported(span, "recursion of a function with such a result");
    env->sizes[unknown] = *size;
    yields.push_back(emit().size_value(*size));
  }
  const LayoutRef layout = generalise(layout_of_type(instance.type.result, env, span));
  const std::vector<ValueId> leaves = state_leaves(value, layout, span);
  yields.insert(yields.end(), leaves.begin(), leaves.end());
  emit().set_yields(emit().function().body, yields);
  emitter_ = std::move(caller);
  context_ = context;
  return instances_.at({id, key});
}

std::string Lowerer::param_name(const ast::FunctionDecl& function, std::size_t i) const {
  const auto& pattern = arena().patterns[function.clauses.at(0).params.at(i)];
  if (const auto* variable = std::get_if<ast::VariablePattern>(&pattern.node))
    return variable->name.text;
  return "x";
}

ValueRef Lowerer::call_recursive(BindingId id, ast::DeclId decl, const std::vector<TypeRef>& types,
                                 const std::vector<Size>& use_sizes, Env* use_env,
                                 const std::vector<Lazy*>& args, Span span) {
  const Instance instance = instance_of(id, decl, types, span);
  // The sizes of this call, from its arguments.
  Env* env = new_env(nullptr);
  for (std::size_t i = 0; i < types.size(); ++i)
    env->types[program_.bindings[id].scheme.types[i]] = types[i];
  env->scheme_sizes = program_.bindings[id].scheme.sizes;
  env->use_sizes = use_sizes;
  env->use_env = use_env;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (instance.type.binders[i].valid())
      env->binders.emplace_back(instance.type.binders[i], args[i]);
    env->size_sources.push_back({instance.type.params[i], args[i]});
  }
  std::vector<ValueId> operands;
  for (SizeVarId size : instance.type.sizes) {
    const auto known = find_size(size, env);
    if (!known) fail(span, "unknown-size", "a size of this call is not known here");
    operands.push_back(emit().size_value(*known));
  }
  for (std::size_t i = 0; i < args.size(); ++i) {
    const ValueRef value = settle(demand(args[i]), span);
    const std::vector<ValueId> leaves =
        state_leaves(value, generalise(layout_of_type(instance.type.params[i], env, span)), span);
    operands.insert(operands.end(), leaves.begin(), leaves.end());
  }
  at(span);
  std::vector<ValueId> results;
  for (SizeVarId unknown : instance.type.unknowns) {
    results.push_back(emit().new_value(index_type));
    emit().mark_size(results.back());
    env->sizes[unknown] = Size::symbol(results.back().index);
  }
  const std::size_t sizes = results.size();
  const LayoutRef layout = generalise(layout_of_type(instance.type.result, env, span));
  for (Type& type : leaf_types(layout)) results.push_back(emit().new_value(std::move(type)));
  emit().add_with_results(graph::Call{instance.function}, operands, {}, results);
  return rebuild(layout, {results.begin() + static_cast<std::ptrdiff_t>(sizes), results.end()});
}

}  // namespace dvm::lower
