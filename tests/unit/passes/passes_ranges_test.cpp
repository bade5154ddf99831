// Affine forms and proofs of bounds.
#include <doctest/doctest.h>

#include "ir/graph/affine.hpp"
#include "ir/graph/builder.hpp"
#include "passes/analysis/ranges.hpp"

namespace dvm::passes {
namespace {

using namespace graph;

// map [n, m] over a vector of length n * m, with an index at hand.
struct Plane {
  Module module;
  Function function;
  Builder builder{module, function};
  ValueId n = builder.add_param({ElementType::I64, {}}, "n");
  ValueId m = builder.add_param({ElementType::I64, {}}, "m");
  Size size_n = Size::symbol(n.index), size_m = Size::symbol(m.index);
  RegionId region = builder.open_region();
  ValueId i = builder.add_param({ElementType::I64, {}}, "i");
  ValueId j = builder.add_param({ElementType::I64, {}}, "j");
  NodeId node;

  Plane() { function.size_params = 2; }
  void finish(ValueId value) {
    builder.close_region({value});
    node = builder.add(Map{{size_n, size_m}}, {}, {region}, {{ElementType::I64, {size_n, size_m}}});
  }
  ValueId op(ScalarFn fn, ValueId a, ValueId b) { return builder.scalar(fn, {a, b}); }
};

TEST_CASE("i * m + j - 1 is affine with coefficient m") {
  Plane plane;
  const ValueId row = plane.op(ScalarFn::Mul, plane.i, plane.m);
  const ValueId flat = plane.op(ScalarFn::Add, row, plane.j);
  const ValueId less = plane.op(ScalarFn::Sub, flat, plane.builder.constant_i64(1));
  plane.finish(less);
  const AffineForms forms(plane.function);
  CHECK(forms.of(less).coefficient(plane.i) == plane.size_m);
  CHECK(forms.of(less).coefficient(plane.j) == Size(1));
  CHECK(forms.of(less).constant == Size(-1));
  CHECK(forms.is_top_level(plane.n));
  CHECK(!forms.is_top_level(flat));
}

TEST_CASE("a product of two indices is opaque") {
  Plane plane;
  const ValueId square = plane.op(ScalarFn::Mul, plane.i, plane.j);
  plane.finish(square);
  CHECK(AffineForms(plane.function).of(square).as_variable() == square);
}

TEST_CASE("row-major indices are within n * m, one further is not") {
  Plane plane;
  const ValueId row = plane.op(ScalarFn::Mul, plane.i, plane.m);
  const ValueId flat = plane.op(ScalarFn::Add, row, plane.j);
  const ValueId next = plane.op(ScalarFn::Add, flat, plane.builder.constant_i64(1));
  plane.finish(next);
  const AffineForms forms(plane.function);
  Ranges ranges(plane.function, forms);
  CHECK(!ranges.within(plane.i, plane.size_n));  // nothing is known outside the map
  ranges.enter(plane.node, 0);
  CHECK(ranges.within(plane.i, plane.size_n));
  CHECK(!ranges.within(plane.i, plane.size_m));
  CHECK(ranges.within(flat, plane.size_n * plane.size_m));
  CHECK(!ranges.within(next, plane.size_n * plane.size_m));
  CHECK(ranges.within(next, plane.size_n * plane.size_m + Size(1)));
  ranges.leave();
  CHECK(!ranges.within(plane.i, plane.size_n));
}

TEST_CASE("clamping and wrapping keep any index in range") {
  Plane plane;
  const ValueId far = plane.op(ScalarFn::Mul, plane.i, plane.j);
  const ValueId low = plane.op(ScalarFn::Max, far, plane.builder.constant_i64(0));
  const ValueId last = plane.op(ScalarFn::Sub, plane.n, plane.builder.constant_i64(1));
  const ValueId clamped = plane.op(ScalarFn::Min, low, last);
  const ValueId wrapped =
      plane.builder.scalar(ScalarFn::IntMod, {far, plane.n}, plane.module.checks.push({}));
  plane.finish(plane.op(ScalarFn::Add, clamped, wrapped));
  const AffineForms forms(plane.function);
  Ranges ranges(plane.function, forms);
  ranges.enter(plane.node, 0);
  CHECK(ranges.within(clamped, plane.size_n));
  CHECK(ranges.within(wrapped, plane.size_n));
  CHECK(!ranges.within(low, plane.size_n));
  CHECK(!ranges.within(far, plane.size_n));
}

}  // namespace
}  // namespace dvm::passes
