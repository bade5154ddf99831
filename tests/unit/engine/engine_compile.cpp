#include "engine_compile.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "backend/llvm/compile.hpp"
#include "backend/package/package.hpp"
#include "ir/graph/text.hpp"
#include "ir/graph/verify.hpp"
#include "ir/task/text.hpp"
#include "ir/task/verify.hpp"
#include "passes/pass_table.hpp"
#include "passes/plan/graph_to_tasks.hpp"

namespace dvm::test {

Compiled compile(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  const FileId file = sources.add("test.dvg", text);
  auto module = graph::parse(sources, file, diagnostics);
  if (!module) FAIL(render_text(diagnostics, sources));
  return compile(std::move(*module));
}

Compiled compile(graph::Module module) {
  SourceMap sources;
  Diagnostics diagnostics;
  passes::find_pass("fix-rounding")->run(module);
  for (const std::string& problem : graph::verify(module, true)) FAIL(problem);
  const auto target = llvm_backend::make_target("native");
  REQUIRE(target);
  passes::Machine machine;
  machine.workers = 3;
  machine.task_seconds = 2e-6;  // many tasks from little data
  machine.dispatch_seconds = 0.01e-6;
  auto plan = passes::graph_to_tasks(module, graph::FunctionId{0}, machine,
                                     {target->cpu, target->isa}, &sources, diagnostics);
  if (!plan) FAIL(render_text(diagnostics, sources));
  for (const std::string& problem : graph::verify(plan->module, true)) FAIL(problem);
  const auto object = llvm_backend::compile(plan->module, plan->kernels, *target, diagnostics);
  if (!object) FAIL(render_text(diagnostics, sources));
  for (std::uint32_t k = 0; k < object->scratch_bytes.size(); ++k)
    plan->program.kernels[task::KernelId{k}].scratch = object->scratch_bytes[k];
  for (const std::string& problem : task::verify(plan->program))
    FAIL((problem + "\n" + task::print(plan->program)));
  const auto bytes =
      package::write(package::make_package(std::move(plan->program), object->shared_object));
  const auto package = package::read(bytes);
  if (!package) FAIL(package.error());
  CHECK(package::write(*package) == bytes);
  auto loaded = package::load(*package);
  if (!loaded) FAIL(loaded.error());
  return {std::move(module), std::move(*loaded), target->isa};
}

// Every way of running gives the interpreter's results.
Outcome check(const Compiled& program, const std::vector<Tensor>& args) {
  Outcome outcome = run_everywhere(program.loaded, args);
  graph::InterpretOptions options;
  options.isa = program.isa;
  const auto expected = graph::interpret(program.module, graph::FunctionId{0}, args, options);
  if (!expected) {
    CHECK(outcome.error == expected.error().message);
    CHECK(outcome.error_index == expected.error().index);
    return outcome;
  }
  CHECK(outcome.error.empty());
  REQUIRE(outcome.results.size() == expected->size());
  for (std::size_t k = 0; k < expected->size(); ++k) {
    CAPTURE(k);
    CHECK(identical(outcome.results[k], (*expected)[k]));
  }
  return outcome;
}

bool mentions(const Outcome& outcome, std::string_view text) {
  return std::any_of(outcome.trace.begin(), outcome.trace.end(),
                     [&](const std::string& line) { return line.find(text) != line.npos; });
}

}  // namespace dvm::test
