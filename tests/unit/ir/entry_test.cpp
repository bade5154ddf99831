// Entry signatures and the solving of sizes.
#include "ir/graph/entry.hpp"

#include <doctest/doctest.h>

#include "tests/unit/ir/graph_text.hpp"

using namespace dvm;
using namespace dvm::graph;

namespace {

EntrySignature entry(const std::string& params, std::size_t sizes) {
  const Module module = test::parse_ok("graph @main(" + params + ") -> () sizes " +
                                       std::to_string(sizes) + " {\n return\n}");
  return entry_signature(module.functions[FunctionId{0}]);
}

Tensor array(std::vector<std::int64_t> shape, ElementType type = ElementType::F64) {
  return *Tensor::make(type, shape);
}

std::string solved(const EntrySignature& signature, const std::vector<Tensor>& inputs) {
  const auto result = solve_sizes(signature, inputs);
  if (!result) return result.error();
  std::string text;
  for (std::size_t i = 0; i < result->size(); ++i) {
    text += (i > 0 ? " " : "") + signature.size_names[i] + "=" + std::to_string((*result)[i]);
  }
  return text;
}

}  // namespace

TEST_CASE("sizes are solved from where they occur linearly, then everything is checked") {
  const EntrySignature dot = entry("%n: i64, %xs: f64[n], %ys: f64[n]", 1);
  CHECK(dot.inputs[0].surface_type == "Vec n Double");
  CHECK(solved(dot, {array({12}), array({12})}) == "n=12");
  CHECK(solved(dot, {array({12}), array({13})}) ==
        "`ys`: expected size 12 (`n` from `xs`), got 13");
  const EntrySignature csr =
      entry("%n: i64, %k: i64, %start: i64[n + 1], %val: f64[k], %x: f64[2 * n, k]", 2);
  CHECK(csr.inputs[0].surface_type == "Vec (n + 1) Int");
  CHECK(csr.inputs[2].surface_type == "Mat (2 * n) k Double");
  CHECK(solved(csr, {array({5}, ElementType::I64), array({7}), array({8, 7})}) == "n=4 k=7");
  CHECK(solved(csr, {array({5}, ElementType::I64), array({7}), array({9, 7})}) ==
        "`x`: expected size 8 (`2 * n`, `n` from `start`), got 9 in dimension 1 of [9, 7]");
  CHECK(solved(csr, {array({0}, ElementType::I64), array({7}), array({0, 7})}) ==
        "`start`: the size `n` would be negative: -1");
  const EntrySignature product = entry("%n: i64, %m: i64, %a: f64[n * m], %b: f64[m]", 2);
  CHECK(solved(product, {array({12}), array({4})}) == "n=3 m=4");
  CHECK(solved(product, {array({13}), array({4})}) ==
        "`a`: expected size 12 (`n * m`, `n` = 3, `m` from `b`), got 13");
  const EntrySignature half = entry("%n: i64, %a: f64[n / 2], %b: f64[n]", 1);
  CHECK(solved(half, {array({3}), array({7})}) == "n=7");
  CHECK(solved(half, {array({4}), array({7})}) ==
        "`a`: expected size 3 (`n / 2`, `n` from `b`), got 4");
}

TEST_CASE("scalar inputs may be sizes") {
  const EntrySignature histogram = entry("%n: i64, %bins: i64, %xs: f64[n], %counts: i64[bins]", 1);
  const Tensor bins = Tensor::of_scalar(Scalar::of_i64(5));
  CHECK(solved(histogram, {bins, array({9}), array({5}, ElementType::I64)}) == "n=9");
  CHECK(solved(histogram, {bins, array({9}), array({6}, ElementType::I64)}) ==
        "`counts`: expected size 5 (`bins`), got 6");
}

TEST_CASE("kinds are checked first") {
  const EntrySignature signature = entry("%n: i64, %x: f64, %xs: f32[n, 3]", 1);
  const Tensor x = Tensor::of_scalar(Scalar::of_float(ElementType::F64, 1));
  CHECK(solved(signature, {x, array({2, 3}, ElementType::F32)}) == "n=2");
  CHECK(solved(signature, {x}) == "`main` takes 2 inputs, 1 came");
  CHECK(solved(signature, {x, array({2, 3})}) ==
        "`xs`: expected Float (dtype f4), got Double (dtype f8)");
  CHECK(solved(signature, {x, array({2}, ElementType::F32)}) ==
        "`xs`: expected an array with 2 dimensions, got shape [2]");
  CHECK(solved(signature, {array({1}), array({2, 3}, ElementType::F32)}) ==
        "`x`: expected a scalar, got shape [1]");
  CHECK(solved(signature, {x, array({2, 4}, ElementType::F32)}) ==
        "`xs`: expected size 3, got 4 in dimension 2 of [2, 4]");
  const EntrySignature lost = entry("%n: i64, %x: f64", 1);
  CHECK(solved(lost, {x}) == "no input says how large `n` is");
}
