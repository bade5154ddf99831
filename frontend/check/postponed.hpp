// Uses of names, and what is settled only when more is known: equations of sizes, indices, classes,
// literals, holes.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/check/scope.hpp"
#include "frontend/check/situation.hpp"

namespace dvm::check {

struct UseInfo {
  BindingId binding;
  std::optional<Symbol> size;
  std::vector<TypePtr> type_args;
  std::vector<Size> size_args;
  bool result_sizes_checked = false;
};

// A type as written in an annotation: its own `?` and free variables become fresh ones.
struct WrittenType {
  Scheme scheme;
};

struct Equation {
  Size expected, actual;
  TypePtr whole_expected, whole_actual;
  Reason reason;
  int level = 0;
};
struct IndexWant {
  TypePtr array, index, result;
  Span span;
  int level = 0, depth = 0;
};
// A type that must be in a class, where it depends on types yet unknown which instance is meant.
struct WantedClass {
  TypePtr type;
  ClassId of;
  const Need* need;
  Reason reason;
};
// `_` or `_name` in an expression, with the names that could stand there.
struct HoleUse {
  ast::ExprId expr;
  TypePtr type = nullptr;
  bool reported = false;
  const ModuleScope* scope = nullptr;
  std::vector<std::pair<std::string, Reference>> locals;
};
struct LiteralUse {
  TypePtr type;
  Span span;
  std::string text;
  std::uint64_t value = 0;
  double real = 0;
  bool negative = false, is_float = false, too_large = false;
};

}  // namespace dvm::check
