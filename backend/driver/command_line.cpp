// Parsing, dispatch, and the boundary that no exception crosses.
#include "backend/driver/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <ostream>

#include "backend/driver/arguments.hpp"
#include "backend/driver/build_id.hpp"
#include "backend/driver/commands.hpp"
#include "backend/driver/completion.hpp"
#include "backend/driver/crash_report.hpp"
#include "backend/driver/problem.hpp"
#include "backend/driver/suggest.hpp"
#include "frontend/parse/deep_stack.hpp"

namespace dvm::driver {

namespace {

int dispatch(const CLI::App& app, const Options& options, const Console& console) {
  const std::string& command = options.command;
  if (command == "check") return check_command(options, console);
  if (command == "build") return build_command(options, console);
  if (command == "run") return run_command(options, console);
  if (command == "dump") return dump_command(options, console);
  if (command == "opt") return opt_command(options, console);
  if (command == "passes") return passes_command(options, console);
  if (command == "inspect") return inspect_command(options, console);
  if (command == "doc") return doc_command(options, console);
  if (command == "explain") return explain_program_command(options, console);
  if (command == "explain-error") return explain_command(options, console);
  if (command == "fmt") return format_command(options, console);
  if (command == "repl") return repl_command(options, console);
  console.out << completion_script(app, options.shell);
  return status::ok;
}

// CLI11 would only say that the word was not expected.
std::optional<Problem> unknown_command(const CLI::App& app,
                                       std::span<const std::string> arguments) {
  if (arguments.empty() || arguments[0].starts_with('-')) return std::nullopt;
  const auto names = command_names(app);
  if (std::find(names.begin(), names.end(), arguments[0]) != names.end()) return std::nullopt;
  const auto close = nearest(arguments[0], names);
  return Problem{status::usage,
                 "usage",
                 fmt::format("unknown command `{}`{}", arguments[0],
                             close ? fmt::format(", did you mean `{}`?", *close) : ""),
                 {fmt::format("commands: {}", fmt::join(names, ", "))}};
}

// Help and version are printed; anything else is a mistake in the arguments.
int handle_parse_error(const CLI::App& app, const CLI::ParseError& error, const Options& options,
                       const Console& console) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    app.exit(error, console.out, console.err);
    return status::ok;
  }
  std::string message = error.what();
  std::replace(message.begin(), message.end(), '\n', ' ');
  return report(Problem{status::usage,
                        "usage",
                        message,
                        {"`dvmc --help` lists commands, `dvmc COMMAND --help` options"}},
                options, console);
}

int run(std::span<const std::string> arguments, Options& options, const Console& console) {
  CLI::App app("Compiles Haskell-like array programs to task graphs and runs them.", "dvmc");
  app.set_version_flag("--version", fmt::format("dvmc {} ({})", version, build_id()));
  describe_commands(app, options);
  if (const auto problem = unknown_command(app, arguments))
    return report(*problem, options, console);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(),
                                       arguments.rend()));  // CLI11 takes them reversed
  } catch (const CLI::ParseError& error) {
    return handle_parse_error(app, error, options, console);
  }
  int result = status::internal;
  with_deep_stack([&] {
    const CrashStack stack;
    result = dispatch(app, options, console);
  });
  return result;
}

}  // namespace

int dvmc_main(std::span<const std::string> arguments, const Console& console) {
  Options options;
  int result = status::internal;
  try {
    result = run(arguments, options, console);
  } catch (const std::bad_alloc&) {
    result =
        report(Problem{status::program, "memory", "there is too little memory"}, options, console);
  } catch (const std::exception& error) {
    result = report(Problem{status::internal,
                            "internal",
                            fmt::format("internal error: {}", error.what()),
                            {"this is a bug in dvmc: please send the program, the command line and "
                             "`dvmc --version`"}},
                    options, console);
  }
  console.out.flush();
  console.err.flush();
  if (result == status::ok && !console.out) {
    return report(
        Problem{status::program, "unwritable-output", "standard output cannot be written"}, options,
        console);
  }
  return result;
}

}  // namespace dvm::driver
