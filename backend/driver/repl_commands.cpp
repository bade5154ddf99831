// What begins with a colon.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <ostream>

#include "backend/driver/declared_names.hpp"
#include "backend/driver/dump.hpp"
#include "backend/driver/repl.hpp"
#include "backend/driver/suggest.hpp"
#include "frontend/ast/print.hpp"
#include "frontend/check/check.hpp"

namespace dvm::driver {

namespace {

const std::vector<std::string> command_words = {":browse", ":dump",   ":help", ":info", ":load",
                                                ":quit",   ":reload", ":set",  ":type"};

// The first word, and the rest without the space between.
std::pair<std::string, std::string> split(const std::string& text) {
  const std::size_t end = std::min(text.find_first_of(" \t\n"), text.size());
  const std::size_t rest = std::min(text.find_first_not_of(" \t\n", end), text.size());
  return {text.substr(0, end), text.substr(rest)};
}

bool is_exported(const ast::Module& module, const std::string& name) {
  return !module.exports ||
         std::any_of(module.exports->begin(), module.exports->end(),
                     [&](const ast::ImportItem& item) { return item.name.text == name; });
}

// A doc comment as comment lines.
std::string comment(const std::string& doc) {
  std::string text = "-- | ";
  for (const char c : doc) {
    text += c;
    if (c == '\n') text += "-- ";
  }
  return text + "\n";
}

// The type that `it ()` has behind its arrow.
std::string general_type(const typed::Program& typed, const typed::Binding& it) {
  typed::Scheme scheme = it.scheme;
  if (const auto* arrow = std::get_if<typed::FunctionType>(&scheme.type->node))
    scheme.type = arrow->result;
  return typed::to_text(typed, scheme);
}

// The name that an expression consists of.
const typed::Use* only_name(const Checked& checked) {
  const auto& decl = checked.typed->bindings[*checked.it].decl;
  if (!decl) return nullptr;
  const auto* function = std::get_if<ast::FunctionDecl>(&checked.syntax->arena.decls[*decl].node);
  if (function == nullptr) return nullptr;
  ast::ExprId body = function->clauses.at(0).rhs.alternatives.at(0).body;
  while (const auto* paren = std::get_if<ast::Paren>(&checked.syntax->arena.exprs[body].node))
    body = paren->inner;
  const auto& use = checked.typed->uses[body];
  return use && use->binding.valid() ? &*use : nullptr;
}

}  // namespace

void Repl::command(const std::string& text) {
  const auto [typed_word, rest] = split(text);
  if (typed_word == ":?") return help();
  std::string word;  // any beginning will do; the first in the alphabet is meant
  for (const std::string& known : command_words)
    if (word.empty() && typed_word.size() > 1 && known.starts_with(typed_word)) word = known;
  const bool needs_more = word == ":type" || word == ":load" || word == ":dump" || word == ":info";
  if (needs_more && rest.empty())
    return complain("usage", fmt::format("`{}` needs something after it", word),
                    {"`:help` says what"});
  if (word == ":browse") return browse(rest);
  if (word == ":dump") return dump(rest);
  if (word == ":help") return help();
  if (word == ":info") return info(rest);
  if (word == ":load") return load(rest);
  if (word == ":set") return set(rest);
  if (word == ":type") return show_type(rest);
  if (word == ":quit") {
    done_ = true;
  } else if (word == ":reload") {
    if (session_.loaded_path().empty())
      return complain("usage", "no file is loaded", {"`:load FILE` loads one"});
    load(std::string(session_.loaded_path()));
  } else {
    const auto close = nearest(typed_word, command_words);
    complain("unknown-command",
             fmt::format("unknown command `{}`{}", typed_word,
                         close ? fmt::format(", did you mean `{}`?", *close) : ""),
             {fmt::format("commands: {}", fmt::join(command_words, ", "))});
  }
}

void Repl::help() {
  console_.out << R"(EXPRESSION             its value
DEFINITIONS            functions, values, data, type, class, instance, import; `let` may stand before them
:{  …  :}              an expression or definitions of several lines
:type EXPRESSION       its type
:info NAME             what it is, and where it is defined
:browse [MODULE]       what a module defines; without a name, all modules of the session
:load FILE             load a program, in place of all that is there
:reload                load it again
:dump STAGE [NAME]     a function, or an expression, after a stage of the compiler; without a name: main
:set engine E          local, or interpreter
:set workers N         threads to run on
:quit                  end; so does Ctrl-D. Ctrl-C ends what is being computed
)";
}

std::string Repl::type_of(const std::string& text) {
  const auto checked = session_.expression(text, true);
  if (!checked->typed || !checked->it) return "";
  return general_type(*checked->typed, checked->typed->bindings[*checked->it]);
}

void Repl::show_type(const std::string& text) {
  const auto checked = session_.expression(text, true);
  session_.report(*checked, options_, console_);
  if (!checked->typed || !checked->it) return;
  console_.out << text
               << " :: " << general_type(*checked->typed, checked->typed->bindings[*checked->it])
               << '\n';
}

void Repl::load(const std::string& path) {
  const auto checked = session_.load(path);
  session_.report(*checked, options_, console_);
  if (checked->typed)
    console_.out << fmt::format("{} is loaded: module {}\n", path, session_.loaded_module());
}

void Repl::dump(const std::string& words) {
  const auto [stage, name] = split(words);
  const bool of_text = stage == "tokens" || stage == "layout" || stage == "ast" || stage == "check";
  Compilation trial{options_.compile};
  if (!is_stage(trial, stage)) {
    driver::report(trial, options_, console_);
    return;
  }
  if (of_text && name.empty()) {
    if (session_.loaded_path().empty())
      return complain("usage", "no file is loaded", {"give an expression after the stage"});
    const auto text = driver::dump(trial, session_.loaded_path(), stage);
    driver::report(trial, options_, console_);
    if (text) console_.out << *text;
    return;
  }
  const auto checked = session_.expression(name.empty() ? "main" : name, of_text);
  if (!checked->typed || !checked->it) {
    session_.report(*checked, options_, console_);
    return;
  }
  if (of_text) {
    if (stage == "check") {
      console_.out << check::print_typed(*checked->typed, checked->compilation.sources);
    } else if (stage == "ast") {
      console_.out << ast::print(*checked->syntax, checked->syntax->modules.back());
    } else {
      complain("usage", fmt::format("the stage `{}` is for whole files", stage));
    }
    return;
  }
  // A function of the session is an entry itself; other expressions are values.
  typed::BindingId entry = *checked->it;
  if (const typed::Use* use = only_name(*checked)) {
    const typed::Binding& binding = checked->typed->bindings[use->binding];
    if (binding.kind == typed::BindingKind::Global) entry = use->binding;
  }
  const auto text = dump_entry(checked->compilation, *checked->typed, entry, stage);
  session_.report(*checked, options_, console_);
  if (text) console_.out << *text;
}

std::string Repl::place_of(const Checked& checked, Span span) const {
  const SourceMap& sources = checked.compilation.sources;
  if (!sources.has(span)) return "";
  const LineColumn place = sources.place(span.file, span.begin);
  return session_.as_typed(
      fmt::format("{}:{}:{}", sources.file(span.file).path, place.line, place.column));
}

// A type or class by its declaration.
bool Repl::type_info(const Checked& checked, const std::string& name) {
  const ast::Arena& arena = checked.syntax->arena;
  for (auto module = checked.syntax->modules.rbegin(); module != checked.syntax->modules.rend();
       ++module) {
    for (const ast::DeclId id : module->decls) {
      const ast::Decl& decl = arena.decls[id];
      const auto is = [&](const auto* node) { return node != nullptr && node->name.text == name; };
      if (!is(std::get_if<ast::DataDecl>(&decl.node)) &&
          !is(std::get_if<ast::TypeSynonym>(&decl.node)) &&
          !is(std::get_if<ast::ClassDecl>(&decl.node)))
        continue;
      if (!decl.doc.empty()) console_.out << comment(decl.doc);
      console_.out << checked.compilation.sources.text(decl.span) << '\n'
                   << "-- defined at " << place_of(checked, decl.span) << '\n';
      return true;
    }
  }
  return false;
}

void Repl::info(const std::string& name) {
  const auto everything = session_.everything();
  const bool is_type = everything->syntax && type_info(*everything, name);
  const auto checked = session_.expression(in_parentheses(name), true);
  const typed::Use* use = checked->typed && checked->it ? only_name(*checked) : nullptr;
  if (use == nullptr) {
    if (!is_type) session_.report(*checked, options_, console_);
    return;
  }
  const typed::Binding& binding = checked->typed->bindings[use->binding];
  const ast::Arena& arena = checked->syntax->arena;
  for (const auto& decl : {binding.signature, binding.decl}) {
    if (!decl || arena.decls[*decl].doc.empty()) continue;
    console_.out << comment(arena.decls[*decl].doc);
    break;
  }
  console_.out << in_parentheses(binding.name)
               << " :: " << typed::to_text(*checked->typed, binding.scheme) << '\n';
  const std::string place = place_of(*checked, binding.span);
  if (!place.empty()) console_.out << "-- defined at " << place << '\n';
}

void Repl::browse(const std::string& module) {
  const auto checked =
      module.empty() ? session_.everything() : session_.expression("()", false, module);
  session_.report(*checked, options_, console_);
  if (!checked->typed) return;
  std::vector<std::string> modules{module};
  if (module.empty()) modules = session_.modules();
  for (const ast::Module& parsed : checked->syntax->modules) {
    if (std::find(modules.begin(), modules.end(), parsed.name) == modules.end()) continue;
    for (const ast::DeclId id : parsed.decls) {
      const ast::Decl& decl = checked->syntax->arena.decls[id];
      if (std::holds_alternative<ast::DataDecl>(decl.node) ||
          std::holds_alternative<ast::TypeSynonym>(decl.node) ||
          std::holds_alternative<ast::ClassDecl>(decl.node))
        console_.out << checked->compilation.sources.text(decl.span) << '\n';
    }
    for (const typed::Binding& binding : checked->typed->bindings) {
      const bool global =
          binding.kind == typed::BindingKind::Global || binding.kind == typed::BindingKind::Builtin;
      if (global && binding.module == parsed.name && is_exported(parsed, binding.name))
        console_.out << in_parentheses(binding.name)
                     << " :: " << typed::to_text(*checked->typed, binding.scheme) << '\n';
    }
  }
}

void Repl::set(const std::string& words) {
  const auto [what, value] = split(words);
  if (what.empty()) {
    console_.out << "engine " << options_.engine << '\n'
                 << "workers "
                 << (options_.workers == 0 ? "one per core" : std::to_string(options_.workers))
                 << '\n';
  } else if (what == "engine" && (value == "local" || value == "interpreter")) {
    options_.engine = value;
  } else if (what == "workers") {
    int workers = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), workers);
    if (error != std::errc() || end != value.data() + value.size() || workers < 1 || workers > 4096)
      return complain("usage", "`:set workers` needs a number from 1 to 4096");
    options_.workers = workers;
    engine_.reset();
  } else {
    complain("usage", fmt::format("`:set {}` is not known", words),
             {"`:set engine local`, `:set engine interpreter`, `:set workers N`"});
  }
}

std::vector<std::string> Repl::completions(const std::string& before,
                                           const std::string& word) const {
  std::vector<std::string> candidates = session_.names();
  if (before.find_first_not_of(" \t") == std::string::npos && word.starts_with(':')) {
    candidates = command_words;
  } else if (before.starts_with(":dump ") &&
             before.find_first_not_of(' ', 6) == std::string::npos) {
    candidates = stage_names();
  } else if (before.starts_with(":set ")) {
    candidates = {"engine", "interpreter", "local", "workers"};
  }
  std::erase_if(candidates, [&](const std::string& name) { return !name.starts_with(word); });
  return candidates;
}

}  // namespace dvm::driver
