// The stages before planning, one function each: text, syntax, types, graph, elaborated graph.
// Each gives nothing when it stopped; why stands in the compilation.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "backend/driver/compilation.hpp"
#include "frontend/check/typed.hpp"
#include "ir/graph/graph.hpp"
#include "passes/remark.hpp"

namespace dvm::driver {

// The folder of the standard library: $DVM_STDLIB, else the one dvmc was built with.
std::string stdlib_folder();

std::optional<std::string> read_program(Compilation& compilation, const std::string& path);

// Syntax is kept by address, because typed::Program refers to it.
std::unique_ptr<const ast::Program> parse_program(Compilation& compilation, const std::string& path,
                                                  std::string text);
std::optional<typed::Program> check_types(Compilation& compilation, const ast::Program& syntax);
bool has_entry(const typed::Program& typed, std::string_view name);
// The entry that the options name, else `main`.
std::optional<typed::BindingId> find_entry(Compilation& compilation, const typed::Program& typed);
// `stated`: see lower::lower.
std::optional<graph::Module> lower_entry(Compilation& compilation, const typed::Program& typed,
                                         std::vector<graph::LocId>* stated = nullptr);
// With an entry that is chosen already: a function or a value.
std::optional<graph::Module> lower_binding(Compilation& compilation, const typed::Program& typed,
                                           typed::BindingId entry,
                                           std::vector<graph::LocId>* stated = nullptr);

// Runs passes as the options ask for. `elaborated`: the module went through fix-rounding before.
// `remarks`: gets what they say; may be null.
bool run_passes(Compilation& compilation, graph::Module& module,
                std::span<const std::string_view> pipeline, bool elaborated = false,
                passes::Remarks* remarks = nullptr);

// The names given with --disable and the like must be passes.
bool check_pass_names(Compilation& compilation, std::span<const std::string> names);

}  // namespace dvm::driver
