// Words for constraints that do not hold: what is missing, why it is needed, what there is.
#include <algorithm>

#include "frontend/check/mend.hpp"
#include "frontend/check/namer.hpp"

namespace dvm::check {

namespace {
constexpr std::size_t most_shown = 8;  // instances in one note
}

// The types of a class's instances: scalars first, then those of the program.
std::vector<std::string> Checker::instance_texts(ClassId of) {
  std::vector<std::string> texts;
  auto add = [&](std::string text) {
    if (std::find(texts.begin(), texts.end(), text) == texts.end())
      texts.push_back(std::move(text));
  };
  for (int i = 0; i < element_type_count; ++i) {
    auto element = static_cast<ElementType>(i);
    if (scalar_classes_[static_cast<std::size_t>(i)].contains(of))
      add(std::string(facts(element).surface));
  }
  Namer namer(*this);
  for (const InstanceRecord& record : instances_)
    if (record.of == of) add(namer.type(record.head));
  return texts;
}

void Checker::show_class(Diagnostic& diagnostic, ClassId of, std::string text) {
  if (classes_[of].span.valid() && classes_[of].module != "Prelude")
    diagnostic.others.push_back({classes_[of].span, std::move(text)});
}

// What would put the type into the classes.
void Checker::explain_class(Diagnostic& diagnostic, TypePtr type, const ClassSet& mask) {
  Namer namer(*this);
  type = TypeStore::prune(type);
  std::string names = classes_.names(mask);
  bool integer = type->kind == Kind::Scalar && is_integer(type->element);
  bool real = type->kind == Kind::Scalar && is_float(type->element);
  bool range = diagnostic.message.find("this range") != std::string::npos;
  if (type->kind == Kind::Variable) {
    diagnostic.help.push_back("add `" + names + " " + store_.variables[type->id].name +
                              "` to the context of the signature");
    return;
  }
  if (integer && (mask & (classes::fractional | classes::floating | classes::real_frac)))
    diagnostic.help.push_back("`fromIntegral` makes a float of an integer; `div` divides integers");
  else if (real && range)
    diagnostic.help.push_back("`linspace n from to` makes evenly spaced floats");
  else if (real && (mask & (classes::integral | classes::bits)))
    diagnostic.help.push_back("`truncate`, `round`, `floor` and `ceiling` make integers of floats");
  else if (type->kind == Kind::Array && (mask & classes::num))
    diagnostic.help.push_back("use `map` or `zipWith` to compute with each element");
  else if (type->kind == Kind::Function)
    diagnostic.help.push_back("is an argument missing?");
  if (type->kind == Kind::Data && store_.settled(type)) {
    ClassSet derivable = classes::eq | classes::ord | classes::bounded | classes::enumeration;
    if (!(mask - derivable))
      diagnostic.help.push_back("add `deriving (" + names + ")` to its declaration");
    else
      diagnostic.help.push_back("write `instance " + classes_.names(mask - derivable) + " " +
                                namer.argument(type) + "`");
  }
  mask.each([&](ClassId of) {
    if (of.index < typed::builtin_class::count) return;
    std::vector<std::string> texts = instance_texts(of);
    std::string list;
    for (std::size_t i = 0; i < texts.size() && i < most_shown; ++i)
      list += (i == 0 ? "`" : ", `") + texts[i] + "`";
    if (texts.size() > most_shown) list += ", …";
    const std::string& name = classes_[of].name;
    diagnostic.notes.push_back(texts.empty() ? "`" + name + "` has no instances"
                                             : "`" + name + "` has instances for " + list);
  });
}

void Checker::report_class(const Reason& reason, const Failure& failure) {
  if (failure.sort == Failure::Sizes) {  // the sizes of an instance's head
    report_sizes(reason, nullptr, nullptr, failure.expected_size, failure.actual_size);
    return;
  }
  Namer namer(*this);
  TypePtr type = TypeStore::prune(failure.actual);
  std::string shown = namer.type(type), names = classes_.names(classes_.minimal(failure.mask));
  Diagnostic diagnostic;
  diagnostic.code = "no-instance";
  std::string who = failure.need ? failure.need->who : "this";
  const bool needed = failure.need && failure.need->span.valid();
  const bool array = type->kind == Kind::Array && (failure.mask & classes::num);
  const bool function = type->kind == Kind::Function;
  const bool literal = who.starts_with("the literal");
  const bool index = reason.where == Where::Index && needed;
  const bool inside = needed && failure.need->span.file == reason.span.file &&
                      reason.span.begin <= failure.need->span.begin &&
                      failure.need->span.end <= reason.span.end;
  if (array && literal)
    diagnostic.message = "a number stands where a `" + shown + "` is needed";
  else if (array)
    diagnostic.message = who + " computes with numbers, not with a whole `" + shown + "`";
  else if (function && !(failure.mask & classes::num) && (failure.mask & classes::eq))
    diagnostic.message = "functions cannot be compared";
  else if (function)
    diagnostic.message = "this is a function, but " + who + " needs a number";
  else if (index)
    diagnostic.message = "an index is an `Int`, but " + who + " makes a fraction";
  else
    diagnostic.message = "`" + shown + "` is not in class `" + names + "`, which " + who + " needs";
  diagnostic.span = reason.span;
  diagnostic.label = "this needs class `" + names + "`";
  if (index) {
    diagnostic.span = failure.need->span;
    diagnostic.label = "this needs class `" + names + "`, which has no `Int`";
    diagnostic.others.push_back({reason.span, "an index is an `Int`"});
  } else if (needed && failure.need->span != reason.span) {
    const std::string article = shown.substr(0, 3) == "Int" ? "an `" : "a `";
    diagnostic.label = (inside ? "this would have to be " : "this is ") + article + shown + "`";
    diagnostic.others.push_back({failure.need->span, who + " needs class `" + names + "`"});
  } else if (array && literal) {
    diagnostic.label = "this is a number, not an array";
  } else if (array || function) {
    diagnostic.label = "this is `" + shown + "`";
  }
  if (failure.through) {
    const InstanceRecord& record = *failure.through;
    std::string instance = classes_[record.of].name + " " + namer.argument(record.head);
    if (record.span.valid())
      diagnostic.others.push_back({record.span, "`" + instance + "` needs it of its parts"});
  }
  if (!Mend(*this).class_failure(diagnostic, reason, failure, inside || index))
    explain_class(diagnostic, type, classes_.minimal(failure.mask));
  out_.add(std::move(diagnostic));
}

}  // namespace dvm::check
