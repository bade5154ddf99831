// Data: construction, records, selectors.
#include <algorithm>

#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

ValueRef Lowerer::construct(DataId data, std::uint32_t constructor, std::vector<ValueRef> fields) {
  DataValue result{data, constructor, {}, {}};
  result.fields.resize(program_.datas[data].constructors.size());
  result.fields[constructor] = std::move(fields);
  return make_value(std::move(result));
}

ValueRef Lowerer::eval_record_construct(const ast::RecordConstruct& node, ast::ExprId expr,
                                        Env* env) {
  const Span span = arena().exprs[expr].span;
  const auto& use = program_.uses[expr];
  if (!use || !use->binding.valid()) not_supported(span, "this record");
  const typed::Binding& binding = program_.bindings[use->binding];
  const typed::ConstructorInfo& constructor =
      program_.datas[binding.data].constructors.at(binding.part);
  std::vector<ValueRef> fields(constructor.field_types.size());
  for (const ast::FieldValue& field : node.fields)
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (constructor.field_names[i] == field.field.text) fields[i] = eval(field.value, env);
  for (const ValueRef& field : fields)
    if (!field) fail(span, "missing-field", "a field of `" + constructor.name + "` has no value");
  return construct(binding.data, binding.part, std::move(fields));
}

// The value, which fails where it is used unless the requirement holds.
ValueRef Lowerer::checked(const ValueRef& value, const Requirement& requirement) {
  if (emit().known_bool(requirement.condition) == true) return value;
  if (const auto* scalar = get_if<ScalarValue>(value))
    return scalar_value(fulfil(scalar->id, {requirement}));
  if (const auto* array = get_if<ArrayValue>(value))
    return make_value(guarded(*array, requirement));
  if (const auto* tuple = get_if<TupleValue>(value)) {
    TupleValue result;
    for (const ValueRef& part : tuple->parts) result.parts.push_back(checked(part, requirement));
    return make_value(std::move(result));
  }
  if (const auto* data = get_if<DataValue>(value)) {
    DataValue result = *data;
    if (!data->constructor) result.tag = fulfil(data->tag, {requirement});
    for (auto& fields : result.fields)
      for (ValueRef& field : fields) field = checked(field, requirement);
    return make_value(std::move(result));
  }
  return value;
}

ValueId Lowerer::has_constructor(const DataValue& data, std::size_t constructor) {
  const ValueId wanted =
      emit().constant(Scalar::of_integer(ElementType::U8, static_cast<int>(constructor)));
  return emit().scalar(ScalarFn::Eq, {tag_of(data), wanted});
}

// Fails where the value has one of the constructors that are not in `with`.
ValueRef Lowerer::check_constructors(const DataValue& data, const std::vector<std::size_t>& with,
                                     const std::string& field, ValueRef value, Span span) {
  const typed::DataInfo& info = program_.datas[data.data];
  for (std::size_t c = 0; c < info.constructors.size(); ++c) {
    if (std::find(with.begin(), with.end(), c) != with.end()) continue;
    // A value that was never built with a constructor that has fields is not of it.
    if (data.fields[c].empty() && !info.constructors[c].field_types.empty()) continue;
    const ValueId other = emit().scalar(ScalarFn::Not, {has_constructor(data, c)});
    value = checked(value, require(other, {}, span, wrong_constructor(info, c, field)));
  }
  return value;
}

std::string Lowerer::wrong_constructor(const typed::DataInfo& info, std::size_t constructor,
                                       const std::string& field) const {
  return "`" + info.constructors[constructor].name + "` has no field `" + field + "`";
}

namespace {

std::optional<std::size_t> position_of(const typed::ConstructorInfo& constructor,
                                       const std::string& field) {
  const auto& names = constructor.field_names;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == field) return i;
  return std::nullopt;
}

}  // namespace

ValueRef Lowerer::eval_record_update(const ast::RecordUpdate& node, ast::ExprId expr, Env* env) {
  const Span span = arena().exprs[expr].span;
  const ValueRef record = concrete(eval(node.record, env), span);
  const auto* data = get_if<DataValue>(record);
  if (data == nullptr) not_supported(span, "this update");
  const typed::DataInfo& info = program_.datas[data->data];
  std::vector<std::size_t> with;  // constructors that have all the fields
  std::string absent;             // a field that the others do not have
  for (std::size_t c = 0; c < info.constructors.size(); ++c) {
    bool all = true;
    for (const ast::FieldValue& field : node.fields) {
      if (position_of(info.constructors[c], field.field.text)) continue;
      all = false;
      if (absent.empty() && (!data->constructor || *data->constructor == c))
        absent = field.field.text;
    }
    if (all) with.push_back(c);
  }
  if (data->constructor && std::find(with.begin(), with.end(), *data->constructor) == with.end())
    return make_value(
        FailureValue{wrong_constructor(info, *data->constructor, absent), span, nullptr});
  DataValue result = *data;
  for (const ast::FieldValue& field : node.fields) {
    const ValueRef value = eval(field.value, env);
    at(span);
    for (std::size_t c : with) {
      if (data->fields[c].empty()) continue;
      ValueRef& target = result.fields[c][*position_of(info.constructors[c], field.field.text)];
      // The fields of constructors that were not chosen stay as they are.
      target = data->constructor || with.size() == 1
                   ? value
                   : branch(
                         has_constructor(*data, c), [&] { return value; },
                         [&, old = target] { return old; }, span);
    }
  }
  return check_constructors(*data, with, absent, make_value(std::move(result)), span);
}

ValueRef Lowerer::select_field(DataId data, const std::string& name, const ValueRef& raw,
                               Span span) {
  const ValueRef value = concrete(raw, span);
  const auto* record = get_if<DataValue>(value);
  if (record == nullptr) not_supported(span, "this selector");
  const typed::DataInfo& info = program_.datas[data];
  if (record->constructor) {
    if (auto at = position_of(info.constructors[*record->constructor], name))
      return record->fields[*record->constructor].at(*at);
    return make_value(
        FailureValue{wrong_constructor(info, *record->constructor, name), span, nullptr});
  }
  std::vector<std::size_t> with;
  ValueRef result;
  for (std::size_t c = 0; c < info.constructors.size(); ++c) {
    const auto at = position_of(info.constructors[c], name);
    if (!at || record->fields[c].empty()) continue;
    with.push_back(c);
    const ValueRef& field = record->fields[c].at(*at);
    result = result ? branch(
                          has_constructor(*record, c), [&] { return field; },
                          [&, before = result] { return before; }, span)
                    : field;
  }
  if (!result)
    return make_value(FailureValue{"this value has no field `" + name + "`", span, nullptr});
  return check_constructors(*record, with, name, result, span);
}

}  // namespace dvm::lower
