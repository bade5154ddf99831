// The commands of file tests: a library call each, giving text.
#include "tests/runner/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

#include "backend/driver/explain/explanation.hpp"
#include "backend/driver/front.hpp"
#include "backend/driver/options.hpp"
#include "frontend/ast/print.hpp"
#include "frontend/parse/parse.hpp"
#include "ir/graph/text.hpp"
#include "ir/graph/verify.hpp"
#include "passes/pipeline.hpp"
#include "passes/runner.hpp"
#include "tests/runner/run_program.hpp"

namespace dvm::test {
namespace {

// ---------------------------------------------------------------- graphs

// The graph, or the rendered errors in `messages`.
std::optional<graph::Module> read_graph(const CommandInput& input, std::string& messages) {
  SourceMap sources;
  Diagnostics diagnostics;
  const FileId file = sources.add(input.name, input.text);
  auto module = graph::parse(sources, file, diagnostics);
  messages = render_text(diagnostics, sources);
  return module;
}

std::string run_parse(const CommandInput& input) {
  std::string messages;
  const auto module = read_graph(input, messages);
  return module ? graph::print(*module) : messages;
}

std::string run_verify(const CommandInput& input) {
  std::string messages;
  const auto module = read_graph(input, messages);
  if (!module) return messages;
  for (const std::string& problem : graph::verify(*module, input.argument == "elaborated"))
    messages += problem + "\n";
  return messages;
}

std::string run_opt(const CommandInput& input) {
  std::string messages;
  auto module = read_graph(input, messages);
  if (!module) return messages;
  std::string_view rest = input.argument;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const auto changed = passes::run_pass(rest.substr(0, comma), *module);
    if (!changed) return changed.error() + "\n";
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return graph::print(*module);
}

// What the passes of `remarks fuse-maps,simplify` say.
std::string run_remarks(const CommandInput& input) {
  std::string messages;
  auto module = read_graph(input, messages);
  if (!module) return messages;
  std::vector<std::string_view> pipeline;
  std::string_view rest = input.argument;
  while (!rest.empty()) {
    pipeline.push_back(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.size(), pipeline.back().size() + 1));
  }
  passes::Remarks remarks;
  passes::RunOptions options;
  options.remarks = &remarks;
  if (const auto reports = passes::run_pipeline(pipeline, *module, options); !reports)
    return reports.error().message + "\n";
  std::string text;
  for (const passes::Remark& remark : remarks.all())
    text += fmt::format("{} {} {}: {} {} by {}: {}\n", remark.pass,
                        remark.kind == passes::Remark::Kind::Done ? "did" : "kept", remark.verdict,
                        remark.array.empty() ? "-" : remark.array, remark.type, remark.op,
                        remark.reason);
  return text;
}

// ---------------------------------------------------------------- programs

// `stdlib/Prelude.dvm:12:3` becomes `stdlib/Prelude.dvm`: a new line there is no other result.
void forget_lines(std::string& text, std::string_view folder) {
  for (std::size_t at = text.find(folder); at != std::string::npos;
       at = text.find(folder, at + 1)) {
    const std::size_t name_end = text.find_first_of(": \n", at);
    if (name_end == std::string::npos) return;
    if (!std::string_view(text).substr(0, name_end).ends_with(".dvm")) continue;
    const std::size_t begin = name_end;
    std::size_t end = begin;
    while (end + 1 < text.size() && text[end] == ':' &&
           std::isdigit(static_cast<unsigned char>(text[end + 1])) != 0) {
      ++end;
      while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    }
    text.erase(begin, end - begin);
  }
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

std::string with_messages(const driver::Compilation& compilation, const CommandInput& input,
                          const std::string& text) {
  const std::string messages = render_text(compilation.diagnostics, compilation.sources, 100);
  const std::string problem =
      compilation.problem ? "problem: " + compilation.problem->message + "\n" : "";
  const bool apart = !messages.empty() && !text.empty();
  return without_folders(problem + messages + (apart ? "\n" : "") + text, input);
}

// Everything that is said about a program, up to and with lowering where it has an entry.
std::string run_check(const CommandInput& input) {
  driver::CompileOptions options;
  driver::Compilation compilation{options};
  const auto syntax = driver::parse_program(compilation, input.path(), input.text);
  const auto typed = syntax ? driver::check_types(compilation, *syntax) : std::nullopt;
  if (typed && driver::has_entry(*typed, "main")) driver::lower_entry(compilation, *typed);
  const std::string messages = with_messages(compilation, input, "");
  return messages.empty() ? "nothing to say\n" : messages;
}

std::string run_tokens(const CommandInput& input) {
  SourceMap sources;
  Diagnostics diagnostics;
  const FileId file = sources.add(input.name, input.text);
  const std::string text = parse::dump_tokens(sources, file, diagnostics);
  return text + render_text(diagnostics, sources);
}

std::string run_layout(const CommandInput& input) {
  SourceMap sources;
  Diagnostics diagnostics;
  const FileId file = sources.add(input.name, input.text);
  const std::string text = parse::dump_layout(sources, file, diagnostics);
  return text + render_text(diagnostics, sources);
}

// `dump graph`: elaborated; `dump lowered`; `dump PASS`: the pipeline up to the last run of a pass.
std::string run_dump(const CommandInput& input) {
  driver::CompileOptions options;
  driver::Compilation compilation{options};
  const auto syntax = driver::parse_program(compilation, input.path(), input.text);
  const auto typed = syntax ? driver::check_types(compilation, *syntax) : std::nullopt;
  auto module = typed ? driver::lower_entry(compilation, *typed) : std::nullopt;
  if (!module) return with_messages(compilation, input, "");
  std::span<const std::string_view> pipeline = passes::elaboration_pipeline;
  if (input.argument == "lowered") {
    pipeline = {};
  } else if (input.argument != "graph") {
    pipeline = passes::default_pipeline;
    while (!pipeline.empty() && pipeline.back() != input.argument)
      pipeline = pipeline.first(pipeline.size() - 1);
    if (pipeline.empty()) return "there is no stage `" + input.argument + "`\n";
  }
  driver::run_passes(compilation, *module, pipeline);
  return with_messages(compilation, input, graph::print(*module));
}

// `explain [json] [n=1000 …]`.
std::string run_explain(const CommandInput& input) {
  driver::CompileOptions options;
  driver::Compilation compilation{options};
  bool json = false;
  std::vector<driver::SizeChoice> sizes;
  std::istringstream words(input.argument);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      json = word == "json";
    else
      sizes.push_back({word.substr(0, equals), std::stoll(word.substr(equals + 1))});
  }
  const auto all = driver::explain_program(compilation, input.path(), input.text, sizes);
  if (!all) return with_messages(compilation, input, "");
  return with_messages(compilation, input,
                       json ? driver::explain_as_json(*all, compilation.sources)
                            : driver::explain_as_text(*all, compilation.sources));
}

constexpr std::array commands = {
    Command{"parse", ".dvg", "prints the graph, or the errors", run_parse},
    Command{"verify", ".dvg", "prints what is not well formed; `verify elaborated` demands trees",
            run_verify},
    Command{"opt", ".dvg", "runs passes, verified before and after: `opt fuse-maps,simplify`",
            run_opt},
    Command{"remarks", ".dvg", "runs passes and prints what they say: `remarks fuse-maps`",
            run_remarks},
    Command{"check", ".dvm", "prints all errors and warnings", run_check},
    Command{"tokens", ".dvm", "prints the tokens with explicit layout", run_tokens},
    Command{"layout", ".dvm", "prints the source with explicit layout", run_layout},
    Command{"dump", ".dvm",
            "prints the graph of main: `dump lowered`, `dump graph`, `dump fuse-maps`", run_dump},
    Command{"explain", ".dvm",
            "tells what the passes made of each line's arrays: `explain [json] [n=1000]`",
            run_explain},
    Command{"run", ".dvm",
            "runs every way: `run [entry=f] xs=[1, 2] k=3`; further `-- run` lines run again",
            run_program},
};

}  // namespace

std::string without_folders(std::string text, const CommandInput& input) {
  if (!input.folder.empty()) replace_all(text, input.folder, "");
  replace_all(text, driver::stdlib_folder() + "/", "stdlib/");
  forget_lines(text, "stdlib/");
  return text;
}

std::span<const Command> command_table() { return commands; }

const Command* find_command(std::string_view name, std::string_view extension) {
  for (const Command& command : commands) {
    if (command.name == name && command.extension == extension) return &command;
  }
  return nullptr;
}

}  // namespace dvm::test
