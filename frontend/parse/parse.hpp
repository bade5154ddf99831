// From source text to syntax: tokens, layout, parser, fixity.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontend/ast/node.hpp"
#include "ir/base/diagnostic.hpp"

namespace dvm::parse {

// A module whose text is not looked for: it is here. `path` is how messages call it, and its folder
// is where what it imports is looked for first.
struct GivenModule {
  std::string path;
  std::string text;
};

struct ModuleSearch {
  std::vector<std::string>
      folders;  // after the folder of the importing file's root: `-I` folders, then the stdlib
  bool prelude = true;                       // import Prelude into every module but itself
  std::map<std::string, GivenModule> given;  // by module name
};

// Parses one file into `program` (without following imports, fixity of imported operators
// unresolved: chains stay flat until `load` resolves them). Errors go to `out`. Loads the file and,
// transitively, every module it imports, checks for cycles, resolves fixities. nullopt when any
// error was reported.
std::optional<ast::Program> load(SourceMap& sources, const std::string& path, std::string text,
                                 const ModuleSearch& search, Diagnostics& out);

// The tokens with virtual braces and semicolons, one a line: `3:9 name "xs"` (dvmc dump
// --after=tokens), and the source with explicit layout braces (dvmc dump --after=layout).
std::string dump_tokens(SourceMap& sources, FileId file, Diagnostics& out);
std::string dump_layout(SourceMap& sources, FileId file, Diagnostics& out);

}  // namespace dvm::parse
