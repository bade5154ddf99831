// What a parser expects, in the words of the language instead of token lists.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/parse/token.hpp"

namespace dvm::parse {

// "an expression", "`)` or `,`"; "" if there is nothing short to say.
std::string expectation(const std::vector<TokenKind>& expected);

// "`case` expression" for the rule and first token of a construct; "" for rules without a name of
// their own.
std::string construct_name(std::string_view rule, TokenKind first);

// Whether an expression, pattern or type can start with it.
bool starts_operand(TokenKind kind);

// At most 40 bytes of source, for a message.
std::string shorten(std::string_view text);

}  // namespace dvm::parse
