// Names of token kinds, places in one walk, the UTF-8 check.
#include "frontend/parse/token.hpp"

#include <fmt/format.h>

#include <array>

#include "ir/base/code_point.hpp"

namespace dvm::parse {
namespace {

struct KindNames {
  std::string_view spelling, description;
};

// In the order of TokenKind.
constexpr std::array<KindNames, token_kinds> names{{
    {"", "start of a block"},
    {"", "next item"},
    {"", "end of a block"},
    {"!", "!"},
    {"->", "->"},
    {"", "pragma"},
    {"case", "case"},
    {"class", "class"},
    {"data", "data"},
    {"default", "default"},
    {"deriving", "deriving"},
    {"do", "do"},
    {"else", "else"},
    {"foreign", "foreign"},
    {"if", "if"},
    {"import", "import"},
    {"in", "in"},
    {"infix", "infix"},
    {"infixl", "infixl"},
    {"infixr", "infixr"},
    {"instance", "instance"},
    {"let", "let"},
    {"module", "module"},
    {"newtype", "newtype"},
    {"of", "of"},
    {"then", "then"},
    {"type", "type"},
    {"where", "where"},
    {"_", "_"},
    {"as", "as"},
    {"hiding", "hiding"},
    {"qualified", "qualified"},
    {"forall", "forall"},
    {"(", "("},
    {")", ")"},
    {"[", "["},
    {"]", "]"},
    {"{", "{"},
    {"}", "}"},
    {",", ","},
    {";", ";"},
    {"`", "`"},
    {"..", ".."},
    {"::", "::"},
    {"=", "="},
    {"\\", "\\"},
    {"|", "|"},
    {"<-", "<-"},
    {"->", "->"},
    {"@", "@"},
    {"~", "~"},
    {"=>", "=>"},
    {"!", "!"},
    {"-", "-"},
    {".", "."},
    {"?", "?"},
    {"", "name"},
    {"", "constructor"},
    {"", "name"},
    {"", "constructor"},
    {"", "operator"},
    {"", "operator"},
    {"", "operator"},
    {"", "operator"},
    {"", "unknown size"},
    {"", "number"},
    {"", "number"},
    {"", "string"},
    {"", "string without end"},
    {"", "character"},
    {"", "character"},
    {"", "end of file"},
}};

}  // namespace

std::string_view spelling(TokenKind kind) {
  return names.at(static_cast<std::size_t>(kind)).spelling;
}
std::string_view describe(TokenKind kind) {
  return names.at(static_cast<std::size_t>(kind)).description;
}

bool is_keyword(TokenKind kind) { return kind >= TokenKind::Case && kind <= TokenKind::Underscore; }

bool is_operator(TokenKind kind) {
  switch (kind) {
    case TokenKind::PrefixBang:
    case TokenKind::Bang:
    case TokenKind::Minus:
    case TokenKind::Dot:
    case TokenKind::Question:
    case TokenKind::VarSym:
    case TokenKind::ConSym:
    case TokenKind::QVarSym:
    case TokenKind::QConSym:
    case TokenKind::Backquote:
      return true;
    default:
      return false;
  }
}

LineColumn PlaceCounter::at(std::uint32_t offset) {
  for (; offset_ < offset && offset_ < text_.size(); ++offset_) {
    const auto byte = static_cast<unsigned char>(text_[offset_]);
    if (byte == '\n') {
      place_ = LineColumn{place_.line + 1, 1};
    } else if (byte == '\t') {
      place_.column = (place_.column + 7) / 8 * 8 + 1;
    } else if ((byte & 0xC0) != 0x80) {
      ++place_.column;
    }
  }
  return place_;
}

bool check_utf8(const SourceMap& sources, FileId file, Diagnostics& out) {
  const std::string& text = sources.file(file).text;
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const CodePoint point = code_point_at(text, at);
    if (!point.valid) {
      const auto begin = static_cast<std::uint32_t>(at);
      out.add({.code = "invalid-utf8",
               .message = fmt::format("byte 0x{:02X} is not valid UTF-8",
                                      static_cast<unsigned char>(text[at])),
               .span = {file, begin, begin + 1},
               .label = "here",
               .others = {},
               .notes = {"source files are UTF-8 text"},
               .help = {}});
      return false;
    }
    at += point.bytes;
  }
  return true;
}

}  // namespace dvm::parse
