// Random graphs, with operations in bodies that no kernel holds: the engine gives the interpreter's
// bits, and fails where it fails.
#include <doctest/doctest.h>

#include "../passes/passes_random_program.hpp"
#include "engine_compile.hpp"
#include "ir/graph/text.hpp"

using namespace dvm;
using namespace dvm::test;

TEST_CASE("random graphs: engine and interpreter agree") {
  const char* only = std::getenv("DVM_RANDOM_SEED");
  const std::uint64_t first = only ? std::strtoull(only, nullptr, 10) : 1, count = only ? 1 : 60;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    const graph::Module module = passes::random_program(seed);
    const Compiled program = compile(module);
    for (std::uint64_t inputs = 0; inputs < 4; ++inputs) {
      CAPTURE(inputs);
      check(program, passes::random_arguments(module, 10 * seed + inputs));
    }
  }
}
