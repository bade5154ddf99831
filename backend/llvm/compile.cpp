// Kernels of a program to one shared object, or to text. Each kernel is a module of its own, so
// that they are compiled side by side; the objects are linked in the order of the kernels, so the
// bytes do not depend on who was first.
#include "backend/llvm/compile.hpp"

#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "backend/kernel/lane_width.hpp"
#include "backend/kernel/same_code.hpp"
#include "backend/llvm/code.hpp"
#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

namespace {

Diagnostic problem(std::string code, std::string message, Span span = {}) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.span = span;
  return diagnostic;
}

struct Build {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
  std::vector<Size> scratch;
};

bool emit_kernel(Build& build, const graph::Module& graph, const kernel::Kernel& kernel,
                 const Target& target, Diagnostics& out) {
  try {
    Emitter emitter(*build.module, graph, kernel, target);
    emitter.run();
    build.scratch.push_back(emitter.scratch_bytes());
    return true;
  } catch (const Unsupported& limit) {
    Span span;
    if (limit.loc.valid() && graph.locs.contains(limit.loc)) span = graph.locs[limit.loc].span;
    out.add(problem("not-supported", limit.what + " is not supported yet", span));
    return false;
  }
}

// Null when something went wrong, which `out` then says.
std::unique_ptr<Build> emit(const graph::Module& graph, std::span<const kernel::Kernel> kernels,
                            const Target& target, Diagnostics& out) {
  auto build = std::make_unique<Build>();
  build->machine = make_target_machine(target);
  if (!build->machine) {
    out.add(problem("unknown-cpu", "no code generator for CPU `" + target.cpu + "`"));
    return nullptr;
  }
  build->module = std::make_unique<llvm::Module>("kernels", build->context);
  build->module->setTargetTriple(build->machine->getTargetTriple().str());
  build->module->setDataLayout(build->machine->createDataLayout());
  bool fine = true;
  for (const kernel::Kernel& kernel : kernels) {
    if (kernel.phase == kernel::Phase::Sort) {  // a function of ours, see backend/kernel/sort.hpp
      build->scratch.push_back(Size(0));
      continue;
    }
    fine = emit_kernel(*build, graph, kernel, target, out) && fine;
  }
  if (!fine) return nullptr;
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::verifyModule(*build->module, &stream)) {
    out.add(problem("internal", "a bug in the code generator: " + stream.str()));
    return nullptr;
  }
  optimise(*build->module, *build->machine);
  return build;
}

// What became of one kernel.
struct Part {
  Diagnostics problems;
  std::string object;  // empty when there were problems, or another part has the code
  Size scratch;
};

// `aliases`: more names for it.
Part compile_one(const graph::Module& graph, const kernel::Kernel& kernel,
                 std::span<const std::string> aliases, const Target& target) {
  Part part;
  const auto build = emit(graph, {&kernel, 1}, target, part.problems);
  if (!build) return part;
  llvm::Function* code = build->module->getFunction(kernel.symbol);  // none for a sort
  for (const std::string& alias : aliases) {
    if (code) llvm::GlobalAlias::create(alias, code);
  }
  part.scratch = build->scratch[0];
  part.object = emit_object(*build->module, *build->machine);
  return part;
}

// The kernels with the most code first: whoever is free takes the next.
std::vector<std::size_t> largest_first(const graph::Module& graph,
                                       std::span<const kernel::Kernel> kernels,
                                       std::vector<std::size_t> order) {
  std::vector<int> nodes;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const graph::Function& function = graph.functions[kernels[i].function];
    nodes.push_back(kernel::node_count(function, function.body));
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return nodes[a] > nodes[b]; });
  return order;
}

// A part for each kernel; of those with the same code, the first has the object.
std::vector<Part> compile_side_by_side(const graph::Module& graph,
                                       std::span<const kernel::Kernel> kernels,
                                       const Target& target) {
  const std::vector<std::size_t> firsts = kernel::first_with_same_code(graph, kernels);
  std::vector<std::vector<std::string>> aliases(kernels.size());
  std::vector<std::size_t> distinct;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (firsts[i] == i) {
      distinct.push_back(i);
    } else {
      aliases[firsts[i]].push_back(kernels[i].symbol);
    }
  }
  const std::vector<std::size_t> order = largest_first(graph, kernels, std::move(distinct));
  std::vector<Part> parts(kernels.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < order.size(); i = next++)
      parts[order[i]] = compile_one(graph, kernels[order[i]], aliases[order[i]], target);
  };
  const std::size_t hands = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 16);
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < std::min(hands, order.size()); ++i) others.emplace_back(work);
  work();
  others.clear();  // waits
  for (std::size_t i = 0; i < kernels.size(); ++i) parts[i].scratch = parts[firsts[i]].scratch;
  return parts;
}

}  // namespace

std::optional<Object> compile(const graph::Module& module, std::span<const kernel::Kernel> kernels,
                              const Target& target, Diagnostics& out) {
  std::vector<std::string> objects;
  Object result;
  bool fine = true;
  for (Part& part : compile_side_by_side(module, kernels, target)) {
    fine = fine && !part.problems.has_errors();
    for (Diagnostic found : part.problems.sorted()) out.add(std::move(found));
    if (!part.object.empty()) objects.push_back(std::move(part.object));
    result.scratch_bytes.push_back(part.scratch);
  }
  if (!fine) return std::nullopt;
  auto linked = link_shared(objects);
  if (!linked) {
    out.add(problem("internal", "linking the kernels failed: " + linked.error()));
    return std::nullopt;
  }
  result.shared_object = std::move(*linked);
  return result;
}

std::optional<std::string> dump(const graph::Module& module,
                                std::span<const kernel::Kernel> kernels, const Target& target,
                                Diagnostics& out) {
  const auto build = emit(module, kernels, target, out);
  if (!build) return std::nullopt;
  std::string text;
  llvm::raw_string_ostream stream(text);
  build->module->print(stream, nullptr);
  return stream.str();
}

}  // namespace dvm::llvm_backend
