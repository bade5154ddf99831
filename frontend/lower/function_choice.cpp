// Functions in values: where they are, choices between them, and the error where one would have to
// exist at run time.
#include <algorithm>

#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

bool Lowerer::holds_function(const ValueRef& value) const {
  if (get_if<ClosureValue>(value) != nullptr) return true;
  if (const auto* tuple = get_if<TupleValue>(value))
    return std::any_of(tuple->parts.begin(), tuple->parts.end(),
                       [&](const ValueRef& part) { return holds_function(part); });
  if (const auto* data = get_if<DataValue>(value))
    for (const auto& fields : data->fields)
      for (const ValueRef& field : fields)
        if (field && holds_function(field)) return true;
  return false;
}

bool Lowerer::holds_function(const TypeRef& type) const {
  if (!type) return false;
  if (std::holds_alternative<typed::FunctionType>(type->node)) return true;
  if (const auto* tuple = std::get_if<typed::TupleType>(&type->node))
    return std::any_of(tuple->parts.begin(), tuple->parts.end(),
                       [&](const TypeRef& part) { return holds_function(part); });
  const auto* data = std::get_if<typed::DataType>(&type->node);
  if (data == nullptr) return false;
  for (const TypeRef& arg : data->type_args)
    if (holds_function(arg)) return true;
  for (const typed::ConstructorInfo& constructor : program_.datas[data->data].constructors)
    for (const TypeRef& field : constructor.field_types)
      if (holds_function(field)) return true;
  return false;
}

// A choice between values with functions in them. Both are made here, outside of any region: what
// of them is not needed then is not needed at all. Functions become functions that choose; the
// condition is evaluated once.
ValueRef Lowerer::branch_functions(ValueId condition, const Rest& then_side, const Rest& else_side,
                                   Span span) {
  const ValueRef then_value = then_side();
  const ValueRef else_value = else_side();
  return choose_parts(ready(scalar_value(condition)), then_value, else_value, span);
}

ValueRef Lowerer::choose_parts(Lazy* condition, const ValueRef& a, const ValueRef& b, Span span) {
  const auto* then_function = get_if<ClosureValue>(a);
  const auto* else_function = get_if<ClosureValue>(b);
  if (then_function != nullptr || else_function != nullptr) {
    const ClosureValue& known = then_function != nullptr ? *then_function : *else_function;
    ClosureValue chosen;
    chosen.arity = known.arity - known.args.size();
    if (then_function != nullptr && else_function != nullptr)
      chosen.arity = std::min(chosen.arity, else_function->arity - else_function->args.size());
    chosen.body = [condition, a, b](Lowerer& lower, const std::vector<Lazy*>& args, Span at) {
      const auto side = [&](const ValueRef& function) {
        return get_if<FailureValue>(function) != nullptr ? function
                                                         : lower.apply(function, args, at);
      };
      return lower.branch(
          lower.as_scalar(lower.demand(condition), at), [&] { return side(a); },
          [&] { return side(b); }, at);
    };
    chosen.origin.serial = ++functions_;
    chosen.origin.span = span;
    return make_value(std::move(chosen));
  }
  if (const auto* tuple = get_if<TupleValue>(a))
    if (const auto* other = get_if<TupleValue>(b)) {
      TupleValue result;
      for (std::size_t i = 0; i < tuple->parts.size(); ++i)
        result.parts.push_back(choose_parts(condition, tuple->parts[i], other->parts.at(i), span));
      return make_value(std::move(result));
    }
  if (const auto* data = get_if<DataValue>(a); data != nullptr && holds_function(a))
    if (const auto* other = get_if<DataValue>(b))
      return choose_data(condition, *data, *other, span);
  if (const auto* data = get_if<DataValue>(b); data != nullptr && holds_function(b))
    if (const auto* other = get_if<DataValue>(a))
      return choose_data(condition, *other, *data, span);
  return branch(as_scalar(demand(condition), span), [&] { return a; }, [&] { return b; }, span);
}

// Fields of a constructor that only one side can have are taken as they are.
ValueRef Lowerer::choose_data(Lazy* condition, const DataValue& a, const DataValue& b, Span span) {
  DataValue result{a.data, a.constructor, {}, {}};
  if (a.constructor != b.constructor || !a.constructor) {
    result.constructor = std::nullopt;
    const auto tag = [&](const DataValue& of) { return scalar_value(tag_of(of)); };
    result.tag = as_scalar(branch(
                               as_scalar(demand(condition), span), [&] { return tag(a); },
                               [&] { return tag(b); }, span),
                           span);
  }
  result.fields.resize(std::max(a.fields.size(), b.fields.size()));
  for (std::size_t c = 0; c < result.fields.size(); ++c) {
    const bool in_a = c < a.fields.size() && !a.fields[c].empty();
    const bool in_b = c < b.fields.size() && !b.fields[c].empty();
    if (in_a && in_b) {
      for (std::size_t f = 0; f < a.fields[c].size(); ++f)
        result.fields[c].push_back(
            choose_parts(condition, a.fields[c][f], b.fields[c].at(f), span));
    } else if (in_a || in_b) {
      result.fields[c] = in_a ? a.fields[c] : b.fields[c];
    }
  }
  return make_value(std::move(result));
}

void Lowerer::function_at_run_time(const ValueRef& value, Span span, const ValueRef& instead_of) {
  Diagnostic diagnostic;
  diagnostic.code = "function-at-run-time";
  diagnostic.message = "a function would have to exist at run time here";
  diagnostic.span = span;
  diagnostic.label = instead_of ? "this keeps one function, and would get another"
                                : "this is stored while the program runs";
  const auto made = [&](const ValueRef& function, const std::string& text) {
    const auto* closure = function ? get_if<ClosureValue>(function) : nullptr;
    if (closure != nullptr && closure->origin.span.valid() && closure->origin.span != span)
      diagnostic.others.push_back({closure->origin.span, text});
  };
  made(value, "the function is made here");
  made(instead_of, "the function it has was made here");
  diagnostic.notes.push_back(
      "functions are known while compiling: arguments, parts of tuples and "
      "records, results of branches; arrays, and what changes in a loop or "
      "from call to call, hold data");
  diagnostic.help.push_back("keep what the function is made of, and apply it where it is used");
  throw LoweringError{std::move(diagnostic)};
}

}  // namespace dvm::lower
