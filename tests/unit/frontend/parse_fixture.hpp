// Shared by the parser's tests: load a text, compare prints and messages.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "frontend/ast/print.hpp"
#include "frontend/parse/format.hpp"
#include "frontend/parse/parse.hpp"

namespace parse_test {

struct Loaded {
  dvm::SourceMap sources;
  dvm::Diagnostics diagnostics;
  std::optional<dvm::ast::Program> program;

  std::string printed() const {
    return program ? dvm::ast::print(*program, program->modules.back()) : messages();
  }
  std::string messages() const { return dvm::render_text(diagnostics, sources); }
};

inline Loaded load(const std::string& text) {
  Loaded result;
  dvm::parse::ModuleSearch search;
  search.prelude = false;
  result.program = dvm::parse::load(result.sources, "t.dvm", text, search, result.diagnostics);
  return result;
}

inline std::string layout(const std::string& text) {
  dvm::SourceMap sources;
  dvm::Diagnostics out;
  const dvm::FileId file = sources.add("t.dvm", text);
  return dvm::parse::dump_layout(sources, file, out) + dvm::render_text(out, sources);
}

// The codes of all messages, in order, joined by blanks.
inline std::string codes(const std::string& text) {
  const Loaded result = load(text);
  std::string joined;
  for (const dvm::Diagnostic& diagnostic : result.diagnostics.sorted())
    joined += (joined.empty() ? "" : " ") + diagnostic.code;
  return joined;
}

}  // namespace parse_test
