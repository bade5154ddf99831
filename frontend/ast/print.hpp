// Syntax back to source. `dvmc dump --after=ast` and `dvmc fmt` print through this.
#pragma once

#include <string>
#include <vector>

#include "frontend/ast/node.hpp"

namespace dvm::ast {

// parse(print(m)) == m up to places. Lines have at most 100 columns where they can. Recurses as deep as the
// program nests: call it under with_deep_stack (frontend/parse/deep_stack.hpp).
std::string print(const Program& program, const Module& module);

struct SourceComment {
  std::uint32_t begin = 0, end = 0;  // bytes
  std::uint32_t line = 1, end_line = 1;
  bool own_line = false;  // else it stands behind code
  std::string text;
};

// What the formatter keeps of the source: comments in order, and blank lines.
struct SourceLayout {
  std::vector<SourceComment> comments;
  std::vector<std::uint32_t> line_starts;
  std::uint32_t header_begin = 0;  // of `module`
};

// The same with the comments of the source instead of the declarations' doc comments.
std::string print_with_comments(const Arena& arena, const Module& module,
                                const SourceLayout& source);

}  // namespace dvm::ast
