// Sorting by an instance that the program writes: the Prelude's `sortBy` on indices.
#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

// A function of the Prelude at types; its sizes are found from the arguments.
ValueRef Lowerer::prelude_function(const char* name, std::vector<TypeRef> types, Span span) {
  for (std::uint32_t i = 0; i < program_.bindings.size(); ++i) {
    const BindingId id{i};
    if (!program_.bindings[id].decl || !is_prelude(id, name)) continue;
    FunctionAt function;
    function.binding = id;
    function.decl = *program_.bindings[id].decl;
    function.types = std::move(types);
    return function_at(std::move(function));
  }
  not_supported(span, std::string("`") + name + "` without the Prelude");
}

DataId Lowerer::ordering_data(Span span) {
  for (std::uint32_t i = 0; i < program_.datas.size(); ++i)
    if (program_.datas[DataId{i}].name == "Ordering") return DataId{i};
  not_supported(span, "an order without the Prelude");
}

ArrayValue Lowerer::order_by_instance(const ArrayValue& keys, const TypeRef& type, Span span) {
  const ValueRef order = native(2, [keys, type, span](Lowerer& lower,
                                                      const std::vector<Lazy*>& args, Span) {
    const ValueId a = lower.as_scalar(lower.demand(args[0]), span);
    const ValueId b = lower.as_scalar(lower.demand(args[1]), span);
    return lower.ordering(lower.compare(keys.element(lower, a), keys.element(lower, b), type, span),
                          lower.ordering_data(span));
  });
  const ArrayValue indices =
      pull(keys.extent, [](Lowerer& lower, ValueId i) { return lower.scalar_value(i); }, true);
  const TypeRef index =
      std::make_shared<const typed::Type>(typed::Type{typed::ScalarType{ElementType::I64}});
  return as_array(
      call(prelude_function("sortBy", {index}, span), {order, make_value(indices)}, span), span);
}

}  // namespace dvm::lower
