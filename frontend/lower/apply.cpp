// Applying functions: operators, calls, closures, partial application.
#include <algorithm>

#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

ValueRef Lowerer::native(std::size_t arity, Native body, Origin origin) {
  ClosureValue closure;
  closure.arity = arity;
  closure.body = std::move(body);
  closure.origin = std::move(origin);
  closure.origin.serial = ++functions_;
  return make_value(std::move(closure));
}

Origin Lowerer::from_expr(ast::ExprId expr, Env* env) {
  Origin origin;
  origin.expr = expr;
  origin.env = env;
  origin.span = arena().exprs[expr].span;
  return origin;
}

Origin Lowerer::from_binding(BindingId binding, std::vector<TypeRef> types, Env* home, Span span) {
  Origin origin;
  origin.binding = binding;
  origin.types = std::move(types);
  origin.env = home;
  origin.span = span;
  return origin;
}

Lazy* Lowerer::argument(ast::ExprId expr, Env* env, bool force) {
  const ast::ExprId inner = strip(expr);
  if (std::holds_alternative<ast::Variable>(arena().exprs[inner].node)) {
    const auto& use = program_.uses[inner];
    if (use && use->binding.valid() && program_.opened[inner].empty())
      if (auto [slot, home] = find(use->binding, env); slot != nullptr && slot->value != nullptr)
        return slot->value;
  }
  Lazy* lazy = new_lazy([expr, env](Lowerer& lower) { return lower.eval(expr, env); }, force,
                        arena().exprs[expr].span);
  lazy->expr = expr;
  lazy->env = env;
  return lazy;
}

bool Lowerer::is_prelude(BindingId binding, const char* name) const {
  const typed::Binding& info = program_.bindings[binding];
  return info.kind == typed::BindingKind::Global && info.module == "Prelude" && info.name == name;
}

bool Lowerer::is_builtin_of_prelude(BindingId binding, const char* name) const {
  const typed::Binding& info = program_.bindings[binding];
  return info.kind == typed::BindingKind::Builtin && info.module == "Prelude" && info.name == name;
}

ValueRef Lowerer::eval_application(ast::ExprId expr, Env* env) {
  std::vector<ast::ExprId> args;
  ast::ExprId head = expr;
  while (const auto* apply = std::get_if<ast::Apply>(&arena().exprs[head].node)) {
    args.push_back(apply->arg);
    head = strip(apply->fn);
  }
  std::reverse(args.begin(), args.end());
  const ValueRef fn = eval(head, env);
  const auto* closure = get_if<ClosureValue>(fn);
  const bool raw =
      closure != nullptr && closure->raw && closure->args.size() + args.size() >= closure->arity;
  std::vector<Lazy*> lazies;
  for (ast::ExprId arg : args) lazies.push_back(argument(arg, env, !raw));
  return apply(fn, std::move(lazies), arena().exprs[expr].span);
}

ValueRef Lowerer::eval_binary(ast::ExprId expr, Env* env) {
  if (auto value = eval_long_chain(expr, env)) return *value;
  // Left-nested chains of any length without recursion.
  std::vector<ast::ExprId> chain;
  ast::ExprId leftmost = expr;
  while (const auto* binary = std::get_if<ast::Binary>(&arena().exprs[leftmost].node)) {
    chain.push_back(leftmost);
    leftmost = strip(binary->lhs);
  }
  std::reverse(chain.begin(), chain.end());
  Lazy* left = nullptr;
  ValueRef result;
  for (ast::ExprId id : chain) {
    const auto& binary = std::get<ast::Binary>(arena().exprs[id].node);
    const Span span = arena().exprs[id].span;
    const ast::ExprId op = strip(binary.op);
    const auto& use = program_.uses[op];
    // `f $ x` and `x & f` are applications, so that x goes to f as it is.
    const bool forward = use && use->binding.valid() && is_prelude(use->binding, "$");
    const bool backward = use && use->binding.valid() && is_prelude(use->binding, "&");
    if (forward || backward) {
      ValueRef fn;
      Lazy* value = nullptr;
      if (forward) {
        fn = left != nullptr ? demand(left) : eval(leftmost, env);
      } else {
        fn = eval(binary.rhs, env);
      }
      const auto* closure = get_if<ClosureValue>(fn);
      const bool raw =
          closure != nullptr && closure->raw && closure->args.size() + 1 >= closure->arity;
      if (forward)
        value = argument(binary.rhs, env, !raw);
      else
        value = left != nullptr ? left : argument(leftmost, env, !raw);
      result = apply(fn, {value}, span);
    } else {
      const ValueRef fn = eval(binary.op, env);
      const auto* closure = get_if<ClosureValue>(fn);
      const bool raw = closure != nullptr && closure->raw;
      if (left == nullptr) left = argument(leftmost, env, !raw);
      if (!raw) left->force = true;
      result = apply(fn, {left, argument(binary.rhs, env, !raw)}, span);
    }
    bind_opened(id, result, env);
    left = new_lazy([result](Lowerer&) { return result; }, false, span);
  }
  return result;
}

ValueRef Lowerer::apply(const ValueRef& fn, std::vector<Lazy*> args, Span span) {
  const auto* closure = get_if<ClosureValue>(fn);
  if (closure == nullptr) not_supported(span, "the application of this value");
  std::vector<Lazy*> all = closure->args;
  all.insert(all.end(), args.begin(), args.end());
  if (all.size() < closure->arity) {
    ClosureValue partial = *closure;
    for (Lazy* arg : all) arg->force = true;
    partial.args = std::move(all);
    return make_value(std::move(partial));
  }
  std::vector<Lazy*> rest(all.begin() + static_cast<std::ptrdiff_t>(closure->arity), all.end());
  all.resize(closure->arity);
  const LocId loc = emit().loc();
  at_call(span);
  ValueRef result = closure->body(*this, all, span);
  emit().set_loc(loc);
  if (rest.empty()) return result;
  return apply(result, std::move(rest), span);
}

void Lowerer::at_call(Span span) {
  if (span.valid()) at(span);
}

ValueRef Lowerer::call(const ValueRef& fn, const std::vector<ValueRef>& args, Span span) {
  std::vector<Lazy*> lazies;
  for (const ValueRef& arg : args) lazies.push_back(ready(arg));
  return apply(fn, std::move(lazies), span);
}

ValueRef Lowerer::lambda(const ast::Lambda& node, ast::ExprId expr, Env* env) {
  const Span span = arena().exprs[expr].span;
  return native(
      node.params.size(),
      [node = &node, env, span, context = context_](Lowerer& lower, const std::vector<Lazy*>& args,
                                                    Span) {
        const Context outer = lower.context();
        lower.set_context(context);
        Env* frame = lower.new_env(env);
        ValueId condition;
        bool never = false;
        for (std::size_t i = 0; i < args.size(); ++i) {
          if (lower.irrefutable(node->params[i])) {
            lower.bind_pattern(node->params[i], args[i], frame);
          } else {
            const Match match = lower.match(node->params[i], lower.demand(args[i]), frame);
            never |= match.never;
            if (match.condition.valid())
              condition = condition.valid()
                              ? lower.emit().scalar(ScalarFn::And, {condition, match.condition})
                              : match.condition;
          }
        }
        ValueRef result;
        if (never)
          result = lower.no_alternative(span);
        else if (condition.valid())
          result = lower.branch(
              condition, [&] { return lower.eval(node->body, frame); },
              [&] { return lower.no_alternative(span); }, span);
        else
          result = lower.eval(node->body, frame);
        lower.set_context(outer);
        return result;
      },
      from_expr(expr, env));
}

namespace {

bool mentions_unknown(const TypeRef& type) {
  if (!type) return false;
  auto any = [](const std::vector<TypeRef>& parts) {
    return std::any_of(parts.begin(), parts.end(), mentions_unknown);
  };
  auto unknown = [](const Size& size) { return size.mentions(unknown_symbol); };
  if (const auto* array = std::get_if<typed::ArrayType>(&type->node))
    return std::any_of(array->shape.begin(), array->shape.end(), unknown) ||
           mentions_unknown(array->element);
  if (const auto* tuple = std::get_if<typed::TupleType>(&type->node)) return any(tuple->parts);
  if (const auto* function = std::get_if<typed::FunctionType>(&type->node))
    return mentions_unknown(function->param) || mentions_unknown(function->result);
  if (const auto* data = std::get_if<typed::DataType>(&type->node))
    return any(data->type_args) ||
           std::any_of(data->size_args.begin(), data->size_args.end(), unknown);
  return false;
}

}  // namespace

// A declared function (or value) as it is used: `home` is where it was declared (none: at top
// level), `use_env` where it is used.
ValueRef Lowerer::function_value(BindingId id, ast::DeclId decl, const typed::Use* use, Env* home,
                                 Env* use_env, Span span) {
  const typed::Binding& binding = program_.bindings[id];
  const auto& function = std::get<ast::FunctionDecl>(arena().decls[decl].node);
  const std::size_t arity = function.clauses.at(0).params.size();
  const bool monomorphic = binding.scheme.types.empty() && binding.scheme.sizes.empty();
  const bool recursive = binding.recursive && (arity > 0 || holds_arrow(binding.scheme.type));
  if (arity == 0 && monomorphic && home == nullptr && !recursive) {
    // A constant of the program: evaluated once in each graph function.
    Lazy*& lazy = globals_[{id, emit().function_id()}];
    if (lazy == nullptr) {
      std::vector<Frame> above = emit().rise(1);
      lazy = new_lazy(
          [this, decl, id](Lowerer&) { return run_function(id, decl, {}, nullptr, {}, nullptr); },
          true, binding.span, binding.name);
      emit().sink(std::move(above));
    }
    return demand(lazy);
  }
  FunctionAt result;
  result.binding = id;
  result.decl = decl;
  result.home = home;
  result.use_env = use_env;
  result.span = span;
  result.refresh = [this, use](FunctionAt& at) {
    const typed::Scheme& scheme = program_.bindings[at.binding].scheme;
    at.types.clear();
    for (std::size_t i = 0; i < scheme.types.size(); ++i) {
      if (use != nullptr && i < use->type_args.size())
        at.types.push_back(resolve(use->type_args[i], at.use_env));
      else
        at.types.push_back(resolve(
            std::make_shared<const typed::Type>(typed::Type{typed::VariableType{scheme.types[i]}}),
            at.use_env));
    }
  };
  result.refresh(result);
  if (use != nullptr) result.sizes = use->size_args;
  return function_at(std::move(result));
}

ValueRef Lowerer::function_at(FunctionAt function) {
  const typed::Binding& binding = program_.bindings[function.binding];
  const auto& decl = std::get<ast::FunctionDecl>(arena().decls[function.decl].node);
  const std::size_t arity = decl.clauses.at(0).params.size();
  function.from = emit().function_id();
  bool recursive = binding.recursive && (arity > 0 || holds_arrow(binding.scheme.type));
  const MethodCall* methods = context_.methods;
  if (function.is_method) methods = enter_method(function, recursive, decl.name.span);
  if (recursive) return recursive_value(std::move(function), arity);
  if (arity == 0) {
    const Context outer = context_;
    context_.methods = methods;
    ValueRef result = run_at(std::move(function), {});
    context_ = outer;
    return result;
  }
  return native(
      arity,
      [this, function, methods, name = binding.name](Lowerer&, const std::vector<Lazy*>& args,
                                                     Span at) {
        const Context outer = context_;
        if (at.valid()) context_ = Context{loc_of(at), name};
        context_.methods = methods;
        ValueRef result = run_at(function, args);
        context_ = outer;
        return result;
      },
      from_binding(function.binding, function.types, function.home, function.span));
}

// A recursive function takes all arguments that its type names, so that what it gives is data.
ValueRef Lowerer::recursive_value(FunctionAt function, std::size_t arity) {
  RecursiveType type = recursive_type(function.binding, arity, function.types);
  const std::size_t params = type.params.size();
  const auto run = [this, function, type](Lowerer&, const std::vector<Lazy*>& args, Span at) {
    FunctionAt here = function;
    move_here(here);
    if (tail_calls(here.binding, here.decl) == nullptr) return call_recursive(here, type, args, at);
    const Context outer = context_;
    if (at.valid()) context_ = Context{loc_of(at), program_.bindings[here.binding].name};
    context_.methods = outer.methods;
    ValueRef result = tail_loop(here, type, args, at);
    context_ = outer;
    return result;
  };
  return native(params, run,
                from_binding(function.binding, function.types, function.home, function.span));
}

// The types and sizes of a function that was named in another graph function.
void Lowerer::move_here(FunctionAt& function) {
  if (function.from == emit().function_id()) return;
  for (TypeRef& type : function.types) type = imported(type, function.from);
  std::vector<std::pair<SizeVarId, Size>> known;
  for (const auto& [variable, size] : function.known)
    if (auto here = imported(size, function.from)) known.emplace_back(variable, *here);
  function.known = std::move(known);
  function.from = emit().function_id();
}

ValueRef Lowerer::run_at(FunctionAt function, const std::vector<Lazy*>& args) {
  move_here(function);
  if (function.refresh &&
      std::any_of(function.types.begin(), function.types.end(), mentions_unknown)) {
    for (Lazy* arg : args)
      if (!arg->busy) demand(arg);
    function.refresh(function);
  }
  Env* types_env = new_env(function.home);
  const typed::Scheme& scheme = program_.bindings[function.binding].scheme;
  for (std::size_t i = 0; i < function.types.size(); ++i)
    types_env->types[scheme.types[i]] = function.types[i];
  for (const auto& [variable, size] : function.known) types_env->sizes[variable] = size;
  return run_function(function.binding, function.decl, args, types_env, function.sizes,
                      function.use_env);
}

ValueRef Lowerer::run_function(BindingId id, ast::DeclId decl, const std::vector<Lazy*>& args,
                               Env* home, const std::vector<Size>& use_sizes, Env* use_env,
                               const Tail* tail) {
  const typed::Binding& binding = program_.bindings[id];
  const auto& function = std::get<ast::FunctionDecl>(arena().decls[decl].node);
  Env* frame = new_env(home);
  frame->scheme_sizes = binding.scheme.sizes;
  frame->use_sizes = use_sizes;
  frame->use_env = use_env;
  TypeRef type = binding.scheme.type;
  for (Lazy* arg : args) {
    const auto* arrow = type ? std::get_if<typed::FunctionType>(&type->node) : nullptr;
    if (arrow == nullptr) break;
    if (arrow->binder) frame->binders.emplace_back(*arrow->binder, arg);
    frame->size_sources.push_back({arrow->param, arg});
    type = arrow->result;
  }
  const std::size_t arity = function.clauses.at(0).params.size();
  if (args.size() <= arity) return run_clauses(function.clauses, args, frame, binding.span, tail);
  const auto first = args.begin() + static_cast<std::ptrdiff_t>(arity);
  const ValueRef result = run_clauses(function.clauses, {args.begin(), first}, frame, binding.span);
  return apply(result, {first, args.end()}, binding.span);
}

}  // namespace dvm::lower
