// Any bytes as a module: errors or a syntax tree that prints and reads back, never a crash; laid
// out, it is a module again and stays as it is when it is laid out once more.
#include <cstdlib>
#include <optional>
#include <string>

#include "frontend/ast/print.hpp"
#include "frontend/parse/deep_stack.hpp"
#include "frontend/parse/format.hpp"
#include "frontend/parse/parse.hpp"

namespace {

std::optional<std::string> laid_out(const std::string& text) {
  dvm::SourceMap sources;
  dvm::Diagnostics ignored;
  return dvm::parse::format(sources, sources.add("fuzz.dvm", text), ignored);
}

void check_format(const std::string& text) {
  const auto once = laid_out(text);
  if (once && laid_out(*once) != once) std::abort();
}

}  // namespace

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
    check_format(text);
  });
  return 0;
}
