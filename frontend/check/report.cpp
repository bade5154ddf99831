// Words for what is wrong: one text per situation, the parts that differ, where unknown sizes come
// from.
#include <cstdlib>

#include "frontend/check/mend.hpp"
#include "frontend/check/namer.hpp"

namespace dvm::check {

void Checker::error(std::string code, std::string message, Span span, std::string label) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.span = span;
  diagnostic.label = std::move(label);
  out_.add(std::move(diagnostic));
}

void Checker::report_cyclic(const std::string& name, Span span) {
  Diagnostic diagnostic;
  diagnostic.code = "cyclic-value";
  diagnostic.message = "`" + name + "` is defined by itself";
  diagnostic.span = span;
  diagnostic.label = "its value would need its own value";
  diagnostic.notes.push_back("a name stands for one value, which never changes");
  diagnostic.help.push_back(
      "to repeat a step, use `sum`, `foldl`, `iterateN`, `until` or a recursive function");
  out_.add(std::move(diagnostic));
}

void Checker::not_supported(const std::string& what, Span span) {
  error("not-supported", what + " is not supported yet", span, "not supported yet");
}

// The message for a situation; `trouble` is `type` or `size`.
std::string Checker::describe(const Reason& reason, const char* trouble) const {
  std::string t = trouble;
  std::string of = reason.name.empty() ? "this function" : "`" + reason.name + "`";
  switch (reason.where) {
    case Where::Argument:
      return "argument " + std::to_string(reason.number) + " of " + of + " has the wrong " + t;
    case Where::LeftOperand:
      return "the left operand of `" + reason.name + "` has the wrong " + t;
    case Where::RightOperand:
      return "the right operand of `" + reason.name + "` has the wrong " + t;
    case Where::Condition:
      return "the condition of an `if` is a `Bool`, but this is not";
    case Where::Guard:
      return "a guard is a `Bool`, but this is not";
    case Where::Branch:
      return "the branches have different " + t + "s";
    case Where::Alternative:
      return "the alternatives of this `case` have different " + t + "s";
    case Where::Clause:
      return "the clauses of " + of + " have different " + t + "s";
    case Where::Element:
      return "element " + std::to_string(reason.number) + " of this array has another " + t +
             " than the elements before it";
    case Where::Annotation:
      return "this does not have the " + t + " of its annotation";
    case Where::Result:
      return "the result of " + of + " does not have the " + t + " that its signature promises";
    case Where::Method:
      return of + " does not have the " + t + " here that its class promises";
    case Where::Pattern:
      return "this pattern does not fit the value it is matched with";
    case Where::Generator:
      return "a generator draws from an array, but this is none";
    case Where::Parallel:
      return "generators side by side have different lengths";
    case Where::RangeBound:
      return "the bounds of this range have different types";
    case Where::Index:
      return "an index is an `Int`, or a tuple of them";
    case Where::Field:
      return "the value of the field `" + reason.name + "` has the wrong " + t;
    case Where::Recursion:
      return of + " uses itself at another " + t + " than it is defined with";
    case Where::Binding:
      return "this does not fit the pattern it is bound to";
    case Where::Expression:
      return "this has the wrong " + t;
  }
  return "";
}

namespace {
void add_related(Diagnostic& diagnostic, const Reason& reason) {
  if (reason.related.valid() && !reason.related_text.empty())
    diagnostic.others.push_back({reason.related, reason.related_text});
}

// How to get from one scalar type to another, inside of other types.
std::string conversion(ElementType from, ElementType to) {
  if (from == ElementType::Bool || to == ElementType::Bool) return "";
  if (is_float(from) && is_float(to)) return "`map realToFrac` converts an array of floats";
  if (is_float(from)) return "`map truncate` makes integers of an array of floats";
  return "`map fromIntegral` converts an array of integers";
}
}  // namespace

void Checker::report(const Reason& reason, TypePtr expected, TypePtr actual,
                     const Failure& failure) {
  if (failure.sort == Failure::Class) {
    report_class(reason, failure);
    return;
  }
  if (failure.sort == Failure::Sizes) {
    report_sizes(reason, expected, actual, failure.expected_size, failure.actual_size);
    return;
  }
  Namer namer(*this);
  Diagnostic diagnostic;
  diagnostic.code = failure.sort == Failure::Infinite ? "infinite-type" : "type-mismatch";
  diagnostic.message = describe(reason, "type");
  diagnostic.span = reason.span;
  std::string wanted = namer.type(expected), found = namer.type(actual);
  bool siblings = reason.where == Where::Branch || reason.where == Where::Alternative ||
                  reason.where == Where::Clause;
  diagnostic.label = siblings ? "this is `" + found + "`, the one before `" + wanted + "`"
                              : "this is `" + found + "`, but `" + wanted + "` is needed";
  add_related(diagnostic, reason);
  TypePtr part_expected = TypeStore::prune(failure.expected),
          part_actual = TypeStore::prune(failure.actual);
  if (failure.sort == Failure::Infinite) {
    diagnostic.notes.push_back("`" + namer.type(part_expected) + "` would have to contain itself");
  } else if (part_expected != TypeStore::prune(expected) && failure.sort == Failure::Mismatch) {
    diagnostic.notes.push_back("`" + namer.type(part_actual) + "` and `" +
                               namer.type(part_expected) + "` differ");
  }
  for (TypePtr part : {part_expected, part_actual}) {
    if (part->kind != Kind::Variable) continue;
    const TypeVariable& variable = store_.variables[part->id];
    std::string text = "`" + variable.name + "` stands for any type, whatever the caller chooses";
    if (variable.span.valid()) diagnostic.others.push_back({variable.span, text});
  }
  const bool whole = part_expected == TypeStore::prune(expected);
  if (whole || part_expected->kind != Kind::Scalar) {
    Mend(*this).mismatch(diagnostic, reason, expected, actual);
  } else if (part_actual->kind == Kind::Scalar) {
    diagnostic.help.push_back(conversion(part_actual->element, part_expected->element));
    if (diagnostic.help.back().empty()) diagnostic.help.pop_back();
  }
  if (reason.where == Where::Recursion)
    diagnostic.help.push_back("give `" + reason.name + "` a signature");
  namer.explain(diagnostic);
  out_.add(std::move(diagnostic));
}

void Checker::report_sizes(const Reason& reason, TypePtr expected, TypePtr actual,
                           const Size& expected_size, const Size& actual_size) {
  Namer namer(*this);
  Diagnostic diagnostic;
  diagnostic.code = "size-mismatch";
  diagnostic.message = describe(reason, "size");
  diagnostic.span = reason.span;
  std::string wanted = namer.size(expected_size), found = namer.size(actual_size);
  bool siblings = reason.where == Where::Branch || reason.where == Where::Alternative ||
                  reason.where == Where::Clause;
  const auto apart = (store_.zonk(actual_size) - store_.zonk(expected_size)).constant();
  if (reason.where == Where::Element && store_.zonk(actual_size).constant() && apart) {
    const std::string count = found + (found == "1" ? " element" : " elements");
    diagnostic.message = "row " + std::to_string(reason.number) + " has " + count +
                         ", the rows before it have " + wanted;
    diagnostic.label = count;
    add_related(diagnostic, reason);
    out_.add(std::move(diagnostic));
    return;
  }
  if (expected && actual) {
    diagnostic.label = "this is `" + namer.type(actual) + "`, " +
                       (siblings ? "the one before `" + namer.type(expected) + "`"
                                 : "but `" + namer.type(expected) + "` is needed");
    if (!apart)
      diagnostic.notes.push_back("the sizes `" + found + "` and `" + wanted +
                                 "` are not known to be equal");
  } else {
    diagnostic.label = "the size here is `" + found + "`, not `" + wanted + "`";
  }
  add_related(diagnostic, reason);
  namer.explain(diagnostic);
  bool promised = false;
  for (const Size& side : {store_.zonk(expected_size), store_.zonk(actual_size)})
    side.symbols([&](Symbol symbol) {
      const SizeSymbol& entry = store_.symbols[symbol];
      if (entry.kind == SymbolKind::Unknown && !entry.name.empty() && entry.name[0] != '?' &&
          (reason.where == Where::Result || reason.where == Where::Method) && !promised) {
        promised = true;
        diagnostic.help.push_back("write `(" + entry.name +
                                  " :: Int) -> …` in the signature to make the parameter a size");
      }
    });
  if (reason.where == Where::Recursion) {
    diagnostic.help.push_back("give `" + reason.name + "` a signature");
  } else if (reason.where == Where::Argument && is_loop(reason.name)) {
    diagnostic.help.push_back(
        "a state keeps its size, unless an annotation gives it a `?`: `(start :: Vec ? Int)`");
  } else if (apart) {  // never equal: nothing to assert
    const std::string count = std::to_string(std::abs(*apart));
    diagnostic.notes.push_back("that is " + count + (*apart > 0 ? " too many" : " too few"));
    if (*apart == 1)
      diagnostic.help.push_back("`init` leaves out the last element, `tail` the first");
    else if (*apart > 0)
      diagnostic.help.push_back("`drop " + count + "` leaves out the first " + count + " elements");
  } else if (reason.where == Where::Argument && expected && actual) {
    diagnostic.suggestions.push_back(Mend(*this).apply(
        "resize", "`resize` asserts at run time that two sizes are equal", reason));
    diagnostic.suggestions.back().sure = false;
  } else {
    diagnostic.help.push_back("`resize` asserts at run time that two sizes are equal");
  }
  out_.add(std::move(diagnostic));
}

// An array whose elements are arrays of a size that differs from element to element.
void Checker::report_irregular(TypePtr type, Symbol symbol, ast::ExprId expr) {
  bool inside = false;
  std::function<void(TypePtr, bool)> visit = [&](TypePtr part, bool element) {
    part = TypeStore::prune(part);
    if (element)
      for (const Size& size : part->sizes) inside |= store_.zonk(size).mentions(symbol);
    for (TypePtr below : part->parts) visit(below, element || part->kind == Kind::Array);
  };
  visit(type, false);
  if (!inside) return;
  const SizeSymbol entry = store_.symbols[symbol];
  Namer namer(*this);
  TypePtr element = TypeStore::prune(type);
  if (element->kind == Kind::Array) element = element->parts[0];
  Diagnostic diagnostic;
  diagnostic.code = "irregular-array";
  diagnostic.message = "the elements of this array would be arrays of different sizes";
  diagnostic.span = node(expr).span;
  diagnostic.label = "each element is a `" + namer.type(element) + "` of its own size";
  namer.explain(diagnostic);
  diagnostic.help.push_back("reduce each element to a value, or give all the same size");
  out_.add(std::move(diagnostic));
}

void Checker::report_arity(const ClauseSet& set, std::size_t arrows, TypePtr expected,
                           const Reason& reason) {
  Namer namer(*this);
  Diagnostic diagnostic;
  diagnostic.code = "type-mismatch";
  std::string subject = set.name.empty() ? "this function" : "`" + set.name + "`";
  diagnostic.message = subject + " has " + std::to_string(set.arity) +
                       (set.arity == 1 ? " parameter" : " parameters") + ", but its type has " +
                       std::to_string(arrows);
  diagnostic.span = set.span;
  diagnostic.label = "its type is `" + namer.type(expected) + "`";
  add_related(diagnostic, reason);
  out_.add(std::move(diagnostic));
}

void Checker::report_escape(Symbol symbol, const ClauseSet& set) {
  const SizeSymbol& entry = store_.symbols[symbol];
  Namer namer(*this);
  std::string name = namer.size(Size::symbol(symbol));
  Diagnostic diagnostic;
  diagnostic.code = "size-mismatch";
  diagnostic.message = "a parameter would need a size that is found inside the function";
  diagnostic.span = set.span;
  diagnostic.label = "`" + name + "` is " + entry.origin;
  namer.explain(diagnostic);
  diagnostic.help.push_back("`resize` asserts at run time that two sizes are equal");
  out_.add(std::move(diagnostic));
}

void Checker::report_index(TypePtr array, std::size_t indices, std::size_t dims, Span span) {
  Namer namer(*this);
  Diagnostic diagnostic;
  diagnostic.code = "type-mismatch";
  diagnostic.span = span;
  std::string type = namer.type(array);
  if (dims == 0) {
    diagnostic.message = "only arrays are indexed";
    diagnostic.label = "`!` is given a `" + type + "`";
  } else {
    diagnostic.message = "there are more indices than dimensions";
    diagnostic.label = std::to_string(indices) + " indices into a `" + type + "`";
  }
  out_.add(std::move(diagnostic));
}

}  // namespace dvm::check
