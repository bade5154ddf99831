// Tail recursion as a loop: its state is the arguments, so it takes no stack and may stand in the
// body of a parallel operation.
//
// Note [Tail recursion]. A step evaluates the function's body on the arguments of this call. Where
// the body ends in a call of itself, the step yields (True, new arguments); where it ends in
// another value, (False, the same arguments). When the result is made of scalars it is a part of
// the state. Otherwise, since its sizes are not known before, the body is evaluated once more on
// the last arguments, where only the way to the value can be taken.
#include <algorithm>

#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

using graph::Type;

// Fields of constructors that a value does not have get the layout of their type.
LayoutRef Lowerer::complete(const LayoutRef& layout, const TypeRef& type, Env* env, Span span) {
  const TypeRef resolved = resolve(type, env);
  if (const auto* tuple = std::get_if<TupleLayout>(&layout->node)) {
    const auto* parts = std::get_if<typed::TupleType>(&resolved->node);
    TupleLayout result;
    for (std::size_t i = 0; i < tuple->parts.size(); ++i)
      result.parts.push_back(parts == nullptr
                                 ? tuple->parts[i]
                                 : complete(tuple->parts[i], parts->parts.at(i), nullptr, span));
    return make_layout(std::move(result));
  }
  const auto* data = std::get_if<DataLayout>(&layout->node);
  const auto* declared = std::get_if<typed::DataType>(&resolved->node);
  if (data == nullptr || declared == nullptr) return layout;
  const typed::DataInfo& info = program_.datas[data->data];
  DataLayout result = *data;
  result.fields.resize(info.constructors.size());
  Env* params = new_env(nullptr);
  for (std::size_t i = 0; i < info.type_params.size(); ++i)
    params->types[info.type_params[i]] = declared->type_args.at(i);
  for (std::size_t i = 0; i < info.size_params.size(); ++i)
    params->sizes[info.size_params[i]] = declared->size_args.at(i);
  for (std::size_t c = 0; c < result.fields.size(); ++c) {
    const auto& types = info.constructors[c].field_types;
    const bool absent = result.fields[c].size() < types.size();
    for (std::size_t f = 0; f < types.size(); ++f) {
      if (absent)
        result.fields[c].push_back(generalise(layout_of_type(types[f], params, span)));
      else
        result.fields[c][f] = complete(result.fields[c][f], types[f], params, span);
    }
  }
  return make_layout(std::move(result));
}

namespace {

bool only_scalars(const typed::Program& program, const TypeRef& type) {
  if (std::holds_alternative<typed::ScalarType>(type->node)) return true;
  if (const auto* tuple = std::get_if<typed::TupleType>(&type->node))
    return std::all_of(tuple->parts.begin(), tuple->parts.end(),
                       [&](const TypeRef& part) { return only_scalars(program, part); });
  const auto* data = std::get_if<typed::DataType>(&type->node);
  if (data == nullptr || !data->size_args.empty()) return false;
  for (const TypeRef& arg : data->type_args)
    if (!only_scalars(program, arg)) return false;
  for (const typed::ConstructorInfo& constructor : program.datas[data->data].constructors)
    for (const TypeRef& field : constructor.field_types)
      if (!std::holds_alternative<typed::VariableType>(field->node) &&
          !only_scalars(program, field))
        return false;
  return true;
}

}  // namespace

ValueRef Lowerer::zero_value(const LayoutRef& layout) {
  std::vector<ValueId> leaves;
  for (const Type& type : leaf_types(layout)) leaves.push_back(zero(type));
  return rebuild(layout, leaves);
}

ValueRef Lowerer::tail_loop(const FunctionAt& use, const RecursiveType& type,
                            const std::vector<Lazy*>& args, Span span) {
  Env* types_env = new_env(use.home);
  const typed::Scheme& scheme = program_.bindings[use.binding].scheme;
  for (std::size_t i = 0; i < use.types.size(); ++i)
    types_env->types[scheme.types[i]] = use.types[i];
  for (const auto& [variable, size] : use.known) types_env->sizes[variable] = size;

  const LocId loc = emit().loc();
  const auto& function = std::get<ast::FunctionDecl>(arena().decls[use.decl].node);
  Tail tail;
  tail.calls = tail_calls(use.binding, use.decl);
  TupleValue state;
  TupleLayout parts;
  const auto add_state = [&](ValueRef value, LayoutRef layout) {
    state.parts.push_back(std::move(value));
    parts.parts.push_back(std::move(layout));
  };
  add_state(boolean(emit().constant(Scalar::of_bool(true))),
            make_layout(ScalarLayout{ElementType::Bool}));
  for (std::size_t i = 0; i < args.size(); ++i) {
    const ValueRef value = settle(demand(args[i]), span, Functions::Keep);
    const LayoutRef layout = complete(state_layout(value, span), type.params[i], types_env, span);
    tail.args.push_back(value);
    tail.fixed.push_back(holds_function(value) && leaf_types(layout).empty());
    if (!tail.fixed[i]) add_state(value, layout);
  }
  const TypeRef result_type = resolve(type.result, types_env);
  const bool single = only_scalars(program_, result_type);
  if (single) {
    const LayoutRef layout = generalise(layout_of_type(result_type, nullptr, span));
    add_state(zero_value(layout), layout);
  }
  const LayoutRef layout = make_layout(std::move(parts));
  std::vector<ValueId> operands;
  flatten(make_value(state), layout, operands, span);
  const std::vector<Type> types = leaf_types(layout);
  std::vector<std::string> names{"again"};
  for (std::size_t i = 0, at = 1; i < args.size(); ++i)
    if (!tail.fixed[i]) {
      const auto& whole = std::get<TupleLayout>(layout->node).parts[at++];
      leaf_names(whole, param_name(function, i), names);
    }
  names.resize(types.size(), "result");
  for (std::string& name : names) std::replace(name.begin(), name.end(), '.', '_');
  const auto add_params = [&] {
    std::vector<ValueId> params;
    for (std::size_t i = 0; i < types.size(); ++i)
      params.push_back(emit().param(types[i], names[i]));
    return params;
  };
  // The arguments from a state, for the body.
  const auto take = [&](const std::vector<ValueId>& leaves) {
    const ValueRef now = rebuild(layout, leaves);
    const auto& whole = get_if<TupleValue>(now)->parts;
    std::vector<Lazy*> lazies;
    for (std::size_t i = 0, at = 1; i < args.size(); ++i) {
      if (!tail.fixed[i]) tail.args[i] = whole[at++];
      lazies.push_back(ready(tail.args[i]));
    }
    tail.result = single ? whole.back() : nullptr;
    return lazies;
  };
  const auto body = [&](const std::vector<Lazy*>& lazies) {
    return run_function(use.binding, use.decl, lazies, types_env, use.sizes, use.use_env, &tail);
  };

  const RegionId condition = emit().open(FrameKind::Step);
  const ValueId again = add_params().at(0);
  emit().leave();
  emit().set_yields(condition, {again});
  const RegionId step = emit().open(FrameKind::Step);
  const std::vector<Lazy*> current = take(add_params());
  const std::vector<ValueId> yields = state_leaves(body(current), layout, span);
  emit().leave();
  emit().set_loc(loc);
  emit().set_yields(step, yields);
  const std::vector<ValueId> results =
      emit().results(emit().add(graph::While{}, operands, {condition, step}, types));
  const std::vector<Lazy*> last = take(results);
  if (single) return tail.result;
  tail.last = true;
  return body(last);
}

// The end of a step: with a value, or with the arguments of the next one.
ValueRef Lowerer::tail_value(const Tail& tail, const ValueRef& value) {
  if (tail.last || get_if<FailureValue>(value) != nullptr) return value;
  TupleValue state;
  state.parts.push_back(boolean(emit().constant(Scalar::of_bool(false))));
  for (std::size_t i = 0; i < tail.args.size(); ++i)
    if (!tail.fixed[i]) state.parts.push_back(tail.args[i]);
  if (tail.result) state.parts.push_back(value);
  return make_value(std::move(state));
}

ValueRef Lowerer::tail_call(const Tail& tail, const std::vector<Lazy*>& args, Span span) {
  if (tail.last) return no_alternative(span);
  TupleValue state;
  state.parts.push_back(boolean(emit().constant(Scalar::of_bool(true))));
  for (std::size_t i = 0; i < args.size(); ++i) {
    const ValueRef value = settle(demand(args[i]), span, Functions::Keep);
    if (!tail.fixed[i])
      state.parts.push_back(value);
    else if (key_of(value) != key_of(tail.args[i]))
      function_at_run_time(value, span, tail.args[i]);
  }
  if (tail.result) state.parts.push_back(tail.result);
  return make_value(std::move(state));
}

ValueRef Lowerer::eval_tail(ast::ExprId expr, Env* env, const Tail* tail) {
  if (tail == nullptr) return eval(expr, env);
  expr = strip(expr);
  const Span span = arena().exprs[expr].span;
  at(span);
  const auto& node = arena().exprs[expr].node;
  if (const auto* annotated = std::get_if<ast::Annotated>(&node))
    return eval_tail(annotated->expr, env, tail);
  if (const auto* let = std::get_if<ast::Let>(&node)) {
    Env* inner = new_env(env);
    declare(let->decls, inner);
    return eval_tail(let->body, inner, tail);
  }
  if (const auto* choice = std::get_if<ast::If>(&node)) {
    const ValueId condition = as_scalar(eval(choice->condition, env), span);
    return branch(
        condition, [&] { return eval_tail(choice->then_branch, env, tail); },
        [&] { return eval_tail(choice->else_branch, env, tail); }, span);
  }
  if (const auto* multi = std::get_if<ast::MultiIf>(&node))
    return eval_guarded(multi->alternatives, 0, env, [&] { return no_alternative(span); }, tail);
  if (const auto* cases = std::get_if<ast::Case>(&node))
    return eval_case(cases->alternatives, demand(argument(cases->scrutinee, env, true)), env, span,
                     tail);
  if (const auto* binary = std::get_if<ast::Binary>(&node))
    if (auto value = tail_operator(*binary, env, tail, span)) return *value;
  return tail_application(expr, {}, env, tail, span);
}

// `f a $ b`, `p && again`, `p || again`.
std::optional<ValueRef> Lowerer::tail_operator(const ast::Binary& node, Env* env, const Tail* tail,
                                               Span span) {
  const auto& use = program_.uses[strip(node.op)];
  if (!use || !use->binding.valid()) return std::nullopt;
  if (is_prelude(use->binding, "$")) {
    if (!calls_itself(node.lhs, tail)) return std::nullopt;
    return tail_application(node.lhs, {node.rhs}, env, tail, span);
  }
  const bool both = is_builtin_of_prelude(use->binding, "&&");
  if (!both && !is_builtin_of_prelude(use->binding, "||")) return std::nullopt;
  const ValueId left = as_scalar(eval(node.lhs, env), span);
  const auto more = [&] { return eval_tail(node.rhs, env, tail); };
  const auto ends = [&] {
    return tail_value(*tail, boolean(emit().constant(Scalar::of_bool(!both))));
  };
  return both ? branch(left, more, ends, span) : branch(left, ends, more, span);
}

bool Lowerer::calls_itself(ast::ExprId expr, const Tail* tail) const {
  expr = strip(expr);
  while (const auto* apply = std::get_if<ast::Apply>(&arena().exprs[expr].node))
    expr = strip(apply->fn);
  return tail->calls->contains(expr);
}

ValueRef Lowerer::tail_application(ast::ExprId expr, std::vector<ast::ExprId> args, Env* env,
                                   const Tail* tail, Span span) {
  if (!calls_itself(expr, tail)) return tail_value(*tail, eval(expr, env));
  ast::ExprId head = strip(expr);
  while (const auto* apply = std::get_if<ast::Apply>(&arena().exprs[head].node)) {
    args.insert(args.begin(), apply->arg);
    head = strip(apply->fn);
  }
  std::vector<Lazy*> lazies;
  for (ast::ExprId arg : args) lazies.push_back(argument(arg, env, true));
  return tail_call(*tail, lazies, span);
}

}  // namespace dvm::lower
