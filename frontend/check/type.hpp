// The types of inference: nodes with unification variables, and the symbols of sizes.
//
// Arrays are nested one-dimensional arrays here, so that `Array [n, m] a` and `Vec n (Vec m a)` are
// one thing; finish.cpp flattens them. A parameter `(k :: Int)` is an Int whose value is a size:
// the arrow carries that size (`arg_size`), and `k` itself is an ordinary size variable of the
// scheme.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/check/class_set.hpp"
#include "frontend/check/typed.hpp"

namespace dvm::check {

using Symbol = Size::Symbol;

enum class Kind : std::uint8_t {
  Meta,
  Variable,
  Scalar,
  String,
  Array,
  Tuple,
  Function,
  Data,
  Error
};

// Why a type must be in a class: `+`, the literal `1`.
struct Need {
  Span span;
  std::string who;
};

struct Type {
  Kind kind = Kind::Error;
  bool generic = false;  // a variable, size symbol or meta may occur inside
  ElementType element = ElementType::I64;
  std::uint32_t id = 0;        // Variable, Data
  std::vector<Type*> parts;    // Array: element; Function: param, result; Tuple; Data: type args
  std::vector<Size> sizes;     // Array: length; Function: arg_size if any; Data: size args
  std::vector<Symbol> exists;  // Function: unknown sizes of the result, fresh at each application
  Type* link = nullptr;        // Meta: what it was found to be
  int level = 0;               // Meta: generalised by bindings at a lower level
  int depth = 0;               // Meta: functions around it; see SizeSymbol::depth
  ClassSet mask;               // Meta: classes it must be in
  const Need* need = nullptr;  // Meta: why
  typed::TypeRef final;        // set by finish.cpp
};
using TypePtr = Type*;

enum class SymbolKind : std::uint8_t {
  Meta,     // to be found by inference
  Rigid,    // of a signature, or generalised
  Unknown,  // came into being with a value
};
struct SizeSymbol {
  SymbolKind kind = SymbolKind::Meta;
  std::string name;    // as written; empty for made-up ones
  std::string origin;  // "the unknown size returned by `filter`"
  Span span;
  int level = 0;
  int depth = 0;  // a meta may only stand for symbols that are not deeper than itself
  std::optional<Size> solution;
  std::optional<Size> replacement;  // while a scheme is instantiated
  std::uint32_t final_id = ~std::uint32_t{0};
  bool changes = false;  // the size of a loop's state, another one at each step
};

struct TypeVariable {
  std::string name;
  Span span;
  ClassSet mask;  // with all superclasses
  int level = 0;
  Type* replacement = nullptr;  // while a scheme is instantiated
};

// A type that must be in a class.
struct Constraint {
  ClassId of;
  TypePtr type = nullptr;
};

struct Scheme {
  std::vector<std::uint32_t> types;
  std::vector<Symbol> sizes;
  std::vector<Symbol> unknowns;
  TypePtr type = nullptr;
  std::vector<Constraint> context;  // on types that are no variables; others stand at the variable
};

// Owns the nodes and the symbols, and does what needs no inference state.
class TypeStore {
 public:
  TypeStore();
  TypePtr meta(int level, int depth);
  TypePtr variable(std::uint32_t id);
  TypePtr scalar(ElementType element) { return scalars_[static_cast<std::size_t>(element)]; }
  TypePtr string() { return string_; }
  TypePtr error() { return error_; }
  TypePtr array(Size length, TypePtr element);
  TypePtr tuple(std::vector<TypePtr> parts);
  TypePtr function(TypePtr param, TypePtr result, std::optional<Size> arg_size = {},
                   std::vector<Symbol> exists = {});
  TypePtr data(std::uint32_t id, std::vector<TypePtr> types, std::vector<Size> sizes);

  Symbol symbol(SymbolKind kind, std::string name, std::string origin, Span span, int level,
                int depth);
  Size size_meta(int level, int depth, Span span = {});

  // The node a chain of solved metas ends in; shortens the chain.
  static TypePtr prune(TypePtr type);
  // The size with every solved meta replaced.
  Size zonk(const Size& size);
  TypePtr zonk(TypePtr type);
  // Replaces scheme variables that have a `replacement` set; shares what does not change.
  TypePtr substitute(TypePtr type);
  Size substitute(const Size& size);
  // Each size symbol (solved metas looked through) in the type; arg sizes and bound unknowns are
  // included only when asked for.
  template <class Visit>
  void each_symbol(TypePtr type, bool arg_sizes, const Visit& visit);
  bool mentions(TypePtr type, Symbol symbol);
  bool settled(TypePtr type);  // no unsolved metas of any sort

  std::deque<SizeSymbol> symbols;
  std::deque<TypeVariable> variables;
  std::deque<Need> needs;
  std::vector<TypePtr> metas;  // in order of creation

 private:
  TypePtr make(Kind kind);
  std::deque<Type> nodes_;
  std::vector<TypePtr> scalars_;
  TypePtr string_ = nullptr, error_ = nullptr, unit_ = nullptr;
  std::vector<TypePtr> variable_nodes_;
};

template <class Visit>
void TypeStore::each_symbol(TypePtr type, bool arg_sizes, const Visit& visit) {
  type = prune(type);
  if (!type->generic) return;
  if (type->kind != Kind::Function || arg_sizes)
    for (const Size& size : type->sizes) zonk(size).symbols([&](Symbol symbol) { visit(symbol); });
  for (TypePtr part : type->parts) {
    if (type->exists.empty()) {
      each_symbol(part, arg_sizes, visit);
      continue;
    }
    // Of a named type, because a lambda here would be a new type at every level.
    std::function<void(Symbol)> free_only = [&](Symbol symbol) {
      for (Symbol bound : type->exists)
        if (bound == symbol) return;
      visit(symbol);
    };
    each_symbol(part, arg_sizes, free_only);
  }
}

}  // namespace dvm::check
