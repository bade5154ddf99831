// Expressions.
#include <algorithm>

#include "frontend/ast/walk.hpp"
#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace {
constexpr int max_depth = 20'000;
// Regions inside each other, with room for those that one expression opens by itself.
constexpr std::size_t max_regions = graph::max_region_depth - 50;
}  // namespace

class DepthGuard {
 public:
  DepthGuard(Lowerer& lower, Span span) : lower_(lower) {
    if (++lower_.depth_ > max_depth) {
      lower_.depth_ = 0;
      lower_.fail(span, "nesting-too-deep", "the program unfolds too deeply here",
                  "more than " + std::to_string(max_depth) + " levels");
    }
    if (lower_.emit().frames().size() > max_regions) {
      lower_.depth_ = 0;
      lower_.fail(span, "nesting-too-deep",
                  "choices, loops and bodies stand too deeply inside each other here",
                  "more than " + std::to_string(max_regions) + " levels");
    }
  }
  ~DepthGuard() { --lower_.depth_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  Lowerer& lower_;
};

ast::ExprId Lowerer::strip(ast::ExprId expr) const {
  while (const auto* paren = std::get_if<ast::Paren>(&arena().exprs[expr].node))
    expr = paren->inner;
  return expr;
}

ValueRef Lowerer::eval(ast::ExprId expr, Env* env) {
  const DepthGuard guard(*this, arena().exprs[expr].span);
  at(arena().exprs[expr].span);
  ValueRef value = eval_node(expr, env);
  if (const auto* failure = get_if<FailureValue>(value); failure != nullptr && !failure->type)
    value =
        make_value(FailureValue{failure->message, failure->span, resolve(expr_type(expr), env)});
  bind_opened(expr, value, env);
  return value;
}

ValueRef Lowerer::eval_node(ast::ExprId expr, Env* env) {
  const ast::Expr& node = arena().exprs[expr];
  const Span span = node.span;
  return std::visit(
      [&](const auto& e) -> ValueRef {
        using T = std::decay_t<decltype(e)>;
        if constexpr (std::is_same_v<T, ast::Variable> || std::is_same_v<T, ast::Constructor>) {
          return eval_variable(expr, env);
        } else if constexpr (std::is_same_v<T, ast::IntegerLiteral> ||
                             std::is_same_v<T, ast::FloatLiteral>) {
          return eval_literal(expr, env);
        } else if constexpr (std::is_same_v<T, ast::StringLiteral>) {
          return make_value(StringValue{e.value});
        } else if constexpr (std::is_same_v<T, ast::Apply>) {
          return eval_application(expr, env);
        } else if constexpr (std::is_same_v<T, ast::Binary>) {
          return eval_binary(expr, env);
        } else if constexpr (std::is_same_v<T, ast::Negate>) {
          return eval_negate(e, expr, env);
        } else if constexpr (std::is_same_v<T, ast::LeftSection>) {
          return apply(eval(e.op, env), {argument(e.lhs, env, true)}, span);
        } else if constexpr (std::is_same_v<T, ast::RightSection>) {
          return right_section(e, expr, env);
        } else if constexpr (std::is_same_v<T, ast::Lambda>) {
          return lambda(e, expr, env);
        } else if constexpr (std::is_same_v<T, ast::LambdaCase>) {
          return lambda_case(e, expr, env);
        } else if constexpr (std::is_same_v<T, ast::Let>) {
          Env* inner = new_env(env);
          declare(e.decls, inner);
          return eval(e.body, inner);
        } else if constexpr (std::is_same_v<T, ast::If>) {
          const ValueId condition = as_scalar(eval(e.condition, env), span);
          return branch(
              condition, [&] { return eval(e.then_branch, env); },
              [&] { return eval(e.else_branch, env); }, span);
        } else if constexpr (std::is_same_v<T, ast::MultiIf>) {
          return eval_guarded(e.alternatives, 0, env, [&] { return no_alternative(span); });
        } else if constexpr (std::is_same_v<T, ast::Case>) {
          const ValueRef scrutinee = demand(argument(e.scrutinee, env, true));
          return eval_case(e.alternatives, scrutinee, env, span);
        } else if constexpr (std::is_same_v<T, ast::Tuple>) {
          TupleValue result;
          for (ast::ExprId part : e.parts) result.parts.push_back(eval(part, env));
          return make_value(std::move(result));
        } else if constexpr (std::is_same_v<T, ast::ArrayLiteral>) {
          return eval_array_literal(e, expr, env);
        } else if constexpr (std::is_same_v<T, ast::Range>) {
          return eval_range(e, expr, env);
        } else if constexpr (std::is_same_v<T, ast::Comprehension>) {
          return eval_comprehension(e, expr, env);
        } else if constexpr (std::is_same_v<T, ast::Annotated>) {
          return eval(e.expr, env);
        } else if constexpr (std::is_same_v<T, ast::RecordConstruct>) {
          return eval_record_construct(e, expr, env);
        } else if constexpr (std::is_same_v<T, ast::RecordUpdate>) {
          return eval_record_update(e, expr, env);
        } else if constexpr (std::is_same_v<T, ast::Paren>) {
          return eval(e.inner, env);
        } else {
          not_supported(span, "a hole");
        }
      },
      node.node);
}

ValueRef Lowerer::eval_negate(const ast::Negate& node, ast::ExprId expr, Env* env) {
  const Span span = arena().exprs[expr].span;
  const TypeRef type = resolve(expr_type(expr), env);
  const auto& use = program_.uses[expr];
  if (!builtin_scalar(typed::builtin_class::num, type) && use && use->binding.valid())
    return apply(variable(use->binding, &*use, env, span), {argument(node.operand, env, true)},
                 span);
  const ValueId operand = as_scalar(eval(node.operand, env), span);
  at(span);
  return scalar_value(emit().scalar(ScalarFn::Neg, {operand}));
}

ValueRef Lowerer::right_section(const ast::RightSection& node, ast::ExprId expr, Env* env) {
  Lazy* right = argument(node.rhs, env, true);
  const ValueRef op = eval(node.op, env);
  return native(
      1,
      [op, right](Lowerer& lower, const std::vector<Lazy*>& args, Span at) {
        return lower.apply(op, {args[0], right}, at);
      },
      from_expr(expr, env));
}

ValueRef Lowerer::lambda_case(const ast::LambdaCase& node, ast::ExprId expr, Env* env) {
  return native(
      1,
      [node = &node, env, context = context_](Lowerer& lower, const std::vector<Lazy*>& args,
                                              Span at) {
        const Context outer = lower.context();
        const ValueRef scrutinee = lower.demand(args[0]);
        lower.set_context(context);
        ValueRef result = lower.eval_case(node->alternatives, scrutinee, env, at);
        lower.set_context(outer);
        return result;
      },
      from_expr(expr, env));
}

ValueId Lowerer::as_scalar(const ValueRef& value, Span span) {
  if (const auto* scalar = get_if<ScalarValue>(value)) return scalar->id;
  if (const auto* failure = get_if<FailureValue>(value))
    return as_scalar(shaped(*failure, span), span);
  not_supported(span, "an operation on a value that is not a scalar");
}

ValueRef Lowerer::eval_literal(ast::ExprId expr, Env* env) {
  const ast::Expr& node = arena().exprs[expr];
  const TypeRef type = resolve(expr_type(expr), env);
  if (const auto* real = std::get_if<ast::FloatLiteral>(&node.node))
    return literal(type, *real, false, node.span);
  return literal(type, std::get<ast::IntegerLiteral>(node.node), false, node.span);
}

ValueRef Lowerer::builtin_value(BindingId id, const std::vector<TypeRef>& types,
                                const typed::Use* use, Env* env, Span span) {
  const typed::Binding& binding = program_.bindings[id];
  const BuiltinInfo* builtin = find_builtin(binding.name);
  if (builtin == nullptr) not_supported(span, "`" + binding.name + "`");
  ClosureValue closure;
  closure.arity = builtin->arity;
  closure.raw = true;
  closure.body = [builtin, types, name = &binding.name, use, env, from = emit().function_id()](
                     Lowerer& lower, const std::vector<Lazy*>& args, Span at) {
    if (at.valid()) lower.at(at);
    std::vector<TypeRef> here;
    for (const TypeRef& type : types) here.push_back(lower.imported(type, from));
    return builtin->run(BuiltinCall{lower, *name, args, here, at, use, env});
  };
  if (closure.arity == 0) return closure.body(*this, {}, span);
  closure.origin = from_binding(id, types, nullptr, span);
  return make_value(std::move(closure));
}

ValueRef Lowerer::eval_variable(ast::ExprId expr, Env* env) {
  const Span span = arena().exprs[expr].span;
  const auto& use = program_.uses[expr];
  if (!use) not_supported(span, "this name");
  if (!use->binding.valid()) {
    const auto size = use->size ? find_size(*use->size, env) : std::nullopt;
    if (!size) {
      const std::string name = use->size ? program_.size_vars[*use->size].name : "";
      fail(span, "unknown-size", "the size `" + name + "` is not known here",
           "nothing in scope has this size");
    }
    return scalar_value(emit().size_value(*size));
  }
  return variable(use->binding, &*use, env, span);
}

// A name of a pattern binding at top level: all names of the pattern share its value.
Lazy* Lowerer::global_part(BindingId id, Span span) {
  if (auto found = globals_.find({id, emit().function_id()}); found != globals_.end())
    return found->second;
  for (const ast::Module& module : program_.ast->modules) {
    if (module.name != program_.bindings[id].module) continue;
    for (ast::DeclId decl : module.decls) {
      const auto* binding = std::get_if<ast::PatternBinding>(&arena().decls[decl].node);
      if (binding == nullptr) continue;
      std::vector<BindingId> names;
      ast::each_pattern(arena(), binding->pattern, [&](ast::PatternId part) {
        if (program_.pattern_bindings[part].valid())
          names.push_back(program_.pattern_bindings[part]);
      });
      if (std::find(names.begin(), names.end(), id) == names.end()) continue;
      std::vector<Frame> above = emit().rise(1);
      Env* env = new_env(nullptr);
      declare({decl}, env);
      emit().sink(std::move(above));
      for (BindingId name : names)
        globals_[{name, emit().function_id()}] = env->values.at(name).value;
      return globals_.at({id, emit().function_id()});
    }
  }
  not_supported(span, "the use of `" + program_.bindings[id].name + "` here");
}

ValueRef Lowerer::variable(BindingId id, const typed::Use* use, Env* env, Span span) {
  const typed::Binding& binding = program_.bindings[id];
  switch (binding.kind) {
    case typed::BindingKind::Local:
    case typed::BindingKind::Global: {
      if (auto [slot, home] = find(id, env); slot != nullptr)
        return slot->value != nullptr ? demand(slot->value)
                                      : function_value(id, *slot->decl, use, home, env, span);
      if (!binding.decl) return demand(global_part(id, span));
      return function_value(id, *binding.decl, use, nullptr, env, span);
    }
    case typed::BindingKind::Builtin:
    case typed::BindingKind::Method: {
      std::vector<TypeRef> types;
      if (use != nullptr)
        for (const TypeRef& type : use->type_args) types.push_back(resolve(type, env));
      if (binding.kind == typed::BindingKind::Method) return method(id, types, use, env, span);
      return builtin_value(id, types, use, env, span);
    }
    case typed::BindingKind::Constructor: {
      if (!binding.data.valid())
        return boolean(emit().constant(Scalar::of_bool(binding.part == 1)));
      const std::size_t arity =
          program_.datas[binding.data].constructors.at(binding.part).field_types.size();
      if (arity == 0) return construct(binding.data, binding.part, {});
      ClosureValue closure;
      closure.arity = arity;
      closure.raw = true;
      closure.body = [data = binding.data, part = binding.part](
                         Lowerer& lower, const std::vector<Lazy*>& args, Span) {
        std::vector<ValueRef> fields;
        for (Lazy* arg : args) fields.push_back(lower.demand(arg));
        return lower.construct(data, part, std::move(fields));
      };
      closure.origin = from_binding(id, {}, nullptr, span);
      return make_value(std::move(closure));
    }
    case typed::BindingKind::Selector:
      return native(
          1,
          [this, data = binding.data, name = binding.name](
              Lowerer& lower, const std::vector<Lazy*>& args, Span at) {
            return select_field(data, name, lower.demand(args[0]), at);
          },
          from_binding(id, {}, nullptr, span));
  }
  not_supported(span, "this name");
}

}  // namespace dvm::lower
