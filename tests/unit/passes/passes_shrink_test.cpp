// Shrinking keeps what is asked for, drops the rest, and gives well-formed graphs only.
#include <doctest/doctest.h>

#include <algorithm>

#include "ir/graph/text.hpp"
#include "ir/graph/verify.hpp"
#include "passes/pass_table.hpp"
#include "passes/shrink.hpp"
#include "tests/random/random_graph.hpp"

namespace dvm::passes {
namespace {

using namespace graph;

std::size_t count(const Module& module, ScalarFn fn) {
  std::size_t found = 0;
  for (const Function& function : module.functions)
    for (const Node& node : function.nodes) {
      const auto* scalar = std::get_if<ScalarOp>(&node.op);
      found += scalar != nullptr && scalar->fn == fn ? 1 : 0;
    }
  return found;
}

TEST_CASE("a graph is made as small as what it shows") {
  int shrunk = 0;
  for (std::uint64_t seed = 36; seed < 130; ++seed) {
    Module module = test::random_graph(seed);
    find_pass("fix-rounding")->run(module);
    if (count(module, ScalarFn::Exp) == 0) continue;
    bool well_formed = true;
    const Module smallest = shrink(std::move(module), [&](const Module& candidate) {
      well_formed = well_formed && verify(candidate, true).empty();
      return count(candidate, ScalarFn::Exp) > 0;
    });
    CHECK(well_formed);
    ++shrunk;
    // A result keeps its type: the operation stands in what makes that.
    INFO(print(smallest));
    CHECK(count(smallest, ScalarFn::Exp) == 1);
    CHECK(smallest.functions[FunctionId{0}].nodes.size() <= 6);
    CHECK(smallest.checks.empty());
  }
  CHECK(shrunk > 5);
}

TEST_CASE("branches, loops, calls and sizes go where they do not matter") {
  SourceMap sources;
  Diagnostics problems;
  const FileId file = sources.add("test.dvg", R"(
graph @main(%n: i64, %q: bool, %v: f64[n]) -> (f64[n], f64[n]) sizes 1 {
  %0: f64[n] = branch %q {
    yield %v
  } else {
    %three: i64 = constant 3
    %1: f64[n] = loop %three (%v) { (%t: i64, %s: f64[n])
      %2: f64[n] = call @part(%n, %s)
      yield %2
    }
    yield %1
  }
  return %v, %0
}

graph @part(%n: i64, %v: f64[n]) -> (f64[n]) {
  %0: f64[n] = map [n] { (%i: i64)
    %1: f64 = read %v[%i]
    %2: f64 = sqrt %1
    yield %2
  }
  return %0
}
)");
  auto module = parse(sources, file, problems);
  REQUIRE_MESSAGE(module.has_value(), render_text(problems, sources));
  const Module smallest = shrink(
      *module, [&](const Module& candidate) { return count(candidate, ScalarFn::Sqrt) > 0; });
  INFO(print(smallest));

  CHECK(smallest.functions[FunctionId{0}].nodes.size() <= 3);
  CHECK(smallest.functions[FunctionId{0}].results().size() == 1);
}

}  // namespace
}  // namespace dvm::passes
