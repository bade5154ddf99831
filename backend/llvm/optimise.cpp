// Target description, optimisation pipeline and object emission.
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/PassManager.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopSimplifyCFG.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/Reassociate.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include <mutex>

#include "backend/llvm/code.hpp"

namespace dvm::llvm_backend {

namespace {

void start_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

// What the processor really offers, which in a virtual machine is less than its name promises.
std::string host_features() {
  std::string features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    if (!features.empty()) features += ',';
    features += (feature.second ? "+" : "-") + feature.first().str();
  }
  return features;
}

bool has_feature(const llvm::TargetMachine& machine, const char* name) {
  return machine.getMCSubtargetInfo()->checkFeatures(std::string("+") + name);
}

}  // namespace

std::unique_ptr<llvm::TargetMachine> make_target_machine(const Target& target) {
  start_llvm();
  const std::string triple = llvm::sys::getDefaultTargetTriple();
  std::string problem;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!found) return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  const std::string features = target.cpu == llvm::sys::getHostCPUName() ? host_features() : "";
  return std::unique_ptr<llvm::TargetMachine>(
      found->createTargetMachine(triple, target.cpu, features, options, llvm::Reloc::PIC_,
                                 llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

Result<Target, std::string> make_target(const std::string& cpu) {
  start_llvm();
  Target target;
  target.cpu = cpu == "native" || cpu.empty() ? llvm::sys::getHostCPUName().str() : cpu;
  // An unknown name would only draw a warning from LLVM, so it is looked up first.
  const std::string triple = llvm::sys::getDefaultTargetTriple();
  std::string problem;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!found) return Failure{std::string("no code generator for `") + triple + "`"};
  const std::unique_ptr<llvm::MCSubtargetInfo> plain(found->createMCSubtargetInfo(triple, "", ""));
  if (!plain || !plain->isCPUStringValid(target.cpu)) {
    return Failure{"unknown CPU `" + cpu + "` (try `native`, `x86-64-v3` or `x86-64-v4`)"};
  }
  const auto machine = make_target_machine(target);
  if (!machine) return Failure{"unknown CPU `" + cpu + "`"};
  if (!has_feature(*machine, "avx2") || !has_feature(*machine, "fma")) {
    return Failure{"CPU `" + target.cpu + "` has no AVX2"};
  }
  bool wide = true;
  for (const char* part : {"avx512f", "avx512bw", "avx512dq", "avx512vl"})
    wide = wide && has_feature(*machine, part);
  target.isa = wide ? VectorIsa::Avx512 : VectorIsa::Avx2;
  return target;
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);

  llvm::FunctionPassManager pipeline;
  const auto clean = [&] {
    pipeline.addPass(llvm::InstCombinePass());
    pipeline.addPass(llvm::SimplifyCFGPass());
  };
  pipeline.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  pipeline.addPass(llvm::EarlyCSEPass(true));
  clean();
  llvm::LoopPassManager hoist;
  hoist.addPass(llvm::LICMPass(llvm::LICMOptions()));
  hoist.addPass(llvm::SimpleLoopUnswitchPass(true));
  pipeline.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(hoist), true));
  pipeline.addPass(llvm::SimplifyCFGPass());
  pipeline.addPass(llvm::InstCombinePass());
  pipeline.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(2, /*OnlyWhenForced=*/false)
                                            .setPartial(false)
                                            .setRuntime(false)
                                            .setPeeling(false)));
  pipeline.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  pipeline.addPass(llvm::GVNPass());
  clean();
  llvm::LoopPassManager again;
  again.addPass(llvm::LICMPass(llvm::LICMOptions()));
  again.addPass(llvm::IndVarSimplifyPass());
  pipeline.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(again), true));
  pipeline.addPass(llvm::ADCEPass());
  clean();
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) pipeline.run(function, functions);
  }
}

std::string emit_object(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile))
    return {};
  passes.run(module);
  return std::string(bytes.data(), bytes.size());
}

}  // namespace dvm::llvm_backend
