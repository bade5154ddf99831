// The one door to ANTLR's lexer: text in, our own lexemes out.
#pragma once

#include "frontend/parse/token.hpp"

namespace dvm::parse {

// Lexes a file that is valid UTF-8. Reports characters that start no lexeme, strings and comments
// without end, malformed numbers; the lexemes concerned are marked bad.
LexedFile lex(const SourceMap& sources, FileId file, Diagnostics& out);

}  // namespace dvm::parse
