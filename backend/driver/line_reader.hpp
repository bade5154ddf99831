// Lines from a person at a terminal, with editing, history and completion, or from a pipe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/driver/console.hpp"

namespace dvm::driver {

struct Line {
  enum class Kind { Text, Interrupted, End };
  Kind kind = Kind::End;
  std::string text = {};
};

class LineReader {
 public:
  virtual ~LineReader() = default;
  // Without the line end.
  virtual Line read(const std::string& prompt) = 0;
};

// Words that may stand at the cursor: all that start with `word`, which begins the line or not.
using Completion = std::function<std::vector<std::string>(const std::string& line_before,
                                                          const std::string& word)>;

// A terminal gets a prompt and a history that is kept in $XDG_STATE_HOME/dvmc; there may be only
// one such reader at a time. A pipe gets no prompt.
std::unique_ptr<LineReader> make_line_reader(const Console& console, Completion completion);

}  // namespace dvm::driver
