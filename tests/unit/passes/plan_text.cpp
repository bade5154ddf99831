// Parses, decides the rounding, plans and verifies.
#include "plan_text.hpp"

#include <doctest/doctest.h>

#include "ir/graph/text.hpp"
#include "ir/graph/verify.hpp"
#include "ir/task/verify.hpp"
#include "passes/pass_table.hpp"

namespace dvm::test {

passes::TaskPlan plan_of(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  const FileId file = sources.add("test.dvg", text);
  auto module = graph::parse(sources, file, diagnostics);
  if (!module) FAIL(render_text(diagnostics, sources));
  passes::find_pass("fix-rounding")->run(*module);
  auto plan = passes::graph_to_tasks(*module, graph::FunctionId{0}, passes::Machine{},
                                     {"x", VectorIsa::Avx2}, &sources, diagnostics);
  REQUIRE(plan);
  for (const std::string& problem : graph::verify(plan->module, true)) FAIL(problem);
  for (const std::string& problem : task::verify(plan->program)) FAIL(problem);
  return *std::move(plan);
}

}  // namespace dvm::test
