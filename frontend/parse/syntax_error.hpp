// A parse failure as data, and its explanation to the user.
#pragma once

#include <string>
#include <vector>

#include "frontend/parse/layout.hpp"

namespace dvm::parse {

struct EnclosingRule {
  std::string_view rule;  // name in DvmParser.g4
  std::size_t first;      // index of its first lexeme in LaidOut::lexemes
};

struct SyntaxError {
  std::size_t at = 0;  // index of the offending lexeme in LaidOut::lexemes
  std::vector<TokenKind> expected;
  std::vector<EnclosingRule> enclosing;  // innermost first
};

// `item` is the declaration that failed.
Diagnostic explain(const SyntaxError& error, Item item, const LaidOut& source);

}  // namespace dvm::parse
