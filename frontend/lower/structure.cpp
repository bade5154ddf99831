// Values as graph values and back: layouts, leaves, names.
#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace {

template <class Change>
ValueRef change_parts(const ValueRef& value, const Change& change) {
  if (const auto* tuple = get_if<TupleValue>(value)) {
    TupleValue result;
    for (const ValueRef& part : tuple->parts) result.parts.push_back(change(part));
    return make_value(std::move(result));
  }
  if (const auto* data = get_if<DataValue>(value)) {
    DataValue result = *data;
    for (auto& fields : result.fields)
      for (ValueRef& field : fields) field = change(field);
    return make_value(std::move(result));
  }
  return value;
}

}  // namespace

ValueRef Lowerer::settle(const ValueRef& value, Span span, Functions functions) {
  if (const auto* array = get_if<ArrayValue>(value)) return make_value(tabulate(*array, span));
  if (get_if<ClosureValue>(value) != nullptr && functions == Functions::Keep) return value;
  if (get_if<ClosureValue>(value) != nullptr || get_if<StringValue>(value) != nullptr)
    function_at_run_time(value, span);
  if (const auto* failure = get_if<FailureValue>(value)) return shaped(*failure, span);
  return change_parts(value, [&](const ValueRef& part) { return settle(part, span, functions); });
}

ValueRef Lowerer::force(const ValueRef& value, Span span) {
  if (const auto* array = get_if<ArrayValue>(value)) {
    if (array->view || array->stored) return value;
    return make_value(tabulate(*array, span));
  }
  return change_parts(value, [&](const ValueRef& part) { return force(part, span); });
}

// The failure as a value of its own type.
ValueRef Lowerer::shaped(const FailureValue& failure, Span span) {
  if (!failure.type) not_supported(span, "a value that always fails");
  const LayoutRef layout = layout_of_type(failure.type, nullptr, span);
  const CheckId check = new_check(failure.span, failure.message);
  return failing_value(layout, emit().constant(Scalar::of_bool(false)), {}, check);
}

ValueRef Lowerer::concrete(const ValueRef& value, Span span) {
  const auto* failure = get_if<FailureValue>(value);
  return failure == nullptr ? value : shaped(*failure, span);
}

LayoutRef Lowerer::layout_of(const ValueRef& settled, Span span, Functions functions) {
  if (const auto* scalar = get_if<ScalarValue>(settled))
    return make_layout(ScalarLayout{emit().element(scalar->id)});
  if (const auto* tuple = get_if<TupleValue>(settled)) {
    TupleLayout result;
    for (const ValueRef& part : tuple->parts)
      result.parts.push_back(layout_of(part, span, functions));
    return make_layout(std::move(result));
  }
  if (const auto* data = get_if<DataValue>(settled)) {
    DataLayout result{data->data, data->constructor, {}};
    for (const auto& fields : data->fields) {
      result.fields.emplace_back();
      for (const ValueRef& field : fields)
        result.fields.back().push_back(layout_of(field, span, functions));
    }
    return make_layout(std::move(result));
  }
  if (const auto* array = get_if<ArrayValue>(settled)) {
    if (array->stored) return make_layout(ArrayLayout{array->extent, array->stored->element});
    return layout_of(make_value(tabulate(*array, span)), span);
  }
  if (get_if<ClosureValue>(settled) != nullptr && functions == Functions::Keep)
    return make_layout(FunctionLayout{settled});
  function_at_run_time(settled, span);
}

LayoutRef Lowerer::join_layouts(const LayoutRef& a, const LayoutRef& b, Span span) {
  if (const auto* tuple = std::get_if<TupleLayout>(&a->node)) {
    const auto& other = std::get<TupleLayout>(b->node);
    TupleLayout result;
    for (std::size_t i = 0; i < tuple->parts.size(); ++i)
      result.parts.push_back(join_layouts(tuple->parts[i], other.parts.at(i), span));
    return make_layout(std::move(result));
  }
  if (const auto* array = std::get_if<ArrayLayout>(&a->node)) {
    const auto& other = std::get<ArrayLayout>(b->node);
    Size extent = array->extent;
    if (extent != other.extent) {
      if (joined_sizes_ == nullptr)
        not_supported(span, "a choice between arrays of different size here");
      const ValueId joined = emit().new_value({ElementType::I64, {}});
      joined_sizes_->push_back({joined, array->extent, other.extent});
      extent = Size::symbol(joined.index);
    }
    return make_layout(ArrayLayout{extent, join_layouts(array->element, other.element, span)});
  }
  if (const auto* data = std::get_if<DataLayout>(&a->node)) {
    const auto& other = std::get<DataLayout>(b->node);
    DataLayout result{data->data, data->constructor, {}};
    if (data->constructor != other.constructor) result.constructor = std::nullopt;
    result.fields.resize(std::max(data->fields.size(), other.fields.size()));
    for (std::size_t c = 0; c < result.fields.size(); ++c) {
      const bool in_a = c < data->fields.size() && !data->fields[c].empty();
      const bool in_b = c < other.fields.size() && !other.fields[c].empty();
      if (in_a && in_b) {
        for (std::size_t f = 0; f < data->fields[c].size(); ++f)
          result.fields[c].push_back(join_layouts(data->fields[c][f], other.fields[c].at(f), span));
      } else if (in_a || in_b) {
        result.fields[c] = in_a ? data->fields[c] : other.fields[c];
      }
    }
    return make_layout(std::move(result));
  }
  return a;
}

namespace {

// Whether values of both layouts are the same leaves: what is known of a constructor decides
// whether there is a tag, and which fields there are.
bool stored_alike(const LayoutRef& a, const LayoutRef& b) {
  const auto alike = [](const std::vector<LayoutRef>& as, const std::vector<LayoutRef>& bs) {
    if (as.size() != bs.size()) return false;
    for (std::size_t i = 0; i < as.size(); ++i)
      if (!stored_alike(as[i], bs[i])) return false;
    return true;
  };
  if (const auto* tuple = std::get_if<TupleLayout>(&a->node))
    return alike(tuple->parts, std::get<TupleLayout>(b->node).parts);
  if (const auto* array = std::get_if<ArrayLayout>(&a->node))
    return stored_alike(array->element, std::get<ArrayLayout>(b->node).element);
  if (const auto* data = std::get_if<DataLayout>(&a->node)) {
    const auto& other = std::get<DataLayout>(b->node);
    if (data->constructor != other.constructor) return false;
    for (std::size_t c = 0; c < std::max(data->fields.size(), other.fields.size()); ++c) {
      const std::vector<LayoutRef> none;
      if (!alike(c < data->fields.size() ? data->fields[c] : none,
                 c < other.fields.size() ? other.fields[c] : none))
        return false;
    }
  }
  return true;
}

}  // namespace

// The leaves of an array whose elements are stored with another layout of their type.
std::vector<ValueId> Lowerer::elements_as(const ArrayValue& array, const LayoutRef& element,
                                          Span span) {
  const LocId loc = emit().loc();
  const RegionId region = emit().open(FrameKind::Parallel);
  const ValueId index = emit().param({ElementType::I64, {}}, "i");
  emit().add_index_facts(index, array.extent);
  std::vector<ValueId> yields;
  flatten(settle(array.element(*this, index), span), element, yields, span);
  emit().leave();
  emit().set_loc(loc);
  emit().set_yields(region, yields);
  std::vector<graph::Type> types;
  for (ValueId yield : yields) {
    graph::Type type = emit().type(yield);
    type.shape.insert(type.shape.begin(), array.extent);
    types.push_back(std::move(type));
  }
  return emit().results(emit().add(graph::Map{{array.extent}}, {}, {region}, types));
}

void Lowerer::flatten(const ValueRef& settled, const LayoutRef& layout,
                      std::vector<ValueId>& leaves, Span span) {
  if (const auto* tuple = std::get_if<TupleLayout>(&layout->node)) {
    const auto* value = get_if<TupleValue>(settled);
    for (std::size_t i = 0; i < tuple->parts.size(); ++i)
      flatten(value->parts.at(i), tuple->parts[i], leaves, span);
    return;
  }
  if (const auto* wanted = std::get_if<ArrayLayout>(&layout->node)) {
    const ArrayValue array = tabulate(*get_if<ArrayValue>(settled), span);
    if (!stored_alike(array.stored->element, wanted->element)) {
      const auto changed = elements_as(array, wanted->element, span);
      leaves.insert(leaves.end(), changed.begin(), changed.end());
      return;
    }
    leaves.insert(leaves.end(), array.stored->leaves.begin(), array.stored->leaves.end());
    return;
  }
  if (const auto* function = std::get_if<FunctionLayout>(&layout->node)) {
    if (key_of(settled) != key_of(function->function))
      function_at_run_time(settled, span, function->function);
    return;
  }
  if (const auto* data = std::get_if<DataLayout>(&layout->node)) {
    const auto* value = get_if<DataValue>(settled);
    if (data->constructor && value->constructor != data->constructor)
      not_supported(span, "another constructor of a value that holds functions");
    if (!data->constructor)
      leaves.push_back(value->constructor
                           ? emit().constant(Scalar::of_integer(
                                 ElementType::U8, static_cast<int>(*value->constructor)))
                           : value->tag);
    for (std::size_t c = 0; c < data->fields.size(); ++c)
      for (std::size_t f = 0; f < data->fields[c].size(); ++f) {
        if (c < value->fields.size() && f < value->fields[c].size())
          flatten(value->fields[c][f], data->fields[c][f], leaves, span);
        else
          for (const graph::Type& type : leaf_types(data->fields[c][f]))
            leaves.push_back(zero(type));
      }
    return;
  }
  leaves.push_back(as_scalar(settled, span));
}

// Any value of the type: stands for the field of a constructor that was not chosen.
ValueId Lowerer::zero(const graph::Type& type) {
  if (type.is_scalar()) {
    if (is_float(type.element)) return emit().constant(Scalar::of_float(type.element, 0));
    if (type.element == ElementType::Bool) return emit().constant(Scalar::of_bool(false));
    return emit().constant(Scalar::of_integer(type.element, 0));
  }
  emit().open(FrameKind::Parallel);
  for (std::size_t i = 0; i < type.shape.size(); ++i) emit().param({ElementType::I64, {}}, "i");
  const ValueId element = zero({type.element, {}});
  const RegionId region = emit().leave().region;
  emit().set_yields(region, {element});
  return emit().results(emit().add(graph::Map{type.shape}, {}, {region}, {type}))[0];
}

std::vector<graph::Type> Lowerer::leaf_types(const LayoutRef& layout) {
  std::vector<graph::Type> types;
  if (const auto* scalar = std::get_if<ScalarLayout>(&layout->node)) {
    types.push_back({scalar->element, {}});
  } else if (const auto* tuple = std::get_if<TupleLayout>(&layout->node)) {
    for (const LayoutRef& part : tuple->parts)
      for (graph::Type& type : leaf_types(part)) types.push_back(std::move(type));
  } else if (const auto* data = std::get_if<DataLayout>(&layout->node)) {
    if (!data->constructor) types.push_back({ElementType::U8, {}});
    for (const auto& fields : data->fields)
      for (const LayoutRef& field : fields)
        for (graph::Type& type : leaf_types(field)) types.push_back(std::move(type));
  } else if (!std::holds_alternative<FunctionLayout>(layout->node)) {
    const auto& array = std::get<ArrayLayout>(layout->node);
    types = leaf_types(array.element);
    for (graph::Type& type : types) type.shape.insert(type.shape.begin(), array.extent);
  }
  return types;
}

void Lowerer::leaf_names(const LayoutRef& layout, const std::string& prefix,
                         std::vector<std::string>& names) {
  auto join = [&](const std::string& name) { return prefix.empty() ? name : prefix + "." + name; };
  if (std::holds_alternative<ScalarLayout>(layout->node)) {
    names.push_back(prefix);
  } else if (const auto* tuple = std::get_if<TupleLayout>(&layout->node)) {
    for (std::size_t i = 0; i < tuple->parts.size(); ++i)
      leaf_names(tuple->parts[i], join(std::to_string(i)), names);
  } else if (const auto* data = std::get_if<DataLayout>(&layout->node)) {
    const typed::DataInfo& info = program_.datas[data->data];
    if (!data->constructor) names.push_back(join("tag"));
    for (std::size_t c = 0; c < data->fields.size(); ++c)
      for (std::size_t f = 0; f < data->fields[c].size(); ++f) {
        std::string name =
            f < info.constructors[c].field_names.size() ? info.constructors[c].field_names[f] : "";
        if (name.empty()) name = std::to_string(f);
        if (info.constructors.size() > 1) name = info.constructors[c].name + "." + name;
        leaf_names(data->fields[c][f], join(name), names);
      }
  } else if (const auto* array = std::get_if<ArrayLayout>(&layout->node)) {
    leaf_names(array->element, prefix, names);
  }
}

ValueRef Lowerer::rebuild_at(const LayoutRef& layout, const std::vector<ValueId>& leaves,
                             std::size_t& next, const std::vector<ValueId>& prefix) {
  auto leaf = [&](ValueId id) { return prefix.empty() ? id : emit().read(id, prefix); };
  if (std::holds_alternative<ScalarLayout>(layout->node))
    return scalar_value(leaf(leaves.at(next++)));
  if (const auto* tuple = std::get_if<TupleLayout>(&layout->node)) {
    TupleValue result;
    for (const LayoutRef& part : tuple->parts)
      result.parts.push_back(rebuild_at(part, leaves, next, prefix));
    return make_value(std::move(result));
  }
  if (const auto* data = std::get_if<DataLayout>(&layout->node)) {
    DataValue result{data->data, data->constructor, {}, {}};
    if (!data->constructor) result.tag = leaf(leaves.at(next++));
    for (const auto& fields : data->fields) {
      result.fields.emplace_back();
      for (const LayoutRef& field : fields)
        result.fields.back().push_back(rebuild_at(field, leaves, next, prefix));
    }
    return make_value(std::move(result));
  }
  if (const auto* function = std::get_if<FunctionLayout>(&layout->node)) return function->function;
  const auto& array = std::get<ArrayLayout>(layout->node);
  const std::size_t count = leaf_types(array.element).size();
  std::vector<ValueId> own(leaves.begin() + static_cast<std::ptrdiff_t>(next),
                           leaves.begin() + static_cast<std::ptrdiff_t>(next + count));
  next += count;
  return make_value(stored_array(array.extent, array.element, std::move(own), prefix));
}

ValueRef Lowerer::rebuild(const LayoutRef& layout, const std::vector<ValueId>& leaves) {
  std::size_t next = 0;
  return rebuild_at(layout, leaves, next, {});
}

LayoutRef Lowerer::generalise(const LayoutRef& layout) {
  if (const auto* tuple = std::get_if<TupleLayout>(&layout->node)) {
    TupleLayout result;
    for (const LayoutRef& part : tuple->parts) result.parts.push_back(generalise(part));
    return make_layout(std::move(result));
  }
  if (const auto* data = std::get_if<DataLayout>(&layout->node)) {
    DataLayout result = *data;
    if (program_.datas[data->data].constructors.size() > 1) result.constructor = std::nullopt;
    for (auto& fields : result.fields)
      for (LayoutRef& field : fields) field = generalise(field);
    return make_layout(std::move(result));
  }
  if (const auto* array = std::get_if<ArrayLayout>(&layout->node))
    return make_layout(ArrayLayout{array->extent, generalise(array->element)});
  return layout;
}

// Gives unnamed graph values the name of the binding they belong to.
void Lowerer::name_value(const ValueRef& value, const std::string& name) {
  if (const auto* scalar = get_if<ScalarValue>(value)) {
    const graph::Node* node = emit().node_of(scalar->id);
    if (node != nullptr && !std::holds_alternative<graph::Constant>(node->op))
      emit().name(scalar->id, name);
  } else if (const auto* tuple = get_if<TupleValue>(value)) {
    for (const ValueRef& part : tuple->parts) name_value(part, name);
  } else if (const auto* data = get_if<DataValue>(value)) {
    const typed::DataInfo& info = program_.datas[data->data];
    for (std::size_t c = 0; c < data->fields.size(); ++c)
      for (std::size_t f = 0; f < data->fields[c].size(); ++f) {
        const auto& names = info.constructors[c].field_names;
        name_value(data->fields[c][f],
                   f < names.size() && !names[f].empty() ? name + "_" + names[f] : name);
      }
  } else if (const auto* array = get_if<ArrayValue>(value)) {
    if (array->stored && array->stored->prefix.empty())
      for (ValueId leaf : array->stored->leaves) emit().name(leaf, name);
  }
}

ValueRef Lowerer::failing_value(const LayoutRef& layout, ValueId ok,
                                const std::vector<ValueId>& values, CheckId check) {
  std::vector<ValueId> leaves;
  for (const graph::Type& type : leaf_types(layout))
    leaves.push_back(emit().check(zero(type), ok, values, check));
  return rebuild(layout, leaves);
}

}  // namespace dvm::lower
