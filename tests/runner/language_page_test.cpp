// Holds docs/language.md and the tests together: every statement of sections 1 to 7 is quoted by a
// test, or stands in tests/language/no_test.txt with the reason why it needs none, or in
// tests/language/awaiting.txt with what is missing; and nothing quotes a statement that is gone.
// A quote is a comment line of a test: `-- language 4: Integers wrap.`; one that ends in ` …` names
// the only statement that begins so. Usage: language_page_test [--list] ROOT
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Statement {
  int section;
  std::string text;
  bool quoted = false, excused = false, awaiting = false;
};
struct Quote {
  std::string where;
  int section;
  std::string text;
};

std::string trimmed(const std::string& text) {
  std::string out;  // runs of blanks are one
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!blank) out += c;
    if (blank && !out.empty() && out.back() != ' ') out += ' ';
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// Ends of sentences and semicolons, outside of code and parentheses. Statements that are wholly
// bold are labels of what follows.
class Splitter {
 public:
  explicit Splitter(const std::string& text) : text_(text) {}

  std::vector<std::string> split() {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '`') skip_code();
      if (at_ >= text_.size()) break;
      const char c = text_[at_];
      if (c == '(') ++depth_;
      if (c == ')') --depth_;
      const bool last_inside = depth_ == 1 && starts_with_parenthesis() && ends_inside();
      if (((depth_ <= 0 && ends_here(c)) || last_inside)) {
        if (last_inside) ++at_, depth_ = 0;
        take(at_ + 1);
      }
    }
    take(text_.size());
    return std::move(statements_);
  }

 private:
  void skip_code() {
    std::size_t ticks = 0;
    while (at_ + ticks < text_.size() && text_[at_ + ticks] == '`') ++ticks;
    const std::size_t end = text_.find(std::string(ticks, '`'), at_ + ticks);
    at_ = end == std::string::npos ? text_.size() : end + ticks;
    if (at_ < text_.size() && text_[at_] == '`') skip_code();
  }
  bool blank_after(std::size_t at) const { return at + 1 >= text_.size() || text_[at + 1] == ' '; }
  bool ends_here(char c) const {
    if (c == ';') return blank_after(at_);
    if (c != '.' && c != '?') return false;
    if (text_.compare(at_ + 1, 2, "**") == 0) return true;
    if (!blank_after(at_)) return false;
    if (at_ + 2 >= text_.size()) return true;
    const unsigned char next = static_cast<unsigned char>(text_[at_ + 2]);
    return std::isupper(next) != 0 || next == '`' || next == '*' || next == '(';
  }
  bool starts_with_parenthesis() const { return trimmed(text_.substr(begin_)).starts_with('('); }
  bool ends_inside() const { return text_.compare(at_, 2, ".)") == 0 && blank_after(at_ + 1); }

  void take(std::size_t end) {
    std::string piece = text_.substr(begin_, end - begin_);
    if (text_.compare(end, 2, "**") == 0) {
      piece += "**";
      end += 2;
      at_ += 2;
    }
    begin_ = end;
    piece = trimmed(piece);
    const bool label =
        piece.size() > 4 && piece.starts_with("**") && piece.find("**", 2) == piece.size() - 2;
    std::string plain;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      if (piece.compare(i, 2, "**") == 0 && piece.find('`') > i)
        ++i;
      else
        plain += piece[i];
    }
    if (plain.ends_with(';')) plain.pop_back();
    if (!label && !plain.empty()) statements_.push_back(plain);
  }

  const std::string& text_;
  std::size_t begin_ = 0, at_ = 0;
  int depth_ = 0;
  std::vector<std::string> statements_;
};

// Several signatures on a line stand apart by two blanks.
std::vector<std::string> signatures_of(const std::string& line) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t at = 0; at + 1 < line.size(); ++at) {
    if (line.compare(at, 2, "  ") != 0) continue;
    std::size_t name = at;
    while (name < line.size() && line[name] == ' ') ++name;
    std::size_t end = name;
    while (end < line.size() &&
           (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '\'' ||
            line[end] == ',' || (line[end] == ' ' && line[end - 1] == ',')))
      ++end;
    if (end > name && line.compare(end, 4, " :: ") == 0) {
      parts.push_back(trimmed(line.substr(begin, at - begin)));
      begin = name;
    }
    at = name - 1;
  }
  parts.push_back(trimmed(line.substr(begin)));
  std::erase(parts, "");
  return parts;
}

class Page {
 public:
  explicit Page(const fs::path& path) {
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) read(line);
    flush();
  }
  std::vector<Statement> statements;

 private:
  void read(const std::string& line) {
    if (line.starts_with("```")) {
      flush();
      code_ = !code_;
      return;
    }
    if (code_) {
      // Comments that only name a group of functions say nothing.
      const bool heading = line.starts_with("--") && line.find_first_of(":(") == std::string::npos;
      if (section_ != 5 || heading) return;
      for (const std::string& signature : signatures_of(line)) add(signature);
      return;
    }
    if (line.starts_with("## ")) {
      flush();
      section_ = std::isdigit(static_cast<unsigned char>(line[3])) != 0 ? line[3] - '0' : 0;
      return;
    }
    if (line.starts_with("|")) return read_row(line);
    if (line.empty() || line.starts_with("- ")) flush();
    paragraph_ += ' ' + (line.starts_with("- ") ? line.substr(2) : line);
  }

  // Cells but the first, which names the row; `\|` is a bar.
  void read_row(const std::string& line) {
    std::vector<std::string> cells(1);
    for (std::size_t i = 1; i < line.size(); ++i) {
      if (line.compare(i, 2, "\\|") == 0) {
        cells.back() += '|';
        ++i;
      } else if (line[i] == '|') {
        cells.emplace_back();
      } else {
        cells.back() += line[i];
      }
    }
    for (std::size_t i = 1; i < cells.size(); ++i) {
      if (cells[i].find_first_not_of("- ") == std::string::npos) continue;
      for (const std::string& text : Splitter(cells[i]).split())
        add(trimmed(cells[0]) + ": " + text);
    }
  }

  void flush() {
    paragraph_ = trimmed(paragraph_);
    for (const std::string& text : Splitter(paragraph_).split()) add(text);
    paragraph_.clear();
  }
  void add(const std::string& text) {
    if (section_ >= 1 && section_ <= 7 && !text.empty()) statements.push_back({section_, text});
  }

  int section_ = 0;
  bool code_ = false;
  std::string paragraph_;
};

// `4: text` after the mark, in a comment or a list.
void read_quote(const std::string& where, const std::string& rest, std::vector<Quote>& quotes) {
  if (rest.size() < 4 || std::isdigit(static_cast<unsigned char>(rest[0])) == 0 || rest[1] != ':')
    return;
  quotes.push_back({where, rest[0] - '0', trimmed(rest.substr(2))});
}

std::vector<Quote> quotes_of_tests(const fs::path& root) {
  std::vector<Quote> quotes;
  for (const auto& entry : fs::recursive_directory_iterator(root / "tests")) {
    const bool build = entry.path().filename() == "CMakeLists.txt";
    const std::string kind = build ? "" : entry.path().extension().string();
    if (!entry.is_regular_file() ||
        (kind != ".dvm" && kind != ".cpp" && kind != ".dvg" && !kind.empty()))
      continue;
    std::ifstream in(entry.path());
    int number = 0;
    for (std::string line;
         std::getline(in, line) && line.find("---- expect") == std::string::npos;) {
      ++number;
      const std::string mark = kind == ".dvm" ? "-- " : kind.empty() ? "# " : "// ";
      const std::string text = line.substr(std::min(line.size(), line.find_first_not_of(' ')));
      if (text.starts_with(mark + "language "))
        read_quote(fs::relative(entry.path(), root).string() + ":" + std::to_string(number),
                   text.substr(mark.size() + 9), quotes);
    }
  }
  return quotes;
}

// Lists: `4: statement`, below it the reason, indented.
std::vector<Quote> quotes_of_list(const fs::path& root, const std::string& name, int& problems) {
  std::vector<Quote> quotes;
  std::ifstream in(root / "tests/language" / name);
  int number = 0;
  bool reason_due = false;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::string where = "tests/language/" + name + ":" + std::to_string(number);
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with("  ")) {
      reason_due = false;
      continue;
    }
    if (reason_due)
      std::printf("%s: the statement above has no reason\n", where.c_str()), ++problems;
    read_quote(where, line, quotes);
    reason_due = true;
  }
  return quotes;
}

// Marks what each quote names; gives the number of quotes that name nothing.
int mark(std::vector<Statement>& statements, const std::vector<Quote>& quotes,
         bool Statement::* flag) {
  int problems = 0;
  const std::string open = " …";
  for (const Quote& quote : quotes) {
    const bool prefix = quote.text.ends_with(open);
    const std::string text = quote.text.substr(0, quote.text.size() - (prefix ? open.size() : 0));
    int found = 0;
    for (Statement& statement : statements) {
      if (statement.section != quote.section) continue;
      if (prefix ? !statement.text.starts_with(text) : statement.text != text) continue;
      statement.*flag = true;
      ++found;
    }
    // The same words may stand twice on the page, but an abbreviation has to be clear.
    if (found > 0 && (found == 1 || !prefix)) continue;
    std::printf("%s: %s of section %d of docs/language.md: %s\n", quote.where.c_str(),
                found == 0 ? "is no statement" : "begins several statements", quote.section,
                quote.text.c_str());
    ++problems;
  }
  return problems;
}

}  // namespace

int main(int count, char** words) {
  const bool list = count == 3 && std::string(words[1]) == "--list";
  if (count != 2 && !list) return 2;
  const fs::path root = words[count - 1];
  Page page(root / "docs/language.md");
  int problems = 0;
  problems += mark(page.statements, quotes_of_tests(root), &Statement::quoted);
  problems +=
      mark(page.statements, quotes_of_list(root, "no_test.txt", problems), &Statement::excused);
  problems +=
      mark(page.statements, quotes_of_list(root, "awaiting.txt", problems), &Statement::awaiting);
  std::size_t tested = 0, excused = 0, awaiting = 0;
  for (const Statement& statement : page.statements) {
    tested += statement.quoted;
    excused += statement.excused;
    awaiting += statement.awaiting;
    const bool missing = !statement.quoted && !statement.excused && !statement.awaiting;
    if (list) {
      std::printf("%c %d: %s\n",
                  statement.quoted ? '+'
                  : missing        ? '-'
                                   : '.',
                  statement.section, statement.text.c_str());
    } else if (missing) {
      std::printf("no test quotes: language %d: %s\n", statement.section, statement.text.c_str());
      ++problems;
    }
  }
  std::printf(
      "%zu statements, %zu tested, %zu need no test, %zu await what is missing, %d problems\n",
      page.statements.size(), tested, excused, awaiting, problems);
  return problems == 0 && !page.statements.empty() ? 0 : 1;
}
