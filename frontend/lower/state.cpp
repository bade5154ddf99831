// States of loops by their type: fields of constructors that the first state does not have, and
// sizes that change from step to step (a frontier). Such a size is a state of its own before the
// others, and the types of the arrays mention it.
#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace {

bool changes(const Size& size) {
  bool found = false;
  size.symbols([&](Size::Symbol symbol) { found |= is_changing(symbol); });
  return found;
}

// The type of a field at the arguments of its data type.
TypeRef field_type(const typed::DataInfo& info, const typed::DataType& data, const TypeRef& type) {
  auto size = [&](const Size& from) {
    return from.substitute([&](Size::Symbol symbol) {
      for (std::size_t i = 0; i < info.size_params.size() && i < data.size_args.size(); ++i)
        if (info.size_params[i].index == symbol) return data.size_args[i];
      return Size::symbol(symbol);
    });
  };
  auto make = [](auto node) {
    return std::make_shared<const typed::Type>(typed::Type{std::move(node)});
  };
  if (const auto* variable = std::get_if<typed::VariableType>(&type->node)) {
    for (std::size_t i = 0; i < info.type_params.size() && i < data.type_args.size(); ++i)
      if (info.type_params[i] == variable->variable) return data.type_args[i];
    return type;
  }
  if (const auto* array = std::get_if<typed::ArrayType>(&type->node)) {
    typed::ArrayType result{{}, field_type(info, data, array->element)};
    for (const Size& extent : array->shape) result.shape.push_back(size(extent));
    if (const auto* inner = std::get_if<typed::ArrayType>(&result.element->node)) {
      result.shape.insert(result.shape.end(), inner->shape.begin(), inner->shape.end());
      result.element = TypeRef(inner->element);
    }
    return make(std::move(result));
  }
  if (const auto* tuple = std::get_if<typed::TupleType>(&type->node)) {
    typed::TupleType result;
    for (const TypeRef& part : tuple->parts) result.parts.push_back(field_type(info, data, part));
    return make(std::move(result));
  }
  if (const auto* inner = std::get_if<typed::DataType>(&type->node)) {
    typed::DataType result{inner->data, {}, {}};
    for (const TypeRef& arg : inner->type_args)
      result.type_args.push_back(field_type(info, data, arg));
    for (const Size& arg : inner->size_args) result.size_args.push_back(size(arg));
    return make(std::move(result));
  }
  return type;
}

}  // namespace

LayoutRef Lowerer::with_extents(const LayoutRef& layout, const TypeRef& type,
                                const ChangeExtent& change, Span span) {
  if (!type) return layout;
  if (const auto* array = std::get_if<typed::ArrayType>(&type->node)) {
    std::vector<Size> extents;
    LayoutRef at = layout;
    for (const Size& declared : array->shape) {
      const auto* row = std::get_if<ArrayLayout>(&at->node);
      if (row == nullptr) return layout;
      extents.push_back(changes(declared) ? change(declared, row->extent) : row->extent);
      at = row->element;
    }
    LayoutRef result = with_extents(at, array->element, change, span);
    for (std::size_t i = extents.size(); i > 0; --i)
      result = make_layout(ArrayLayout{extents[i - 1], result});
    return result;
  }
  if (const auto* tuple = std::get_if<typed::TupleType>(&type->node)) {
    const auto* from = std::get_if<TupleLayout>(&layout->node);
    if (from == nullptr) return layout;
    TupleLayout result;
    for (std::size_t i = 0; i < from->parts.size(); ++i)
      result.parts.push_back(with_extents(from->parts[i], tuple->parts.at(i), change, span));
    return make_layout(std::move(result));
  }
  const auto* data = std::get_if<typed::DataType>(&type->node);
  const auto* from = std::get_if<DataLayout>(&layout->node);
  if (data == nullptr || from == nullptr) return layout;
  const typed::DataInfo& info = program_.datas[data->data];
  DataLayout result = *from;
  result.fields.resize(info.constructors.size());
  for (std::size_t c = 0; c < info.constructors.size(); ++c) {
    const auto& types = info.constructors[c].field_types;
    auto& fields = result.fields[c];
    const bool missing = fields.empty() && !from->constructor;
    for (std::size_t f = 0; f < types.size() && (missing || f < fields.size()); ++f) {
      const TypeRef field = field_type(info, *data, types[f]);
      if (missing) fields.push_back(layout_of_type(field, nullptr, span));
      fields[f] = with_extents(fields[f], field, change, span);
    }
  }
  return make_layout(std::move(result));
}

// The layout of the states of a loop that starts with this one; `type` is null or the resolved
// type.
Lowerer::StateForm Lowerer::state_form(const ValueRef& start, const TypeRef& type, Span span) {
  StateForm form;
  form.type = type;
  form.layout = with_extents(
      state_layout(start, span), type,
      [&](const Size& declared, const Size& extent) {
        // An array that the first state does not have is empty in it.
        const Size known = changes(extent) ? Size(0) : extent;
        for (std::size_t i = 0; i < form.declared.size(); ++i)
          if (form.declared[i] == declared) return form.extents[i];
        form.declared.push_back(declared);
        form.extents.push_back(known);
        return known;
      },
      span);
  return form;
}

// The form with other values for the sizes that change.
Lowerer::StateForm Lowerer::at_extents(const StateForm& form, std::vector<Size> extents,
                                       Span span) {
  StateForm result = form;
  result.layout = with_extents(
      form.layout, form.type,
      [&](const Size& declared, const Size& extent) {
        for (std::size_t i = 0; i < form.declared.size(); ++i)
          if (form.declared[i] == declared) return extents[i];
        return extent;
      },
      span);
  result.extents = std::move(extents);
  return result;
}

// Parameters for the sizes that change, then for the leaves; gives the state they are.
ValueRef Lowerer::state_params(const StateForm& form, Span span) {
  std::vector<Size> extents;
  for (std::size_t i = 0; i < form.declared.size(); ++i) {
    const ValueId size = emit().param({ElementType::I64, {}}, "size");
    emit().mark_size(size);
    extents.push_back(Size::symbol(size.index));
    if (auto symbol = form.declared[i].as_symbol())
      changing_sizes_.emplace_back(changing_variable(*symbol), extents.back());
  }
  const StateForm inside = at_extents(form, std::move(extents), span);
  std::vector<std::string> names;
  leaf_names(inside.layout, "", names);
  std::vector<ValueId> params;
  const std::vector<graph::Type> types = leaf_types(inside.layout);
  for (std::size_t i = 0; i < types.size(); ++i) {
    std::string name = names[i];
    for (char& c : name)
      if (c == '.') c = '_';
    // `0`, `1`, … of tuples are no names.
    if (!name.empty() && name[0] >= '0' && name[0] <= '9') name = "s" + name;
    params.push_back(emit().param(types[i], name.empty() ? "s" : name));
  }
  return rebuild(inside.layout, params);
}

// The sizes that change, then the leaves, of a state.
std::vector<ValueId> Lowerer::state_values(const ValueRef& state, const StateForm& form,
                                           Span span) {
  const ValueRef settled = settle(state, span, Functions::Keep);
  std::vector<Size> extents(form.declared.size(), Size(0));
  std::vector<bool> found(form.declared.size(), false);
  if (!form.declared.empty())
    with_extents(
        generalise(layout_of(settled, span, Functions::Keep)), form.type,
        [&](const Size& declared, const Size& extent) {
          for (std::size_t i = 0; i < form.declared.size(); ++i) {
            if (form.declared[i] != declared || found[i] || changes(extent)) continue;
            found[i] = true;
            extents[i] = extent;
          }
          return extent;
        },
        span);
  std::vector<ValueId> values;
  for (const Size& extent : extents) values.push_back(emit().size_value(extent));
  const std::vector<ValueId> leaves =
      state_leaves(settled, at_extents(form, std::move(extents), span).layout, span);
  values.insert(values.end(), leaves.begin(), leaves.end());
  return values;
}

// Results of a loop node: the sizes that change, then the leaves; with the state they are.
std::pair<ValueRef, std::vector<ValueId>> Lowerer::state_results(const StateForm& form, Span span) {
  std::vector<ValueId> results;
  std::vector<Size> extents;
  for (std::size_t i = 0; i < form.declared.size(); ++i) {
    results.push_back(emit().new_value({ElementType::I64, {}}));
    emit().mark_size(results.back());
    extents.push_back(Size::symbol(results.back().index));
  }
  const StateForm after = at_extents(form, std::move(extents), span);
  std::vector<ValueId> leaves;
  for (graph::Type& type : leaf_types(after.layout)) leaves.push_back(emit().new_value(type));
  results.insert(results.end(), leaves.begin(), leaves.end());
  return {rebuild(after.layout, leaves), results};
}

}  // namespace dvm::lower
