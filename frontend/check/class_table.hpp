// What is known of each class and instance of a program.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/check/type.hpp"

namespace dvm::check {

struct MethodRecord {
  std::string name;
  typed::BindingId binding;
  std::optional<typed::BindingId> fallback;  // its default
};

struct ClassRecord {
  std::string name, module;
  Span span;
  std::optional<ast::DeclId> decl;
  std::vector<ClassId> superclasses;  // as written
  ClassSet closure;                   // itself and all superclasses
  std::vector<MethodRecord> methods;
  std::string minimal;  // which methods an instance must define, as in a MINIMAL pragma
  enum : std::uint8_t { Declared, Closing, Closed } state = Declared;
};

// A name of a type or size variable in scope of a signature's body.
struct TypeName {
  bool is_size = false;
  std::uint32_t id = 0;  // TypeVariable id, or Symbol
};
using TypeNames = std::vector<std::pair<std::string, TypeName>>;

// Its context stands at the variables of the head (TypeVariable::mask).
struct InstanceRecord {
  ClassId of;
  TypePtr head = nullptr;
  std::vector<std::uint32_t> types;
  std::vector<Symbol> sizes;
  bool plain_sizes = true;  // every size of the head is a variable of its own
  TypeNames names;          // of the head's variables
  std::vector<std::optional<typed::BindingId>> methods;
  std::optional<ast::DeclId> decl;                                // none: derived
  enum : std::uint8_t { Open, Deriving, Known } context = Known;  // of derived ones
  Span span;
};

class ClassTable {
 public:
  ClassTable();
  ClassId add();  // not valid when there are too many
  ClassRecord& operator[](ClassId id) { return records_[id.index]; }
  const ClassRecord& operator[](ClassId id) const { return records_[id.index]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(records_.size()); }

  // The classes of the set and all their superclasses.
  ClassSet closure(const ClassSet& set) const;
  // Without the classes that others of the set imply.
  ClassSet minimal(const ClassSet& set) const;
  std::string names(const ClassSet& set) const;  // `Eq, Num`

 private:
  std::deque<ClassRecord> records_;
};

// A MINIMAL formula: `(==) | (/=)`, `pi, exp, (sin | cos)`.
struct MinimalAnswer {
  bool satisfied = true;
  std::string missing;  // "`==` or `/=`"
};
MinimalAnswer check_minimal(const std::string& formula,
                            const std::function<bool(const std::string&)>& defined);
// The names in it, in order.
std::vector<std::string> minimal_names(const std::string& formula);

}  // namespace dvm::check
