// The lexer finds the comments; here they are put together.
#include "frontend/parse/doc_comment.hpp"

#include "frontend/parse/antlr_bridge.hpp"

namespace dvm::parse {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

std::string without_trailing_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

// Where the text of `-- | text` begins when the comment has the mark, else nothing.
std::optional<std::size_t> after_mark(std::string_view comment, char mark) {
  const std::size_t dashes = comment.find_first_not_of('-');
  if (dashes == std::string_view::npos) return std::nullopt;
  const std::size_t at = skip_blanks(comment, dashes);
  if (at >= comment.size() || comment[at] != mark) return std::nullopt;
  const std::size_t text = at + 1;
  return text < comment.size() && comment[text] == ' ' ? text + 1 : text;
}

class Collector {
 public:
  Collector(const SourceMap& sources, const LexedFile& file) : sources_(sources), file_(file) {}

  DocComments run() {
    for (const Comment& comment : file_.comments) {
      if (!comment.own_line) continue;
      const std::string_view text =
          std::string_view(file_.text).substr(comment.begin, comment.end - comment.begin);
      if (text.starts_with("{-")) {
        block(comment, text);
      } else {
        line(comment, text);
      }
      last_line_ = comment.end_line;
    }
    return std::move(result_);
  }

 private:
  std::uint32_t bytes_before(const Comment& comment) const {
    const auto& starts = sources_.file(file_.file).line_starts;
    return comment.begin - starts.at(comment.line - 1);
  }

  void line(const Comment& comment, std::string_view text) {
    const std::uint32_t before = bytes_before(comment);
    const bool goes_on = open_ && comment.line == last_line_ + 1;
    if (const auto heading = after_mark(text, '*'); heading && before == 0 && !goes_on) {
      open_ = false;
      result_.headings.push_back({comment.line, without_trailing_blanks(text.substr(*heading))});
      return;
    }
    std::size_t at = text.starts_with("-- ") ? 3 : 2;
    if (const auto marked = after_mark(text, '|')) {
      at = *marked;
      open_ = true;
      result_.comments.push_back({{}, before == 0, false});
    } else if (!goes_on) {
      open_ = false;
      return;
    }
    result_.comments.back().lines.push_back({comment.line, before + static_cast<std::uint32_t>(at),
                                             without_trailing_blanks(text.substr(at))});
  }

  void block(const Comment& comment, std::string_view text) {
    open_ = false;
    std::size_t at = skip_blanks(text, 2);
    if (at >= text.size() || text[at] != '|') return;
    ++at;
    DocComment doc{{}, bytes_before(comment) == 0, true};
    std::string_view rest = text.substr(at, text.size() - at - 2);
    for (std::uint32_t number = comment.line;; ++number) {
      const std::size_t length = std::min(rest.find('\n'), rest.size());
      const std::string_view whole = rest.substr(0, length);
      const std::size_t begin = skip_blanks(whole, 0);
      doc.lines.push_back({number, static_cast<std::uint32_t>(begin),
                           without_trailing_blanks(whole.substr(begin))});
      if (length == rest.size()) break;
      rest.remove_prefix(length + 1);
    }
    result_.comments.push_back(std::move(doc));
  }

  const SourceMap& sources_;
  const LexedFile& file_;
  DocComments result_;
  bool open_ = false;  // the next line may go on with the last comment
  std::uint32_t last_line_ = 0;
};

}  // namespace

const DocComment* DocComments::above(std::uint32_t line) const {
  for (const DocComment& comment : comments)
    if (comment.last_line() + 1 == line) return &comment;
  return nullptr;
}

std::optional<std::string> DocComments::section(std::uint32_t line) const {
  std::optional<std::string> found;
  for (const Heading& heading : headings)
    if (heading.line < line) found = heading.text;
  return found;
}

std::optional<DocComments> doc_comments(const SourceMap& sources, FileId file, Diagnostics& out) {
  if (!check_utf8(sources, file, out)) return std::nullopt;
  Diagnostics ignored;
  const LexedFile lexed = lex(sources, file, ignored);
  return Collector(sources, lexed).run();
}

}  // namespace dvm::parse
