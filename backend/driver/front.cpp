// Each stage calls the library that does it and turns what went wrong into a problem.
#include "backend/driver/front.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "backend/driver/files.hpp"
#include "backend/driver/suggest.hpp"
#include "backend/driver/suggest_import.hpp"
#include "backend/driver/times.hpp"
#include "frontend/check/check.hpp"
#include "frontend/lower/lower.hpp"
#include "frontend/parse/parse.hpp"
#include "passes/pass_table.hpp"
#include "passes/runner.hpp"

namespace dvm::driver {

std::string stdlib_folder() {
  const char* folder = std::getenv("DVM_STDLIB");
  return folder != nullptr && *folder != '\0' ? folder : DVM_STDLIB_FOLDER;
}

std::optional<std::string> read_program(Compilation& compilation, const std::string& path) {
  auto text = read_text(path);
  if (!text) return compilation.stop({status::usage, "unreadable-file", text.error()});
  return *std::move(text);
}

std::unique_ptr<const ast::Program> parse_program(Compilation& compilation, const std::string& path,
                                                  std::string text) {
  parse::ModuleSearch search;
  search.folders = compilation.options.include_folders;
  search.folders.push_back(stdlib_folder());
  search.given = compilation.given_modules;
  auto syntax = compilation.timed("parse", [&] {
    return parse::load(compilation.sources, path, std::move(text), search, compilation.diagnostics);
  });
  return syntax ? std::make_unique<const ast::Program>(*std::move(syntax)) : nullptr;
}

std::optional<typed::Program> check_types(Compilation& compilation, const ast::Program& syntax) {
  auto typed = compilation.timed(
      "check", [&] { return check::check(syntax, compilation.sources, compilation.diagnostics); });
  if (!typed) suggest_imports(compilation, syntax);
  return typed;
}

bool has_entry(const typed::Program& typed, std::string_view name) {
  return std::any_of(typed.entries.begin(), typed.entries.end(),
                     [&](typed::BindingId id) { return typed.bindings[id].name == name; });
}

std::optional<typed::BindingId> find_entry(Compilation& compilation, const typed::Program& typed) {
  const std::string wanted = compilation.options.entry.empty() ? "main" : compilation.options.entry;
  std::vector<std::string> names;
  for (const typed::BindingId id : typed.entries) {
    if (typed.bindings[id].name == wanted) return id;
    names.push_back(typed.bindings[id].name);
  }
  const auto close = nearest(wanted, names);
  std::vector<std::string> notes;
  const auto other =
      std::find_if(typed.not_entries.begin(), typed.not_entries.end(),
                   [&](const auto& one) { return typed.bindings[one.first].name == wanted; });
  if (other != typed.not_entries.end())
    notes.push_back(fmt::format("`{}` {}", wanted, other->second));
  if (names.empty() || other != typed.not_entries.end())
    notes.push_back(
        "an entry is an exported function with a signature, written as one clause of plain "
        "variables");
  if (!names.empty()) {
    notes.push_back(fmt::format("choose one with --entry: {}", fmt::join(names, ", ")));
  }
  return compilation.stop({status::usage, "unknown-entry",
                           fmt::format("the program has no entry `{}`{}", wanted,
                                       close ? fmt::format(", did you mean `{}`?", *close) : ""),
                           notes});
}

std::optional<graph::Module> lower_entry(Compilation& compilation, const typed::Program& typed,
                                         std::vector<graph::LocId>* stated) {
  const auto entry = find_entry(compilation, typed);
  return entry ? lower_binding(compilation, typed, *entry, stated) : std::nullopt;
}

std::optional<graph::Module> lower_binding(Compilation& compilation, const typed::Program& typed,
                                           typed::BindingId entry,
                                           std::vector<graph::LocId>* stated) {
  return compilation.timed("lower", [&] {
    return lower::lower(typed, compilation.sources, entry, compilation.diagnostics, stated);
  });
}

bool check_pass_names(Compilation& compilation, std::span<const std::string> names) {
  std::vector<std::string> known;
  for (const passes::GraphPass& pass : passes::pass_table()) known.emplace_back(pass.name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto close = nearest(name, known);
    compilation.stop({status::usage,
                      "unknown-pass",
                      fmt::format("unknown pass `{}`{}", name,
                                  close ? fmt::format(", did you mean `{}`?", *close) : ""),
                      {fmt::format("`dvmc passes` lists them: {}", fmt::join(known, ", "))}});
    return false;
  }
  return true;
}

namespace {

// A pass broke the graph or its meaning, which is a bug of ours: the graphs before and after it are
// written for the report, and the program's own where those were made small.
Problem broken_pass(const passes::PipelineError& error, const std::string& folder) {
  Problem problem{status::internal, "internal",
                  fmt::format("pass `{}`: {}", error.pass, error.message)};
  if (!error.input.empty()) problem.notes.push_back("input: " + error.input);
  if (!error.made_small.empty()) problem.notes.push_back(error.made_small);
  for (const auto& [when, text] :
       {std::pair{"before", &error.before}, {"after", &error.text}, {"whole", &error.whole}}) {
    if (text->empty()) continue;
    const std::string name = fmt::format("{}-{}.dvg", error.pass, when);
    const std::string path =
        folder.empty() ? name : (std::filesystem::path(folder) / name).string();
    auto file = PendingFile::create(path);
    if (!file) {
      problem.notes.push_back(file.error());
      continue;
    }
    file->write(*text);
    const auto failed = file->commit();
    problem.notes.push_back(failed ? *failed
                            : text == &error.whole
                                ? fmt::format("the program's own graph before it is in `{}`", path)
                                : fmt::format("the graph {} it is in `{}`", when, path));
  }
  return problem;
}

}  // namespace

bool run_passes(Compilation& compilation, graph::Module& module,
                std::span<const std::string_view> pipeline, bool elaborated,
                passes::Remarks* remarks) {
  const CompileOptions& options = compilation.options;
  if (!check_pass_names(compilation, options.disabled)) return false;
  passes::RunOptions run;
  run.verify = options.verify_each;
  std::string validated;
  if (options.validate) run.validate.emplace();
  run.validated = &validated;
  run.elaborated = elaborated;
  run.disabled = options.disabled;
  run.bisect = options.bisect;
  run.dump_folder = options.dump_folder;
  run.remarks = remarks;
  std::vector<std::string_view> passes(pipeline.begin(), pipeline.end());
  if (options.contract && !passes.empty() && passes.front() == "fix-rounding")
    passes.insert(passes.begin() + 1, "contract");
  const auto reports =
      compilation.timed("passes", [&] { return passes::run_pipeline(passes, module, run); });
  if (!reports) {
    const passes::PipelineError& error = reports.error();
    if (!error.text.empty()) {
      compilation.stop(broken_pass(error, options.dump_folder));
    } else {
      compilation.stop({status::usage, "passes",
                        error.pass.empty()
                            ? error.message
                            : fmt::format("pass `{}`: {}", error.pass, error.message)});
    }
    return false;
  }
  if (options.time_passes == "json") {
    compilation.reports.push_back(render_json(*reports));
  } else if (!options.time_passes.empty()) {
    compilation.reports.push_back(passes::render_times(*reports));
  }
  if (!validated.empty()) compilation.reports.push_back(validated + "\n");
  return true;
}

}  // namespace dvm::driver
