// Symbolic values: what an expression is while the program is evaluated at compile time.
//
// Scalars are values of the graph; tuples, data and functions exist only here; arrays are either
// stored (one graph array per scalar leaf of the element) or pulled: an extent and a function from
// an index to the element, evaluated into the region that is open when the element is needed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "frontend/check/typed.hpp"
#include "ir/base/diagnostic.hpp"
#include "ir/graph/graph.hpp"

namespace dvm::lower {

using graph::CheckId;
using graph::FunctionId;
using graph::LocId;
using graph::RegionId;
using graph::ScalarFn;
using graph::ValueId;
using typed::BindingId;
using typed::ClassId;
using typed::DataId;
using typed::SizeVarId;
using typed::TypeRef;
using typed::TypeVarId;

class Lowerer;
struct Env;
struct Lazy;
struct Value;
using ValueRef = std::shared_ptr<const Value>;

struct ScalarValue {
  ValueId id;
};

struct TupleValue {
  std::vector<ValueRef> parts;
};

// A value of a data type: its constructor is known, or chosen at run time by `tag` (u8); in that
// case the fields of all constructors are there, those of the others with any values.
struct DataValue {
  DataId data;
  std::optional<std::uint32_t> constructor;
  ValueId tag;
  std::vector<std::vector<ValueRef>> fields;  // by constructor
};

using Native = std::function<ValueRef(Lowerer&, const std::vector<Lazy*>&, Span)>;

// What a function was made from: two functions with the same origin and arguments are the same
// function, so that a recursive function that passes one on is one instance (identity.cpp).
struct Origin {
  BindingId binding;  // of a name, with the types of this use
  std::vector<TypeRef> types;
  ast::ExprId expr;          // or a lambda or section, with the names in scope there
  Env* env = nullptr;        // where it was declared, or where the expression stands
  std::uint32_t serial = 0;  // of all others
  Span span;                 // for messages: where it is made
};

// A function with the arguments it already has; `body` runs when there are `arity` of them.
struct ClosureValue {
  std::size_t arity = 0;
  std::vector<Lazy*> args;
  Native body;
  bool raw =
      false;  // wants computed arrays as they are, not stored (built-in functions, constructors)
  Origin origin;
};

// How a value is split into graph values.
struct Layout;
using LayoutRef = std::shared_ptr<const Layout>;
struct ScalarLayout {
  ElementType element;
};
struct TupleLayout {
  std::vector<LayoutRef> parts;
};
struct DataLayout {
  DataId data;
  std::optional<std::uint32_t> constructor;  // otherwise the first leaf is the tag
  std::vector<std::vector<LayoutRef>> fields;
};
struct ArrayLayout {
  Size extent;
  LayoutRef element;
};
// A function that is known while compiling: no graph value; the same wherever the layout is.
struct FunctionLayout {
  ValueRef function;
};
struct Layout {
  std::variant<ScalarLayout, TupleLayout, DataLayout, ArrayLayout, FunctionLayout> node;
};
// Whether functions inside a value are an error (they would have to exist at run time) or stay.
enum class Functions : std::uint8_t { Refuse, Keep };

// Graph arrays, one per leaf of the element, read at `prefix` and then the index.
struct Stored {
  LayoutRef element;
  std::vector<ValueId> leaves;
  std::vector<ValueId> prefix;
};

// What must hold for an array to exist (`k <= n` of `take`): checked where the array is used whole.
struct Requirement {
  ValueId condition;
  std::vector<ValueId> values;
  CheckId check;
};

struct ArrayValue {
  Size extent;
  std::function<ValueRef(Lowerer&, ValueId)> element;
  bool view = false;  // elements are reads of arrays that exist, however they are indexed
  std::optional<Stored> stored;
  std::vector<Requirement> requirements;
};

struct StringValue {
  std::string text;
};

// `error`, or alternatives none of which matches: fails where its value is needed. It takes the
// shape of what it stands beside; `type` is its own type where that is known.
struct FailureValue {
  std::string message;
  Span span;
  TypeRef type;
};

struct Value {
  std::variant<ScalarValue, TupleValue, DataValue, ClosureValue, ArrayValue, StringValue,
               FailureValue>
      node;
};

template <class T>
ValueRef make_value(T node) {
  return std::make_shared<const Value>(Value{std::move(node)});
}
template <class T>
LayoutRef make_layout(T node) {
  return std::make_shared<const Layout>(Layout{std::move(node)});
}
template <class T>
const T* get_if(const ValueRef& value) {
  return std::get_if<T>(&value->node);
}

// A method that is being unfolded at some types, and those around it: a method that meets itself
// here is recursive.
struct MethodCall {
  BindingId method;
  std::string types;  // their key
  const MethodCall* around = nullptr;
};

// Where in the program the evaluation is, for the call path of places.
struct Context {
  LocId caller;
  std::string function;
  const MethodCall* methods = nullptr;
};

// A value that is evaluated where it is first needed, at most once per place: a parameter, a
// `where` or `let` binding, an argument. It is placed in the region it was made in, so that it is
// not repeated by loops, but inside the branches that lead from there to its use, so that it costs
// nothing where it is not taken.
struct Lazy {
  std::function<ValueRef(Lowerer&)> compute;
  FunctionId function;
  RegionId region;
  bool force = false;  // arrays are stored, since the value has a name and may be used often
  Context context;
  std::string name;
  Span span;
  struct Found {
    FunctionId function;
    RegionId region;
    ValueRef value;
  };
  std::vector<Found> found;
  bool busy = false;
  std::uint32_t serial = 0;
  ast::ExprId expr;    // what it evaluates, where it is an expression,
  Env* env = nullptr;  // and in which scope
};

// Names in scope: one frame per function call, `let`, pattern. Owned by the Lowerer.
struct Env {
  struct Slot {
    Lazy* value = nullptr;  // or, when null, a function:
    std::optional<ast::DeclId>
        decl;  // its FunctionDecl, whose environment is the frame it is found in
  };
  // Where a size variable can be found: an argument and its declared type.
  struct SizeSource {
    TypeRef type;
    Lazy* value;
  };
  Env* parent = nullptr;
  FunctionId function;       // whose values `types` and `sizes` mention
  std::uint32_t serial = 0;  // counts all frames, from 1
  std::unordered_map<BindingId, Slot> values;
  std::unordered_map<TypeVarId, TypeRef> types;
  std::unordered_map<SizeVarId, Size> sizes;
  std::vector<SizeSource> size_sources;
  std::vector<std::pair<SizeVarId, Lazy*>> binders;  // `(k :: Int)`
  std::vector<SizeVarId> scheme_sizes;  // of the function, with what the use says they are,
  std::vector<Size> use_sizes;          // over the size variables of `use_env`
  Env* use_env = nullptr;
};

// A method that was found to be recursive while it was unfolded: lowering starts again and makes it
// a graph function. Which instance a method means is known only while lowering, so that this cannot
// be seen before.
struct RecursiveMethod {
  BindingId method;
  std::string types;
};

// An error of the program that ends lowering; caught in lower().
struct LoweringError {
  Diagnostic diagnostic;
};

}  // namespace dvm::lower
