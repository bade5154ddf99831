// The result of type checking: the syntax tree stays as it is, types and names stand in tables
// beside it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "frontend/ast/node.hpp"
#include "frontend/check/builtin_class.hpp"
#include "ir/base/id_vector.hpp"
#include "ir/type/element.hpp"
#include "ir/type/size.hpp"

namespace dvm::typed {

using BindingId = Id<struct BindingTag>;
using DataId = Id<struct DataTag>;
using TypeVarId = Id<struct TypeVarTag>;
using SizeVarId = Id<struct SizeVarTag>;  // symbol of the sizes in types: SizeVarId::index

struct Type;
using TypeRef = std::shared_ptr<const Type>;

struct ScalarType {
  ElementType element;
};
struct StringType {};  // only the message argument of error and assert
struct ArrayType {
  std::vector<Size> shape;
  TypeRef element;
};  // element is never an ArrayType
struct TupleType {
  std::vector<TypeRef> parts;
};  // () when empty
// binder: (k :: Int) -> …; in a scheme it is one of scheme.sizes (so Use.size_args holds the
// polynomial that the argument was found to be), in the type of a use it is present only where it
// is a plain variable. unknowns: the `?` of the result, bound here and fresh at each application;
// only on the last arrow.
struct FunctionType {
  TypeRef param, result;
  std::optional<SizeVarId> binder;
  std::vector<SizeVarId> unknowns;
};
struct DataType {
  DataId data;
  std::vector<TypeRef> type_args;
  std::vector<Size> size_args;
};
struct VariableType {
  TypeVarId variable;
};

struct Type {
  std::variant<ScalarType, StringType, ArrayType, TupleType, FunctionType, DataType, VariableType>
      node;
};

struct ClassConstraint {
  ClassId of;
  TypeRef type;  // a variable, unless a signature says otherwise
};

// forall types, sizes. constraints => type. A monomorphic binding quantifies nothing.
struct Scheme {
  std::vector<TypeVarId> types;
  std::vector<SizeVarId> sizes;
  std::vector<ClassConstraint> constraints;
  TypeRef type;
  // Of a value (no function): free unknown sizes in `type` that come into being with it (`xs :: Vec
  // ? Int`, guards of different size); each is the extent found at its place in `type`.
  std::vector<SizeVarId> unknowns;
};

enum class BindingKind : std::uint8_t {
  Local,        // bound by a pattern or a local function
  Global,       // a top-level function or value
  Builtin,      // a signature with {-# BUILTIN name #-}: lowering knows it by name
  Constructor,  // of a data type
  Selector,     // a record field as a function
  Method        // of a class; the first of its scheme's types is the class's variable
};

struct Binding {
  std::string name;
  std::string module;  // of globals, builtins, constructors, selectors
  BindingKind kind = BindingKind::Local;
  Scheme scheme;
  Span span;                             // where it is bound
  std::optional<ast::DeclId> decl;       // its FunctionDecl (local functions too)
  std::optional<ast::DeclId> signature;  // its Signature, when there is one
  DataId data;                           // of constructors and selectors
  ClassId of;                            // of methods
  std::uint32_t part = 0;                // number of the constructor, field or method
  bool recursive = false;                // occurs in its own strongly connected group
  // Named size variables of its signature that are in scope as Int in its body, under these names.
  std::vector<std::pair<std::string, SizeVarId>> size_names;
  // The binding is an Int and this size variable is its value: a parameter `k` of a function with
  // `(k :: Int)`, and every local Int that occurs in a size (`take k xs` for a `k` of a pattern or
  // a let).
  std::optional<SizeVarId> size_symbol;
  std::string builtin;  // of builtins, and of methods that built-in types have: the pragma's text
};

struct ConstructorInfo {
  BindingId binding;
  std::string name;
  std::vector<std::string> field_names;  // empty names when positional
  std::vector<TypeRef> field_types;      // over the data type's variables
};
struct DataInfo {
  std::string name;
  std::vector<TypeVarId> type_params;
  std::vector<SizeVarId> size_params;
  std::vector<ConstructorInfo> constructors;
  std::vector<std::string> deriving;
  bool is_newtype = false;
};

struct MethodInfo {
  std::string name;
  BindingId binding;
  // Its default: a global function with the method's own scheme.
  std::optional<BindingId> fallback;
};
struct ClassInfo {
  std::string name, module;
  Span span;
  std::vector<ClassId> superclasses;
  std::vector<MethodInfo> methods;
};
// `instance context => Class head`. The built-in instances (has_builtin_instance for scalars; Eq
// and Ord of tuples and arrays) have none. Heads of one class differ in their types, whatever the
// sizes, and have each type variable once, so that an instance is found by matching types.
struct InstanceInfo {
  ClassId of;
  TypeRef head;
  std::vector<TypeVarId> types;  // variables of the head
  std::vector<SizeVarId> sizes;
  std::vector<ClassConstraint> context;
  // By number of the method: a global function for `types` and then the method's own types (all but
  // the first), sizes alike. None: the default.
  std::vector<std::optional<BindingId>> methods;
  bool derived = false;  // by `deriving`: no methods, the compiler compares field by field
  Span span;
};

// Corner cases of the tables:
// - `True` and `False` are constructors (kind Constructor, module "Prelude") with part 1 and 0, an
// invalid
//   `data`, and type Bool; they have no declaration.
// - `(!)` has the three type arguments array, index, result, whatever the Prelude writes; the index
// is Int or a
//   tuple of k >= 2 Ints, and the result is the array without its first 1 or k dimensions.
// - `f $ x` and `x & f` are typed like `f x`; their Use has the two type arguments of the Prelude's
// `$` and `&`.
// - Leftover type variables are (), leftover sizes 0. Types of expressions inside a generalised
// function
//   mention the variables of its scheme.
// - A function type in an expression's type may mention a size that is unknown where the function
// stands; it
//   is settled when the function is applied.

// An occurrence of a name (Variable, Constructor, the operator of Binary or a section, Negate uses
// `negate`; Range, Comprehension and literals need none).
struct Use {
  BindingId binding;  // none: the name is a size variable used as an Int, see `size`
  std::optional<SizeVarId> size;
  std::vector<TypeRef>
      type_args;  // for scheme.types, over the type variables in scope at the occurrence
  std::vector<Size> size_args;  // for scheme.sizes, over the size variables in scope
};

struct SizeVarInfo {
  std::string name;      // as written, or made up
  std::string origin;    // for notes: "returned by `filter`"
  Span span;             // where it came into being
  bool changes = false;  // the size of a loop's state (in the type argument of its Use), which is
                         // another one at each step
};

struct Program {
  const ast::Program* ast = nullptr;
  IdVector<BindingId, Binding> bindings;
  IdVector<DataId, DataInfo> datas;
  IdVector<ClassId, ClassInfo> classes;  // the built-in ones first
  std::vector<InstanceInfo> instances;
  IdVector<SizeVarId, SizeVarInfo> size_vars;
  std::vector<std::string> type_var_names;  // by TypeVarId

  // Beside the syntax; entries of nodes that have none are empty.
  IdVector<ast::ExprId, TypeRef> expr_types;
  IdVector<ast::ExprId, std::optional<Use>> uses;
  // Unknown sizes that come into being with the value of this expression (results of filter, of
  // generate with a size that is no size expression, ranges, …): lowering binds each to the extent
  // found at its place in the expression's type. Where the expression is an Int (the argument of a
  // `(k :: Int)` parameter that is no size expression), the variable is its value. A branch (if,
  // case, let) lists again what its branches opened and its own type mentions.
  IdVector<ast::ExprId, std::vector<SizeVarId>> opened;
  IdVector<ast::PatternId, TypeRef> pattern_types;
  IdVector<ast::PatternId, BindingId> pattern_bindings;      // VariablePattern, AsPattern
  IdVector<ast::PatternId, BindingId> pattern_constructors;  // ConstructorPattern, RecordPattern
  IdVector<ast::DeclId, BindingId> decl_bindings;            // FunctionDecl

  // Exported functions of the last module that can be entries, `main` first when there is one.
  std::vector<BindingId> entries;
  // Its other functions and values, each with why it is none: "has several clauses".
  std::vector<std::pair<BindingId, std::string>> not_entries;
};

std::string to_text(const Program& program, const TypeRef& type);
std::string to_text(const Program& program, const Scheme& scheme);

}  // namespace dvm::typed
