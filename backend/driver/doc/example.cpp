// Everything goes by lines: a comment is replaced by code of the same columns.
#include "backend/driver/doc/example.hpp"

#include <fmt/format.h>

namespace dvm::driver {

namespace {

constexpr std::string_view prompt = ">>>";

// The text behind the prompt, where the line has one.
std::optional<parse::DocLine> code_of(const parse::DocLine& line) {
  if (!line.text.starts_with(prompt)) return std::nullopt;
  std::size_t at = prompt.size();
  if (at < line.text.size() && line.text[at] == ' ') ++at;
  return parse::DocLine{line.line, line.column + static_cast<std::uint32_t>(at),
                        line.text.substr(at)};
}

// The span of a line's text.
Span span_of(const parse::DocLine& line, FileId file, const SourceMap& sources) {
  const std::uint32_t begin = sources.file(file).line_starts.at(line.line - 1) + line.column;
  return {file, begin, begin + static_cast<std::uint32_t>(line.text.size())};
}

std::optional<std::string> fault_of(const parse::DocComment& comment, const Example& example,
                                    bool above_header) {
  if (above_header) return "an example belongs to a declaration, not to the module";
  if (comment.block) return "an example stands in `--` lines, not in a block comment";
  if (!comment.at_margin) return "an example belongs to the comment of a top-level declaration";
  if (example.code.front().line == comment.first_line())
    return "an example starts on a line of its own, below the description";
  if (example.expected.empty()) return "an example has its value on the line below";
  return std::nullopt;
}

void append_groups(std::string& text, std::span<const std::size_t> numbers, std::size_t first,
                   std::size_t last) {
  if (last - first == 1) return;
  const std::size_t middle = (first + last) / 2;
  append_groups(text, numbers, first, middle);
  append_groups(text, numbers, middle, last);
  const auto name = [&](std::size_t from, std::size_t to) {
    return to - from == 1 ? example_name(numbers[from]) : group_name(from, to);
  };
  text +=
      fmt::format("{} = ({}, {})\n", name(first, last), name(first, middle), name(middle, last));
}

}  // namespace

std::string Example::expected_text() const {
  std::string text;
  for (const std::string& line : expected) text += (text.empty() ? "" : " ") + line;
  return text;
}

std::vector<Example> examples_of(const parse::DocComment& comment) {
  std::vector<Example> examples;
  enum class Part { Prose, Code, Value } part = Part::Prose;
  for (const parse::DocLine& line : comment.lines) {
    if (auto code = code_of(line)) {
      if (part != Part::Code) examples.emplace_back();
      examples.back().expected_line = code->line;
      examples.back().code.push_back(*std::move(code));
      part = Part::Code;
    } else if (part == Part::Prose || line.text.empty()) {
      part = Part::Prose;
    } else {
      if (part == Part::Code) examples.back().expected_line = line.line;
      examples.back().expected.push_back(line.text);
      part = Part::Value;
    }
  }
  return examples;
}

std::vector<Example> testable_examples(const parse::DocComments& comments, FileId file,
                                       const SourceMap& sources, Diagnostics& out) {
  std::vector<Example> result;
  for (const parse::DocComment& comment : comments.comments) {
    const bool last = comment.last_line() >= sources.file(file).line_starts.size();
    const bool above_header =
        !last && sources.line_text(file, comment.last_line() + 1).starts_with("module ");
    for (Example& example : examples_of(comment)) {
      const auto fault = fault_of(comment, example, above_header);
      if (!fault) {
        result.push_back(std::move(example));
        continue;
      }
      Diagnostic diagnostic;
      diagnostic.code = "doc-example";
      diagnostic.message = *fault;
      diagnostic.span = span_of(example.code.front(), file, sources);
      out.add(std::move(diagnostic));
    }
  }
  return result;
}

std::string example_name(std::size_t number) { return fmt::format("example'{}", number); }

std::string group_name(std::size_t first, std::size_t last) {
  return fmt::format("examples'{}'{}", first, last);
}

std::string with_examples(const std::string& text, std::span<const Example> examples,
                          std::span<const std::size_t> numbers, std::size_t grouped) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  for (const std::size_t number : numbers) {
    const Example& example = examples[number];
    lines.at(example.code.front().line - 2) = example_name(number) + " =";
    for (const parse::DocLine& line : example.code)
      lines.at(line.line - 1) = std::string(line.column, ' ') + line.text;
  }
  std::string result;
  for (const std::string& line : lines) result += line + '\n';
  if (grouped > 0) append_groups(result, numbers, 0, grouped);
  return result;
}

}  // namespace dvm::driver
