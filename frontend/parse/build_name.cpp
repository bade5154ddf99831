// Places, names, operators, literals and doc comments of parse trees.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "frontend/parse/builder.hpp"

namespace dvm::parse {
namespace {

std::string without_underscores(std::string_view text) {
  std::string digits;
  for (char c : text) {
    if (c != '_') digits += c;
  }
  return digits;
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

constexpr std::string_view ascii_names[] = {
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS",  "HT",  "LF",
    "VT",  "FF",  "CR",  "SO",  "SI",  "DLE", "DC1", "DC2", "DC3", "DC4", "NAK",
    "SYN", "ETB", "CAN", "EM",  "SUB", "ESC", "FS",  "GS",  "RS",  "US",  "SP"};

struct Escape {
  std::size_t length = 0;             // 0: not an escape
  std::optional<std::uint32_t> code;  // `\&` has none
};

Escape numeric_escape(std::string_view rest, std::size_t skip, int base) {
  std::uint64_t code = 0;
  std::size_t at = skip;
  for (; at < rest.size(); ++at) {
    const char c = rest[at];
    int digit = 99;
    if (c >= '0' && c <= '9') digit = c - '0';
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') digit = (c | 0x20) - 'a' + 10;
    if (digit >= base) break;
    code = std::min<std::uint64_t>(
        code * static_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(digit), 0x110000);
  }
  if (at == skip || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
  return {at, static_cast<std::uint32_t>(code)};
}

// The escape after a backslash.
Escape read_escape(std::string_view rest) {
  if (rest.empty()) return {};
  static constexpr std::string_view letters = "abfnrtv\\\"'";
  static constexpr std::string_view values = "\a\b\f\n\r\t\v\\\"'";
  if (const std::size_t at = letters.find(rest[0]); at != std::string_view::npos) {
    return {1, static_cast<std::uint32_t>(values[at])};
  }
  if (rest[0] == '&') return {1, std::nullopt};
  if (rest[0] >= '0' && rest[0] <= '9') return numeric_escape(rest, 0, 10);
  if (rest[0] == 'x' || rest[0] == 'X') return numeric_escape(rest, 1, 16);
  if (rest[0] == 'o' || rest[0] == 'O') return numeric_escape(rest, 1, 8);
  if (rest[0] == '^' && rest.size() > 1 && rest[1] >= '@' && rest[1] <= '_') {
    return {2, static_cast<std::uint32_t>(rest[1] - '@')};
  }
  if (rest.substr(0, 3) == "DEL") return {3, 0x7F};
  Escape best;
  for (std::uint32_t code = 0; code <= 32; ++code) {
    const std::string_view name = ascii_names[code];
    if (rest.substr(0, name.size()) == name && name.size() > best.length)
      best = {name.size(), code};
  }
  return best;
}

}  // namespace

Builder::Builder(const LaidOut& source, ast::Arena& arena, FixityScopes& scopes, Chains& chains,
                 Diagnostics& out)
    : source_(source), arena_(arena), scopes_(scopes), chains_(chains), out_(out) {
  root_ = scope_ = scopes_.open(ScopeId{});
}

Span Builder::span_of(const antlr4::ParserRuleContext* tree) const {
  const std::size_t first = tree->start->getStartIndex();
  const std::size_t last =
      tree->stop == nullptr ? first : std::max(first, tree->stop->getStartIndex());
  const Lexeme& end = source_.lexeme(last);
  return Span{source_.file.file, source_.lexeme(first).begin,
              std::max(end.end, source_.lexeme(first).begin)};
}

const Lexeme& Builder::lexeme_of(antlr4::tree::TerminalNode* node) const {
  return source_.lexeme(node->getSymbol()->getStartIndex());
}

Span Builder::span_of(antlr4::tree::TerminalNode* node) const {
  return source_.file.span_of(lexeme_of(node));
}

std::string Builder::text_of(antlr4::tree::TerminalNode* node) const {
  return std::string(source_.file.text_of(lexeme_of(node)));
}

// Splits `A.B.f` and `A.+`: the qualifier is the longest run of `Name.` before something.
ast::Name Builder::name_at(Span span) const {
  const std::string_view text =
      std::string_view(source_.file.text).substr(span.begin, span.end - span.begin);
  std::size_t at = 0;
  while (true) {
    const auto first = static_cast<unsigned char>(at < text.size() ? text[at] : '.');
    const bool letter = (first >= 'A' && first <= 'Z') || first >= 0x80;
    const std::size_t dot = text.find('.', at);
    if (!letter || dot == std::string_view::npos || dot + 1 >= text.size()) break;
    at = dot + 1;
  }
  ast::Name name;
  if (at > 0) name.qualifier = std::string(text.substr(0, at - 1));
  name.text = std::string(text.substr(at));
  name.span = span;
  return name;
}

ast::Name Builder::simple_name(const antlr4::ParserRuleContext* tree) const {
  return name_at(span_of(tree));
}

ast::Name Builder::bracketed_name(const antlr4::ParserRuleContext* tree) const {
  const std::size_t first = tree->start->getStartIndex();
  if (source_.lexeme(first).kind != TokenKind::LParen) return simple_name(tree);
  const std::size_t last = tree->stop->getStartIndex();
  return name_at(join(source_.span_of(first + 1), source_.span_of(last - 1)));
}

ChainOperator Builder::operator_of(const antlr4::ParserRuleContext* tree) const {
  std::size_t at = tree->start->getStartIndex();
  if (source_.lexeme(at).kind == TokenKind::Backquote) ++at;
  const TokenKind kind = source_.lexeme(at).kind;
  ChainOperator op;
  op.name = name_at(source_.span_of(at));
  op.is_constructor = kind == TokenKind::ConId || kind == TokenKind::QConId ||
                      kind == TokenKind::ConSym || kind == TokenKind::QConSym;
  return op;
}

ast::IntegerLiteral Builder::integer(Span span) {
  ast::IntegerLiteral literal;
  literal.text = source_.file.text.substr(span.begin, span.end - span.begin);
  const std::string digits = without_underscores(literal.text);
  int base = 10;
  std::size_t skip = 0;
  if (digits.size() > 1 && digits[0] == '0') {
    const char mark = static_cast<char>(digits[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
    skip = base == 10 ? 0 : 2;
  }
  literal.value = 0;
  const auto [end, error] =
      std::from_chars(digits.data() + skip, digits.data() + digits.size(), literal.value, base);
  literal.too_large = error == std::errc::result_out_of_range;
  if (literal.too_large) literal.value = 0;
  return literal;
}

ast::FloatLiteral Builder::floating(Span span) {
  ast::FloatLiteral literal;
  literal.text = source_.file.text.substr(span.begin, span.end - span.begin);
  std::string digits = without_underscores(literal.text);
  const bool hex = digits.size() > 1 && (digits[1] | 0x20) == 'x';
  literal.value = 0;
  const char* begin = digits.data() + (hex ? 2 : 0);
  const auto [end, error] =
      std::from_chars(begin, digits.data() + digits.size(), literal.value,
                      hex ? std::chars_format::hex : std::chars_format::general);
  // Out of range: infinity or zero, which only the C function tells apart.
  if (error == std::errc::result_out_of_range) literal.value = std::strtod(digits.c_str(), nullptr);
  return literal;
}

std::string Builder::string_value(Span span) {
  const std::string_view text =
      std::string_view(source_.file.text).substr(span.begin + 1, span.end - span.begin - 2);
  std::string value;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      value += text[i++];
      continue;
    }
    const std::string_view rest = text.substr(i + 1);
    if (!rest.empty() &&
        (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\n' || rest[0] == '\r')) {
      i += 1 + rest.find('\\') + 1;  // a gap
      continue;
    }
    const Escape escape = read_escape(rest);
    if (escape.length == 0) {
      const auto at = static_cast<std::uint32_t>(span.begin + 1 + i);
      report({span.file, at, at + 2}, "bad-escape", "this is not an escape sequence", "",
             "a backslash is written `\\\\`");
      i += 1;
      continue;
    }
    if (escape.code.has_value()) append_utf8(value, *escape.code);
    i += 1 + escape.length;
  }
  flush();
  return value;
}

std::string Builder::doc_before(const antlr4::ParserRuleContext* tree) const {
  return doc_at(tree->start->getStartIndex());
}

// The text of the `-- |` comment (or `{-| … -}`) that ends just before a lexeme.
std::string Builder::doc_at(std::size_t lexeme) const {
  const std::uint32_t end = source_.lexeme(lexeme).comments;
  std::uint32_t before = lexeme;
  while (before > 0 && source_.lexeme(before - 1).begin == source_.lexeme(before - 1).end) --before;
  const std::uint32_t begin = before == 0 ? 0 : source_.lexeme(before - 1).comments;
  const std::string_view all = source_.file.text;
  auto text = [&](std::uint32_t i) {
    const Comment& comment = source_.file.comments[i];
    return all.substr(comment.begin, comment.end - comment.begin);
  };
  auto trimmed = [](std::string_view line) {
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r'))
      line.remove_suffix(1);
    return line;
  };
  std::optional<std::uint32_t> start;
  for (std::uint32_t i = begin; i < end; ++i) {
    const std::string_view comment = text(i);
    const bool marks = comment.starts_with("{-|") || comment.starts_with("{- |") ||
                       (comment.starts_with("--") && trimmed(comment.substr(2)).starts_with("|"));
    if (marks) start = i;
  }
  if (!start.has_value()) return "";
  std::string doc;
  for (std::uint32_t i = *start; i < end; ++i) {
    std::string comment(text(i));
    std::replace(comment.begin(), comment.end(), '\r', ' ');
    const bool block = comment.starts_with("{-");
    comment = block ? comment.substr(2, comment.size() - 4) : comment.substr(2);
    std::string_view rest = comment;
    for (bool first = true; first || !rest.empty(); first = false) {
      const std::size_t length = std::min(rest.find('\n'), rest.size());
      std::string_view line = trimmed(rest.substr(0, length));
      rest.remove_prefix(std::min(length + 1, rest.size()));
      while (line.starts_with("|")) line = trimmed(line.substr(1));  // the mark, which prints anew
      if (i > *start || !first) doc += "\n";
      doc += line;
    }
  }
  return doc;
}

// The reference is valid until the next report; flush() sends the last one.
Diagnostic& Builder::report(Span span, std::string code, std::string message, std::string label,
                            std::string help) {
  flush();
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.span = span;
  diagnostic.label = std::move(label);
  if (!help.empty()) diagnostic.help.push_back(std::move(help));
  pending_ = std::move(diagnostic);
  return *pending_;
}

void Builder::flush() {
  if (pending_.has_value()) out_.add(std::move(*pending_));
  pending_.reset();
}

}  // namespace dvm::parse
