// Finding built-in functions by name, and what all of them use.
#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

const BuiltinInfo* find_builtin(const std::string& name) {
  for (const BuiltinTable* table : {&number_builtins(), &order_builtins(), &bit_builtins(),
                                    &make_builtins(), &reduce_builtins(), &loop_builtins(),
                                    &shape_builtins(), &index_builtins(), &stencil_builtins()})
    if (auto found = table->find(name); found != table->end()) return &found->second;
  return nullptr;
}

ValueRef BuiltinCall::value(std::size_t i) const { return lower.demand(args.at(i)); }
ValueId BuiltinCall::scalar(std::size_t i) const { return lower.as_scalar(value(i), span); }
ArrayValue BuiltinCall::array(std::size_t i) const { return lower.as_array(value(i), span); }
ArrayValue BuiltinCall::whole(std::size_t i) const { return lower.stored_or_view(array(i), span); }
Emitter& BuiltinCall::emit() const { return lower.emit(); }

ElementType BuiltinCall::type(std::size_t i) const {
  if (i < types.size() && types[i])
    if (const auto* scalar = std::get_if<typed::ScalarType>(&types[i]->node))
      return scalar->element;
  lower.not_supported(span, "`" + name + "` at this type");
}

}  // namespace dvm::lower
