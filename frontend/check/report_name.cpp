// Words for a name that is not in scope: a near one, what Haskell's or NumPy's is called here, or
// what takes its place.
#include "frontend/check/checker.hpp"
#include "frontend/check/other_names.hpp"
#include "ir/base/spelling.hpp"

namespace dvm::check {

void Checker::unknown_name(const ast::Name& name, const char* what,
                           std::vector<std::string> candidates) {
  const std::string kind = what;
  const bool type = kind == "type" || kind == "class";
  Diagnostic diagnostic;
  diagnostic.code = kind == "type" ? "unknown-type" : "unknown-name";
  diagnostic.message = "there is no " + kind + " `" + name.text + "` here";
  diagnostic.span = name.span;
  diagnostic.label = "not in scope";
  // An edit needs the name itself to stand in the source, as it does not where it was made up.
  const bool written = sources_.text(name.span) == name.text;
  if (const OtherName* other = other_name(name.text, type)) {
    const std::string advice(other->advice), replacement(other->replacement);
    if (replacement.empty() || !written) {
      diagnostic.help.push_back(advice.empty() ? "use `" + replacement + "`" : advice);
    } else {
      const std::string bare = replacement[0] == '`' ? replacement : "`" + replacement + "`";
      diagnostic.suggestions.push_back({"use " + bare + (advice.empty() ? "" : ": " + advice),
                                        {{name.span, replacement}},
                                        true});
    }
  } else {
    suggest_nearest(diagnostic, name.text, std::move(candidates), written ? name.span : Span{});
  }
  out_.add(std::move(diagnostic));
}

// `[Double]` for an array.
void Checker::report_list_type(Span list, Span element) {
  const std::string inner(sources_.text(element));
  const bool atom = inner.find(' ') == std::string::npos || inner[0] == '(';
  Diagnostic diagnostic;
  diagnostic.code = "list-type";
  diagnostic.message =
      "`" + std::string(sources_.text(list)) + "` is a list, and there are no lists";
  diagnostic.span = list;
  diagnostic.label = "arrays have their size in the type";
  diagnostic.suggestions.push_back({"an array of any size, which the type calls `n`",
                                    {{list, "Vec n " + (atom ? inner : "(" + inner + ")")}},
                                    false});
  out_.add(std::move(diagnostic));
}

}  // namespace dvm::check
