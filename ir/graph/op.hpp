// The operations of the graph IR: plain structs with their facts beside them.
//
// A program is a pure dataflow graph over arrays. Regions (bodies of map, loop, …) are graphs of
// the same kind; a region sees every value defined before its node in the enclosing regions, so a
// body reads outer arrays by naming them. All index arithmetic is ordinary i64 arithmetic in the
// body; which reads are affine is found by analysis (passes/analysis/affine). General rules and
// each op's corner cases: ir/README.md.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/base/id.hpp"
#include "ir/graph/scalar_fn.hpp"
#include "ir/type/element.hpp"
#include "ir/type/size.hpp"

namespace dvm::graph {

using ValueId = Id<struct ValueTag>;
using NodeId = Id<struct NodeTag>;
using RegionId = Id<struct RegionTag>;
using FunctionId = Id<struct FunctionTag>;
using CheckId = Id<struct CheckTag>;
using LocId = Id<struct LocTag>;

struct OpFacts {
  std::string_view mnemonic;
  std::string_view operands;  // for people and docs: "array, indices…"
  int regions;  // -1: depends on the op (reduce, scan, reduce_by_key, scatter: 1 or 2)
  std::string_view doc;
};

// How a reduction groups its terms: blocks of 4096 along the reduced dimension; inside a block in
// order, or in 32 interleaved lanes (term t goes to lane t mod 32, lanes are then combined by
// halving: l with l+16, +8, +4, +2, +1); across blocks pairs of neighbours at distance 1, 2, 4, …
// (so the left operand is always the earlier one, and a block without partner moves up unchanged).
// `Unset` only before elaboration has run.
enum class Tree : std::uint8_t { Unset, Ordered, Lanes };
inline constexpr std::int64_t reduction_block = 4096;
inline constexpr std::int64_t reduction_lanes = 32;

// One component of a reduction whose operator works on each component by itself.
// combiner is one of Add Mul Min Max And Or Xor. fused_product (floats with Add only): the body
// yields two values x, y for it and the accumulator becomes fma(x, y, accumulator).
struct Component {
  ScalarFn combiner = ScalarFn::Add;
  bool fused_product = false;
  bool operator==(const Component&) const = default;
};

struct Constant {
  static constexpr OpFacts facts{"constant", "", 0, "a literal"};
  Scalar value;
};

struct SizeOf {
  static constexpr OpFacts facts{"size", "", 0, "a size as an i64 value"};
  Size size;
};

struct ScalarOp {
  static constexpr OpFacts facts{"scalar", "scalars", 0,
                                 "a scalar function, printed under its own mnemonic"};
  ScalarFn fn;
};

struct Read {
  static constexpr OpFacts facts{"read", "array, one index per dimension", 0,
                                 "an element; with a check id: an index out of range fails"};
};

struct Check {
  static constexpr OpFacts facts{"check", "value, condition, values for the message", 0,
                                 "gives `value` unchanged; fails when the condition is false"};
};

struct Map {
  static constexpr OpFacts facts{
      "map", "", 1, "evaluates the body at every point of `space`; yields scalars or arrays"};
  std::vector<Size>
      space;  // region params: one i64 index per dimension; result shape: space + yielded shape
};

struct Reduce {
  static constexpr OpFacts facts{
      "reduce", "neutral values", -1,
      "combines the body's values along one dimension, at every point of `space`"};
  // Region 0 (params: indices of space, then the reduced index) yields the terms. Region 1, only
  // when `components` is empty: the operator (params: a.., b..; yields as many). The operator is
  // taken as associative. A neutral value shows only in the result for extent 0.
  std::vector<Size> space;
  Size extent;
  Tree tree = Tree::Unset;
  std::vector<Component> components;
};

struct Scan {
  static constexpr OpFacts facts{"scan", "neutral values", -1,
                                 "running combinations along the last dimension"};
  // Regions and components as for reduce (no fused products). Inside a block of 4096 in order from
  // the block's first term; a block's offset is the in-order combination of the blocks before it;
  // result = offset op local. Exclusive: result t is the inclusive result t-1, the neutral first.
  std::vector<Size> space;
  Size extent;
  bool exclusive = false;
  std::vector<Component> components;
};

struct Scatter {
  static constexpr OpFacts facts{
      "scatter", "destination arrays", -1,
      "destination with values written at indices; out of range is dropped"};
  // Region 0 (params: i < extent, then one index per dimension of `space`) yields one i64 index per
  // leading dimension of the destination (destination rank - space rank), then one value per
  // destination. Duplicates: the last i wins. With components (or region 1, the operator): the new
  // element is op(old, value), in order of i.
  Size extent;
  std::vector<Size> space;
  bool combines = false;
  std::vector<Component> components;
};

struct ReduceByKey {
  static constexpr OpFacts facts{
      "reduce_by_key", "neutral values", -1,
      "combines the values of each key; keys outside 0 .. keys-1 are dropped"};
  // Region 0 (params: i < extent, then one index per dimension of `space`) yields an i64 key, which
  // must not depend on the space indices, then one value per component. Result shape: [keys] +
  // space. Blocks of `key_block(keys, points of space)` along i, in order inside a block; across
  // blocks as reduce, skipping blocks without a value for the key.
  Size keys, extent;
  std::vector<Size> space;
  std::vector<Component> components;
};
// The block length: 4096 * max(1, ceil(32 * keys / 4096)).
std::int64_t key_block(std::int64_t keys);

struct Concat {
  static constexpr OpFacts facts{"concat", "arrays", 0, "joins arrays along the first dimension"};
};

struct Reshape {
  static constexpr OpFacts facts{
      "reshape", "array", 0,
      "the same elements in row-major order; with a check id: counts may differ, which fails"};
};

struct Sort {
  static constexpr OpFacts facts{
      "sort", "key arrays", 0,
      "the stable permutation (i64) that orders the keys lexicographically, NaN last; or, of one "
      "key array, the `values` in that order"};
  std::vector<bool> descending;  // one per key array
  bool values = false;
};

struct Filter {
  static constexpr OpFacts facts{"filter", "", 1,
                                 "the values of the points that are kept, and first their count"};
  Size extent;  // region (param: i) yields a bool, then scalars; results: count (i64), arrays of
                // shape [count]
};

struct Loop {
  static constexpr OpFacts facts{
      "loop", "count, initial states", 1,
      "count steps; results: final states, then stacked per-step values"};
  // Region params: step index, states. Yields the next states, then `stacked` further values.
  std::uint32_t stacked = 0;
};

struct While {
  static constexpr OpFacts facts{"while", "initial states", 2,
                                 "steps as long as the condition holds"};
  // Region 0: states -> bool. Region 1: states -> states. State types may mention earlier i64
  // states.
};

struct Branch {
  static constexpr OpFacts facts{"branch", "condition", 2, "evaluates one of its two regions"};
  // Result types may mention earlier i64 results.
};

struct Call {
  static constexpr OpFacts facts{"call", "arguments", 0,
                                 "a call of a function that was not inlined (recursion)"};
  FunctionId callee;  // result types may mention arguments and earlier results
};

using Op = std::variant<Constant, SizeOf, ScalarOp, Read, Check, Map, Reduce, Scan, Scatter,
                        ReduceByKey, Concat, Reshape, Sort, Filter, Loop, While, Branch, Call>;

const OpFacts& facts(const Op& op);

}  // namespace dvm::graph
