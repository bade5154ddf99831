// Runs passes over a module, with what is the same for every pass: time, dumps, verification,
// leaving passes out, and bisecting.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/graph/graph.hpp"
#include "passes/pass_table.hpp"
#include "passes/pipeline.hpp"
#include "passes/remark.hpp"
#include "passes/shrink.hpp"
#include "passes/validate.hpp"

namespace dvm::passes {

// One execution of one pass.
struct PassReport {
  std::string_view pass;
  std::size_t position = 0;                       // in the pipeline, from 1
  bool ran = false;                               // false: disabled, or past the bisecting limit
  bool changed = false;                           // known when verifying, dumping or with `after`
  std::int64_t microseconds = 0;                  // of processor time
  std::size_t nodes_before = 0, nodes_after = 0;  // in all functions, regions included
};

struct RunOptions {
  bool verify = false;      // after each pass
  bool elaborated = false;  // the module already went through fix-rounding
  // After each pass that changed something, the interpreter on both graphs with random arguments.
  std::optional<ValidateOptions> validate;
  // What is spent on making a graph small whose meaning a pass changed.
  ShrinkOptions shrinking{1000, 20};
  // Where passes are looked up.
  std::span<const GraphPass> table = pass_table();
  // Receives what was validated, in words.
  std::string* validated = nullptr;
  std::vector<std::string> disabled;
  // Only the first N executions of optional passes run.
  std::optional<std::size_t> bisect;
  // A file `07-fuse-maps.dvg` for each execution that changed something; the folder is made.
  std::string dump_folder;
  // Called after each execution that changed something, with the module's text.
  std::function<void(const PassReport&, const std::string& text)> after;
  // Where passes say what they did and why; null: they say nothing.
  Remarks* remarks = nullptr;
};

// What stopped a run: an unknown or mandatory name, a folder that cannot be written, or a pass that
// left a malformed module or one that computes something else (then `text` is the module after it,
// and `before` the module it was given). One that computes something else is made small: then
// `whole` is the module that the pass was given in the run, and `made_small` says so in words.
struct PipelineError {
  std::string pass;
  std::string message;
  std::string text, before;
  std::string input;  // validating: the arguments that show it
  std::string whole, made_small;
};

Result<std::vector<PassReport>, PipelineError> run_pipeline(
    std::span<const std::string_view> pipeline, graph::Module& module, const RunOptions& options);

// One pass by name, verified before and after; the value says whether the text changed.
Result<bool, std::string> run_pass(std::string_view name, graph::Module& module);

// For people: one line per execution with time and node counts, and the sum.
std::string render_times(std::span<const PassReport> reports);

}  // namespace dvm::passes
