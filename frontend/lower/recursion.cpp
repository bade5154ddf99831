// Recursive functions: one graph function for each instance of the types and of the functions that
// are given to it, called instead of unfolded.
#include <algorithm>

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
// Of one function inside each other, at other types or for other functions: both may grow many
// times over each time.
constexpr std::size_t most_instances = 10;
constexpr std::size_t most_types = 12;

}  // namespace

// The parameters are those of the clauses, and those of the function that is the result, if it is
// one: then every call has all arguments that the type names.
RecursiveType Lowerer::recursive_type(BindingId id, std::size_t arity,
                                      const std::vector<TypeRef>& types) const {
  const typed::Scheme& scheme = program_.bindings[id].scheme;
  RecursiveType result;
  TypeRef type = scheme.type;
  result.unknowns = scheme.unknowns;
  for (std::size_t i = 0;; ++i) {
    if (const auto* variable = std::get_if<typed::VariableType>(&type->node))
      for (std::size_t k = 0; k < types.size(); ++k)
        if (scheme.types[k] == variable->variable && holds_arrow(types[k])) type = types[k];
    const auto* arrow = std::get_if<typed::FunctionType>(&type->node);
    if (arrow == nullptr) break;
    result.params.push_back(arrow->param);
    result.binders.push_back(arrow->binder ? *arrow->binder : SizeVarId{});
    result.unknowns.insert(result.unknowns.end(), arrow->unknowns.begin(), arrow->unknowns.end());
    type = arrow->result;
  }
  result.result = type;
  result.params.resize(std::max(result.params.size(), arity));
  result.binders.resize(result.params.size());
  for (SizeVarId size : scheme.sizes)
    if (std::find(result.binders.begin(), result.binders.end(), size) == result.binders.end())
      result.sizes.push_back(size);
  return result;
}

bool Lowerer::holds_arrow(const TypeRef& type) {
  return type && std::holds_alternative<typed::FunctionType>(type->node);
}

// An error when instances of one function are made inside each other without end: at ever new
// types, or for ever new functions.
void Lowerer::check_growth(const Instance& instance, Span span) {
  std::vector<const Instance*> chain;
  for (const Activation& activation : activations_)
    if (activation.instance->binding == instance.binding) chain.push_back(activation.instance);
  const bool by_type = chain.size() > 1 && chain[0]->types != chain[1]->types;
  if (chain.size() < (by_type ? most_types : most_instances)) return;
  Diagnostic diagnostic;
  diagnostic.span = span;
  const std::string& name = program_.bindings[instance.binding].name;
  diagnostic.code = by_type ? "growing-types" : "function-at-run-time";
  diagnostic.message = by_type ? "`" + name + "` calls itself at ever new types"
                               : "`" + name + "` calls itself with ever new functions";
  diagnostic.label = by_type ? "another type at each call" : "another function at each call";
  if (by_type) {
    std::string text = "the types are";
    for (std::size_t k = 0; k < 3; ++k) text += (k == 0 ? " " : ", then ") + chain[k]->types;
    diagnostic.notes.push_back(text + ", and so on");
  } else {
    diagnostic.notes.push_back(
        "functions are known while compiling; this one would grow from call to call");
    diagnostic.help.push_back("pass on what the function is made of, or keep it as it is");
  }
  throw LoweringError{std::move(diagnostic)};
}

std::string Lowerer::types_text(const std::vector<TypeRef>& types) const {
  std::string text;
  for (const TypeRef& type : types)
    text += (text.empty() ? "" : " ") + typed::to_text(program_, type);
  return "`" + text + "`";
}

Instance& Lowerer::instance_of(const FunctionAt& use, const RecursiveType& type,
                               const std::vector<LayoutRef>& held, Span span) {
  const typed::Binding& binding = program_.bindings[use.binding];
  std::string key = std::to_string(use.home == nullptr ? 0 : use.home->serial) + ":";
  for (const TypeRef& arg : use.types) write_key(arg, key);
  for (const LayoutRef& layout : held) {
    key += '|';
    if (layout) write_layout_key(layout, key);
  }
  auto [found, fresh] = instances_.try_emplace({use.binding, key});
  if (!fresh) return *found->second;
  found->second = std::make_unique<Instance>();
  Instance& instance = *found->second;
  instance.binding = use.binding;
  instance.type = type;
  instance.types = types_text(use.types);
  check_growth(instance, span);
  graph::Function body;
  body.name = binding.name;
  for (int n = 2; module_.find(body.name); ++n) body.name = binding.name + "_" + std::to_string(n);
  body.body = body.regions.push({});
  instance.function = module_.functions.push(std::move(body));
  instance_by_function_[instance.function] = &instance;

  std::vector<JoinedSize>* joined = joined_sizes_;
  joined_sizes_ = nullptr;
  activations_.push_back({&instance, std::move(emitter_), context_});
  emitter_ = std::make_unique<Emitter>(module_, instance.function);
  context_ = Context{{}, binding.name};
  at(binding.span);
  lower_instance(instance, use, held, span);
  instance.finished = true;
  emitter_ = std::move(activations_.back().caller);
  context_ = activations_.back().context;
  activations_.pop_back();
  joined_sizes_ = joined;
  if (activations_.empty()) connect_calls();
  return instance;
}

// Sizes of enclosing functions in the types of parameters become parameters before those. Sizes
// that are arguments themselves are not looked for: any will do here.
void Lowerer::import_sizes(Instance& instance, const std::vector<LayoutRef>& held, const Env* env,
                           Env* home, Span span) {
  Env* sizes = new_env(home);
  sizes->types = env->types;
  sizes->sizes = env->sizes;
  for (SizeVarId binder : instance.type.binders)
    if (binder.valid()) sizes->sizes[binder] = Size(1);
  for (std::size_t i = 0; i < instance.type.params.size(); ++i)
    if (!held[i]) layout_of_type(instance.type.params[i], sizes, span);
  instance.early = instance.captures.size();
}

// Parameters: the sizes in the types, the sizes of the signature, those of enclosing functions that
// the arguments' types mention, the arguments; further captures are added as they are met.
void Lowerer::lower_instance(Instance& instance, const FunctionAt& use,
                             const std::vector<LayoutRef>& held, Span span) {
  const typed::Binding& binding = program_.bindings[use.binding];
  const auto& function = std::get<ast::FunctionDecl>(arena().decls[use.decl].node);
  Env* env = new_env(use.home);
  const auto size_param = [&](const std::string& name) {
    const ValueId param = emit().param(index_type, name);
    emit().mark_size(param);
    return Size::symbol(param.index);
  };
  for (std::size_t i = 0; i < use.types.size(); ++i)
    env->types[binding.scheme.types[i]] =
        change_sizes(use.types[i], [&](const Size&) { return size_param("n"); });
  for (SizeVarId size : instance.type.sizes)
    env->sizes[size] = size_param(program_.size_vars[size].name);
  emit().function().size_params = emit().function().params().size();
  import_sizes(instance, held, env, use.home, span);
  std::vector<Lazy*> args;
  instance.held.resize(instance.type.params.size());
  for (std::size_t i = 0; i < instance.type.params.size(); ++i) {
    const std::string name = param_name(function, i);
    if (held[i]) {
      instance.held[i] = localise(held[i], {}, name);
      args.push_back(ready(rebuild(instance.held[i].layout, instance.held[i].leaves)));
      continue;
    }
    const LayoutRef layout = generalise(layout_of_type(instance.type.params[i], env, span));
    std::vector<ValueId> leaves;
    for (const Type& type : leaf_types(layout)) leaves.push_back(emit().param(type, name));
    args.push_back(ready(rebuild(layout, leaves)));
    if (instance.type.binders[i].valid())
      env->sizes[instance.type.binders[i]] = Size::symbol(leaves.at(0).index);
  }
  const ValueRef value = settle(run_function(use.binding, use.decl, args, env, {}, nullptr), span);
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
}

std::string Lowerer::param_name(const ast::FunctionDecl& function, std::size_t i) const {
  const auto& params = function.clauses.at(0).params;
  if (i < params.size())
    if (const auto* variable = std::get_if<ast::VariablePattern>(&arena().patterns[params[i]].node))
      return variable->name.text;
  return "x";
}

ValueRef Lowerer::call_recursive(const FunctionAt& use, const RecursiveType& type,
                                 const std::vector<Lazy*>& args, Span span) {
  // Arguments with functions in them decide on the instance.
  std::vector<LayoutRef> held(type.params.size());
  std::vector<ValueRef> values(args.size());
  Env* types = new_env(use.home);
  const typed::Scheme& scheme = program_.bindings[use.binding].scheme;
  for (std::size_t i = 0; i < use.types.size(); ++i) types->types[scheme.types[i]] = use.types[i];
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!holds_function(resolve(type.params[i], types))) continue;
    values[i] = settle(demand(args[i]), span, Functions::Keep);
    held[i] = layout_of(values[i], span, Functions::Keep);
  }
  Instance& instance = instance_of(use, type, held, span);
  // The sizes of this call, from its arguments.
  Env* env = new_env(use.home);
  env->types = types->types;
  for (const auto& [variable, size] : use.known) env->sizes[variable] = size;
  env->scheme_sizes = scheme.sizes;
  env->use_sizes = use.sizes;
  env->use_env = use.use_env;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (instance.type.binders[i].valid())
      env->binders.emplace_back(instance.type.binders[i], args[i]);
    env->size_sources.push_back({instance.type.params[i], args[i]});
  }
  std::vector<ValueId> operands;
  for (const TypeRef& arg : use.types)
    change_sizes(arg, [&](const Size& size) {
      if (!is_known(size)) fail(span, "unknown-size", "a size of this call is not known here");
      operands.push_back(emit().size_value(size));
      return size;
    });
  for (SizeVarId size : instance.type.sizes) {
    const auto known = find_size(size, env);
    if (!known) fail(span, "unknown-size", "a size of this call is not known here");
    operands.push_back(emit().size_value(*known));
  }
  std::map<Size::Symbol, Size> symbols;
  pass_captures(instance, 0, instance.early, symbols, operands, span);
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (held[i]) {
      pass_local(instance.held[i], values[i], symbols, operands, span);
      continue;
    }
    const ValueRef value = settle(demand(args[i]), span);
    const std::vector<ValueId> leaves =
        state_leaves(value, generalise(layout_of_type(instance.type.params[i], env, span)), span);
    operands.insert(operands.end(), leaves.begin(), leaves.end());
  }
  return add_call(instance, env, symbols, std::move(operands), span);
}

ValueRef Lowerer::add_call(Instance& instance, Env* env, std::map<Size::Symbol, Size>& symbols,
                           std::vector<ValueId> operands, Span span) {
  CallSite site{emit().function_id(), {}, &instance, instance.early};
  if (instance.finished) {
    site.passed = instance.captures.size();
    pass_captures(instance, instance.early, site.passed, symbols, operands, span);
  }
  at(span);
  std::vector<ValueId> results;
  for (SizeVarId unknown : instance.type.unknowns) {
    results.push_back(emit().new_size());
    env->sizes[unknown] = Size::symbol(results.back().index);
  }
  const std::size_t sizes = results.size();
  const LayoutRef layout = generalise(layout_of_type(instance.type.result, env, span));
  for (Type& type : leaf_types(layout)) results.push_back(emit().new_value(std::move(type)));
  site.node =
      emit().add_with_results(graph::Call{instance.function}, std::move(operands), {}, results,
                              new_check(span, "recursion is deeper than {0} calls"));
  if (!activations_.empty()) call_sites_.push_back(site);
  return rebuild(layout, {results.begin() + static_cast<std::ptrdiff_t>(sizes), results.end()});
}

}  // namespace dvm::lower
