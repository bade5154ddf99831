// Parse trees of single items, inside frontend/parse only: the generated parser's contexts show
// here.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "DvmParser.h"
#include "frontend/parse/layout.hpp"
#include "frontend/parse/syntax_error.hpp"
#include "ir/base/result.hpp"

namespace dvm::parse {

TokenKind kind_of_antlr(std::size_t antlr_type);

// Parses ranges of a laid-out file. A tree lives until the next call.
class TreeParser {
 public:
  explicit TreeParser(const LaidOut& source);
  ~TreeParser();

  Result<DvmParser::FileHeaderContext*, SyntaxError> header(Item item);
  // SLL first; if that fails, LL, whose verdict and error count.
  Result<DvmParser::TopItemContext*, SyntaxError> item(Item item);

 private:
  struct Attempt;
  template <class Context>
  Result<Context*, SyntaxError> parse(Item item, Context* (DvmParser::*rule)(), bool may_retry);

  const LaidOut& source_;
  std::unique_ptr<Attempt> attempt_;
};

}  // namespace dvm::parse
