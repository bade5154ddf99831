// Random graphs, with operations in bodies that no kernel holds: the engine gives the interpreter's
// bits, and fails where it fails.
#include <doctest/doctest.h>

#include <cstdlib>

#include "../passes/passes_random_program.hpp"
#include "engine_compile.hpp"
#include "ir/graph/text.hpp"

using namespace dvm;
using namespace dvm::test;

TEST_CASE("random graphs: engine and interpreter agree") {
  // DVM_RANDOM_SEEDS=FIRST or FIRST-LAST: others than these.
  const char* chosen = std::getenv("DVM_RANDOM_SEEDS");
  std::uint64_t first = 1, last = 24;
  if (chosen) {
    char* end = nullptr;
    first = last = std::strtoull(chosen, &end, 10);
    if (*end == '-') last = std::strtoull(end + 1, nullptr, 10);
  }
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    CAPTURE(seed);
    const graph::Module module = passes::random_program(seed);
    const Compiled program = compile(module);
    for (std::uint64_t inputs = 0; inputs < 4; ++inputs) {
      CAPTURE(inputs);
      check(program, passes::random_arguments(module, 10 * seed + inputs));
    }
  }
}
