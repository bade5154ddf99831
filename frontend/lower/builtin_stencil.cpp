// Stencils: a function that reads by offset, with the boundary put into the index.
#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace {

using Call = const BuiltinCall&;

enum class Boundary { Clamp, Wrap, Constant };  // in the order of the Prelude's constructors

// index + offset brought inside by the boundary. `inside` collects what must hold (Constant).
ValueId moved(Lowerer& lower, Boundary boundary, ValueId index, ValueId offset, const Size& extent,
              ValueId& inside, Span span) {
  Emitter& emit = lower.emit();
  const auto known = emit.known(offset);
  const bool may_be_below = !known || known->as_i64() < 0;
  const bool may_be_above = !known || known->as_i64() > 0;
  ValueId at = emit.scalar(ScalarFn::Add, {index, offset});
  const ValueId zero = emit.constant_i64(0);
  switch (boundary) {
    case Boundary::Clamp:
      if (may_be_below) at = emit.scalar(ScalarFn::Max, {at, zero});
      if (may_be_above) at = emit.scalar(ScalarFn::Min, {at, emit.size_value(extent - Size(1))});
      return at;
    case Boundary::Wrap: {
      if (known && known->as_i64() == 0) return at;
      const ValueId size = emit.size_value(extent);
      if (known && known->as_i64() == -1)
        return emit.scalar(ScalarFn::Select, {emit.scalar(ScalarFn::Lt, {at, zero}),
                                              emit.scalar(ScalarFn::Add, {at, size}), at});
      if (known && known->as_i64() == 1)
        return emit.scalar(ScalarFn::Select, {emit.scalar(ScalarFn::Ge, {at, size}),
                                              emit.scalar(ScalarFn::Sub, {at, size}), at});
      return emit.scalar(ScalarFn::IntMod, {at, size}, lower.new_check(span, "division by zero"));
    }
    case Boundary::Constant: {
      auto need = [&](ValueId holds) {
        inside = inside.valid() ? emit.scalar(ScalarFn::And, {inside, holds}) : holds;
      };
      if (may_be_below) need(emit.scalar(ScalarFn::Ge, {at, zero}));
      if (may_be_above) need(emit.scalar(ScalarFn::Lt, {at, emit.size_value(extent)}));
      return at;
    }
  }
  return at;
}

ValueRef element_at(Lowerer& lower, const ArrayValue& array, const std::vector<ValueId>& indices,
                    Span span) {
  ValueRef value = make_value(array);
  for (ValueId index : indices) value = lower.as_array(value, span).element(lower, index);
  return value;
}

struct Stencil {
  DataValue boundary;
  ValueRef f;
  ArrayValue array;
  std::vector<Size> extents;
  Span span;
};

ValueRef read_with(Lowerer& lower, const Stencil& stencil, Boundary boundary,
                   const std::vector<ValueId>& point, const std::vector<ValueId>& offsets) {
  std::vector<ValueId> indices;
  ValueId inside;
  for (std::size_t d = 0; d < point.size(); ++d)
    indices.push_back(
        moved(lower, boundary, point[d], offsets[d], stencil.extents[d], inside, stencil.span));
  if (!inside.valid()) return element_at(lower, stencil.array, indices, stencil.span);
  return lower.branch(
      inside,
      [&] {
        lower.emit().top().guards = true;
        return element_at(lower, stencil.array, indices, stencil.span);
      },
      [&] { return stencil.boundary.fields.at(std::size_t(Boundary::Constant)).at(0); },
      stencil.span);
}

ValueRef read_by_offset(Lowerer& lower, const Stencil& stencil, const std::vector<ValueId>& point,
                        const std::vector<Lazy*>& args) {
  std::vector<ValueId> offsets;
  for (Lazy* arg : args) offsets.push_back(lower.as_scalar(lower.demand(arg), stencil.span));
  if (stencil.boundary.constructor)
    return read_with(lower, stencil, Boundary(*stencil.boundary.constructor), point, offsets);
  // Chosen at run time: the constructors that the program builds it with, one after the other.
  std::function<ValueRef(std::size_t)> from = [&](std::size_t c) -> ValueRef {
    auto here = [&] { return read_with(lower, stencil, Boundary(c), point, offsets); };
    const bool no_constant = stencil.boundary.fields.at(std::size_t(Boundary::Constant)).empty();
    if (c + 1 == std::size_t(Boundary::Constant) && no_constant) return here();
    if (c == std::size_t(Boundary::Constant)) return here();
    return lower.branch(
        lower.has_constructor(stencil.boundary, c), here, [&] { return from(c + 1); },
        stencil.span);
  };
  return from(0);
}

ArrayValue points(Lowerer& outer, const Stencil& stencil, std::vector<ValueId> point) {
  const std::size_t dimension = point.size();
  return outer.pull(
      stencil.extents[dimension],
      [stencil, point](Lowerer& lower, ValueId index) -> ValueRef {
        std::vector<ValueId> here = point;
        here.push_back(index);
        if (here.size() < stencil.extents.size()) return make_value(points(lower, stencil, here));
        const ValueRef read = lower.native(
            here.size(), [stencil, here](Lowerer& inside, const std::vector<Lazy*>& args, Span) {
              return read_by_offset(inside, stencil, here, args);
            });
        return lower.call(stencil.f, {read}, stencil.span);
      },
      false);
}

template <std::size_t rank>
ValueRef stencil(Call call) {
  const ValueRef boundary = call.lower.concrete(call.value(0), call.span);
  const auto* data = get_if<DataValue>(boundary);
  if (data == nullptr) call.lower.not_supported(call.span, "this boundary");
  Stencil result;
  result.boundary = *data;
  result.f = call.value(1);
  result.array = call.whole(2);
  result.extents = call.lower.shape_of(result.array, rank, call.span);
  result.span = call.span;
  if (result.extents.size() != rank) call.lower.not_supported(call.span, "a stencil here");
  ArrayValue array = points(call.lower, result, {});
  array.requirements = result.array.requirements;
  return make_value(std::move(array));
}

}  // namespace

const BuiltinTable& stencil_builtins() {
  static const BuiltinTable table = {
      {"stencil1", {3, stencil<1>}}, {"stencil2", {3, stencil<2>}}, {"stencil3", {3, stencil<3>}}};
  return table;
}

}  // namespace dvm::lower
