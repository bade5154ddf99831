// Suggestions for errors of types: edits that make the program fit.
#pragma once

#include "frontend/check/checker.hpp"

namespace dvm::check {

class Mend {
 public:
  explicit Mend(Checker& checker) : checker_(checker) {}

  // `actual` stands where `expected` is needed.
  void mismatch(Diagnostic& diagnostic, const Reason& reason, TypePtr expected, TypePtr actual);
  // A type that is not in a class; false when there is nothing to say about it here. `inside`: see
  // `number`.
  bool class_failure(Diagnostic& diagnostic, const Reason& reason, const Failure& failure,
                     bool inside);
  // A number of type `actual` stands where one of another class is needed; `inside`: what needs it
  // is a part of the expression, which then is itself of the wrong type.
  void number(Diagnostic& diagnostic, TypePtr actual, const ClassSet& needed, const Need* need,
              bool inside);
  // `f -1` is a subtraction. True when it was that.
  bool minus_argument(Diagnostic& diagnostic, const Reason& reason);
  // Arguments of a call of which one was reported: two neighbours may have changed places.
  void swapped(ast::ExprId head, const std::vector<ast::ExprId>& args, Span reported);
  // A signature that lacks a constraint on one of its variables.
  void constraint(Diagnostic& diagnostic, const TypeVariable& variable, const std::string& names);
  // A type whose declaration does not derive the class.
  void deriving(Diagnostic& diagnostic, const DataRecord& data, const std::string& names);

  // The edits that apply a function to what stands at the place.
  Suggestion apply(const std::string& function, std::string why, const Reason& reason) const;

 private:
  std::string_view text(Span span) const { return checker_.sources_.text(span); }
  bool conversion(Diagnostic& diagnostic, const Reason& reason, ElementType from, ElementType to);
  void missing_argument(Diagnostic& diagnostic, const Reason& reason, TypePtr function);
  void tuple_argument(Diagnostic& diagnostic, const Reason& reason, TypePtr expected,
                      TypePtr actual);

  Checker& checker_;
};

}  // namespace dvm::check
