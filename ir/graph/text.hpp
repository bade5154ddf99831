// Printing and parsing of the graph IR: parse(print(m)) == m, names deterministic. Grammar:
// ir/README.md.
#pragma once

#include <string>

#include "ir/base/diagnostic.hpp"
#include "ir/base/result.hpp"
#include "ir/graph/graph.hpp"

namespace dvm::graph {

struct PrintOptions {
  bool locations = false;
};
std::string print(const Module& module, const PrintOptions& options = {});
// Errors go to `out` with places in `file`; nullopt when there were any.
std::optional<Module> parse(const SourceMap& sources, FileId file, Diagnostics& out);

}  // namespace dvm::graph
