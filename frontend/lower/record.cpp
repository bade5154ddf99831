// Data: construction, records, selectors.
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

ValueRef Lowerer::eval_record_update(const ast::RecordUpdate& node, ast::ExprId expr, Env* env) {
  const Span span = arena().exprs[expr].span;
  const ValueRef record = concrete(eval(node.record, env), span);
  const auto* data = get_if<DataValue>(record);
  if (data == nullptr || !data->constructor)
    not_supported(span, "the update of a record whose constructor is chosen at run time");
  const typed::ConstructorInfo& constructor =
      program_.datas[data->data].constructors.at(*data->constructor);
  DataValue result = *data;
  for (const ast::FieldValue& field : node.fields)
    for (std::size_t i = 0; i < constructor.field_names.size(); ++i)
      if (constructor.field_names[i] == field.field.text)
        result.fields[*data->constructor][i] = eval(field.value, env);
  return make_value(std::move(result));
}

ValueRef Lowerer::select_field(DataId data, std::uint32_t field, const std::string& name,
                               const ValueRef& raw, Span span) {
  const ValueRef value = concrete(raw, span);
  const auto* record = get_if<DataValue>(value);
  if (record == nullptr) not_supported(span, "this selector");
  const typed::DataInfo& info = program_.datas[data];
  // The field by name: `field` counts in the constructor that declares it first.
  auto position = [&](std::size_t constructor) -> std::optional<std::size_t> {
    const auto& names = info.constructors[constructor].field_names;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return i;
    if (info.constructors.size() == 1 && field < info.constructors[0].field_types.size())
      return field;
    return std::nullopt;
  };
  if (record->constructor) {
    if (auto at = position(*record->constructor))
      return record->fields[*record->constructor].at(*at);
    fail(span, "wrong-constructor",
         "`" + info.constructors[*record->constructor].name + "` has no field `" + name + "`");
  }
  not_supported(span, "a field of a value whose constructor is chosen at run time");
}

}  // namespace dvm::lower
