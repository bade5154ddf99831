// What the prompt of `dvmc repl` has seen: a loaded file, imports, definitions.
//
// Everything that is typed becomes a module of its own which imports what came before. So a later
// definition hides an earlier one of the same name, and what was built on the earlier one stays as
// it was, as in GHCi.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/driver/compilation.hpp"
#include "backend/driver/run_failure.hpp"
#include "frontend/check/typed.hpp"

namespace dvm::driver {

// One of those modules: what the user wrote stands below lines of imports, each line behind a
// margin.
struct PromptModule {
  std::string name;
  std::string path;  // how messages call it
  std::string text;  // as the user wrote it
  std::string header;
  std::string margin;
  std::vector<std::string> defines;

  std::string whole() const;
};

// A program that was made of the session, as far as the stages before lowering went.
struct Checked {
  explicit Checked(const CompileOptions& options) : compilation{options} {}

  Compilation compilation;
  std::unique_ptr<const ast::Program> syntax;  // null: there are errors
  std::optional<typed::Program> typed;         // nothing: there are errors
  std::string path;                            // of the last module
  std::optional<typed::BindingId> it;          // the expression
};

class Session {
 public:
  // The options must outlive the session.
  explicit Session(const CompileOptions& options) : options_(options) {}

  // What was typed is an expression, else imports and definitions. Where it is neither, the errors
  // are those of what it looks like.
  std::unique_ptr<Checked> enter(const std::string& text);
  // `general`: the type of `it` is a function from () to the type that is found without defaulting.
  // `module`: is imported for this once, when it is not empty.
  std::unique_ptr<Checked> expression(const std::string& text, bool general,
                                      const std::string& module = "") const;
  // Takes the place of all that was there; on errors nothing changes.
  std::unique_ptr<Checked> load(const std::string& path);
  // The program without anything new.
  std::unique_ptr<Checked> everything() const;

  const std::string& loaded_path() const { return loaded_.path; }
  const std::string& loaded_module() const { return loaded_name_; }
  // The loaded module and those of the prompt, in order.
  std::vector<std::string> modules() const;
  // What may be written at the prompt, for completion.
  const std::vector<std::string>& names() const { return names_; }

  // Messages in terms of what the user wrote. Warnings of earlier text were shown then.
  int report(const Checked& checked, const Options& options, const Console& console) const;
  int report(RunFailure failure, const Options& options, const Console& console) const;
  // `<prompt 2>:7:4` inside a text in terms of what was typed.
  std::string as_typed(std::string text) const;

 private:
  std::string header(const std::string& module, const std::vector<std::string>& defines) const;
  PromptModule prompt_module(const std::string& text, const std::string& first_line,
                             const std::string& margin) const;
  std::unique_ptr<Checked> parse(const PromptModule& module) const;
  void check(Checked& checked) const;
  std::unique_ptr<Checked> define(const std::string& text);
  void remember_names(const Checked& checked);
  const PromptModule* find(std::string_view path) const;
  Span shown(const Checked& checked, Span span) const;

  const CompileOptions& options_;
  parse::GivenModule loaded_;
  std::string loaded_name_;                   // empty: no file is loaded
  std::vector<ast::Import> imports_;          // typed at the prompt
  std::vector<PromptModule> prompts_;         // definitions
  mutable std::optional<PromptModule> last_;  // the last one tried, for its messages
  std::size_t count_ = 0;
  std::vector<std::string> names_;
};

}  // namespace dvm::driver
