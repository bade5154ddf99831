// The drawing of docs/architecture.md in code: see `compile`.
#include "backend/driver/compile.hpp"

#include <fmt/format.h>

#include "passes/pipeline.hpp"

namespace dvm::driver {

namespace {

std::vector<std::pair<std::string, std::string>> imports_of(const ast::Program& syntax,
                                                            const SourceMap& sources) {
  std::vector<std::pair<std::string, std::string>> imports;
  for (const ast::Module& module : syntax.modules) {
    if (&module != &syntax.modules.back())
      imports.emplace_back(module.name, sources.file(module.file).path);
  }
  return imports;
}

}  // namespace

std::optional<Compiled> compile(Compilation& compilation, const std::string& path, std::string text,
                                const Settings& settings) {
  const std::unique_ptr<const ast::Program> syntax =
      parse_program(compilation, path, std::move(text));
  if (!syntax) return std::nullopt;
  const std::optional<typed::Program> typed = check_types(compilation, *syntax);
  if (!typed) return std::nullopt;
  std::optional<graph::Module> graph = lower_entry(compilation, *typed);
  if (!graph || !run_passes(compilation, *graph, passes::default_pipeline)) return std::nullopt;
  std::optional<passes::TaskPlan> plan = plan_tasks(compilation, *graph, settings);
  if (!plan) return std::nullopt;
  std::optional<llvm_backend::Object> object = make_kernels(compilation, *plan, settings);
  if (!object) return std::nullopt;
  package::Package package = pack(*std::move(plan), *std::move(object));
  return Compiled{std::move(package), imports_of(*syntax, compilation.sources)};
}

std::optional<Settings> choose_settings(Compilation& compilation) {
  auto target = llvm_backend::make_target(compilation.options.cpu);
  if (!target) return compilation.stop({status::usage, "unknown-cpu", target.error()});
  passes::Machine machine;
  if (!compilation.options.machine.empty()) {
    auto loaded = passes::load_machine(compilation.options.machine);
    if (!loaded) return compilation.stop({status::usage, "machine", loaded.error()});
    machine = *std::move(loaded);
  }
  return Settings{*std::move(target), std::move(machine)};
}

std::optional<graph::Module> elaborate(Compilation& compilation, const std::string& path,
                                       std::vector<graph::LocId>* stated) {
  auto text = read_program(compilation, path);
  const auto syntax = text ? parse_program(compilation, path, *std::move(text)) : nullptr;
  const auto typed = syntax ? check_types(compilation, *syntax) : std::nullopt;
  auto graph = typed ? lower_entry(compilation, *typed, stated) : std::nullopt;
  if (!graph || !run_passes(compilation, *graph, passes::elaboration_pipeline)) return std::nullopt;
  return graph;
}

std::optional<passes::TaskPlan> plan_tasks(Compilation& compilation, const graph::Module& graph,
                                           const Settings& settings) {
  return compilation.timed("plan", [&] {
    return passes::graph_to_tasks(
        graph, graph::FunctionId{0}, settings.machine,
        {settings.target.cpu, settings.target.isa, compilation.options.contract},
        &compilation.sources, compilation.diagnostics);
  });
}

std::optional<llvm_backend::Object> make_kernels(Compilation& compilation,
                                                 const passes::TaskPlan& plan,
                                                 const Settings& settings) {
  return compilation.timed("kernels", [&] {
    return llvm_backend::compile(plan.module, plan.kernels, settings.target,
                                 compilation.diagnostics);
  });
}

package::Package pack(passes::TaskPlan plan, llvm_backend::Object object) {
  for (std::size_t i = 0; i < object.scratch_bytes.size(); ++i) {
    plan.program.kernels[task::KernelId{static_cast<std::uint32_t>(i)}].scratch =
        object.scratch_bytes[i];
  }
  return package::make_package(std::move(plan.program), std::move(object.shared_object));
}

}  // namespace dvm::driver
