// What names stand for: bindings, types, modules and lists of declarations.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/check/class_table.hpp"
#include "frontend/check/type.hpp"
#include "ir/base/diagnostic.hpp"

namespace dvm::check {

using typed::BindingId;
using typed::BindingKind;

struct BindingInfo {
  std::string name, module;
  BindingKind kind = BindingKind::Local;
  Span span;
  std::optional<ast::DeclId> decl, signature;
  typed::DataId data;
  ClassId of;                          // of methods
  std::optional<ClassId> instance_of;  // defines a method in an instance of this class
  std::uint32_t part = 0;
  std::string builtin;
  bool recursive = false;
  bool has_scheme = false;   // `scheme` is meant; else `type`, which is monomorphic
  bool reported = false;     // its definition is erroneous: uses are of the error type
  bool is_function = false;  // defined by clauses with parameters
  Scheme scheme;
  TypePtr type = nullptr;
  int depth = 0;
  int slot = -1;                 // parameter position that shares a size symbol with other clauses
  std::optional<Symbol> symbol;  // an Int whose value is this size
  std::optional<Size> value;     // an Int whose value is this size expression
  std::vector<std::pair<std::string, Symbol>> size_names;
  int list = -1, index = -1;  // declaration list and place in it
};

// What a Variable or Constructor expression was resolved to.
struct Reference {
  enum Sort : std::uint8_t { None, Binding, SizeVariable, Hole, Broken } sort = None;
  std::uint32_t id = 0;
};

struct TypeEntity {
  enum Sort : std::uint8_t { Scalar, String, Array, Vec, Mat, Data, Synonym, Class } sort = Scalar;
  std::uint32_t id = 0;
  bool operator==(const TypeEntity&) const = default;
};

struct DataRecord {
  std::string name, module;
  Span span;
  ast::DeclId decl;
  std::vector<std::string> param_names;
  std::vector<bool> param_is_size;
  std::vector<std::uint32_t> type_params;  // TypeVariable ids
  std::vector<Symbol> size_params;
  struct Constructor {
    BindingId binding;
    std::string name;
    std::vector<std::string> field_names;
    std::vector<TypePtr> fields;
    bool is_record = false;
  };
  std::vector<Constructor> constructors;
  std::map<std::string, BindingId> selectors;
  std::vector<std::pair<ClassId, Span>> deriving;
  bool is_newtype = false;
  int state = 0;  // kinds of parameters: 0 unknown, 1 in progress, 2 known
};
struct SynonymRecord {
  std::string name, module;
  Span span;
  ast::DeclId decl;
  std::vector<bool> param_is_size;
  int state = 0;
  bool expanding = false;
};

struct ModuleScope {
  std::string name;
  std::unordered_map<std::string, BindingId> own;
  std::unordered_map<std::string, TypeEntity> own_types;
  // Imported names; a name with a qualifier stands as "M.x". Values with the module they come from.
  std::unordered_map<std::string, std::vector<BindingId>> imported, prelude;
  std::unordered_map<std::string, std::vector<TypeEntity>> imported_types, prelude_types;
  std::map<std::string, BindingId> exports;
  std::map<std::string, TypeEntity> type_exports;
  bool knows_qualifier(const std::string& qualifier) const;
  std::map<std::string, bool> qualifiers;
};

// One `let`, `where` or module body.
struct DeclList {
  std::vector<ast::DeclId> decls;
  std::vector<std::vector<int>> edges;
  int current = -1;                     // the declaration being resolved
  std::vector<std::vector<int>> order;  // groups for inference, dependencies first
};

}  // namespace dvm::check
