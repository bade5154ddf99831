// Functions and modules of the graph IR.
//
// Values, nodes and regions live in flat tables of their function and are named by ids. Nodes are
// not changed after they were built; a pass builds a new function from the outputs of the old one
// (ir/graph/rewrite.hpp), so unused nodes vanish.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/base/id_vector.hpp"
#include "ir/base/source.hpp"
#include "ir/graph/op.hpp"

namespace dvm::graph {

// Element type and shape; rank 0 is a scalar. Symbols of the sizes are `ValueId::index`es of i64
// scalars of the same function that are in scope where the value is defined.
struct Type {
  ElementType element = ElementType::F64;
  std::vector<Size> shape;

  bool is_scalar() const { return shape.empty(); }
  bool operator==(const Type&) const = default;
};

struct Value {
  Type type;
  std::string name;  // hint from the source; printing makes names unique
  NodeId node;       // the defining node; none for a region parameter
};

struct Node {
  Op op;
  std::vector<ValueId> operands;
  std::vector<RegionId> regions;
  std::vector<ValueId> results;
  CheckId check;  // set when the node may fail
  LocId loc;      // may be none
};

struct Region {
  std::vector<ValueId> params;
  std::vector<NodeId> nodes;  // definitions before uses
  std::vector<ValueId> yields;
};

// Regions inside regions: the body of a function is at depth 1. More is an error of parser and
// verifier, so that code that follows the nesting may recurse.
inline constexpr std::size_t max_region_depth = 1000;

// What may go wrong at run time. Ids are given in program order of the elaborated graph: of several
// failures the one with the least (check id, row-major iteration index) is reported.
struct CheckInfo {
  std::string message;  // with {0}, {1}, … for the values recorded at the failure
  LocId loc;
};

// A source place with the call path that inlining led through.
struct Loc {
  Span span;
  LocId caller;          // none at the outermost level
  std::string function;  // the surface function the place lies in
};

struct Function {
  std::string name;
  RegionId body;  // params of the body are the function's parameters
  // Leading params that are sizes: i64 scalars, solved from the shapes of the other inputs when the
  // function is an entry point (the others are inputs in the order of the signature).
  std::size_t size_params = 0;
  std::vector<std::string> result_names;  // for entries: file names of results; else may be empty

  IdVector<ValueId, Value> values;
  IdVector<NodeId, Node> nodes;
  IdVector<RegionId, Region> regions;

  const Region& body_region() const { return regions[body]; }
  const std::vector<ValueId>& params() const { return regions[body].params; }
  const std::vector<ValueId>& results() const { return regions[body].yields; }
  Size size_of(ValueId i64_scalar) const { return Size::symbol(i64_scalar.index); }
};

struct Module {
  IdVector<FunctionId, Function> functions;
  IdVector<CheckId, CheckInfo> checks;
  IdVector<LocId, Loc> locs;

  std::optional<FunctionId> find(std::string_view name) const;
};

}  // namespace dvm::graph
