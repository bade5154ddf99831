// The prompt: what each line asks for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/driver/compile.hpp"
#include "backend/driver/session.hpp"
#include "backend/engine/engine.hpp"

namespace dvm::driver {

class Repl {
 public:
  Repl(const Options& options, const Console& console);

  // Reads until `:quit` or the end of the input. Errors are shown and the session goes on.
  int run();

 private:
  // One input: a command, or what is between `:{` and `:}`, or a line.
  void handle(const std::string& text);
  void expect_interrupt(bool for_computation) const;
  void command(const std::string& text);
  void evaluate(const std::string& text);
  void show_value(Checked& checked, const std::string& text);
  std::string type_of(const std::string& text);  // without defaulting
  std::optional<std::vector<Tensor>> compute(Checked& checked, std::vector<std::string>& names);
  std::optional<std::vector<Tensor>> interpret(Checked& checked, std::vector<std::string>& names);

  void show_type(const std::string& text);
  void load(const std::string& path);
  void dump(const std::string& words);
  void info(const std::string& name);
  bool type_info(const Checked& checked, const std::string& name);
  void browse(const std::string& module);
  void set(const std::string& words);
  void help();

  void complain(const std::string& code, const std::string& message,
                std::vector<std::string> notes = {});
  std::string place_of(const Checked& checked, Span span) const;
  std::vector<std::string> completions(const std::string& before, const std::string& word) const;

  Options options_;
  const Console& console_;
  Session session_;
  std::optional<Settings> settings_;
  std::unique_ptr<engine::Engine> engine_;
  bool done_ = false;
};

}  // namespace dvm::driver
