// Modules out of what is typed, and messages back in its terms.
#include "backend/driver/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "backend/driver/declared_names.hpp"
#include "backend/driver/front.hpp"

namespace dvm::driver {

namespace {

// Definitions and expressions are told apart by trying; this only chooses whose errors are shown
// when both fail.
bool looks_like_definition(const std::string& text) {
  static const std::regex keyword(R"(^\s*(import|data|newtype|type|class|instance|infix[lr]?)\b)");
  static const std::regex equals(R"((^|[^=<>!/+*&|.:^$%~?#@\\-])=($|[^=<>!/+*&|.:^$%~?#@\\-]))");
  return std::regex_search(text, keyword) || std::regex_search(text, equals);
}

// `let` before definitions is taken away, and the same from the start of the lines below.
std::string without_let(const std::string& text) {
  static const std::regex let(R"(^\s*let\s+)");
  std::smatch match;
  if (!std::regex_search(text, match, let)) return text;
  const auto margin = static_cast<std::size_t>(match.length());
  std::string result = text.substr(margin);
  const std::string indented = "\n" + std::string(margin, ' ');
  for (std::size_t at = result.find(indented); at != std::string::npos;
       at = result.find(indented, at + 1)) {
    result.erase(at + 1, margin);
  }
  return result;
}

// Lines from column 1 on, whatever the first one's indentation is.
std::string without_indentation(std::string text) {
  const std::size_t margin = std::min(text.find_first_not_of(' '), text.size());
  if (margin == 0) return text;
  text.insert(0, "\n");
  const std::string indented = "\n" + std::string(margin, ' ');
  for (std::size_t at = text.find(indented); at != std::string::npos;
       at = text.find(indented, at + 1)) {
    text.erase(at + 1, margin);
  }
  return text.substr(1);
}

std::uint32_t line_count(std::string_view text) {
  return static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

std::string PromptModule::whole() const {
  std::string result = header + margin;
  for (const char c : text) {
    result += c;
    if (c == '\n') result += margin;
  }
  return result + "\n";
}

std::string Session::header(const std::string& module,
                            const std::vector<std::string>& defines) const {
  std::vector<std::string> hidden = defines, lines;
  for (auto prompt = prompts_.rbegin(); prompt != prompts_.rend(); ++prompt) {
    lines.push_back(import_line(prompt->name, hidden));
    hidden.insert(hidden.end(), prompt->defines.begin(), prompt->defines.end());
  }
  for (auto import = imports_.rbegin(); import != imports_.rend(); ++import)
    lines.push_back(import_line(*import, hidden));
  if (!loaded_name_.empty()) lines.push_back(import_line(loaded_name_, hidden));
  std::string text = "module " + module + " where\n";
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) text += *line;
  return text;
}

PromptModule Session::prompt_module(const std::string& text, const std::string& first_line,
                                    const std::string& margin) const {
  PromptModule module;
  module.name = fmt::format("Prompt{}", count_ + 1);
  module.path = fmt::format("<prompt {}>", count_ + 1);
  module.text = text;
  module.header = header(module.name, {}) + first_line;
  module.margin = margin;
  return module;
}

std::unique_ptr<Checked> Session::parse(const PromptModule& module) const {
  auto checked = std::make_unique<Checked>(options_);
  checked->path = module.path;
  auto& given = checked->compilation.given_modules;
  if (!loaded_name_.empty()) given[loaded_name_] = loaded_;
  for (const PromptModule& prompt : prompts_) given[prompt.name] = {prompt.path, prompt.whole()};
  checked->syntax = parse_program(checked->compilation, module.path, module.whole());
  last_ = module;
  return checked;
}

void Session::check(Checked& checked) const {
  if (checked.syntax) checked.typed = check_types(checked.compilation, *checked.syntax);
  if (!checked.typed) return;
  const ast::Module& module = checked.syntax->modules.back();
  for (const ast::DeclId id : module.decls) {
    const auto* function = std::get_if<ast::FunctionDecl>(&checked.syntax->arena.decls[id].node);
    if (function != nullptr && function->name.text == "it")
      checked.it = checked.typed->decl_bindings[id];
  }
}

std::unique_ptr<Checked> Session::expression(const std::string& text, bool general,
                                             const std::string& module) const {
  const std::string import = module.empty() ? "" : "import " + module + " ()\n";
  auto checked = parse(prompt_module(text, import + (general ? "it () =\n" : "it =\n"), " "));
  check(*checked);
  return checked;
}

std::unique_ptr<Checked> Session::everything() const {
  auto checked = parse(prompt_module("", "", ""));
  check(*checked);
  return checked;
}

std::unique_ptr<Checked> Session::define(const std::string& text) {
  PromptModule module = prompt_module(without_indentation(without_let(text)), "", "");
  auto checked = parse(module);
  if (!checked->syntax) return checked;
  module.defines = declared_names(checked->syntax->modules.back(), checked->syntax->arena);
  module.header = header(module.name, module.defines);
  checked = parse(module);
  check(*checked);
  if (!checked->typed) return checked;
  checked->it.reset();
  const ast::Module& parsed = checked->syntax->modules.back();
  // The first imports are those of the header.
  const std::size_t own = line_count(module.header) - 1;
  for (std::size_t i = own; i < parsed.imports.size(); ++i) {
    if (parsed.imports[i].module != "Prelude" || parsed.imports[i].span.valid())
      imports_.push_back(parsed.imports[i]);
  }
  ++count_;
  if (!parsed.decls.empty()) prompts_.push_back(std::move(module));
  remember_names(*everything());
  return checked;
}

std::unique_ptr<Checked> Session::enter(const std::string& text) {
  auto as_expression = parse(prompt_module(text, "it =\n", " "));
  if (as_expression->syntax) {
    check(*as_expression);
    return as_expression;
  }
  const std::optional<PromptModule> expression_module = last_;
  auto as_definition = define(text);
  if (as_definition->syntax || looks_like_definition(text)) return as_definition;
  last_ = expression_module;
  return as_expression;
}

std::unique_ptr<Checked> Session::load(const std::string& path) {
  auto checked = std::make_unique<Checked>(options_);
  checked->path = path;
  auto text = read_program(checked->compilation, path);
  if (!text) return checked;
  checked->syntax = parse_program(checked->compilation, path, *text);
  check(*checked);
  checked->it.reset();
  if (!checked->typed) return checked;
  loaded_name_ = checked->syntax->modules.back().name;
  loaded_ = {path, *std::move(text)};
  imports_.clear();
  prompts_.clear();
  remember_names(*everything());
  return checked;
}

std::vector<std::string> Session::modules() const {
  std::vector<std::string> names;
  if (!loaded_name_.empty()) names.push_back(loaded_name_);
  for (const PromptModule& prompt : prompts_) names.push_back(prompt.name);
  return names;
}

void Session::remember_names(const Checked& checked) {
  if (!checked.syntax) return;
  names_.clear();
  for (const ast::Module& module : checked.syntax->modules) {
    const auto names = declared_names(module, checked.syntax->arena);
    names_.insert(names_.end(), names.begin(), names.end());
    // A built-in function is a signature alone.
    for (const ast::DeclId id : module.decls) {
      const auto* signature = std::get_if<ast::Signature>(&checked.syntax->arena.decls[id].node);
      if (signature == nullptr) continue;
      for (const ast::Name& name : signature->names) names_.push_back(name.text);
    }
  }
  std::sort(names_.begin(), names_.end());
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
}

const PromptModule* Session::find(std::string_view path) const {
  if (last_ && last_->path == path) return &*last_;
  for (const PromptModule& prompt : prompts_) {
    if (prompt.path == path) return &prompt;
  }
  return nullptr;
}

// Bytes of the whole text to bytes of what the user wrote.
Span Session::shown(const Checked& checked, Span span) const {
  if (!checked.compilation.sources.has(span)) return span;
  const PromptModule* module = find(checked.compilation.sources.file(span.file).path);
  if (module == nullptr) return span;
  const std::string whole = module->whole();
  const auto place = [&](std::uint32_t offset) -> std::uint32_t {
    const auto header = static_cast<std::uint32_t>(module->header.size());
    if (offset <= header) return 0;
    offset = std::min(offset, static_cast<std::uint32_t>(whole.size()));
    const std::string_view before = std::string_view(whole).substr(header, offset - header);
    const auto margins =
        (line_count(before) + 1) * static_cast<std::uint32_t>(module->margin.size());
    const auto size = static_cast<std::uint32_t>(before.size());
    return std::min(size > margins ? size - margins : 0,
                    static_cast<std::uint32_t>(module->text.size()));
  };
  return {span.file, place(span.begin), place(span.end)};
}

int Session::report(const Checked& checked, const Options& options, const Console& console) const {
  const SourceMap& sources = checked.compilation.sources;
  SourceMap written;
  for (std::uint32_t i = 0; i < sources.size(); ++i) {
    const SourceFile& file = sources.file(FileId{i});
    const PromptModule* module = find(file.path);
    written.add(file.path, module != nullptr ? module->text : file.text);
  }
  Diagnostics messages;
  for (Diagnostic message : checked.compilation.diagnostics.sorted()) {
    const bool fresh =
        sources.has(message.span) && sources.file(message.span.file).path == checked.path;
    if (message.severity == Severity::Warning && !fresh) continue;
    message.span = shown(checked, message.span);
    for (Label& label : message.others) label.span = shown(checked, label.span);
    messages.add(std::move(message));
  }
  for (const std::string& text : checked.compilation.reports) console.err << text;
  const int status = driver::report(messages, written, options, console);
  const auto& problem = checked.compilation.problem;
  return problem ? driver::report(*problem, options, console) : status;
}

std::string Session::as_typed(std::string text) const {
  static const std::regex place(R"((<prompt \d+>):(\d+):(\d+))");
  std::string result;
  auto rest = text.cbegin();
  std::smatch match;
  while (std::regex_search(rest, text.cend(), match, place)) {
    result.append(rest, match[0].first);
    const PromptModule* module = find(match[1].str());
    auto line = std::stoul(match[2].str());
    auto column = std::stoul(match[3].str());
    if (module != nullptr) {
      line -= std::min<std::size_t>(line - 1, line_count(module->header));
      column -= std::min(column - 1, module->margin.size());
    }
    result += fmt::format("{}:{}:{}", match[1].str(), line, column);
    rest = match[0].second;
  }
  return result.append(rest, text.cend());
}

int Session::report(RunFailure failure, const Options& options, const Console& console) const {
  failure.place = as_typed(std::move(failure.place));
  for (std::string& call : failure.path) call = as_typed(std::move(call));
  return driver::report(failure, options, console);
}

}  // namespace dvm::driver
