// The stages of compile.cpp again, each time up to the one that is asked for.
#include "backend/driver/dump.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <ostream>

#include "backend/driver/commands.hpp"
#include "backend/driver/compile.hpp"
#include "backend/driver/suggest.hpp"
#include "frontend/ast/print.hpp"
#include "frontend/check/check.hpp"
#include "frontend/parse/parse.hpp"
#include "ir/graph/text.hpp"
#include "ir/task/text.hpp"
#include "passes/pipeline.hpp"

namespace dvm::driver {

namespace {

using Text = std::optional<std::string>;

// The part of the pipeline that ends with the last execution of a pass; all of it for a later
// stage.
std::span<const std::string_view> pipeline_to(const std::string& stage) {
  if (stage == "graph") return passes::elaboration_pipeline;
  const std::span<const std::string_view> all = passes::default_pipeline;
  const auto last = std::find(all.rbegin(), all.rend(), stage);
  return last == all.rend() ? all : all.first(static_cast<std::size_t>(all.rend() - last));
}

Text dump_source(Compilation& compilation, const std::string& path, std::string text,
                 const std::string& stage) {
  const FileId file = compilation.sources.add(path, std::move(text));
  return stage == "tokens" ? parse::dump_tokens(compilation.sources, file, compilation.diagnostics)
                           : parse::dump_layout(compilation.sources, file, compilation.diagnostics);
}

Text dump_tasks(Compilation& compilation, const graph::Module& graph, const std::string& stage) {
  const auto settings = choose_settings(compilation);
  auto plan = settings ? plan_tasks(compilation, graph, *settings) : std::nullopt;
  if (!plan) return std::nullopt;
  if (stage == "tasks") return task::print(plan->program);
  if (stage == "llvm")
    return llvm_backend::dump(plan->module, plan->kernels, settings->target,
                              compilation.diagnostics);
  auto object = make_kernels(compilation, *plan, *settings);
  if (!object) return std::nullopt;
  return package::inspect(pack(*std::move(plan), *std::move(object)));
}

}  // namespace

std::vector<std::string> stage_names() {
  std::vector<std::string> names = {"tokens", "layout", "ast", "check", "graph"};
  for (const std::string_view pass : passes::default_pipeline) {
    if (std::find(names.begin(), names.end(), pass) == names.end()) names.emplace_back(pass);
  }
  names.insert(names.end(), {"tasks", "llvm", "package"});
  return names;
}

bool is_stage(Compilation& compilation, const std::string& stage) {
  const auto known = stage_names();
  if (std::find(known.begin(), known.end(), stage) != known.end()) return true;
  const auto close = nearest(stage, known);
  compilation.stop({status::usage,
                    "unknown-stage",
                    fmt::format("unknown stage `{}`{}", stage,
                                close ? fmt::format(", did you mean `{}`?", *close) : ""),
                    {fmt::format("stages: {}", fmt::join(known, ", "))}});
  return false;
}

Text dump_entry(Compilation& compilation, const typed::Program& typed, typed::BindingId entry,
                const std::string& stage) {
  auto graph = lower_binding(compilation, typed, entry);
  if (!graph || !run_passes(compilation, *graph, pipeline_to(stage))) return std::nullopt;
  const bool later = stage == "tasks" || stage == "llvm" || stage == "package";
  return later ? dump_tasks(compilation, *graph, stage) : graph::print(*graph);
}

Text dump(Compilation& compilation, const std::string& path, const std::string& stage) {
  if (!is_stage(compilation, stage)) return std::nullopt;
  auto text = read_program(compilation, path);
  if (!text) return std::nullopt;
  if (stage == "tokens" || stage == "layout")
    return dump_source(compilation, path, *std::move(text), stage);
  const auto syntax = parse_program(compilation, path, *std::move(text));
  if (!syntax) return std::nullopt;
  if (stage == "ast") return ast::print(*syntax, syntax->modules.back());
  const auto typed = check_types(compilation, *syntax);
  if (!typed) return std::nullopt;
  if (stage == "check") return check::print_typed(*typed, compilation.sources);
  const auto entry = find_entry(compilation, *typed);
  return entry ? dump_entry(compilation, *typed, *entry, stage) : std::nullopt;
}

int dump_command(const Options& options, const Console& console) {
  Compilation compilation{options.compile};
  const Text text = dump(compilation, options.file, options.after);
  const int status = report(compilation, options, console);
  if (text) console.out << *text;
  return status;
}

}  // namespace dvm::driver
