// One file from text to syntax, without its imports; inside frontend/parse only.
#pragma once

#include "frontend/parse/fixity.hpp"
#include "frontend/parse/layout.hpp"

namespace dvm::parse {

struct ParsedFile {
  LaidOut source;
  ast::Module module;
  ScopeId root;  // fixities of its top level
};

// Lexes, lays out and parses; every declaration that parses is in the module. Operator chains are
// added to `chains`, unresolved. Needs a deep stack.
ParsedFile parse_file(const SourceMap& sources, FileId file, ast::Arena& arena,
                      FixityScopes& scopes, Chains& chains, Diagnostics& out);

}  // namespace dvm::parse
