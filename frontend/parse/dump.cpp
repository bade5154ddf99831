// Tokens and layout as text.
#include <fmt/format.h>

#include "frontend/parse/antlr_bridge.hpp"
#include "frontend/parse/layout.hpp"
#include "frontend/parse/parse.hpp"

namespace dvm::parse {

std::string dump_tokens(SourceMap& sources, FileId file, Diagnostics& out) {
  if (!check_utf8(sources, file, out)) return "";
  const LaidOut source = lay_out(lex(sources, file, out), out);
  std::string text;
  for (const Lexeme& lexeme : source.lexemes()) {
    text += fmt::format("{}:{} {}", lexeme.line, lexeme.column, describe(lexeme.kind));
    if (spelling(lexeme.kind).empty() && lexeme.end > lexeme.begin)
      text += fmt::format(" \"{}\"", source.file.text_of(lexeme));
    text += '\n';
  }
  return text;
}

// The text of the file, comments left out, with the braces and semicolons that the layout rule
// adds.
std::string dump_layout(SourceMap& sources, FileId file, Diagnostics& out) {
  if (!check_utf8(sources, file, out)) return "";
  const LaidOut source = lay_out(lex(sources, file, out), out);
  std::string text;
  std::uint32_t line = 1, end = 0;
  for (const Lexeme& lexeme : source.lexemes()) {
    switch (lexeme.kind) {
      case TokenKind::VOpen:
        text += "{";
        continue;
      case TokenKind::VClose:
        text += "}";
        continue;
      case TokenKind::VSemi:
        text += ";";
        continue;
      case TokenKind::End:
        continue;
      default:
        break;
    }
    if (lexeme.line > line && !text.empty()) {
      text += '\n';
      text.append(lexeme.column - 1, ' ');
    } else if (text.empty()) {
      text.append(lexeme.column - 1, ' ');
    } else if (lexeme.begin > end) {
      text += ' ';
    }
    text += source.file.text_of(lexeme);
    line = lexeme.line;
    end = lexeme.end;
  }
  if (!text.empty()) text += '\n';
  return text;
}

}  // namespace dvm::parse
