// Editing is libedit's, through the interface it shares with readline.
#include "backend/driver/line_reader.hpp"

#include <editline/readline.h>

#include <cstdlib>
#include <cstring>
#include <istream>
#include <ostream>

#include "backend/driver/files.hpp"

namespace dvm::driver {

namespace {

constexpr int history_length = 2000;

std::string history_file() {
  const auto environment = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  std::string folder = environment("XDG_STATE_HOME");
  if (folder.empty() && !environment("HOME").empty())
    folder = environment("HOME") + "/.local/state";
  if (folder.empty()) return "";
  folder += "/dvmc";
  return make_folders(folder) ? "" : folder + "/repl_history";
}

class PipeReader : public LineReader {
 public:
  explicit PipeReader(std::istream& in) : in_(in) {}
  Line read(const std::string&) override {
    std::string text;
    if (!std::getline(in_, text)) return {};
    if (text.ends_with('\r')) text.pop_back();
    return {Line::Kind::Text, std::move(text)};
  }

 private:
  std::istream& in_;
};

// libedit calls back without a place for data of ours, so what it asks for stands here.
const Completion* asked_completion = nullptr;
std::vector<std::string> found_words;

std::size_t next_word = 0;

char* next_found(const char*, int state) {
  next_word = state == 0 ? 0 : next_word + 1;
  // It is given to libedit, which frees it.
  return next_word < found_words.size() ? strdup(found_words[next_word].c_str()) : nullptr;
}

char** complete(const char* word, int start, int) {
  const std::string line(rl_line_buffer, static_cast<std::size_t>(start));
  found_words = (*asked_completion)(line, word);
  rl_attempted_completion_over = 1;  // never names of files where we know none
  return found_words.empty() ? nullptr : rl_completion_matches(word, next_found);
}

class TerminalReader : public LineReader {
 public:
  TerminalReader(const Console& console, Completion completion)
      : console_(console), completion_(std::move(completion)), file_(history_file()) {
    asked_completion = &completion_;
    rl_readline_name = "dvmc";
    rl_attempted_completion_function = complete;
    rl_basic_word_break_characters = " \t\n\"\\`@$><=;|&{([,+-*/!^%?~";
    rl_initialize();
    using_history();
    stifle_history(history_length);
    if (!file_.empty()) read_history(file_.c_str());
  }
  ~TerminalReader() override {
    if (!file_.empty()) write_history(file_.c_str());
    asked_completion = nullptr;
  }

  Line read(const std::string& prompt) override {
    console_.out.flush();
    console_.err.flush();
    char* read = readline(prompt.c_str());
    if (console_.cancelled()) {
      std::free(read);
      console_.out << "^C\n";
      return {Line::Kind::Interrupted};
    }
    if (read == nullptr) return {};
    std::string text = read;
    std::free(read);
    if (text.find_first_not_of(" \t") != std::string::npos) add_history(text.c_str());
    return {Line::Kind::Text, std::move(text)};
  }

 private:
  const Console& console_;
  Completion completion_;
  std::string file_;
};

}  // namespace

std::unique_ptr<LineReader> make_line_reader(const Console& console, Completion completion) {
  if (console.interactive) return std::make_unique<TerminalReader>(console, std::move(completion));
  return std::make_unique<PipeReader>(console.in);
}

}  // namespace dvm::driver
