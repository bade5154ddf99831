// Any bytes as a module: errors or a syntax tree that prints and reads back, never a crash.
#include <cstdlib>

#include "frontend/ast/print.hpp"
#include "frontend/parse/deep_stack.hpp"
#include "frontend/parse/parse.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  dvm::with_deep_stack([&] {
    dvm::SourceMap sources;
    dvm::Diagnostics diagnostics;
    dvm::parse::ModuleSearch search;
    search.prelude = false;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto program = dvm::parse::load(sources, "fuzz.dvm", text, search, diagnostics);
    dvm::render_text(diagnostics, sources);
    if (program.has_value() == diagnostics.has_errors()) std::abort();
    if (!program) return;
    const std::string printed = dvm::ast::print(*program, program->modules.back());
    dvm::SourceMap again;
    dvm::Diagnostics more;
    const auto second = dvm::parse::load(again, "fuzz.dvm", printed, search, more);
    if (!second || dvm::ast::print(*second, second->modules.back()) != printed) std::abort();
  });
  return 0;
}
