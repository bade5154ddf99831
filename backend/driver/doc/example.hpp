// Examples in documentation comments: `>>> expression`, below it what the value looks like.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "frontend/parse/doc_comment.hpp"
#include "ir/base/diagnostic.hpp"

namespace dvm::driver {

struct Example {
  std::vector<parse::DocLine> code;   // the lines of the expression, without `>>> `
  std::vector<std::string> expected;  // the lines below, up to an empty one or the next example
  std::uint32_t expected_line =
      0;  // the first of them, or the last line of code when there is none

  // `error: message` is expected: the example must fail, and say this.
  bool expects_error() const { return !expected.empty() && expected[0].starts_with("error:"); }
  std::string expected_text() const;  // on one line
};

// The examples of one comment, in order.
std::vector<Example> examples_of(const parse::DocComment& comment);

// The examples of a file that can be tested. What is wrong with the others goes to `out`
// (`doc-example`): no expected value, no line of its own, not at the margin, in a block comment.
std::vector<Example> testable_examples(const parse::DocComments& comments, FileId file,
                                       const SourceMap& sources, Diagnostics& out);

// The bindings that `with_examples` makes: one example, and the pairs of those at places first to
// last - 1 of its list.
std::string example_name(std::size_t number);
std::string group_name(std::size_t first, std::size_t last);

// The file with the examples of these numbers as declarations: each expression stands where it
// stood, so that places in messages are those of the file; the line above it, a comment, becomes
// `name =`. At the end the first `grouped` of them stand in nested pairs, halved again and again,
// so that many are compiled at once.
std::string with_examples(const std::string& text, std::span<const Example> examples,
                          std::span<const std::size_t> numbers, std::size_t grouped);

}  // namespace dvm::driver
