// The command `run`: a program's entries, run in every way there is; all ways must agree.
#pragma once

#include <string>
#include <string_view>

#include "tests/runner/commands.hpp"

namespace dvm::test {

// Begins a line of the text when two ways of running disagree; no expectation may hold it.
inline constexpr std::string_view disagreement_mark = "THE WAYS OF RUNNING DISAGREE";

// The lines `-- run [entry=f] x=… y=…` of the comment that opens the file are runs. Each happens in
// the interpreter and in the engine, there unoptimised (only the passes that always run) and
// optimised, with 1, 2 and 7 workers, always in this process. The text has warnings and errors of
// compiling, then what `dvmc run` would print for each run: results, a failure with its place, or
// what is wrong with the inputs. With several runs each begins with its line.
std::string run_program(const CommandInput& input);

}  // namespace dvm::test
