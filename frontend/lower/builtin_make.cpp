// Built-in functions that make arrays or go element by element, and checks.
#include <algorithm>

#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace {

using Call = const BuiltinCall&;

ArrayValue with_requirements(ArrayValue array, std::vector<Requirement> requirements) {
  array.requirements.insert(array.requirements.end(), requirements.begin(), requirements.end());
  return array;
}

ValueRef generate(Call call) {
  const ValueId count = call.scalar(0);
  const ValueRef f = call.value(1);
  auto [extent, requirements] = call.lower.extent_of(count, call.span, "the size");
  ArrayValue result = call.lower.pull(
      extent,
      [f, span = call.span](Lowerer& lower, ValueId index) {
        return lower.call(f, {lower.scalar_value(index)}, span);
      },
      false);
  return make_value(with_requirements(std::move(result), std::move(requirements)));
}

ValueRef replicate(Call call) {
  const ValueId count = call.scalar(0);
  const ValueRef x = call.lower.force(call.value(1), call.span);
  auto [extent, requirements] = call.lower.extent_of(count, call.span, "the size");
  ArrayValue result = call.lower.pull(extent, [x](Lowerer&, ValueId) { return x; }, true);
  return make_value(with_requirements(std::move(result), std::move(requirements)));
}

// f at the elements of arrays of one size.
ValueRef map_arrays(Call call, const ValueRef& f, std::size_t first, std::size_t count) {
  std::vector<ArrayValue> arrays;
  for (std::size_t i = 0; i < count; ++i)
    arrays.push_back(call.lower.worthwhile(call.array(first + i), call.span));
  const Size extent = arrays[0].extent;
  std::vector<Requirement> requirements;
  for (ArrayValue& array : arrays) {
    requirements.insert(requirements.end(), array.requirements.begin(), array.requirements.end());
    if (array.extent == extent) continue;
    const Requirement same = call.lower.same_size(extent, array.extent, call.span);
    requirements.push_back(same);
    array = call.lower.guarded(array, same);
  }
  ArrayValue result = call.lower.pull(
      extent,
      [f, arrays, span = call.span](Lowerer& lower, ValueId index) {
        std::vector<ValueRef> elements;
        for (const ArrayValue& array : arrays) elements.push_back(array.element(lower, index));
        return lower.call(f, elements, span);
      },
      false);
  return make_value(with_requirements(std::move(result), std::move(requirements)));
}

template <std::size_t count>
ValueRef zip_with(Call call) {
  return map_arrays(call, call.value(0), 1, count);
}

template <std::size_t count>
ValueRef zip(Call call) {
  const ValueRef tuple =
      call.lower.native(count, [](Lowerer& lower, const std::vector<Lazy*>& args, Span) {
        TupleValue result;
        for (Lazy* arg : args) result.parts.push_back(lower.demand(arg));
        return make_value(std::move(result));
      });
  const ValueRef zipped = map_arrays(call, tuple, 0, count);
  ArrayValue result = call.lower.as_array(zipped, call.span);
  result.view = true;
  for (std::size_t i = 0; i < count; ++i) {
    const ArrayValue part = call.array(i);
    result.view &= part.view || part.stored;
  }
  return make_value(std::move(result));
}

template <std::size_t count>
ValueRef unzip(Call call) {
  const ArrayValue pairs = call.whole(0);
  TupleValue result;
  for (std::size_t k = 0; k < count; ++k) {
    ArrayValue part = call.lower.pull(
        pairs.extent,
        [pairs, k](Lowerer& lower, ValueId index) {
          return get_if<TupleValue>(lower.concrete(pairs.element(lower, index), {}))->parts.at(k);
        },
        true);
    result.parts.push_back(make_value(with_requirements(std::move(part), pairs.requirements)));
  }
  return make_value(std::move(result));
}

// ---------------------------------------------------------------- checks

std::string message_of(Call call, std::size_t arg) {
  const ValueRef text = call.value(arg);
  const auto* string = get_if<StringValue>(text);
  if (string == nullptr) call.lower.not_supported(call.span, "a message that is not a literal");
  std::string escaped;
  for (char c : string->text) {
    escaped += c;
    if (c == '{' || c == '}') escaped += c;
  }
  return escaped;
}

ValueRef error(Call call) {
  return make_value(
      FailureValue{message_of(call, 0), call.span, call.types.empty() ? nullptr : call.types[0]});
}

ValueRef assert_that(Call call) {
  const ValueId ok = call.scalar(0);
  // The check comes before those of the value.
  const Requirement requirement = call.lower.require(ok, {}, call.span, message_of(call, 1));
  const ValueRef value = call.lower.force(call.value(2), call.span);
  return call.lower.checked(value, requirement);
}

// An array in memory under another size of its own: nothing moves.
ArrayValue renamed(Call call, const ArrayValue& array, const Size& extent, CheckId check) {
  std::vector<ValueId> leaves;
  for (ValueId leaf : array.stored->leaves) {
    graph::Type type = call.emit().type(leaf);
    type.shape[0] = extent;
    const auto node = call.emit().add(graph::Reshape{}, {leaf}, {}, {type}, check);
    leaves.push_back(call.emit().results(node)[0]);
  }
  ArrayValue result = call.lower.stored_array(extent, array.stored->element, std::move(leaves));
  result.requirements = array.requirements;
  return result;
}

ValueRef resize(Call call) {
  const ArrayValue array = call.whole(0);
  // The size of the result is what the use says: `resize :: Array [n] a -> Array [m] a`.
  std::optional<Size> extent;
  if (call.use != nullptr) {
    const typed::Scheme& scheme = call.lower.program().bindings[call.use->binding].scheme;
    const auto* arrow = std::get_if<typed::FunctionType>(&scheme.type->node);
    const auto* result =
        arrow == nullptr ? nullptr : std::get_if<typed::ArrayType>(&arrow->result->node);
    if (result != nullptr)
      for (std::size_t i = 0; i < scheme.sizes.size() && i < call.use->size_args.size(); ++i)
        if (result->shape[0] == Size::symbol(scheme.sizes[i].index))
          extent = call.lower.size_in(call.use->size_args[i], call.env);
  }
  if (!extent)
    call.lower.fail(call.span, "unknown-size",
                    "the size that `resize` should give is not known here",
                    "nothing in scope has this size");
  if (*extent == array.extent) return make_value(array);
  Emitter& emit = call.emit();
  const ValueId have = emit.size_value(array.extent);
  const ValueId want = emit.size_value(*extent);
  const ValueId same = emit.scalar(ScalarFn::Eq, {have, want});
  const Requirement requirement = call.lower.require(
      same, {have, want}, call.span, "`resize` of an array of size {0} to size {1}");
  const ArrayValue base = call.lower.guarded(array, requirement);
  const auto& frames = emit.frames();
  const bool in_body = std::any_of(frames.begin(), frames.end(), [](const Frame& frame) {
    return frame.kind == FrameKind::Parallel;
  });
  if (!in_body && base.stored && base.stored->prefix.empty())
    return make_value(renamed(call, base, *extent, requirement.check));
  ArrayValue result = call.lower.pull(
      *extent, [base](Lowerer& lower, ValueId index) { return base.element(lower, index); }, true);
  result = with_requirements(std::move(result), array.requirements);
  result.requirements.push_back(requirement);
  return make_value(std::move(result));
}

}  // namespace

const BuiltinTable& make_builtins() {
  static const BuiltinTable table = {
      {"generate", {2, generate}},    {"replicate", {2, replicate}},
      {"map", {2, zip_with<1>}},      {"zipWith", {3, zip_with<2>}},
      {"zipWith3", {4, zip_with<3>}}, {"zipWith4", {5, zip_with<4>}},
      {"zipWith5", {6, zip_with<5>}}, {"zipWith6", {7, zip_with<6>}},
      {"zipWith7", {8, zip_with<7>}}, {"zip", {2, zip<2>}},
      {"zip3", {3, zip<3>}},          {"unzip", {1, unzip<2>}},
      {"unzip3", {1, unzip<3>}},      {"error", {1, error}},
      {"assert", {3, assert_that}},   {"resize", {1, resize}},
  };
  return table;
}

}  // namespace dvm::lower
