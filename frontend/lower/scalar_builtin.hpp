// Built-in functions that are one scalar function of their arguments.
#pragma once

#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

template <ScalarFn fn>
ValueRef unary(const BuiltinCall& call) {
  const ValueId x = call.scalar(0);
  return call.lower.scalar_value(call.emit().scalar(fn, {x}));
}

template <ScalarFn fn>
ValueRef binary(const BuiltinCall& call) {
  const ValueId x = call.scalar(0);
  const ValueId y = call.scalar(1);
  return call.lower.scalar_value(call.emit().scalar(fn, {x, y}));
}

}  // namespace dvm::lower
