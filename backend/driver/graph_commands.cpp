// opt and passes.
#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <iterator>
#include <ostream>

#include "backend/driver/commands.hpp"
#include "backend/driver/compile.hpp"
#include "backend/driver/files.hpp"
#include "backend/driver/front.hpp"
#include "ir/base/thread_time.hpp"
#include "ir/graph/text.hpp"
#include "ir/graph/verify.hpp"
#include "ir/task/text.hpp"
#include "passes/pass_table.hpp"
#include "passes/pipeline.hpp"

namespace dvm::driver {

namespace {

std::optional<std::string> read_graph(Compilation& compilation, const std::string& path,
                                      std::istream& in) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(in), {});
  return read_program(compilation, path);
}

// Whether every reduction has its tree, so that passes after fix-rounding may assume it.
bool is_elaborated(const graph::Module& module) { return graph::verify(module, true).empty(); }

std::optional<graph::Module> parse_graph(Compilation& compilation, const std::string& path,
                                         std::string text) {
  const FileId file = compilation.sources.add(path, std::move(text));
  auto module = graph::parse(compilation.sources, file, compilation.diagnostics);
  if (!module) return std::nullopt;
  const auto faults = graph::verify(*module, false);
  if (!faults.empty())
    return compilation.stop({status::program, "malformed-graph", faults.front()});
  return module;
}

std::optional<graph::Module> lower_program(Compilation& compilation, const std::string& path,
                                           std::string text) {
  const auto syntax = parse_program(compilation, path, std::move(text));
  const auto typed = syntax ? check_types(compilation, *syntax) : std::nullopt;
  return typed ? lower_entry(compilation, *typed) : std::nullopt;
}

// Runs a stage and notes its processor time.
template <class Stage>
auto timed(Compilation& compilation, std::string name, Stage stage) {
  const std::int64_t start = thread_microseconds();
  auto result = stage();
  compilation.seconds.emplace_back(std::move(name),
                                   static_cast<double>(thread_microseconds() - start) / 1e6);
  return result;
}

std::optional<std::string> tasks_of(Compilation& compilation, const graph::Module& module) {
  if (!is_elaborated(module))
    return compilation.stop({status::usage,
                             "not-elaborated",
                             "a reduction has no tree yet",
                             {"tasks are made after the pass fix-rounding"}});
  const auto settings = choose_settings(compilation);
  if (!settings) return std::nullopt;
  const auto plan =
      timed(compilation, "tasks", [&] { return plan_tasks(compilation, module, *settings); });
  return plan ? std::optional(task::print(plan->program)) : std::nullopt;
}

// The text that is printed: of the graph after the passes, or of its tasks.
std::optional<std::string> optimise(Compilation& compilation, const Options& options,
                                    std::istream& in) {
  const bool program = options.file.ends_with(".dvm");
  auto text = read_graph(compilation, options.file, in);
  if (!text) return std::nullopt;
  bool elaborated = false;
  auto module = timed(compilation, "read", [&] {
    auto read = program ? lower_program(compilation, options.file, *std::move(text))
                        : parse_graph(compilation, options.file, *std::move(text));
    elaborated = read && is_elaborated(*read);
    return read;
  });
  std::vector<std::string_view> pipeline(options.passes.begin(), options.passes.end());
  if (pipeline.empty() && (program || options.compile.validate))
    pipeline.assign(std::begin(passes::default_pipeline), std::end(passes::default_pipeline));
  if (!module || !run_passes(compilation, *module, pipeline, elaborated)) return std::nullopt;
  return options.tasks ? tasks_of(compilation, *module) : graph::print(*module);
}

}  // namespace

int opt_command(const Options& options, const Console& console) {
  Compilation compilation{options.compile};
  if (!check_pass_names(compilation, options.passes)) return report(compilation, options, console);
  const auto text = optimise(compilation, options, console.in);
  if (text && !options.compile.time_passes.empty())
    compilation.reports.push_back(render(compilation.seconds, options.compile.time_passes));
  const int status = report(compilation, options, console);
  if (text) console.out << *text;
  return status;
}

int passes_command(const Options&, const Console& console) {
  std::size_t width = 0;
  for (const passes::GraphPass& pass : passes::pass_table())
    width = std::max(width, pass.name.size());
  for (const passes::GraphPass& pass : passes::pass_table()) {
    console.out << fmt::format("{:{}}  {}{}\n", pass.name, width, pass.doc,
                               pass.role == passes::PassRole::Meaning ? " (always runs)" : "");
  }
  return status::ok;
}

}  // namespace dvm::driver
