// Graph text for tests: reading it, and one function with every operation.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "ir/graph/builder.hpp"
#include "ir/graph/text.hpp"

namespace dvm::test {

inline graph::Module parse_ok(const std::string& text) {
  SourceMap sources;
  const FileId file = sources.add("test.dvg", text);
  Diagnostics out;
  auto module = graph::parse(sources, file, out);
  const std::string messages = render_text(out, sources);
  INFO(messages);
  REQUIRE(module.has_value());
  return *module;
}

// `line:column: message` of the first error.
inline std::string parse_error(const std::string& text) {
  SourceMap sources;
  const FileId file = sources.add("test.dvg", text);
  Diagnostics out;
  if (graph::parse(sources, file, out)) return "no error";
  const Diagnostic first = out.sorted().at(0);
  const LineColumn at = sources.place(file, first.span.begin);
  return std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + first.message;
}

inline std::string every_operation() {
  std::ifstream in(std::string(DVM_SOURCE_FOLDER) + "/tests/unit/ir/every_operation.dvg");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace dvm::test
