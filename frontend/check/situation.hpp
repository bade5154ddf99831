// Where a type or size was wanted, and how two did not agree: what a message about it says.
#pragma once

#include <cstdint>
#include <string>

#include "frontend/check/class_table.hpp"
#include "frontend/check/type.hpp"
#include "ir/base/diagnostic.hpp"

namespace dvm::check {

enum class Where : std::uint8_t {
  Argument,     // number, name of the function
  LeftOperand,  // name of the operator
  RightOperand,
  Condition,
  Guard,
  Branch,       // of an if
  Alternative,  // of a case
  Clause,       // name of the function
  Element,      // number
  Annotation,
  Result,  // of a function with a signature
  Method,  // in an instance; name of the method
  Pattern,
  Generator,
  Parallel,  // generators side by side
  RangeBound,
  Index,
  Field,      // name of the field
  Recursion,  // use of a function inside its own definition
  Binding,    // a pattern binding's right-hand side
  Expression
};
struct Reason {
  Where where = Where::Expression;
  Span span;
  std::string name;
  int number = 0;
  Span related;  // where the expectation comes from
  std::string related_text;
};

struct Failure {
  enum Sort { None, Mismatch, Sizes, Infinite, Class, Escape } sort = None;
  TypePtr expected = nullptr, actual = nullptr;  // the parts that differ
  Size expected_size, actual_size;
  ClassSet mask;
  const Need* need = nullptr;
  const InstanceRecord* through = nullptr;  // Class: the instance whose context asks for it
};

}  // namespace dvm::check
