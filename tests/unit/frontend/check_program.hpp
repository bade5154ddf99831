// Checks a program given as text, with the real Prelude, for the tests of frontend/check.
#pragma once

#include <optional>
#include <string>

#include "frontend/check/check.hpp"
#include "frontend/parse/parse.hpp"

namespace dvm::test {

struct Checked {
  SourceMap sources;
  Diagnostics diagnostics;
  std::optional<ast::Program> program;
  std::optional<typed::Program> typed;

  explicit Checked(const std::string& text) {
    parse::ModuleSearch search;
    search.folders = {std::string(DVM_SOURCE_FOLDER) + "/stdlib"};
    program = parse::load(sources, "test.dvm", text, search, diagnostics);
    if (program) typed = check::check(*program, sources, diagnostics);
  }

  // The inferred type of a binding of the last module; the messages when there are errors.
  std::string type_of(const std::string& name) const {
    if (!typed) return messages();
    const typed::Binding* found = nullptr;
    for (const auto& binding : typed->bindings)
      if (binding.name == name && binding.span.file == program->modules.back().file)
        found = &binding;
    return found ? typed::to_text(*typed, found->scheme) : "no binding " + name;
  }
  std::string messages() const { return render_text(diagnostics, sources); }
  // `code@line:column` of each message, in order.
  std::string codes() const {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.sorted()) {
      LineColumn place{0, 0};
      if (diagnostic.span.valid())
        place = sources.place(diagnostic.span.file, diagnostic.span.begin);
      text += (text.empty() ? "" : " ") + diagnostic.code + "@" + std::to_string(place.line) + ":" +
              std::to_string(place.column);
    }
    return text;
  }
};

inline std::string type_of(const std::string& text, const std::string& name) {
  return Checked(text).type_of(name);
}
inline std::string codes(const std::string& text) { return Checked(text).codes(); }
inline std::string messages(const std::string& text) { return Checked(text).messages(); }

}  // namespace dvm::test
