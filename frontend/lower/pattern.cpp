// Patterns: what they bind, and when they match.
#include "frontend/ast/walk.hpp"
#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace {

void conjoin(Emitter& emit, Match& match, const Match& other) {
  match.never |= other.never;
  if (!other.condition.valid()) return;
  match.condition = match.condition.valid()
                        ? emit.scalar(ScalarFn::And, {match.condition, other.condition})
                        : other.condition;
}

// A condition that is known becomes none, or never.
Match from_condition(Emitter& emit, ValueId condition) {
  if (auto known = emit.known_bool(condition)) return Match{{}, !*known};
  return Match{condition, false};
}

}  // namespace

namespace {

bool has_size(const TypeRef& type, std::size_t count) {
  const auto* array = type ? std::get_if<typed::ArrayType>(&type->node) : nullptr;
  return array != nullptr && array->shape.at(0) == Size(static_cast<std::int64_t>(count));
}

}  // namespace

bool Lowerer::irrefutable(ast::PatternId pattern) const {
  return std::visit(
      [&](const auto& p) -> bool {
        using T = std::decay_t<decltype(p)>;
        if constexpr (std::is_same_v<T, ast::WildcardPattern> ||
                      std::is_same_v<T, ast::VariablePattern>) {
          return true;
        } else if constexpr (std::is_same_v<T, ast::LiteralPattern>) {
          return false;
        } else if constexpr (std::is_same_v<T, ast::TuplePattern> ||
                             std::is_same_v<T, ast::ListPattern>) {
          if (std::is_same_v<T, ast::ListPattern> &&
              !has_size(program_.pattern_types[pattern], p.parts.size()))
            return false;
          for (ast::PatternId part : p.parts)
            if (!irrefutable(part)) return false;
          return true;
        } else if constexpr (std::is_same_v<T, ast::ConstructorPattern> ||
                             std::is_same_v<T, ast::RecordPattern>) {
          const BindingId id = program_.pattern_constructors[pattern];
          if (!id.valid() || !program_.bindings[id].data.valid()) return false;
          if (program_.datas[program_.bindings[id].data].constructors.size() != 1) return false;
          if constexpr (std::is_same_v<T, ast::ConstructorPattern>) {
            for (ast::PatternId arg : p.args)
              if (!irrefutable(arg)) return false;
          } else {
            for (const ast::FieldPattern& field : p.fields)
              if (!irrefutable(field.pattern)) return false;
          }
          return true;
        } else {
          return irrefutable(p.pattern);
        }
      },
      arena().patterns[pattern].node);
}

// Names of a pattern that cannot fail are bound to parts of a value that is evaluated when one is
// needed.
void Lowerer::bind_pattern(ast::PatternId pattern, Lazy* value, Env* env) {
  const ast::Pattern& node = arena().patterns[pattern];
  if (std::holds_alternative<ast::WildcardPattern>(node.node)) return;
  if (const auto* variable = std::get_if<ast::VariablePattern>(&node.node)) {
    if (value->name.empty() && value->found.empty()) value->name = variable->name.text;
    env->values[program_.pattern_bindings[pattern]] = Env::Slot{value, {}};
    return;
  }
  if (const auto* bang = std::get_if<ast::BangPattern>(&node.node))
    return bind_pattern(bang->pattern, value, env);
  if (const auto* paren = std::get_if<ast::ParenPattern>(&node.node))
    return bind_pattern(paren->pattern, value, env);
  if (const auto* annotated = std::get_if<ast::AnnotatedPattern>(&node.node))
    return bind_pattern(annotated->pattern, value, env);
  if (const auto* as = std::get_if<ast::AsPattern>(&node.node)) {
    env->values[program_.pattern_bindings[pattern]] = Env::Slot{value, {}};
    return bind_pattern(as->pattern, value, env);
  }
  auto part = [&](ast::PatternId inner, std::function<ValueRef(Lowerer&, const ValueRef&)> select) {
    Lazy* lazy = new_lazy(
        [value, select, pattern](Lowerer& lower) {
          return select(lower, lower.concrete(lower.demand(value),
                                              lower.program().ast->arena.patterns[pattern].span));
        },
        true, node.span);
    bind_pattern(inner, lazy, env);
  };
  if (const auto* tuple = std::get_if<ast::TuplePattern>(&node.node)) {
    for (std::size_t i = 0; i < tuple->parts.size(); ++i)
      part(tuple->parts[i],
           [i](Lowerer&, const ValueRef& whole) { return get_if<TupleValue>(whole)->parts.at(i); });
  } else if (const auto* list = std::get_if<ast::ListPattern>(&node.node)) {
    for (std::size_t i = 0; i < list->parts.size(); ++i)
      part(list->parts[i], [i, span = node.span](Lowerer& lower, const ValueRef& whole) {
        return lower.as_array(whole, span)
            .element(lower, lower.emit().constant_i64(static_cast<std::int64_t>(i)));
      });
  } else if (const auto* constructor = std::get_if<ast::ConstructorPattern>(&node.node)) {
    for (std::size_t i = 0; i < constructor->args.size(); ++i)
      part(constructor->args[i], [i](Lowerer&, const ValueRef& whole) {
        return get_if<DataValue>(whole)->fields.at(0).at(i);
      });
  } else if (const auto* record = std::get_if<ast::RecordPattern>(&node.node)) {
    const typed::Binding& binding = program_.bindings[program_.pattern_constructors[pattern]];
    const auto& names = program_.datas[binding.data].constructors.at(0).field_names;
    for (const ast::FieldPattern& field : record->fields)
      for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == field.field.text)
          part(field.pattern, [i](Lowerer&, const ValueRef& whole) {
            return get_if<DataValue>(whole)->fields.at(0).at(i);
          });
  }
}

Match Lowerer::match(ast::PatternId pattern, const ValueRef& raw, Env* env) {
  const ast::Pattern& node = arena().patterns[pattern];
  const ValueRef value = concrete(raw, node.span);
  return std::visit(
      [&](const auto& p) -> Match {
        using T = std::decay_t<decltype(p)>;
        Match result;
        if constexpr (std::is_same_v<T, ast::WildcardPattern>) {
          return result;
        } else if constexpr (std::is_same_v<T, ast::VariablePattern>) {
          env->values[program_.pattern_bindings[pattern]] = Env::Slot{ready(value), {}};
          return result;
        } else if constexpr (std::is_same_v<T, ast::AsPattern>) {
          env->values[program_.pattern_bindings[pattern]] = Env::Slot{ready(value), {}};
          return match(p.pattern, value, env);
        } else if constexpr (std::is_same_v<T, ast::LiteralPattern>) {
          return match_literal(pattern, p, value, env);
        } else if constexpr (std::is_same_v<T, ast::TuplePattern>) {
          const auto* tuple = get_if<TupleValue>(value);
          for (std::size_t i = 0; i < p.parts.size(); ++i)
            conjoin(emit(), result, match(p.parts[i], tuple->parts.at(i), env));
          return result;
        } else if constexpr (std::is_same_v<T, ast::ListPattern>) {
          return match_list(p.parts, as_array(value, node.span), env, node.span);
        } else if constexpr (std::is_same_v<T, ast::ConstructorPattern> ||
                             std::is_same_v<T, ast::RecordPattern>) {
          return match_constructor(pattern, value, env);
        } else {
          return match(p.pattern, value, env);
        }
      },
      node.node);
}

// The elements are only there when the size is right, so they are read inside of what is taken
// then.
Match Lowerer::match_list(const std::vector<ast::PatternId>& parts, const ArrayValue& array,
                          Env* env, Span span) {
  const Size count(static_cast<std::int64_t>(parts.size()));
  auto element = [array](Lowerer& lower, std::size_t i) {
    return array.element(lower, lower.emit().constant_i64(static_cast<std::int64_t>(i)));
  };
  Match result;
  if (array.extent == count) {
    for (std::size_t i = 0; i < parts.size(); ++i)
      conjoin(emit(), result, match(parts[i], element(*this, i), env));
    return result;
  }
  if (array.extent.constant()) return Match{{}, true};
  const ValueId size = fulfil(emit().size_value(array.extent), array.requirements);
  const ValueId same = emit().scalar(ScalarFn::Eq, {size, emit().size_value(count)});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Lazy* part = new_lazy([element, i](Lowerer& lower) { return element(lower, i); }, true, span);
    bind_matching(parts[i], part, env);
  }
  auto rest = [&] {
    Match all;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (!irrefutable(parts[i]))
        conjoin(emit(), all, match(parts[i], element(*this, i), new_env(env)));
    if (all.condition.valid() && !all.never) return all.condition;
    return emit().constant(Scalar::of_bool(!all.never));
  };
  return from_condition(emit(), both(same, rest, true));
}

// Binds the names of a pattern that may fail: each is matched where it is used, and fails there.
void Lowerer::bind_matching(ast::PatternId pattern, Lazy* value, Env* env) {
  if (irrefutable(pattern)) return bind_pattern(pattern, value, env);
  const Span span = arena().patterns[pattern].span;
  ast::each_pattern(arena(), pattern, [&](ast::PatternId part) {
    const BindingId name = program_.pattern_bindings[part];
    if (!name.valid()) return;
    auto matched = [pattern, value, name, part, env, span](Lowerer& lower) -> ValueRef {
      const std::string message = "the value does not match this pattern";
      Env* frame = lower.new_env(env);
      const Match match = lower.match(pattern, lower.demand(value), frame);
      if (match.never) {
        const TypeRef type = lower.resolve(lower.program().pattern_types[part], env);
        return make_value(FailureValue{message, span, type});
      }
      const auto [slot, home] = lower.find(name, frame);
      const ValueRef found = lower.demand(slot->value);
      if (!match.condition.valid()) return found;
      lower.at(span);
      return lower.checked(found, lower.require(match.condition, {}, span, message));
    };
    env->values[name] = Env::Slot{new_lazy(matched, true, span), {}};
  });
}

Match Lowerer::match_literal(ast::PatternId pattern, const ast::LiteralPattern& literal_node,
                             const ValueRef& value, Env* env) {
  const Span span = arena().patterns[pattern].span;
  const TypeRef type = resolve(program_.pattern_types[pattern], env);
  const auto* integer = std::get_if<ast::IntegerLiteral>(&literal_node.value);
  const ValueRef constant = integer != nullptr
                                ? literal(type, *integer, literal_node.negative, span)
                                : literal(type, std::get<ast::FloatLiteral>(literal_node.value),
                                          literal_node.negative, span);
  return from_condition(emit(), equal(value, constant, type, span));
}

Match Lowerer::match_constructor(ast::PatternId pattern, const ValueRef& value, Env* env) {
  const ast::Pattern& node = arena().patterns[pattern];
  const BindingId id = program_.pattern_constructors[pattern];
  if (!id.valid()) not_supported(node.span, "this pattern");
  const typed::Binding& binding = program_.bindings[id];
  if (!binding.data.valid()) {  // True, False
    ValueId condition = as_scalar(value, node.span);
    if (binding.part == 0) condition = emit().scalar(ScalarFn::Not, {condition});
    return from_condition(emit(), condition);
  }
  const auto* data = get_if<DataValue>(value);
  if (data == nullptr) not_supported(node.span, "this pattern");
  Match result;
  if (data->constructor) {
    if (*data->constructor != binding.part) return Match{{}, true};
  } else {
    const ValueId expected =
        emit().constant(Scalar::of_integer(ElementType::U8, static_cast<int>(binding.part)));
    result = from_condition(emit(), emit().scalar(ScalarFn::Eq, {data->tag, expected}));
    if (result.never) return result;
  }
  const auto& fields = data->fields.at(binding.part);
  // A constructor that no part of the program built this value with.
  if (fields.empty() &&
      !program_.datas[binding.data].constructors.at(binding.part).field_types.empty())
    return Match{{}, true};
  if (const auto* constructor = std::get_if<ast::ConstructorPattern>(&node.node)) {
    for (std::size_t i = 0; i < constructor->args.size(); ++i)
      conjoin(emit(), result, match(constructor->args[i], fields.at(i), env));
  } else {
    const auto& names = program_.datas[binding.data].constructors.at(binding.part).field_names;
    for (const ast::FieldPattern& field : std::get<ast::RecordPattern>(node.node).fields)
      for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == field.field.text)
          conjoin(emit(), result, match(field.pattern, fields.at(i), env));
  }
  return result;
}

}  // namespace dvm::lower
