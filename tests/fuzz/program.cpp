// Any bytes as a program with the whole standard library: checked, lowered and elaborated where
// they are right.
#include <cstdlib>

#include "frontend/check/check.hpp"
#include "frontend/lower/lower.hpp"
#include "frontend/parse/deep_stack.hpp"
#include "frontend/parse/parse.hpp"
#include "ir/graph/verify.hpp"
#include "passes/runner.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  dvm::with_deep_stack([&] {
    dvm::SourceMap sources;
    dvm::Diagnostics diagnostics;
    const std::string text(reinterpret_cast<const char*>(data), size);
    dvm::parse::ModuleSearch search;
    search.folders = {DVM_STDLIB_FOLDER};
    const auto syntax = dvm::parse::load(sources, "fuzz.dvm", text, search, diagnostics);
    if (syntax) {
      const auto typed = dvm::check::check(*syntax, sources, diagnostics);
      if (typed && !typed->entries.empty()) {
        auto graph = dvm::lower::lower(*typed, sources, typed->entries.front(), diagnostics);
        dvm::passes::RunOptions options;
        options.verify = true;
        if (graph && !dvm::passes::run_pipeline(dvm::passes::default_pipeline, *graph, options)) {
          std::abort();
        }
        if (!graph && !diagnostics.has_errors()) std::abort();
      }
    }
    dvm::render_text(diagnostics, sources);
  });
  return 0;
}
