// Recursive functions while they are lowered: one graph function for each instance, which takes
// what it reads from outside as further parameters.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontend/lower/emitter.hpp"
#include "frontend/lower/value.hpp"

namespace dvm::lower {

// The parameter types, the result type, the size variables that the parameters tell, and those they
// do not.
struct RecursiveType {
  std::vector<TypeRef> params;
  TypeRef result;
  std::vector<SizeVarId> binders;   // by parameter; none where it is no size
  std::vector<SizeVarId> sizes;     // leading size parameters
  std::vector<SizeVarId> unknowns;  // sizes that come with the result
};

// A value that became parameters of a function: first its extents, as far as they are no others'
// sizes, then its leaves.
struct LocalValue {
  LayoutRef layout;              // over the function's values
  std::vector<ValueId> extents;  // in the order of the layout
  std::vector<ValueId> leaves;
};

// What an instance reads from outside: a value with a place of its own, or a size.
struct Capture {
  Lazy* lazy = nullptr;
  LocalValue value;
  FunctionId owner;  // of a size
  ValueId symbol, param;
};

struct Instance {
  BindingId binding;
  FunctionId function;
  RecursiveType type;
  std::string types;             // for messages: the types it is made for
  std::vector<LocalValue> held;  // by parameter: with functions in it; else no layout
  std::deque<Capture> captures;
  std::size_t early = 0;  // captures before the arguments: sizes that their types mention
  std::map<const Lazy*, std::size_t> by_lazy;  // only looked up
  std::map<std::pair<FunctionId, ValueId>, std::size_t> by_symbol;
  bool finished = false;

  const Capture* find(const Capture& wanted) const;
};

// A call of an instance: what the instance captures is passed on once all of it is known.
struct CallSite {
  FunctionId function;
  graph::NodeId node;
  Instance* callee;
  std::size_t passed = 0;  // captures that are operands already
};

// An instance being lowered, and what waits for it.
struct Activation {
  Instance* instance;
  std::unique_ptr<Emitter> caller;
  Context context;
};

}  // namespace dvm::lower
