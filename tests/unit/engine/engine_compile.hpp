// Graph text compiled, packed and loaded, and run in every way against the interpreter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine_mock.hpp"
#include "ir/graph/graph.hpp"

namespace dvm::test {

struct Compiled {
  graph::Module module;
  package::Loaded loaded;
  VectorIsa isa = VectorIsa::Avx2;
};

// For tasks of two microseconds, so that many come from little data. The round of the package
// through bytes is part of it. A problem fails the test.
Compiled compile(const std::string& text);
Compiled compile(graph::Module module);

// Every way of running gives the interpreter's results, or its failure (message and index).
Outcome check(const Compiled& program, const std::vector<Tensor>& args);

bool mentions(const Outcome& outcome, std::string_view text);  // a line of the trace has it

}  // namespace dvm::test
