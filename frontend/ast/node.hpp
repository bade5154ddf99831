// The abstract syntax of .dvm programs, after layout and fixity resolution.
//
// Nodes live in the tables of one Arena shared by all modules of a program, so ids are unique
// program-wide and later stages keep their facts in vectors beside it (frontend/check/typed.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/base/id_vector.hpp"
#include "ir/base/source.hpp"

namespace dvm::ast {

using ExprId = Id<struct ExprTag>;
using PatternId = Id<struct PatternTag>;
using TypeId = Id<struct TypeTag>;
using DeclId = Id<struct DeclTag>;

// A possibly qualified name as written; operators without backquotes or parentheses.
struct Name {
  std::string qualifier;  // "" or "A.B"
  std::string text;
  Span span;
};

// ---------------------------------------------------------------- types (kinds are told apart later)
struct TypeVariable { Name name; };                      // a or n
struct TypeConstructor { Name name; };                   // Double, Vec, Array
struct TypeApply { TypeId head; std::vector<TypeId> args; };
struct TypeFunction { std::optional<Name> binder; TypeId param, result; };  // (k :: Int) -> r has a binder
struct TypeTuple { std::vector<TypeId> parts; };         // () when empty
struct TypeSizes { std::vector<TypeId> dims; };          // [n, m] after Array
struct SizeLiteral { std::int64_t value; };
enum class SizeOp : std::uint8_t { Add, Sub, Mul, Div };
struct SizeBinary { SizeOp op; TypeId lhs, rhs; };       // n + 1, 2 * n, n / 2
struct SizeUnknown { std::optional<std::string> name; };  // ? and ?k
struct TypeParen { TypeId inner; };

struct Type {
  std::variant<TypeVariable, TypeConstructor, TypeApply, TypeFunction, TypeTuple, TypeSizes, SizeLiteral, SizeBinary,
               SizeUnknown, TypeParen>
      node;
  Span span;
};
struct Constraint { Name class_name; TypeId type; };
struct QualifiedType { std::vector<Constraint> context; TypeId type; };

// ---------------------------------------------------------------- literals
struct IntegerLiteral { std::uint64_t value; std::string text; bool too_large = false; };  // > 2^64-1
struct FloatLiteral { double value; std::string text; };

// ---------------------------------------------------------------- patterns
struct FieldPattern { Name field; PatternId pattern; };
struct WildcardPattern {};
struct VariablePattern { Name name; };
struct LiteralPattern { std::variant<IntegerLiteral, FloatLiteral> value; bool negative = false; };
struct TuplePattern { std::vector<PatternId> parts; };
struct ListPattern { std::vector<PatternId> parts; };
struct ConstructorPattern { Name constructor; std::vector<PatternId> args; };
struct RecordPattern { Name constructor; std::vector<FieldPattern> fields; };
struct AsPattern { Name name; PatternId pattern; };
struct BangPattern { PatternId pattern; };
struct ParenPattern { PatternId pattern; };
struct AnnotatedPattern { PatternId pattern; TypeId type; };

struct Pattern {
  std::variant<WildcardPattern, VariablePattern, LiteralPattern, TuplePattern, ListPattern, ConstructorPattern,
               RecordPattern, AsPattern, BangPattern, ParenPattern, AnnotatedPattern>
      node;
  Span span;
};

// ---------------------------------------------------------------- expressions
struct Generator { PatternId pattern; ExprId source; };
struct LetQualifier { std::vector<DeclId> decls; };
struct Guard { ExprId condition; };
using Qualifier = std::variant<Generator, LetQualifier, Guard>;

struct Guarded { std::vector<Qualifier> guards; ExprId body; };  // no guards: plain `= body`
struct Rhs { std::vector<Guarded> alternatives; std::vector<DeclId> where; };
struct Alternative { PatternId pattern; Rhs rhs; Span span; };
struct FieldValue { Name field; ExprId value; };

struct Variable { Name name; };             // also operators: `(+)`, and the operator of Binary
struct Constructor { Name name; };
struct StringLiteral { std::string value; };
struct Apply { ExprId fn, arg; };
struct Binary { ExprId op, lhs, rhs; };     // op is a Variable or Constructor; means Apply(Apply(op, lhs), rhs)
struct Negate { ExprId operand; };          // Haskell's unary minus: `negate operand`
struct LeftSection { ExprId lhs, op; };     // (x +)
struct RightSection { ExprId op, rhs; };    // (+ x)
struct Lambda { std::vector<PatternId> params; ExprId body; };
struct LambdaCase { std::vector<Alternative> alternatives; };
struct Let { std::vector<DeclId> decls; ExprId body; };
struct If { ExprId condition, then_branch, else_branch; };
struct MultiIf { std::vector<Guarded> alternatives; };
struct Case { ExprId scrutinee; std::vector<Alternative> alternatives; };
struct Tuple { std::vector<ExprId> parts; };  // () when empty
struct ArrayLiteral { std::vector<ExprId> elements; };
struct Range { ExprId from; std::optional<ExprId> next, to; };
struct Comprehension { ExprId body; std::vector<std::vector<Qualifier>> branches; };  // parallel branches
struct Annotated { ExprId expr; QualifiedType type; };
struct RecordConstruct { Name constructor; std::vector<FieldValue> fields; };
struct RecordUpdate { ExprId record; std::vector<FieldValue> fields; };
struct Paren { ExprId inner; };               // kept for faithful formatting
struct Hole { std::string name; };            // `_`

struct Expr {
  std::variant<Variable, Constructor, IntegerLiteral, FloatLiteral, StringLiteral, Apply, Binary, Negate, LeftSection,
               RightSection, Lambda, LambdaCase, Let, If, MultiIf, Case, Tuple, ArrayLiteral, Range, Comprehension,
               Annotated, RecordConstruct, RecordUpdate, Paren, Hole>
      node;
  Span span;
};

// ---------------------------------------------------------------- declarations
struct Clause { std::vector<PatternId> params; Rhs rhs; Span span; };

struct Signature { std::vector<Name> names; QualifiedType type; };
struct FunctionDecl { Name name; std::vector<Clause> clauses; };  // adjacent clauses; also `x = e` without params
struct PatternBinding { PatternId pattern; Rhs rhs; };            // (a, b) = e
enum class Associativity : std::uint8_t { Left, Right, None };
struct FixityDecl { Associativity associativity; int precedence; std::vector<Name> operators; };
struct FieldDecl { Name name; TypeId type; };
struct ConstructorDecl { Name name; std::vector<TypeId> args; std::vector<FieldDecl> fields; bool is_record = false; };
struct DataDecl { Name name; std::vector<Name> params; std::vector<ConstructorDecl> constructors; std::vector<Name> deriving; bool is_newtype = false; };
struct TypeSynonym { Name name; std::vector<Name> params; TypeId type; };
struct ClassDecl { std::vector<Constraint> context; Name name; Name param; std::vector<DeclId> decls; };
struct InstanceDecl { std::vector<Constraint> context; Name class_name; TypeId type; std::vector<DeclId> decls; };
struct PragmaDecl { std::string keyword; std::string text; };      // {-# INLINE f #-}: "INLINE", "f"

struct Decl {
  std::variant<Signature, FunctionDecl, PatternBinding, FixityDecl, DataDecl, TypeSynonym, ClassDecl, InstanceDecl,
               PragmaDecl>
      node;
  Span span;
  std::string doc;  // text of the `-- |` comment before it
};

// ---------------------------------------------------------------- modules
struct ImportItem { Name name; bool all_parts = false; std::vector<Name> parts; bool whole_module = false; };  // T(..), T(A, B), f, (+); `module A` in exports
struct Import {
  std::string module;
  Span span;
  bool qualified = false;
  std::optional<std::string> alias;
  bool hiding = false;
  std::optional<std::vector<ImportItem>> items;
};
struct Module {
  std::string name;  // "Main" when the file has no header
  FileId file;
  std::string doc;
  bool has_header = false;
  std::optional<std::vector<ImportItem>> exports;
  std::vector<Import> imports;
  std::vector<DeclId> decls;
};

struct Arena {
  IdVector<ExprId, Expr> exprs;
  IdVector<PatternId, Pattern> patterns;
  IdVector<TypeId, Type> types;
  IdVector<DeclId, Decl> decls;
};

// A whole program: the modules in dependency order, the standard library's among them; the last one is
// the file given to dvmc.
struct Program {
  Arena arena;
  std::vector<Module> modules;
};

}  // namespace dvm::ast
