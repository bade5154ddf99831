// The compiler as a whole, and its two halves: the program's meaning as a graph, and the package.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backend/driver/front.hpp"
#include "backend/driver/times.hpp"
#include "backend/llvm/compile.hpp"
#include "backend/package/package.hpp"
#include "passes/cost/machine.hpp"
#include "passes/plan/graph_to_tasks.hpp"

namespace dvm::driver {

// What is compiled for.
struct Settings {
  llvm_backend::Target target;
  passes::Machine machine;
};
std::optional<Settings> choose_settings(Compilation& compilation);

// The elaborated graph: what the interpreter runs. `stated`: see lower::lower.
std::optional<graph::Module> elaborate(Compilation& compilation, const std::string& path,
                                       std::vector<graph::LocId>* stated = nullptr);

// The stages after the graph passes.
std::optional<passes::TaskPlan> plan_tasks(Compilation& compilation, const graph::Module& graph,
                                           const Settings& settings);
std::optional<llvm_backend::Object> make_kernels(Compilation& compilation,
                                                 const passes::TaskPlan& plan,
                                                 const Settings& settings);

// A package as the bytes of its file, and the modules beside the main one that it was made of
// (name, path).
package::Package pack(passes::TaskPlan plan, llvm_backend::Object object);

struct Compiled {
  package::Package package;
  std::vector<std::pair<std::string, std::string>> imports;
};
std::optional<Compiled> compile(Compilation& compilation, const std::string& path, std::string text,
                                const Settings& settings);

// Reads a package file; the problem is that it is missing, foreign, damaged, …
std::optional<package::Package> read_package(Compilation& compilation, const std::string& path);

// Ready to run: a package file (`.dvmp`) is loaded, a program is compiled unless the cache has it.
std::optional<package::Loaded> load_or_compile(Compilation& compilation, const std::string& path,
                                               RunTimes& times);

}  // namespace dvm::driver
