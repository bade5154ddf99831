// Token sets as concepts.
#include "frontend/parse/expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace dvm::parse {
namespace {

using Kind = TokenKind;

// Tokens that only carry on with what is already complete: worth saying when nothing else is
// expected.
bool only_continues(Kind kind) {
  switch (kind) {
    case Kind::LBrace:
    case Kind::At:
    case Kind::DColon:
    case Kind::Where:
    case Kind::Bar:
    case Kind::VSemi:
    case Kind::VClose:
    case Kind::Semi:
    case Kind::End:
    case Kind::VOpen:
      return true;
    default:
      return false;
  }
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace

bool starts_operand(Kind kind) {
  switch (kind) {
    case Kind::VarId:
    case Kind::ConId:
    case Kind::QVarId:
    case Kind::QConId:
    case Kind::As:
    case Kind::Hiding:
    case Kind::Qualified:
    case Kind::Forall:
    case Kind::LParen:
    case Kind::LBracket:
    case Kind::Integer:
    case Kind::Float:
    case Kind::String:
    case Kind::Character:
    case Kind::Underscore:
    case Kind::UnknownSize:
    case Kind::Lambda:
    case Kind::Let:
    case Kind::If:
    case Kind::Case:
    case Kind::Tilde:
    case Kind::PrefixBang:
      return true;
    default:
      return false;
  }
}

std::string expectation(const std::vector<TokenKind>& expected) {
  std::set<Kind> left(expected.begin(), expected.end());
  auto has = [&](Kind kind) { return left.contains(kind); };
  std::vector<std::string> words;
  std::string argument;
  const bool operators = has(Kind::VarSym);
  if (has(Kind::Lambda)) {
    words.push_back("an expression");
  } else if (has(Kind::Tilde)) {
    (operators ? argument : words.emplace_back()) = "a pattern";
  } else if (has(Kind::UnknownSize)) {
    (operators ? argument : words.emplace_back()) = "a type";
  } else if (has(Kind::String)) {
    argument = "an argument";
  } else if (has(Kind::VarId) && has(Kind::ConId)) {
    words.push_back("a name");
  } else if (has(Kind::VarId)) {
    words.push_back("a name");
  } else if (has(Kind::ConId)) {
    words.push_back("a name that starts with a capital letter");
  }
  if (!words.empty() || !argument.empty()) std::erase_if(left, starts_operand);
  std::erase_if(left, [](Kind kind) { return is_operator(kind); });
  std::vector<std::string> continuations;
  for (const Kind kind : left) {
    if (only_continues(kind)) {
      if (!spelling(kind).empty()) continuations.push_back(fmt::format("`{}`", spelling(kind)));
      continue;
    }
    words.push_back(spelling(kind).empty() ? fmt::format("a {}", describe(kind))
                                           : fmt::format("`{}`", spelling(kind)));
  }
  if (words.empty() && operators) words.push_back("an operator");
  if (words.empty()) words = continuations;
  if (words.size() > 4) return "";
  return listed(words);
}

std::string construct_name(std::string_view rule, TokenKind first) {
  if (rule == "operand") {
    if (first == Kind::If || first == Kind::Case || first == Kind::Let)
      return fmt::format("`{}` expression", spelling(first));
    return first == Kind::Lambda ? "lambda" : "";
  }
  if (rule == "primary" || rule == "atomPattern" || rule == "atype") {
    if (first == Kind::LBracket) return "bracket";
    return first == Kind::LParen ? "parenthesis" : "";
  }
  if (rule == "recordSuffix") return "record";
  if (rule == "alternative") return "alternative";
  if (rule == "importDecl") return "import";
  if (rule == "exportList") return "export list";
  if (rule == "fileHeader") return "module header";
  if (rule == "topDecl" && spelling(first) != "")
    return fmt::format("`{}` declaration", spelling(first));
  if (rule == "decl") return "definition";
  return "";
}

std::string shorten(std::string_view text) {
  if (text.size() <= 40) return std::string(text);
  std::size_t end = 37;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace dvm::parse
