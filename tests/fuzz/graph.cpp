// Any bytes as a graph: what parses prints and parses back to the same text; verifying never
// crashes.
#include <cstdlib>

#include "frontend/parse/deep_stack.hpp"
#include "ir/graph/text.hpp"
#include "ir/graph/verify.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  dvm::with_deep_stack([&] {
    dvm::SourceMap sources;
    dvm::Diagnostics diagnostics;
    const auto file =
        sources.add("fuzz.dvg", std::string(reinterpret_cast<const char*>(data), size));
    const auto module = dvm::graph::parse(sources, file, diagnostics);
    dvm::render_text(diagnostics, sources);
    if (!module) return;
    dvm::graph::verify(*module, false);
    const std::string printed = dvm::graph::print(*module);
    const auto second_file = sources.add("again.dvg", printed);
    const auto second = dvm::graph::parse(sources, second_file, diagnostics);
    if (!second || dvm::graph::print(*second) != printed) std::abort();
  });
  return 0;
}
