// Kernels of a program to one shared object, or to text.
#include "backend/llvm/compile.hpp"

#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

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

std::unique_ptr<Build> emit_all(const graph::Module& graph, std::span<const kernel::Kernel> kernels,
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

}  // namespace

std::optional<Object> compile(const graph::Module& module, std::span<const kernel::Kernel> kernels,
                              const Target& target, Diagnostics& out) {
  auto build = emit_all(module, kernels, target, out);
  if (!build) return std::nullopt;
  auto linked = link_shared(emit_object(*build->module, *build->machine));
  if (!linked) {
    out.add(problem("internal", "linking the kernels failed: " + linked.error()));
    return std::nullopt;
  }
  return Object{std::move(*linked), std::move(build->scratch)};
}

std::optional<std::string> dump(const graph::Module& module,
                                std::span<const kernel::Kernel> kernels, const Target& target,
                                Diagnostics& out) {
  const auto build = emit_all(module, kernels, target, out);
  if (!build) return std::nullopt;
  std::string text;
  llvm::raw_string_ostream stream(text);
  build->module->print(stream, nullptr);
  return stream.str();
}

}  // namespace dvm::llvm_backend
